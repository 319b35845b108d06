"""The canvas of the painter: a picture, paint on it, and what the solver makes of it."""

from cclab.widgets.painter.canvas.picture_canvas import ImageCanvas, Swatch

__all__ = ["ImageCanvas", "Swatch"]
