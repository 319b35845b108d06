"""A picture as data: pixels in [0, 1], the truth where it is known, and what was done on the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A grey or colour picture. A frozen value: its arrays are read-only.

    Attributes
    ----------
    name : str
    pixels : float32 array of shape (height, width) or (height, width, 3)
        Grey levels or RGB in [0, 1].
    bit_depth : int
        Whole numbers became multiples of ``1 / (2**bit_depth - 1)``; 16 where fractions came in.
    truth : uint8 array of shape (height, width), or None
        The true region of each pixel, from 0.
    truth_names : tuple of str
        What the regions of the truth are called.
    description, source : str
        What it shows; where it comes from, and on what terms.
    notes : tuple of str
        What was done to it on the way, for a person to read.

    Examples
    --------
    >>> Picture("steps", np.array([[0.0, 0.5, 1.0]]))
    <Picture steps: 1 x 3, 8-bit grey>
    """

    name: str
    pixels: np.ndarray
    bit_depth: int = 8
    truth: np.ndarray | None = None
    truth_names: tuple[str, ...] = ()
    description: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        pixels = np.array(self.pixels, dtype=np.float32)
        if pixels.ndim not in (2, 3) or pixels.shape[2:] not in ((), (3,)) or not pixels.size:
            raise ValueError(f"{self.name}: pixels have the shape (h, w) or (h, w, 3); got {pixels.shape}")
        if not (pixels.min() >= 0 and pixels.max() <= 1):
            raise ValueError(f"{self.name}: pixels lie in [0, 1]; got {pixels.min():g} to {pixels.max():g}")
        pixels.setflags(write=False)
        object.__setattr__(self, "pixels", pixels)
        if self.truth is not None:
            truth = _truth_codes(self.name, np.asarray(self.truth), self.shape)
            truth.setflags(write=False)
            object.__setattr__(self, "truth", truth)
            names = tuple(self.truth_names) or tuple(str(k) for k in range(int(truth.max()) + 1))
            if truth.max() >= len(names):
                raise ValueError(f"{self.name}: the truth has region {truth.max()}, of no name in {names}")
            object.__setattr__(self, "truth_names", names)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.pixels.shape[:2]

    @property
    def is_colour(self) -> bool:
        return self.pixels.ndim == 3

    @cached_property
    def lab(self) -> np.ndarray:
        """CIE Lab in hundreds (height, width, 3); of a grey picture lightness alone (height, width, 1)."""
        from skimage.color import rgb2lab

        if self.is_colour:
            return (rgb2lab(self.pixels) / 100).astype(np.float32)
        greys = np.linspace(0, 1, 256, dtype=np.float32)
        lightness = rgb2lab(np.stack([greys] * 3, axis=-1))[:, 0] / 100
        return np.interp(self.pixels, greys, lightness).astype(np.float32)[..., None]

    def __repr__(self):
        height, width = self.shape
        truth = f"; truth: {', '.join(self.truth_names)}" if self.truth is not None else ""
        hue = "colour" if self.is_colour else "grey"
        return f"<Picture {self.name}: {height} x {width}, {self.bit_depth}-bit {hue}{truth}>"


def scaled_to_unit(values: np.ndarray) -> tuple[np.ndarray, int, list[str]]:
    """Values of any numeric type in [0, 1], with the bit depth and notes on what was done.

    Examples
    --------
    >>> scaled_to_unit(np.array([[0, 255]], dtype=np.uint8))
    (array([[0., 1.]], dtype=float32), 8, [])
    """
    if values.dtype == bool:
        return values.astype(np.float32), 8, []
    if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        raise ValueError(f"pixels must be real numbers; got {values.dtype}")
    if not np.isfinite(values).all():
        raise ValueError("pixels must be finite numbers; some are NaN or infinite")
    low, high = values.min(), values.max()
    if np.issubdtype(values.dtype, np.integer) and low >= 0 and high < 2**16:
        depth = max(8, int(high).bit_length())
        notes = []
        if values.dtype == np.uint16 and depth < 16:
            notes = [f"16-bit values of at most {high}: read as {depth}-bit"]
        return np.divide(values, 2**depth - 1, dtype=np.float32), depth, notes
    if low >= 0 and high <= 1:
        return values.astype(np.float32, copy=False), 16, []
    spread = float(high) - float(low) or 1.0
    unit = np.clip((values - float(low)) / spread, 0, 1).astype(np.float32)
    return unit, 16, [f"values from {low:g} to {high:g} scaled to 0 to 1"]


def _truth_codes(name, truth, shape):
    """The truth as small whole numbers; a mask or a label image stored as greys is recoded in order."""
    if truth.shape != shape:
        raise ValueError(f"{name}: the truth is {truth.shape}, the picture {shape}; they must agree")
    if not (truth.dtype == bool or np.issubdtype(truth.dtype, np.integer)) or truth.min() < 0:
        raise ValueError(f"{name}: a truth has whole numbers from 0; got {truth.dtype}")
    present = np.union1d(0, np.flatnonzero(np.bincount(truth.astype(np.int64).ravel())))  # 0 is the ground
    if len(present) > 256:
        raise ValueError(f"{name}: a truth of {len(present)} regions; at most 256 can be shown")
    if present[-1] < 32:  # region numbers as they are, though some may not occur
        return truth.astype(np.uint8)
    return np.searchsorted(present, truth).astype(np.uint8)
