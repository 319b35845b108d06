"""The scatter with its lasso: one interface, one implementation for few samples and one for many."""

from cclab.widgets.points.base import PointsView, Shape, combine
from cclab.widgets.points.canvas import CanvasPoints
from cclab.widgets.points.svg import SvgPoints

# bqplot stays fluent up to about so many samples.
SVG_LIMIT = 2000


def points_view(n_samples: int) -> PointsView:
    """The scatter that suits a number of samples."""
    return SvgPoints(n_samples) if n_samples <= SVG_LIMIT else CanvasPoints(n_samples)


__all__ = ["SVG_LIMIT", "CanvasPoints", "PointsView", "Shape", "SvgPoints", "combine", "points_view"]
