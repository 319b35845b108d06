"""Views of the painter: the picture with its paint, the regions, questions about places."""

from cclab.widgets.painter.canvas_panel import Paint
from cclab.widgets.painter.model import Easel
from cclab.widgets.painter.others import Others
from cclab.widgets.painter.piece_list import PieceList
from cclab.widgets.painter.query_card import Places
from cclab.widgets.painter.reasons import Reasons
from cclab.widgets.painter.region_table import RegionTable
from cclab.widgets.painter.scan import Scan
from cclab.widgets.painter.stroke_list import StrokeList, Undecided, status_items

__all__ = [
    "Easel",
    "Others",
    "Paint",
    "PieceList",
    "Places",
    "Reasons",
    "RegionTable",
    "Scan",
    "StrokeList",
    "Undecided",
    "status_items",
]
