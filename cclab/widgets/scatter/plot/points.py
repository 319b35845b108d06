"""The scatter with its lasso: samples in the plane, drawn by a canvas of our own, from one to a million of them."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence

import anywidget
import numpy as np
from traitlets import Bytes, Dict, Enum, Int, List

from cclab.core.arrays import distinct
from cclab.looks.outlines import outline
from cclab.looks.signs import DASH, FORMS, SHAPES, link_opacity, link_width, sample_opacity
from cclab.widgets.kit.background import is_looping
from cclab.widgets.kit.bundle import bundle
from cclab.widgets.kit.html import Html

TOOLS = ("lasso", "box", "hand")
MODES = ("replace", "add", "remove")
CANNOT, VIOLATED = 1, 2
# Seconds: so long the words beside a sample take until they have left.
_AFTER_WORDS = 0.02

_MODULES = (
    "viewport",
    "index",
    "gestures",
    "tip",
    "colors",
    "webgl",
    "raster",
    "canvas2d",
    "density",
    "overlay",
    "canvas",
)
# The front end knows our table of signs by these names.
_TABLE = {"FORMS": [form._asdict() | {"extent": form.extent} for form in FORMS.values()], "DASH": DASH}


class Canvas(anywidget.AnyWidget):
    """The front end of `Points`: one byte per sample and property, positions once, in single precision.

    WebGL draws the samples, or a plain canvas where there is none; `renderer` "2d" does without it always.
    """

    _esm = "\n".join(
        [
            *(f"const {name} = {json.dumps(value)};" for name, value in _TABLE.items()),
            bundle("kit/send.js", *(f"scatter/plot/js/{name}.js" for name in _MODULES)),
        ]
    )

    xy = Bytes().tag(sync=True)
    extent = List([0.0, 1.0, 0.0, 1.0]).tag(sync=True)
    labels = List(["", ""]).tag(sync=True)
    color = Bytes().tag(sync=True)
    shape = Bytes().tag(sync=True)
    opacity = Bytes().tag(sync=True)
    weight = Bytes().tag(sync=True)
    palette = List(["--cc-all"]).tag(sync=True)
    link_pairs = Bytes().tag(sync=True)
    link_style = Bytes().tag(sync=True)
    link_opacity = Bytes().tag(sync=True)
    link_width = Bytes().tag(sync=True)
    outlines = List(Dict()).tag(sync=True)
    centers = Bytes().tag(sync=True)
    ghosts = Bytes().tag(sync=True)
    selection = Bytes().tag(sync=True)
    query = List(Int()).tag(sync=True)
    rings = Bytes().tag(sync=True)
    tool = Enum(TOOLS, "lasso").tag(sync=True)
    renderer = Enum(("auto", "2d"), "auto").tag(sync=True)


class Points:
    """Samples in the plane, with what is known and asked about them.

    It shows what it is told and reports gestures; it keeps no truth of its own. In particular a lasso does not change
    what is shown as selected: whoever listens answers with `set_selection` (`combine` does the arithmetic). Samples,
    selections and links are given by index.

    Parameters
    ----------
    n_samples : int
    renderer : {"auto", "2d"}
        See `Canvas`.

    Attributes
    ----------
    widget : Canvas
        What goes on the page, inside a ``.cc-app`` container; it fills the room it gets.
    describe : callable or None
        ``describe(index)`` gives the `Html` shown beside the sample under the pointer, or None.
    """

    def __init__(self, n_samples: int, *, renderer: str = "auto"):
        if n_samples < 1:
            raise ValueError(f"A scatter needs at least one sample, not {n_samples}.")
        self.n_samples = n_samples
        self.describe: Callable[[int], Html | None] | None = None
        self._groups: list[tuple[str, np.ndarray]] = []
        self._centers = self._ghosts = np.empty((0, 2))
        self._select_callbacks: list[Callable] = []
        self._hover_callbacks: list[Callable] = []
        self._click_callbacks: list[Callable] = []
        self._region_callbacks: list[Callable] = []
        self._under_pointer: int | None = None
        self._telling: asyncio.TimerHandle | None = None
        self._place(np.zeros((n_samples, 2)))
        blank = bytes(n_samples)
        self.widget = Canvas(
            xy=_floats(self._unit), color=blank, shape=blank, opacity=b"\xff" * n_samples, renderer=renderer
        )
        self.widget.on_msg(self._receive)

    # What is shown -------------------------------------------------------------------------------------------------

    def set_positions(self, xy: np.ndarray, x_label: str = "", y_label: str = "") -> None:
        """Place the samples, (n_samples, 2), and fit the view to them."""
        xy = np.asarray(xy, float)
        if xy.shape != (self.n_samples, 2):
            raise ValueError(f"Positions must have the shape ({self.n_samples}, 2), not {xy.shape}.")
        if not np.isfinite(xy).all():
            bad = np.flatnonzero(~np.isfinite(xy).all(axis=1))[0]
            raise ValueError(f"The position of sample {bad} is not finite.")
        self._place(xy)
        with self.widget.hold_sync():
            self.widget.xy = _floats(self._unit)
            self.widget.extent = self._extent
            self.widget.labels = [x_label, y_label]
            self._draw_outlines()
            self._draw_centers()

    def set_marks(
        self,
        color: np.ndarray,
        shape: np.ndarray,
        certainty: np.ndarray,
        palette: Sequence[str],
        shown: np.ndarray | None = None,
    ) -> None:
        """Say how each sample looks.

        Parameters
        ----------
        color : array of int, shape (n_samples,)
            Index into `palette`.
        shape : array of int, shape (n_samples,)
            Place in `cclab.looks.signs.SHAPES`.
        certainty : array of float in [0, 1], shape (n_samples,)
            Shown as opacity, which never falls below 0.34.
        palette : sequence of str
            At most 256 names of CSS variables, such as ``"--cc-c1-2"`` (`cclab.looks.palette.hue`).
        shown : array of bool, shape (n_samples,), optional
            The others are neither drawn nor pointed at.
        """
        if not 0 < len(palette) <= 256:
            raise ValueError(f"A palette has between 1 and 256 colours, not {len(palette)}.")
        color = self._codes(color, "colour", len(palette))
        shape = self._codes(shape, "shape", len(SHAPES))
        certainty = np.broadcast_to(np.asarray(certainty, float), self.n_samples)
        if not ((certainty >= 0) & (certainty <= 1)).all():
            bad = np.flatnonzero(~((certainty >= 0) & (certainty <= 1)))[0]
            raise ValueError(f"The certainty of sample {bad} is {certainty[bad]}; it must lie in [0, 1].")
        with self.widget.hold_sync():
            self.widget.color = color.tobytes()
            self.widget.shape = shape.tobytes()
            opacity = sample_opacity(certainty)
            self.widget.opacity = _bytes(opacity if shown is None else np.where(shown, opacity, 0))
            self.widget.palette = list(palette)

    def set_weights(self, weights: np.ndarray) -> None:
        """Say how many rows each sample stands for: the picture of how densely they lie counts by them."""
        self.widget.weight = _floats(np.broadcast_to(np.asarray(weights, float), self.n_samples))

    def set_links(
        self,
        pairs: np.ndarray,
        cannot: np.ndarray | bool = False,
        violated: np.ndarray | bool = False,
        weight: np.ndarray | float = 1.0,
        level: np.ndarray | int = 1,
    ) -> None:
        """Draw links, (m, 2): must-links solid, cannot-links dashed, violated ones red, weak ones faint.

        `level` is 0 for a thin line, 1 for the usual one, 2 for a thick one.
        """
        pairs = np.asarray(pairs, int).reshape(-1, 2)
        self._indices(pairs.ravel())
        cannot, violated, weight, level = (
            np.broadcast_to(value, len(pairs)) for value in (cannot, violated, weight, level)
        )
        style = CANNOT * cannot.astype(np.uint8) + VIOLATED * violated.astype(np.uint8)
        with self.widget.hold_sync():
            self.widget.link_pairs = _integers(pairs)
            self.widget.link_style = style.tobytes()
            self.widget.link_opacity = _bytes(link_opacity(weight))
            self.widget.link_width = _floats(link_width(level, violated))

    def set_outlines(self, groups: Iterable[tuple[str, np.ndarray]]) -> None:
        """Outline groups of samples, each with a short name: ``[("A", indices), ...]``."""
        groups = [(name, self._indices(samples)) for name, samples in groups]
        self._groups = [(name, samples) for name, samples in groups if len(samples)]
        self._draw_outlines()

    def set_centers(self, xy: np.ndarray, ghosts: np.ndarray | tuple[()] = ()) -> None:
        """Mark the clusters' centres, (k, 2), and where they were before (faint)."""
        self._centers = np.asarray(xy, float).reshape(-1, 2)
        self._ghosts = np.asarray(ghosts, float).reshape(-1, 2)
        self._draw_centers()

    def set_selection(self, indices: np.ndarray) -> None:
        """Show these samples as selected."""
        self.widget.selection = _integers(self._indices(indices))

    def set_query(self, *samples: int | None) -> None:
        """Ring the samples that are asked about: a pair, a group, one alone, or none."""
        self.widget.query = self._indices([sample for sample in samples if sample is not None]).tolist()

    def set_rings(self, indices: np.ndarray) -> None:
        """Ring samples in ink, for instance those on which two partitions disagree."""
        self.widget.rings = _integers(self._indices(indices))

    @property
    def tool(self) -> str:
        """What dragging does: "lasso" and "box" select, "hand" moves the view."""
        return self.widget.tool

    @tool.setter
    def tool(self, tool: str) -> None:
        if tool not in TOOLS:
            raise ValueError(f"tool must be one of {', '.join(TOOLS)}, not {tool!r}.")
        self.widget.tool = tool

    def fit(self) -> None:
        """Show all samples."""
        self.widget.send({"type": "fit"})

    def close(self) -> None:
        """Free the widget, here and in the browser."""
        if self._telling is not None:
            self._telling.cancel()
        self.widget.close()

    # What is reported ----------------------------------------------------------------------------------------------

    def on_select(self, callback: Callable[[np.ndarray, str], object]) -> None:
        """Call ``callback(indices, mode)`` after each lasso or box, also an empty one.

        `mode` is "replace", with Shift "add", with Alt "remove" (as the pointer went down).
        """
        self._select_callbacks.append(callback)

    def on_region(self, callback: Callable[[np.ndarray], object]) -> None:
        """Call ``callback(polygon)`` after each lasso or box, where samples have weights; (m, 2), in their units."""
        self._region_callbacks.append(callback)

    def on_hover(self, callback: Callable[[int | None], object]) -> None:
        """Call ``callback(index)`` when the pointer comes to a sample, and with None when it leaves."""
        self._hover_callbacks.append(callback)

    def on_click(self, callback: Callable[[int | None], object]) -> None:
        """Call ``callback(index)`` when a sample is clicked; None for a click beside all of them."""
        self._click_callbacks.append(callback)

    def _receive(self, _widget: object, message: dict, buffers: list) -> None:
        """A message of the front end."""
        match message.get("type"):
            case "select":
                indices = np.frombuffer(buffers[0], np.uint32).astype(np.intp)
                for callback in self._select_callbacks:
                    callback(indices, message["mode"])
                if region := message.get("region"):
                    for callback in self._region_callbacks:
                        callback(np.asarray(region, float) * self._span + self._low)
            case "hover":
                self._hovered(message["index"])
            case "click":
                for callback in self._click_callbacks:
                    callback(message["index"])

    def _hovered(self, index: int | None) -> None:
        """The words beside it at once; whatever else follows the pointer waits until these are on their way."""
        if index is not None and self.describe is not None and (html := self.describe(index)) is not None:
            self.widget.send({"type": "tip", "index": index, "html": str(html)})
        self._under_pointer = index
        if not is_looping():
            self._tell_of_hover()
        elif self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(_AFTER_WORDS, self._tell_of_hover)

    def _tell_of_hover(self) -> None:
        self._telling = None
        for callback in self._hover_callbacks:
            callback(self._under_pointer)

    # What is sent --------------------------------------------------------------------------------------------------
    # Positions are sent in the unit square: `self._unit` holds the samples, `self._extent` the (left, right, low, high)
    # that it stands for.

    def _draw_outlines(self) -> None:
        drawn = [outline(name, self._unit[samples]) for name, samples in self._groups]
        self.widget.outlines = [
            {"name": each.name, "polygon": each.polygon.tolist(), "anchor": each.anchor.tolist()} for each in drawn
        ]

    def _draw_centers(self) -> None:
        with self.widget.hold_sync():
            self.widget.centers = _floats(self._to_unit(self._centers))
            self.widget.ghosts = _floats(self._to_unit(self._ghosts))

    def _place(self, xy: np.ndarray) -> None:
        low, high = xy.min(axis=0), xy.max(axis=0)
        flat = high == low
        low, high = np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)
        self._low, self._span = low, high - low
        self._extent = [float(low[0]), float(high[0]), float(low[1]), float(high[1])]
        self._unit = self._to_unit(xy)

    def _to_unit(self, xy: np.ndarray) -> np.ndarray:
        return (xy - self._low) / self._span

    def _indices(self, indices: Sequence[int] | np.ndarray) -> np.ndarray:
        indices = np.asarray(indices, np.intp).ravel()
        wrong = (indices < 0) | (indices >= self.n_samples)
        if wrong.any():
            raise ValueError(f"There is no sample {indices[wrong][0]}; samples are numbered 0 to {self.n_samples - 1}.")
        return indices

    def _codes(self, codes: np.ndarray, what: str, count: int) -> np.ndarray:
        codes = np.broadcast_to(np.asarray(codes, int), self.n_samples)
        wrong = (codes < 0) | (codes >= count)
        if wrong.any():
            bad = np.flatnonzero(wrong)[0]
            raise ValueError(f"Sample {bad} has the {what} {codes[bad]}; there are {count}, counted from 0.")
        return codes.astype(np.uint8)


def combine(selection: np.ndarray, indices: np.ndarray, mode: str) -> np.ndarray:
    """What is selected after a gesture: sorted indices.

    >>> combine([1, 2], [2, 3], "add").tolist(), combine([1, 2], [2, 3], "remove").tolist()
    ([1, 2, 3], [1])
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}.")
    selection, indices = distinct(selection), distinct(indices)
    if mode == "add":
        return distinct(np.concatenate([selection, indices]))
    return selection[~np.isin(selection, indices)] if mode == "remove" else indices


def _bytes(shares: np.ndarray) -> bytes:
    return np.round(255 * shares).astype(np.uint8).tobytes()


def _floats(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array, np.float32).tobytes()


def _integers(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array, np.uint32).tobytes()
