"""Views of the painter: the picture with its paint, the regions, questions about places."""

from cclab.widgets.easel.easel import Easel
from cclab.widgets.easel.paint import Paint
from cclab.widgets.easel.parts import PaintStatus, StrokeList, Undecided
from cclab.widgets.easel.places import Places
from cclab.widgets.easel.table import RegionTable

__all__ = ["Easel", "Paint", "PaintStatus", "Places", "RegionTable", "StrokeList", "Undecided"]
