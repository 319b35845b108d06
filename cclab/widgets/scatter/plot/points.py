"""What every scatter can do: the one interface of its two implementations."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import ipywidgets
import numpy as np

from cclab.widgets.html import Html
from cclab.widgets.points.outlines import Outline, outline

TOOLS = ("lasso", "box", "hand")
MODES = ("replace", "add", "remove")
FAINTEST = 0.34
#: Pixels, for a link that counts little, as usual, and much; and how much wider a violated one is.
LINK_WIDTHS = (0.7, 1.4, 2.8)
WIDER = 1.4


class Shape(IntEnum):
    """How a sample is drawn: one cluster, two, any, none."""

    CIRCLE = 0
    DIAMOND = 1
    SQUARE = 2
    OUTLIER = 3


class Lines(NamedTuple):
    """How links are drawn: (m, 2) samples, and (m,) each of the other."""

    pairs: np.ndarray
    cannot: np.ndarray
    violated: np.ndarray
    opacity: np.ndarray
    level: np.ndarray


class PointsView(ABC):
    """Samples in the plane, with what is known and asked about them.

    A view shows what it is told and reports gestures; it keeps no truth of its own. In particular a lasso does not
    change what is shown as selected: whoever listens answers with `set_selection` (`combine` does the arithmetic).
    Samples, selections and links are given by index; nothing is copied into widgets but what is drawn.

    Attributes
    ----------
    widget : ipywidgets.DOMWidget
        What goes on the page, inside a ``.cc-app`` container; it fills the room it gets.
    describe : callable or None
        ``describe(index)`` gives the `Html` shown beside the sample under the pointer, or None.
    """

    widget: ipywidgets.DOMWidget

    def __init__(self, n_samples: int):
        if n_samples < 1:
            raise ValueError(f"A scatter needs at least one sample, not {n_samples}.")
        self.n_samples = n_samples
        self.describe: Callable[[int], Html | None] | None = None
        self._tool = "lasso"
        self._groups: list[tuple[str, np.ndarray]] = []
        self._centers = self._ghosts = np.empty((0, 2))
        self._select_callbacks: list[Callable] = []
        self._hover_callbacks: list[Callable] = []
        self._click_callbacks: list[Callable] = []
        self._place(np.zeros((n_samples, 2)))

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
        self._draw_positions(x_label, y_label)
        self._draw_outlines([outline(name, self._unit[samples]) for name, samples in self._groups])
        self._draw_centers(self._to_unit(self._centers), self._to_unit(self._ghosts))

    def set_marks(self, color: np.ndarray, shape: np.ndarray, certainty: np.ndarray, palette: Sequence[str]) -> None:
        """Say how each sample looks.

        Parameters
        ----------
        color : array of int, shape (n_samples,)
            Index into `palette`.
        shape : array of int, shape (n_samples,)
            A `Shape` each.
        certainty : array of float in [0, 1], shape (n_samples,)
            Shown as opacity, which never falls below 0.34.
        palette : sequence of str
            At most 256 names of CSS variables, such as ``"--cc-c1-2"`` (`cclab.widgets.theme.hue`).
        """
        if not 0 < len(palette) <= 256:
            raise ValueError(f"A palette has between 1 and 256 colours, not {len(palette)}.")
        color = self._codes(color, "colour", len(palette))
        shape = self._codes(shape, "shape", len(Shape))
        certainty = np.broadcast_to(np.asarray(certainty, float), self.n_samples)
        if not ((certainty >= 0) & (certainty <= 1)).all():
            bad = np.flatnonzero(~((certainty >= 0) & (certainty <= 1)))[0]
            raise ValueError(f"The certainty of sample {bad} is {certainty[bad]}; it must lie in [0, 1].")
        opacity = np.round(255 * (FAINTEST + (1 - FAINTEST) * certainty)).astype(np.uint8)
        self._draw_marks(color, shape, opacity, list(palette))

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
        opacity = 0.3 + 0.7 * weight.astype(float)
        self._draw_links(Lines(pairs, cannot.astype(bool), violated.astype(bool), opacity, level.astype(np.uint8)))

    def set_outlines(self, groups: Iterable[tuple[str, np.ndarray]]) -> None:
        """Outline groups of samples, each with a short name: ``[("A", indices), ...]``."""
        groups = [(name, self._indices(samples)) for name, samples in groups]
        self._groups = [(name, samples) for name, samples in groups if len(samples)]
        self._draw_outlines([outline(name, self._unit[samples]) for name, samples in self._groups])

    def set_centers(self, xy: np.ndarray, ghosts: np.ndarray = ()) -> None:
        """Mark the clusters' centres, (k, 2), and where they were before (faint)."""
        self._centers = np.asarray(xy, float).reshape(-1, 2)
        self._ghosts = np.asarray(ghosts, float).reshape(-1, 2)
        self._draw_centers(self._to_unit(self._centers), self._to_unit(self._ghosts))

    def set_selection(self, indices: np.ndarray) -> None:
        """Show these samples as selected."""
        self._draw_selection(self._indices(indices))

    def set_query(self, a: int | None, b: int | None = None) -> None:
        """Ring the samples that are asked about: a pair, one alone, or none."""
        self._draw_query(self._indices([sample for sample in (a, b) if sample is not None]))

    def set_rings(self, indices: np.ndarray) -> None:
        """Ring samples in ink, for instance those on which two partitions disagree."""
        self._draw_rings(self._indices(indices))

    @property
    def tool(self) -> str:
        """What dragging does: "lasso" and "box" select, "hand" moves the view."""
        return self._tool

    @tool.setter
    def tool(self, tool: str) -> None:
        if tool not in TOOLS:
            raise ValueError(f"tool must be one of {', '.join(TOOLS)}, not {tool!r}.")
        self._tool = tool
        self._use_tool(tool)

    @abstractmethod
    def fit(self) -> None:
        """Show all samples."""

    @abstractmethod
    def close(self) -> None:
        """Free the widgets, here and in the browser."""

    # What is reported ----------------------------------------------------------------------------------------------

    def on_select(self, callback: Callable[[np.ndarray, str], object]) -> None:
        """Call ``callback(indices, mode)`` after each lasso or box, also an empty one.

        `mode` is "replace", with Shift "add", with Alt "remove" (as the pointer went down).
        """
        self._select_callbacks.append(callback)

    def on_hover(self, callback: Callable[[int | None], object]) -> None:
        """Call ``callback(index)`` when the pointer comes to a sample, and with None when it leaves."""
        self._hover_callbacks.append(callback)

    def on_click(self, callback: Callable[[int | None], object]) -> None:
        """Call ``callback(index)`` when a sample is clicked; None for a click beside all of them."""
        self._click_callbacks.append(callback)

    def _receive(self, _widget, message: dict, buffers: list) -> None:
        """A message of the front end; both implementations send these."""
        match message.get("type"):
            case "select":
                self._report_selection(np.frombuffer(buffers[0], np.uint32).astype(np.intp), message["mode"])
            case "hover":
                self._report_hover(message["index"])
            case "click":
                for callback in self._click_callbacks:
                    callback(message["index"])

    def _report_selection(self, indices: np.ndarray, mode: str) -> None:
        for callback in self._select_callbacks:
            callback(indices, mode)

    def _report_hover(self, index: int | None) -> None:
        for callback in self._hover_callbacks:
            callback(index)
        if index is not None and self.describe is not None and (html := self.describe(index)) is not None:
            self._show_tip(index, html)

    # For implementations -------------------------------------------------------------------------------------------
    # Positions reach them in the unit square: `self._unit` holds the samples, `self._extent` the (left, right, low,
    # high) that it stands for.

    @abstractmethod
    def _draw_positions(self, x_label: str, y_label: str) -> None: ...

    @abstractmethod
    def _draw_marks(self, color: np.ndarray, shape: np.ndarray, opacity: np.ndarray, palette: list[str]) -> None: ...

    @abstractmethod
    def _draw_links(self, lines: Lines) -> None: ...

    @abstractmethod
    def _draw_outlines(self, outlines: list[Outline]) -> None: ...

    @abstractmethod
    def _draw_centers(self, centers: np.ndarray, ghosts: np.ndarray) -> None: ...

    @abstractmethod
    def _draw_selection(self, indices: np.ndarray) -> None: ...

    @abstractmethod
    def _draw_query(self, indices: np.ndarray) -> None: ...

    @abstractmethod
    def _draw_rings(self, indices: np.ndarray) -> None: ...

    @abstractmethod
    def _use_tool(self, tool: str) -> None: ...

    @abstractmethod
    def _show_tip(self, index: int, html: Html) -> None: ...

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
    selection, indices = np.asarray(selection, np.intp), np.asarray(indices, np.intp)
    if mode == "add":
        return np.union1d(selection, indices)
    return np.setdiff1d(selection, indices) if mode == "remove" else np.unique(indices)
