"""A scatter of up to a million samples, drawn by our own WebGL canvas (plain canvas where there is no WebGL)."""

import anywidget
import numpy as np
from traitlets import Bytes, Enum, List

from cclab.widgets.esm import bundle
from cclab.widgets.html import Html
from cclab.widgets.points.base import LINK_WIDTHS, TOOLS, WIDER, Lines, PointsView
from cclab.widgets.points.outlines import Outline

CANNOT, VIOLATED = 1, 2

_MODULES = ("viewport", "index", "gestures", "tip", "colors", "webgl", "canvas2d", "overlay", "canvas")


class CanvasFigure(anywidget.AnyWidget):
    """The front end of `CanvasPoints`: one byte a sample and property, positions once, in single precision.

    `renderer` "2d" does without WebGL; "auto" takes it where it is.
    """

    _esm = bundle("tell.js", *(f"points/js/{name}.js" for name in _MODULES))

    xy = Bytes().tag(sync=True)
    extent = List([0.0, 1.0, 0.0, 1.0]).tag(sync=True)
    labels = List(["", ""]).tag(sync=True)
    color = Bytes().tag(sync=True)
    shape = Bytes().tag(sync=True)
    opacity = Bytes().tag(sync=True)
    palette = List(["--cc-all"]).tag(sync=True)
    link_pairs = Bytes().tag(sync=True)
    link_style = Bytes().tag(sync=True)
    link_opacity = Bytes().tag(sync=True)
    link_width = Bytes().tag(sync=True)
    outlines = List().tag(sync=True)
    centers = Bytes().tag(sync=True)
    ghosts = Bytes().tag(sync=True)
    selection = Bytes().tag(sync=True)
    query = List().tag(sync=True)
    rings = Bytes().tag(sync=True)
    tool = Enum(TOOLS, "lasso").tag(sync=True)
    renderer = Enum(("auto", "2d"), "auto").tag(sync=True)


class CanvasPoints(PointsView):
    """The scatter for many samples (see `PointsView`)."""

    def __init__(self, n_samples: int, *, renderer: str = "auto"):
        super().__init__(n_samples)
        blank = bytes(n_samples)
        self.widget = CanvasFigure(
            xy=_floats(self._unit), color=blank, shape=blank, opacity=b"\xff" * n_samples, renderer=renderer
        )
        self.widget.on_msg(self._receive)

    def fit(self) -> None:
        self.widget.send({"type": "fit"})

    def close(self) -> None:
        self.widget.close()

    def _draw_positions(self, x_label: str, y_label: str) -> None:
        with self.widget.hold_sync():
            self.widget.xy = _floats(self._unit)
            self.widget.extent = self._extent
            self.widget.labels = [x_label, y_label]

    def _draw_marks(self, color: np.ndarray, shape: np.ndarray, opacity: np.ndarray, palette: list[str]) -> None:
        with self.widget.hold_sync():
            self.widget.color = color.tobytes()
            self.widget.shape = shape.tobytes()
            self.widget.opacity = opacity.tobytes()
            self.widget.palette = palette

    def _draw_links(self, lines: Lines) -> None:
        width = np.take(LINK_WIDTHS, lines.level) * np.where(lines.violated, WIDER, 1)
        with self.widget.hold_sync():
            self.widget.link_pairs = _indices(lines.pairs)
            self.widget.link_style = (CANNOT * lines.cannot + VIOLATED * lines.violated).astype(np.uint8).tobytes()
            self.widget.link_opacity = np.round(255 * lines.opacity).astype(np.uint8).tobytes()
            self.widget.link_width = _floats(width)

    def _draw_outlines(self, outlines: list[Outline]) -> None:
        self.widget.outlines = [
            {"name": drawn.name, "polygon": drawn.polygon.tolist(), "anchor": drawn.anchor.tolist()}
            for drawn in outlines
        ]

    def _draw_centers(self, centers: np.ndarray, ghosts: np.ndarray) -> None:
        with self.widget.hold_sync():
            self.widget.centers, self.widget.ghosts = _floats(centers), _floats(ghosts)

    def _draw_selection(self, indices: np.ndarray) -> None:
        self.widget.selection = _indices(indices)

    def _draw_query(self, indices: np.ndarray) -> None:
        self.widget.query = indices.tolist()

    def _draw_rings(self, indices: np.ndarray) -> None:
        self.widget.rings = _indices(indices)

    def _use_tool(self, tool: str) -> None:
        self.widget.tool = tool

    def _show_tip(self, index: int, html: Html) -> None:
        self.widget.send({"type": "tip", "index": index, "html": str(html)})


def _floats(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array, np.float32).tobytes()


def _indices(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array, np.uint32).tobytes()
