"""A picture to paint on. The browser draws strokes by itself; Python decides what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import anywidget
import numpy as np
import traitlets as t
from ipywidgets import Layout
from psygnal import Signal

from cclab.images.picture import Picture, scaled_to_unit
from cclab.images.strokes import Stroke
from cclab.widgets.kit.bundle import bundle

# From dark to bright, for typicality and plausibility; five stops of matplotlib's viridis.
VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")


class Swatch(NamedTuple):
    """How one value of a label image looks: a CSS colour or a variable of the theme, hatched if undecided."""

    color: str
    hatched: bool = False


class ImageCanvas(anywidget.AnyWidget):
    """A picture with paint, an overlay and marks on it.

    The canvas keeps no truth of its own. A finished stroke comes as the signal `painted`; whoever listens
    decides what it means and sets `strokes` to all that is painted now, which is what the browser then shows.
    Undo, redo and opening a session are nothing but setting `strokes`. Tool and region may be chosen in the browser,
    where the choice holds at once: by B, E, G, H and 0 to 9 over the canvas, or by a click on an element of the same
    app that has `data-region`.

    Parameters
    ----------
    picture : Picture, or array of shape (h, w), (h, w, 3) or (h, w, 4)
        Whole numbers up to 255 or fractions up to 1 are shown as they are; other ranges are spread.

    Attributes
    ----------
    tool : {"brush", "eraser", "polygon", "hand"}
    size : float
        Diameter of brush and eraser in pixels of the picture.
    region : int
        The region that is painted; 0 is "don't know".
    region_colors : list of str
        Colours of the regions, from region 0.
    strokes : tuple of Stroke
        What is painted, the oldest first.
    opacity : float
        Of the overlay, from 0 to 1.
    outlines : bool
        Draw lines between the labels of the overlay.
    original : bool
        Show the bare picture. Holding O does the same.
    places : list of (row, column)
        Pixels marked with rings a, b, ...: the places that a query asks about.
    label : str
        What a screen reader says.
    pixel_size, length : float and str
        How wide a pixel is, in which unit: a bar shows the scale. 0 where it is not known.
    painted, hovered : signals
        Emit a `Stroke` when one is finished, and the pixel under the pointer as (row, column), or None.

    Examples
    --------
    >>> canvas = ImageCanvas(np.zeros((20, 30), dtype=np.uint8))
    >>> canvas.painted.connect(lambda stroke: setattr(canvas, "strokes", (*canvas.strokes, stroke)))
    <function ...>
    >>> canvas.show_labels(np.eye(20, 30, dtype=int), [Swatch("transparent"), Swatch("--cc-c1")])
    """

    _esm = bundle(
        *(
            f"painter/canvas/{name}.js"
            for name in ("camera", "labels_overlay", "strokes", "brush_gestures", "input", "stage")
        )
    )
    _css = files(__package__).joinpath("canvas.css").read_text(encoding="utf-8")

    painted = Signal(Stroke)
    hovered = Signal(object)

    tool = t.Enum(("brush", "eraser", "polygon", "hand"), "brush").tag(sync=True)
    size = t.Float(8.0, min=1.0).tag(sync=True)
    region = t.Int(1, min=0).tag(sync=True)
    region_colors = t.List(t.Unicode(), ["--cc-all", *(f"--cc-c{k}" for k in range(1, 21))]).tag(sync=True)
    strokes = t.Tuple().tag(sync=True, to_json=lambda strokes, _: [_message_of(stroke) for stroke in strokes])
    opacity = t.Float(0.5, min=0.0, max=1.0).tag(sync=True)
    outlines = t.Bool(False).tag(sync=True)
    original = t.Bool(False).tag(sync=True)
    places: t.List[Any] = t.List().tag(sync=True)
    label = t.Unicode().tag(sync=True)
    pixel_size = t.Float(0.0).tag(sync=True)
    length = t.Unicode().tag(sync=True)

    _shape = t.List([1, 1, 1]).tag(sync=True)
    _pixels = t.Bytes(b"\0").tag(sync=True)
    _overlay = t.Enum(("none", "labels", "map"), "none").tag(sync=True)
    _values = t.Bytes(b"").tag(sync=True)
    _palette: t.List[Any] = t.List().tag(sync=True)
    _ramp = t.List(list(VIRIDIS)).tag(sync=True)

    def __init__(self, picture: Picture | np.ndarray, **traits: Any) -> None:
        traits.setdefault("layout", Layout(width="100%", height="480px"))
        super().__init__(**_picture_traits(picture), **traits)
        self.on_msg(self._receive)

    def show_picture(self, picture: Picture | np.ndarray, window: tuple[float, float] | None = None) -> None:
        """Show another picture; strokes, overlay and marks of the one before go away.

        Parameters
        ----------
        picture : Picture or array
        window : (low, high), optional
            The values of a `Picture` from black to white.
        """
        with self.hold_sync():
            self.strokes, self.places = (), []
            self.show_nothing()
            for name, value in _picture_traits(picture, window).items():
                self.set_trait(name, value)

    def show_values(self, picture: Picture, window: tuple[float, float] | None = None) -> None:
        """Show other values of a picture of the same size; all else stays, the camera too."""
        traits = _picture_traits(picture, window)
        with self.hold_sync():
            self._shape, self._pixels = traits["_shape"], traits["_pixels"]

    def show_labels(self, labels: np.ndarray, palette: Sequence[Swatch]) -> None:
        """Lay a label image over the picture.

        Parameters
        ----------
        labels : int array of shape (h, w)
            Positions in the palette.
        palette : sequence of Swatch
            At most 256; the color "transparent" shows the picture.
        """
        labels = self._checked(labels, "labels")
        if not (0 < len(palette) <= 256):
            raise ValueError(f"a palette has 1 to 256 swatches; got {len(palette)}")
        if labels.min() < 0 or labels.max() >= len(palette):
            raise ValueError(
                f"labels run from {labels.min()} to {labels.max()}; the palette has {len(palette)} swatches"
            )
        with self.hold_sync():
            self._palette = [Swatch(*swatch)._asdict() for swatch in palette]
            self._values = labels.astype(np.uint8).tobytes()
            self._overlay = "labels"

    def show_map(self, values: np.ndarray, ramp: Sequence[str] = VIRIDIS) -> None:
        """Lay a map of degrees over the picture, such as typicalities or the plausibility of a region.

        Parameters
        ----------
        values : array of shape (h, w)
            Fractions in [0, 1], or uint8.
        ramp : sequence of str
            CSS colours or variables of the theme from 0 to 1, at least two.
        """
        values = self._checked(values, "values")
        if len(ramp) < 2:
            raise ValueError("a ramp has at least two colours")
        if values.dtype != np.uint8:
            if not (values.min() >= 0 and values.max() <= 1):
                raise ValueError(f"values lie in [0, 1]; got {values.min():g} to {values.max():g}")
            values = np.rint(255 * values).astype(np.uint8)
        with self.hold_sync():
            self._ramp = list(ramp)
            self._values = values.tobytes()
            self._overlay = "map"

    def show_errors(self, found: np.ndarray, truth: np.ndarray) -> None:
        """Lay over the picture where a mask errs: red where it has too much, hatched where too little."""
        found, truth = self._checked(found, "found").astype(bool), self._checked(truth, "truth").astype(bool)
        errors = np.where(found == truth, 0, np.where(found, 1, 2))
        self.show_labels(errors, [Swatch("transparent"), Swatch("--cc-bad"), Swatch("--cc-bad", hatched=True)])

    def show_nothing(self) -> None:
        """Take the overlay away."""
        self._overlay, self._values = "none", b""

    def fit(self) -> None:
        """Zoom so that the whole picture is in sight."""
        self.send({"kind": "fit"})

    def _checked(self, values: Any, name: str) -> np.ndarray:
        values = np.asarray(values)
        if list(values.shape) != self._shape[:2]:
            raise ValueError(f"{name} have the shape {values.shape}, the picture {tuple(self._shape[:2])}")
        return values

    def _receive(self, _: object, content: dict[str, Any], buffers: list[memoryview]) -> None:
        if content.get("kind") == "hover":
            pixel = content["pixel"]
            self.hovered.emit(None if pixel is None else tuple(pixel))
        elif content.get("kind") == "stroke":
            try:
                points = np.frombuffer(buffers[0], dtype="<f4").reshape(-1, 2)
                self.painted.emit(Stroke(points=points, **content["stroke"]))
            finally:  # whatever became of it, the browser need no longer hold its own drawing
                self.send({"kind": "settled", "number": content["number"]})


def _message_of(stroke: Stroke) -> dict:
    return {
        "kind": stroke.kind,
        "region": stroke.region,
        "size": stroke.size,
        "points": np.ascontiguousarray(stroke.points, dtype="<f4").tobytes(),
    }


def _seen(picture: Picture, window: tuple[float, float] | None) -> np.ndarray:
    """A picture as it is shown; with a fourth channel, of opacity, where some pixels have no value."""
    shown = picture.shown(window)
    if picture.invalid is None:
        return shown
    colours = np.broadcast_to(np.atleast_3d(shown), (*picture.shape, 3))
    return np.dstack([colours, np.where(picture.invalid, 0, 255).astype(np.uint8)])


def _picture_traits(picture: Picture | np.ndarray, window: tuple[float, float] | None = None) -> dict:
    values = _seen(picture, window) if isinstance(picture, Picture) else np.asarray(picture)
    spacing = picture.spacing if isinstance(picture, Picture) else None
    if values.ndim not in (2, 3) or not values.size or values.shape[2:] not in ((), (1,), (3,), (4,)):
        raise ValueError(f"a picture is (h, w), (h, w, 3) or (h, w, 4); got {values.shape}")
    levels = values if values.dtype == np.uint8 else np.rint(255 * scaled_to_unit(values)[0])
    height, width = values.shape[:2]
    return {
        "_shape": [height, width, levels.size // (height * width)],
        "_pixels": levels.astype(np.uint8).tobytes(),
        "pixel_size": 0.0 if spacing is None else float(spacing[1]),
        "length": picture.length if isinstance(picture, Picture) and spacing is not None else "",
        "label": f"Picture of {width} by {height} pixels to paint on",
    }
