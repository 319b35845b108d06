"""The scatter with its lasso."""

from cclab.widgets.scatter.plot.points import Points, combine

__all__ = ["Points", "combine"]
