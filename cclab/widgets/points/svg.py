"""A scatter of up to about 2,000 samples, drawn by bqplot.

bqplot draws and its lasso selects. What it lacks (modifier keys, empty lassos, a box that takes Shift and Alt, zooming
while the lasso is in hand) comes from a small front end over the figure, which shares its gestures with `CanvasPoints`.

Two habits of bqplot's lasso shape this file. Lassos stay drawn and add up, so each is reset once it is read; and a
reset itself changes ``selected`` twice, so that trait is never observed, only read when our front end says that a lasso
has ended.
"""

import anywidget
import bqplot
import ipywidgets
import numpy as np
from traitlets import Bytes, Enum

from cclab.widgets.esm import bundle
from cclab.widgets.html import Html
from cclab.widgets.points.base import LINK_WIDTHS, MODES, TOOLS, WIDER, Lines, PointsView, Shape
from cclab.widgets.points.outlines import N_VERTICES, Outline
from cclab.widgets.points.ticks import ticks

# The same as MARGIN in js/viewport.js.
_MARGIN = {"top": 8, "right": 12, "bottom": 44, "left": 46}
_PADDING = 0.04
_WHOLE = (-_PADDING, 1 + _PADDING, -_PADDING, 1 + _PADDING)


class Gestures(anywidget.AnyWidget):
    """What the pointer does over a bqplot figure that lies in the same ``.cc-points`` box."""

    _esm = bundle("tell.js", *(f"points/js/{name}.js" for name in ("viewport", "index", "gestures", "tip", "svg")))

    xy = Bytes().tag(sync=True)
    tool = Enum(TOOLS, "lasso").tag(sync=True)


class SvgPoints(PointsView):
    """The scatter for a few samples (see `PointsView`)."""

    def __init__(self, n_samples: int):
        super().__init__(n_samples)
        self._view = _WHOLE
        self._room = (800, 400)
        # Marks live in the unit square, as positions do; the axes have scales of their own, in the data's units.
        self._scales = {"x": _scale(), "y": _scale()}
        self._axes = {
            "x": bqplot.Axis(scale=_scale(), grid_lines="none", label_offset="33px"),
            "y": bqplot.Axis(scale=_scale(), side="left", grid_lines="none", label_offset="36px"),
        }
        self._make_marks()
        self._lasso = bqplot.interacts.LassoSelector(marks=[self._everyone], color="var(--cc-focus)")
        self._figure = bqplot.Figure(
            marks=self._marks_in_order(),
            axes=list(self._axes.values()),
            interaction=self._lasso,
            fig_margin=_MARGIN,
            padding_x=0,
            padding_y=0,
            min_aspect_ratio=0.01,
            max_aspect_ratio=100,
            animation_duration=0,
            display_toolbar=False,
            background_style={"fill": "none"},
            layout={"width": "100%", "height": "100%", "min_width": "0"},
        )
        self._gestures = Gestures(xy=self._unit.astype(np.float32).tobytes())
        self._gestures.on_msg(self._receive)
        self.widget = ipywidgets.Box([self._figure, self._gestures])
        self.widget.add_class("cc-points")
        self._look = (np.zeros(n_samples, np.uint8),) * 2 + (np.full(n_samples, 255, np.uint8), ["--cc-all"])
        self._lines = Lines(np.empty((0, 2), int), *np.empty((4, 0)))
        self._chosen = {"selection": np.empty(0, int), "query": np.empty(0, int), "rings": np.empty(0, int)}
        self._draw_positions("", "")

    def fit(self) -> None:
        self._gestures.send({"type": "fit"})
        self._show(_WHOLE)

    def close(self) -> None:
        axes = self._axes.values()
        scales = [*self._scales.values(), *(axis.scale for axis in axes)]
        for part in (self.widget, self._gestures, self._figure, self._lasso, *self._figure.marks, *axes, *scales):
            part.close()

    # Marks, from the bottom up -------------------------------------------------------------------------------------

    def _make_marks(self) -> None:
        def scatter(marker, size, **options):
            return bqplot.Scatter(x=[], y=[], scales=self._scales, marker=marker, default_size=size, **options)

        def lines(**options):
            return bqplot.Lines(x=[], y=[], scales=self._scales, visible=False, **options)

        def label(color, **options):
            return bqplot.Label(
                x=[], y=[], text=[], scales=self._scales, colors=[color], default_size=12, font_weight="bold", **options
            )

        ink, soft, edge = "var(--cc-text)", "var(--cc-text2)", "var(--cc-edge)"
        self._outlines = lines(close_path=True, fill="inside", colors=[soft], stroke_width=1.2)
        self._outline_names = label(soft, x_offset=6, y_offset=-4)
        self._link_marks = {
            (cannot, violated, level): lines(
                colors=["var(--cc-bad)" if violated else "var(--cc-text3)"],
                stroke_width=width * WIDER if violated else width,
                line_style="dashed" if cannot else "solid",
            )
            for cannot in (False, True)
            for violated in (False, True)
            for level, width in enumerate(LINK_WIDTHS)
        }
        self._halo = scatter("circle", 227, colors=["var(--cc-halo)"], stroke_width=0)
        self._shapes = {
            Shape.CIRCLE: scatter("circle", 52, stroke=edge, stroke_width=1),
            Shape.DIAMOND: scatter("diamond", 56, stroke=edge, stroke_width=1),
            Shape.SQUARE: scatter("square", 52, stroke=edge, stroke_width=1),
            Shape.OUTLIER: scatter("circle", 80, fill=False, stroke_width=1.2),
        }
        self._outlier_cross = scatter("crosshair", 44, fill=False, stroke_width=1.2)
        self._rings = scatter("circle", 200, colors=[ink], fill=False, stroke_width=1.6)
        self._query_line = lines(colors=["var(--cc-focus)"], stroke_width=1.5, line_style="dotted")
        self._query_rings = scatter("circle", 227, colors=["var(--cc-focus)"], fill=False, stroke_width=2)
        self._query_names = label("var(--cc-focus)", align="middle", y_offset=-19)
        cross = {"stroke": "var(--cc-surface)", "stroke_width": 1.5}
        self._ghost_centers = scatter("cross", 110, colors=["var(--cc-ink)"], opacities=[0.35], **cross)
        self._center_marks = scatter("cross", 110, colors=["var(--cc-ink)"], **cross)
        self._everyone = scatter("circle", 1, opacities=[0.0])

    def _marks_in_order(self) -> list:
        return [
            self._outlines, *self._link_marks.values(), self._halo, *self._shapes.values(), self._outlier_cross,
            self._rings, self._outline_names, self._query_line, self._query_rings, self._query_names,
            self._ghost_centers, self._center_marks, self._everyone,
        ]  # fmt: skip

    # What the interface asks ---------------------------------------------------------------------------------------

    def _draw_positions(self, x_label: str, y_label: str) -> None:
        self._axes["x"].label, self._axes["y"].label = x_label, y_label
        self._gestures.xy = self._unit.astype(np.float32).tobytes()
        _move(self._everyone, self._unit)
        self._draw_marks(*self._look)
        self._draw_links(self._lines)
        self._draw_selection(self._chosen["selection"])
        self._draw_query(self._chosen["query"])
        self._draw_rings(self._chosen["rings"])
        self._show(_WHOLE)

    def _draw_marks(self, color: np.ndarray, shape: np.ndarray, opacity: np.ndarray, palette: list[str]) -> None:
        self._look = (color, shape, opacity, palette)
        paints = np.array([f"var({variable})" for variable in palette], object)[color]
        for sign, mark in self._shapes.items():
            self._draw_shape(mark, shape == sign, paints, opacity)
        self._draw_shape(self._outlier_cross, shape == Shape.OUTLIER, paints, opacity)

    def _draw_shape(self, mark: bqplot.Scatter, chosen: np.ndarray, paints: np.ndarray, opacity: np.ndarray) -> None:
        with mark.hold_sync():
            _move(mark, self._unit[chosen])
            mark.colors = paints[chosen].tolist() or ["var(--cc-all)"]
            mark.opacities = np.round(opacity[chosen] / 255, 3).tolist() or [1.0]

    def _draw_links(self, lines: Lines) -> None:
        self._lines = lines
        for (cannot, violated, level), mark in self._link_marks.items():
            chosen = (lines.cannot == cannot) & (lines.violated == violated) & (lines.level == level)
            _trace(mark, self._unit[lines.pairs[chosen]], lines.opacity[chosen])

    def _draw_outlines(self, outlines: list[Outline]) -> None:
        polygons = np.array([drawn.polygon for drawn in outlines]).reshape(-1, N_VERTICES, 2)
        self._outlines.fill_colors = ["var(--cc-shade)"] * len(outlines)
        _trace(self._outlines, polygons, np.ones(len(outlines)))
        with self._outline_names.hold_sync():
            _move(self._outline_names, np.array([drawn.anchor for drawn in outlines]).reshape(-1, 2))
            self._outline_names.text = [drawn.name for drawn in outlines]

    def _draw_centers(self, centers: np.ndarray, ghosts: np.ndarray) -> None:
        _move(self._center_marks, centers)
        _move(self._ghost_centers, ghosts)

    def _draw_selection(self, indices: np.ndarray) -> None:
        self._chosen["selection"] = indices
        _move(self._halo, self._unit[indices])

    def _draw_query(self, indices: np.ndarray) -> None:
        self._chosen["query"] = indices
        places = self._unit[indices]
        _move(self._query_rings, places)
        _trace(self._query_line, places[None] if len(places) == 2 else np.empty((0, 2, 2)), np.ones(1))
        with self._query_names.hold_sync():
            _move(self._query_names, places)
            self._query_names.text = ["a", "b"][: len(places)]

    def _draw_rings(self, indices: np.ndarray) -> None:
        self._chosen["rings"] = indices
        _move(self._rings, self._unit[indices])

    def _use_tool(self, tool: str) -> None:
        self._gestures.tool = tool
        self._figure.interaction = self._lasso if tool == "lasso" else None

    def _show_tip(self, index: int, html: Html) -> None:
        self._gestures.send({"type": "tip", "index": index, "html": str(html)})

    # What the front end says ---------------------------------------------------------------------------------------

    def _receive(self, widget, message: dict, buffers: list) -> None:
        match message.get("type"):
            case "lassoed":
                self._end_lasso(message["mode"], message["moved"])
            case "view":
                self._show(tuple(message["view"]))
            case "room":
                self._room = tuple(message["room"])
                self._show(self._view)
            case _:
                super()._receive(widget, message, buffers)

    def _end_lasso(self, mode: str, moved: bool) -> None:
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}.")
        selected = self._everyone.selected
        indices = np.empty(0, np.intp) if selected is None else np.sort(np.asarray(selected, np.intp))
        self._everyone.selected = None
        self._lasso.reset()
        if moved:
            self._report_selection(indices, mode)

    def _show(self, view: tuple[float, float, float, float]) -> None:
        """Show a part of the plane, given in the unit square."""
        self._view = view
        left, right, low, high = self._extent
        self._show_along("x", view[:2], left, right, self._room[0], 100)
        self._show_along("y", view[2:], low, high, self._room[1], 60)

    def _show_along(self, name: str, view: tuple, origin: float, limit: float, pixels: int, spacing: int) -> None:
        start, end = (origin + unit * (limit - origin) for unit in view)
        axis = self._axes[name]
        _span(self._scales[name], *view)
        _span(axis.scale, start, end)
        with axis.hold_sync():
            axis.tick_values, axis.tick_format = ticks(start, end, pixels, spacing)


def _scale() -> bqplot.LinearScale:
    """A scale that spans the plot exactly: left alone, bqplot shrinks those that have marks, and not the axes'."""
    return bqplot.LinearScale(allow_padding=False)


def _span(scale: bqplot.LinearScale, start: float, end: float) -> None:
    with scale.hold_sync():
        scale.min, scale.max = start, end


def _move(mark: bqplot.Mark, places: np.ndarray) -> None:
    """Give a mark its places, (k, 2)."""
    with mark.hold_sync():
        mark.x, mark.y = places[:, 0], places[:, 1]


def _trace(mark: bqplot.Lines, paths: np.ndarray, opacity: np.ndarray) -> None:
    """Give a mark its paths, (k, vertices, 2); bqplot cannot draw none, so it hides them."""
    with mark.hold_sync():
        mark.visible = len(paths) > 0
        if len(paths):
            mark.x, mark.y = paths[..., 0], paths[..., 1]
            mark.opacities = opacity.tolist()
