"""A picture as data: pixels in [0, 1], the truth where it is known, and what was done on the way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import ndimage

from cclab.datasets.limits import MOST_PIXELS, check_limit

# Channels that are no colours are laid over each other in these, as microscopists do.
_CHANNEL_COLOURS = ((0, 1, 0), (1, 0, 1), (0, 0.4, 1), (1, 0.7, 0), (0.5, 0.5, 0.5))


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A grey or colour picture. A frozen value: its arrays are read-only.

    Attributes
    ----------
    name : str
    pixels : float32 array of shape (height, width) or (height, width, n_channels)
        Grey levels, RGB, or the channels that `channels` names, in [0, 1].
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
    low, high : float
        The values that became 0 and 1. Default: 0 and ``2**bit_depth - 1``.
    unit : str
        Of the values, such as "HU".
    spacing : (rows, columns) or None
        The size of a pixel, in `length`.
    length : str
        Such as "mm".
    window : (low, high) or None
        The values between which it wants to be looked at.
    channels : tuple of str
        Names of the channels, where these are no colours.
    invalid : bool array of shape (height, width), or None
        Pixels without a value: belong nowhere, whatever is painted.
    whole : Picture or None
        Every pixel of the file, where the picture was reduced to be shown and painted on.
    reduced_by : int
        How many pixels of the file, down and across, are one of these.

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
    low: float = 0.0
    high: float = 0.0  # filled in below
    unit: str = ""
    spacing: tuple[float, float] | None = None
    length: str = ""
    window: tuple[float, float] | None = None
    channels: tuple[str, ...] = ()
    invalid: np.ndarray | None = None
    whole: Picture | None = None
    reduced_by: int = 1

    def __post_init__(self) -> None:
        pixels = np.asarray(self.pixels, dtype=np.float32)
        if pixels.flags.writeable or pixels.base is not None:  # someone else may write to it
            pixels = pixels.copy()
        fits = pixels.shape[2:] == (len(self.channels),) if self.channels else pixels.shape[2:] in ((), (3,))
        if pixels.ndim not in (2, 3) or not fits or not pixels.size:
            raise ValueError(f"{self.name}: pixels have the shape (h, w) or (h, w, 3); got {pixels.shape}")
        if not self.high > self.low:
            object.__setattr__(self, "high", self.low + 2.0**self.bit_depth - 1)
        if self.invalid is not None:
            invalid = np.array(self.invalid, dtype=bool)
            if invalid.shape != pixels.shape[:2]:
                raise ValueError(f"{self.name}: invalid pixels are {invalid.shape}, the picture {pixels.shape[:2]}")
            invalid.setflags(write=False)
            object.__setattr__(self, "invalid", invalid if invalid.any() else None)
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
    def full(self) -> Picture:
        """The picture at the size of its file."""
        return self if self.whole is None else self.whole

    @property
    def is_colour(self) -> bool:
        """Whether the channels of the pixels are red, green and blue."""
        return self.pixels.ndim == 3 and not self.channels

    @property
    def values(self) -> np.ndarray:
        """(height, width[, n_channels]) the pixels in their own units."""
        values = self.low + self.pixels.astype(np.float64) * (self.high - self.low)
        came_whole = self.high - self.low == 2**self.bit_depth - 1
        return np.rint(values, out=values) if came_whole else values

    def on_scale_of(self, other: Picture) -> Picture:
        """The same picture with the values that are 0 and 1 in another; what lies outside is cut off."""
        return self.on_scale(other.low, other.high, other.bit_depth)

    def on_scale(self, low: float, high: float, bit_depth: int) -> Picture:
        """The same picture with other values as 0 and 1; what lies outside is cut off."""
        if (self.low, self.high, self.bit_depth) == (low, high, bit_depth):
            return self
        pixels = np.clip((self.values - low) / (high - low), 0, 1)
        whole = None if self.whole is None else self.whole.on_scale(low, high, bit_depth)
        return replace(self, pixels=pixels, low=low, high=high, bit_depth=bit_depth, whole=whole)

    def part(self, rows: slice, columns: slice) -> Picture:
        """A part of it, without its truth."""
        invalid = None if self.invalid is None else self.invalid[rows, columns]
        return replace(
            self,
            pixels=self.pixels[rows, columns],
            truth=None,
            truth_names=(),
            invalid=invalid,
            whole=None,
            reduced_by=1,
        )

    def padded(self, height: int, width: int) -> Picture:
        """With pixels without a value, below and at the right, that make it so large."""
        below, beside = height - self.shape[0], width - self.shape[1]
        around = ((0, below), (0, beside))
        invalid = np.zeros(self.shape, dtype=bool) if self.invalid is None else self.invalid
        return replace(
            self,
            pixels=np.pad(self.pixels, (*around, *[(0, 0)] * (self.pixels.ndim - 2)), mode="edge"),
            truth=None if self.truth is None else np.pad(self.truth, around),
            invalid=np.pad(invalid, around, constant_values=True),
        )

    @cached_property
    def contrast(self) -> tuple[float, float]:
        """Values between which most pixels lie: all of them at 8 bits, else without a few that stand out."""
        if self.bit_depth <= 8:
            return self.low, self.high
        some = self.pixels if self.invalid is None else self.pixels[~self.invalid]
        step = max(1, some.size // 10**6)
        low, high = np.percentile(some.reshape(-1)[::step], (0.5, 99.5)).astype(float)
        if high <= low:
            low, high = float(some.min()), float(some.max())
        spread = self.high - self.low
        return (self.low + low * spread, self.low + high * spread) if high > low else (self.low, self.high)

    def shown(self, window: tuple[float, float] | None = None) -> np.ndarray:
        """(height, width) or (height, width, 3) uint8, for the eye: the values of a window from black to white.

        Pixels without a value are black.
        """
        low, high = window or self.window or self.contrast
        spread = self.high - self.low
        black, white = (low - self.low) / spread, (high - self.low) / spread
        seen = np.clip((self.pixels - np.float32(black)) / np.float32(max(white - black, 1e-9)), 0, 1)
        if self.channels:
            colours = np.array(_CHANNEL_COLOURS, dtype=np.float32)[
                np.arange(len(self.channels)) % len(_CHANNEL_COLOURS)
            ]
            seen = np.clip(seen @ colours, 0, 1)
        if self.invalid is not None:
            seen[self.invalid] = 0
        return np.rint(255 * seen).astype(np.uint8)

    @cached_property
    def lab(self) -> np.ndarray:
        """CIE Lab in hundreds (height, width, 3); of a grey picture lightness alone (height, width, 1)."""
        from skimage.color import rgb2lab

        if self.channels:
            return np.atleast_3d(self.pixels)
        if self.is_colour:
            return (rgb2lab(self.pixels) / 100).astype(np.float32)
        greys = np.linspace(0, 1, 256, dtype=np.float32)
        lightness = rgb2lab(np.stack([greys] * 3, axis=-1))[:, 0] / 100
        return np.interp(self.pixels, greys, lightness).astype(np.float32)[..., None]

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the content: pixels, their meaning, and the truth; not of names and words about it."""
        digest = hashlib.sha256(
            json.dumps([self.pixels.shape, self.low, self.high, self.unit, self.truth_names, self.channels]).encode()
        )
        digest.update(np.ascontiguousarray(self.pixels, dtype="<f4").data)
        if self.truth is not None:
            digest.update(np.ascontiguousarray(self.truth).data)
        return digest.hexdigest()

    def pack(self) -> dict[str, Any]:
        """All of it, as arrays and values that are ready for JSON; whole numbers where pixels came as such."""
        if self.whole is not None:
            return self.whole.pack() | {"reduced_by": self.reduced_by}
        steps = 2**self.bit_depth - 1
        levels = np.rint(self.pixels.astype(float) * steps).astype(np.uint8 if self.bit_depth <= 8 else np.uint16)
        exact = np.array_equal(np.divide(levels, steps, dtype=np.float32), self.pixels)
        return {
            "name": self.name,
            "pixels": levels if exact else self.pixels,
            "bit_depth": self.bit_depth,
            "truth": self.truth,
            "truth_names": list(self.truth_names),
            "description": self.description,
            "source": self.source,
            "notes": list(self.notes),
            "low": float(self.low),
            "high": float(self.high),
            "unit": self.unit,
            "spacing": None if self.spacing is None else list(self.spacing),
            "length": self.length,
            "window": None if self.window is None else list(self.window),
            "channels": list(self.channels),
            "invalid": self.invalid,
        }

    @classmethod
    def unpack(cls, packed: Mapping[str, Any]) -> Self:
        """The inverse of `pack`.

        >>> picture = Picture("steps", np.array([[0.0, 0.2, 1.0]]))
        >>> Picture.unpack(picture.pack()).fingerprint == picture.fingerprint
        True
        """
        pixels, bit_depth = packed["pixels"], packed["bit_depth"]
        if not isinstance(bit_depth, int) or not 1 <= bit_depth <= 16:
            raise ValueError(f"a picture is 1 to 16 bits deep; got {bit_depth!r:.40}")
        check_limit(pixels.shape[0] * pixels.shape[1], MOST_PIXELS, "pixels", "Open a part of the picture.")
        if np.issubdtype(pixels.dtype, np.integer):
            pixels = np.divide(pixels, 2**bit_depth - 1, dtype=np.float32)
        picture = cls(
            str(packed["name"]),
            pixels,
            bit_depth,
            packed.get("truth"),
            tuple(str(name) for name in packed.get("truth_names") or ()),
            str(packed.get("description", "")),
            str(packed.get("source", "")),
            tuple(str(note) for note in packed.get("notes") or ()),
            low=float(packed.get("low", 0.0)),
            high=float(packed.get("high", 0.0)),
            unit=str(packed.get("unit", "")),
            spacing=_pair(packed.get("spacing")),
            length=str(packed.get("length", "")),
            window=_pair(packed.get("window")),
            channels=tuple(str(name) for name in packed.get("channels") or ()),
            invalid=packed.get("invalid"),
        )
        return picture.reduced(int(packed.get("reduced_by") or 1))

    def fitting(self, max_side: int | None) -> Self:
        """The same picture, reduced by a whole factor where a side is longer than that."""
        if max_side is not None and max_side < 1:
            raise ValueError(f"max_side is at least 1, or None; got {max_side}")
        return self if max_side is None else self.reduced(-(-max(self.shape) // max_side))

    def reduced(self, factor: int) -> Self:
        """The same picture, small enough to be shown and painted on: each pixel is the mean of a square of them."""
        if factor <= 1:
            return self
        height, width = self.shape
        pixels = _block_means(self.pixels, factor)
        note = (
            f"reduced from {height} x {width} to {pixels.shape[0]} x {pixels.shape[1]} to be painted on, each pixel "
            f"the mean of {factor} x {factor}; for other pictures, and in masks, every pixel of the file counts"
        )
        return replace(
            self,
            pixels=pixels,
            truth=None if self.truth is None else self.truth[::factor, ::factor],
            invalid=None if self.invalid is None else self.invalid[::factor, ::factor],
            spacing=None if self.spacing is None else (self.spacing[0] * factor, self.spacing[1] * factor),
            notes=(*self.notes, note),
            whole=self,
            reduced_by=factor,
        )

    def __repr__(self) -> str:
        height, width = self.shape
        truth = f"; truth: {', '.join(self.truth_names)}" if self.truth is not None else ""
        return f"<Picture {self.name}: {height} x {width}, {self.about}{truth}>"

    @property
    def about(self) -> str:
        """Depth, colours or channels, and units, in words."""
        hue = f"{len(self.channels)} channels" if self.channels else "colour" if self.is_colour else "grey"
        if self.unit:
            return f"{hue}, {self.low:g} to {self.high:g} {self.unit}"
        whole = (self.low, self.high) == (0, 2**self.bit_depth - 1)
        return f"{self.bit_depth}-bit {hue}" if whole else f"{hue}, {self.low:g} to {self.high:g}"


def scaled_to_unit(values: np.ndarray) -> tuple[np.ndarray, int, tuple[float, float]]:
    """Values of any numeric type in [0, 1], with the bit depth and the values that became 0 and 1.

    What is no finite number becomes 0; who cares looks for it before.

    Examples
    --------
    >>> scaled_to_unit(np.array([[0, 255]], dtype=np.uint8))
    (array([[0., 1.]], dtype=float32), 8, (0.0, 255.0))
    """
    if values.dtype == bool:
        return values.astype(np.float32), 8, (0.0, 1.0)
    if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        raise ValueError(f"pixels must be real numbers; got {values.dtype}")
    finite = np.isfinite(values) if np.issubdtype(values.dtype, np.floating) else None
    if finite is not None and not finite.all():
        if not finite.any():
            raise ValueError("no pixel has a value: all are NaN or infinite")
        values = np.where(finite, values, values[finite].min())
    low, high = values.min(), values.max()
    if np.issubdtype(values.dtype, np.integer) and low >= 0 and high < 2**16:
        depth = max(8, int(high).bit_length())
        return np.divide(values, 2**depth - 1, dtype=np.float32), depth, (0.0, 2.0**depth - 1)
    if low >= 0 and high <= 1:
        return values.astype(np.float32, copy=False), 16, (0.0, 1.0)
    low, high = float(low), float(high)
    high = high if high > low else low + 1.0
    return np.clip((values - low) / (high - low), 0, 1).astype(np.float32), 16, (low, high)


def filled(pixels: np.ndarray, invalid: np.ndarray) -> np.ndarray:
    """Pixels without a value take that of the nearest that has one, so that features around them are not led astray."""
    whole = pixels.copy()
    for place, without in enumerate(invalid):
        if without.any() and not without.all():
            rows, columns = ndimage.distance_transform_edt(without, return_distances=False, return_indices=True)
            whole[place] = whole[place][rows, columns]
    return whole


def _block_means(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Means of blocks, those at the far edges smaller; rows by rows, so that little memory is taken."""
    height, width = pixels.shape[:2]
    columns = np.arange(0, width, factor)
    counts = np.diff([*columns, width]).astype(np.float32).reshape(-1, *[1] * (pixels.ndim - 2))
    bands = (pixels[top : top + factor].mean(axis=0) for top in range(0, height, factor))
    return np.clip(np.stack([np.add.reduceat(band, columns, axis=0) / counts for band in bands]), 0, 1)


def _pair(values: Any) -> tuple[float, float] | None:
    if values is None:
        return None
    first, second = (float(value) for value in values)
    return first, second


def _truth_codes(name: str, truth: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
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
