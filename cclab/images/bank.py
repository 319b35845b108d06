"""A bank of filters by scale: what a learner may tell regions apart by, computed once per picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from cclab.images.features import sharpened, sharpened_lab
from cclab.images.picture import Picture

#: What a map can be about.
KINDS = ("brightness", "colour", "light", "edges", "lines", "texture", "direction")
# Standard deviations in pixels: of smoothing, of what is taken away as light, of ridges, of the grain of a texture, and
# of the surroundings over which a texture is looked at.
SMOOTH, LIGHT, RIDGES, GRAINS, AROUND = (1.0, 2.0, 4.0), (8.0, 24.0), (1.0, 2.0, 3.5), (0.7, 1.5, 3.0), (3.0, 7.0)
# Rows that are looked at in one go, and around them: as far as the widest filter looks. Both are multiples of the steps
# of wide filters, so that strips give what the whole would.
STRIP, HALO = 512, 80
# Larger pictures keep their maps at half precision.
PRECISE = 1_200_000


@dataclass(frozen=True, eq=False)
class Bank:
    """Maps of a picture.

    Attributes
    ----------
    values : array of shape (n_pixels, n_maps)
        Pixels row by row; float32, or float16 for a large picture.
    kinds : tuple of str
        What each map is about: brightness, colour, light, edges, lines, texture, direction.
    scales : tuple of float
        Over how many pixels each looks; 0 is the pixel itself.
    """

    values: np.ndarray
    kinds: tuple[str, ...]
    scales: tuple[float, ...]

    def columns(self, kinds: tuple[str, ...]) -> np.ndarray:
        """Which maps are of some kinds; all where none is named, or there is none of them."""
        found = [k for k, kind in enumerate(self.kinds) if kind in kinds]
        return np.array(found or range(len(self.kinds)))

    @classmethod
    def of(cls, picture: Picture) -> Bank:
        """All maps of a picture, in strips, so that a large one takes little more than its maps do."""
        height, width = picture.shape
        kinds, scales, _ = zip(*_maps(_rows_of(picture, 0, 1)))
        kind = np.float16 if height * width > PRECISE else np.float32
        values = np.empty((height, width, len(kinds)), dtype=kind)
        for top in range(0, height, STRIP):
            low, high = max(top - HALO, 0), min(top + STRIP + HALO, height)
            part = picture if high - low == height else _rows_of(picture, low, high)
            for place, (_, _, each) in enumerate(_maps(part)):
                values[top : top + STRIP, :, place] = each[top - low : top - low + STRIP]
        return cls(values.reshape(height * width, -1), kinds, scales)


def _rows_of(picture: Picture, low: int, high: int) -> Picture:
    """Some rows of a picture."""
    return replace(picture, pixels=picture.pixels[low:high], truth=None, truth_names=(), invalid=None)


def _maps(picture: Picture) -> Iterator[tuple[str, float, np.ndarray]]:
    channels = [np.ascontiguousarray(channel) for channel in np.moveaxis(_channels(picture), 2, 0)]
    sharp = np.moveaxis(sharpened_lab(picture) if picture.is_colour else sharpened(picture), 2, 0)
    for number, (channel, crisp) in enumerate(zip(channels, sharp)):
        kind = "colour" if picture.is_colour and number else "brightness"
        yield kind, 0, channel
        yield kind, 2, crisp
        for sigma in SMOOTH:
            yield kind, sigma, _blur(channel, sigma)
        fine = _blur(channel, 1)
        for sigma in LIGHT:
            yield "light", sigma, fine - _blur(channel, sigma)
    for channel in channels if picture.channels else channels[:1]:
        yield from _shapes(channel)


def _shapes(grey: np.ndarray) -> Iterator[tuple[str, float, np.ndarray]]:
    """Edges, lines and textures of one channel."""
    for sigma in RIDGES:
        rows, columns = _slopes(_blur(grey, sigma))
        yield "edges", sigma, sigma * np.hypot(rows, columns)
        (rr, rc), (_, cc) = _slopes(rows), _slopes(columns)
        mean, difference = (rr + cc) / 2, np.sqrt(((rr - cc) / 2) ** 2 + rc**2)
        yield "lines", sigma, sigma**2 * (mean + difference)
        yield "lines", sigma, sigma**2 * (mean - difference)
    for around in AROUND:
        yield "texture", around, np.sqrt(np.maximum(_blur(grey**2, around) - _blur(grey, around) ** 2, 0))
    for grain in GRAINS:
        smooth = _blur(grey, grain)
        band = smooth - _blur(grey, 1.6 * grain)
        rows, columns = _slopes(smooth)
        for around in (max(AROUND[0], 2 * grain), AROUND[1]):
            yield "texture", around, np.sqrt(_blur(band**2, around))
            rr, cc, rc = (_blur(part, around) for part in (rows**2, columns**2, rows * columns))
            whole = np.maximum(rr + cc, 1e-9)
            yield "direction", around, (rr - cc) / whole
            yield "direction", around, 2 * rc / whole


def _channels(picture: Picture) -> np.ndarray:
    return picture.lab if picture.is_colour else np.atleast_3d(picture.pixels)


def _slopes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Differences down and to the right; of a picture of one row, or column, there are none."""
    return tuple(np.gradient(values, axis=k) if values.shape[k] > 1 else np.zeros_like(values) for k in (0, 1))  # type: ignore[return-value]


def _blur(values: np.ndarray, sigma: float) -> np.ndarray:
    """A Gaussian; a wide one on a picture of fewer pixels, which is as good and much quicker."""
    if sigma >= 5 and min(values.shape) >= 16:
        step = 2 if sigma < 12 else 4
        few = _blur(_means(values, step), sigma / step)
        return _enlarged(few, step, values.shape)
    return ndimage.gaussian_filter(values, sigma, mode="nearest", truncate=3.0)


def _means(values: np.ndarray, step: int) -> np.ndarray:
    height, width = (-(-n // step) * step for n in values.shape)
    padded = np.pad(values, ((0, height - values.shape[0]), (0, width - values.shape[1])), mode="edge")
    return padded.reshape(height // step, step, width // step, step).mean(axis=(1, 3))


def _enlarged(few: np.ndarray, step: int, shape: tuple[int, ...]) -> np.ndarray:
    """Between the middles of the squares by straight lines, one axis after the other."""
    for axis, n in enumerate(shape):
        at = np.clip((np.arange(n) + 0.5) / step - 0.5, 0, few.shape[axis] - 1)
        low = np.minimum(at.astype(int), max(few.shape[axis] - 2, 0))
        share = (at - low).astype(np.float32).reshape(-1, *[1] * (few.ndim - 1 - axis))
        high = np.minimum(low + 1, few.shape[axis] - 1)
        few = np.take(few, low, axis) * (1 - share) + np.take(few, high, axis) * share
    return few
