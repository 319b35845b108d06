"""What a pixel is known by: each map is a function from a picture to an array (height, width, k)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import ndimage

from cclab.images.picture import Picture


def intensity(picture: Picture) -> np.ndarray:
    """Grey level, or the three channels."""
    return np.atleast_3d(picture.pixels)


def smoothed(picture: Picture, sigma: float = 2.0) -> np.ndarray:
    """Intensity under a Gaussian of standard deviation `sigma` pixels."""
    return _blur(intensity(picture), sigma)


def lab(picture: Picture) -> np.ndarray:
    """CIE Lab colour in hundreds, so that lightness runs from 0 to 1; of a grey picture lightness alone."""
    return picture.lab


def smoothed_lab(picture: Picture, sigma: float = 2.0) -> np.ndarray:
    """Lab colour under a Gaussian of standard deviation `sigma` pixels."""
    return _blur(picture.lab, sigma)


def sharpened(picture: Picture, sigma: float = 2.0, rounds: int = 3) -> np.ndarray:
    """Smoothed intensity with its borders made sharp again.

    Smoothing leaves a rim of values in between around everything, and a rim between bright and dark is as grey as
    some third tissue. In each round every pixel becomes the brightest or the darkest of the nine around it, whichever
    is nearer to its own value: the rim is parted halfway between its two sides.

    References
    ----------
    H. P. Kramer, J. B. Bruckner, Iterations of a non-linear transformation for enhancement of digital images, 1975.
    """
    return _sharpen(smoothed(picture, sigma), rounds)


def sharpened_lab(picture: Picture, sigma: float = 2.0, rounds: int = 3) -> np.ndarray:
    """Smoothed Lab colour with its borders made sharp again, channel by channel."""
    return _sharpen(smoothed_lab(picture, sigma), rounds)


def position(picture: Picture, weight: float = 1.0) -> np.ndarray:
    """Row and column, the longer side running from 0 to `weight`."""
    step = weight / max(max(picture.shape) - 1, 1)
    return np.moveaxis(np.indices(picture.shape, dtype=np.float32), 0, -1) * np.float32(step)


def texture(picture: Picture, size: int = 7) -> np.ndarray:
    """Standard deviation in a window of `size` x `size` pixels, channel by channel."""
    values = intensity(picture).astype(np.float64)  # a difference of squares needs the digits
    mean, mean_of_squares = (ndimage.uniform_filter(v, (size, size, 0)) for v in (values, values**2))
    return np.sqrt(np.maximum(mean_of_squares - mean**2, 0)).astype(np.float32)


def flatten_light(picture: Picture, sigma: float = 40.0) -> np.ndarray:
    """Intensity minus itself under a wide Gaussian: what is left when slowly varying light is taken away."""
    return intensity(picture) - smoothed(picture, sigma)


FEATURES = {
    function.__name__: function
    for function in (
        intensity,
        smoothed,
        sharpened,
        lab,
        smoothed_lab,
        sharpened_lab,
        position,
        texture,
        flatten_light,
    )
}


def features(picture: Picture, names: Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None) -> np.ndarray:
    """Features of every pixel.

    Parameters
    ----------
    picture : Picture
    names : names of features, or a mapping from names to their options
        Among `FEATURES`. Default: intensity and sharpened for grey, lab and sharpened_lab for colour.

    Returns
    -------
    float32 array of shape (n_pixels, n_features)
        Pixels row by row.

    Examples
    --------
    >>> from cclab.images import load_image
    >>> features(load_image(np.array([[0.0, 1.0]])), {"intensity": {}, "position": {"weight": 0.5}})
    array([[0. , 0. , 0. ],
           [1. , 0. , 0.5]], dtype=float32)
    """
    if names is None:
        names = ("lab", "sharpened_lab") if picture.is_colour else ("intensity", "sharpened")
    elif isinstance(names, str):
        names = (names,)
    options = names if isinstance(names, Mapping) else {name: {} for name in names}
    if not options:
        raise ValueError(f"name at least one feature among {', '.join(FEATURES)}")
    for name in options:
        if name not in FEATURES:
            raise ValueError(f"no feature is called {name!r}; known are {', '.join(FEATURES)}")
    maps = [FEATURES[name](picture, **chosen) for name, chosen in options.items()]
    return np.concatenate(maps, axis=2).reshape(-1, sum(each.shape[2] for each in maps))


def flattened(picture: Picture, sigma: float = 40.0) -> Picture:
    """The picture with slowly varying light taken away, and a medium grey put in its place.

    Examples
    --------
    >>> from cclab.images import load_image
    >>> flattened(load_image("phantom")).notes
    ('slow changes of light taken away (Gaussian of 40 pixels)',)
    """
    # The same on every picture, so that what was learned on one holds on others.
    pixels = np.clip(0.5 + flatten_light(picture, sigma), 0, 1)
    note = f"slow changes of light taken away (Gaussian of {sigma:g} pixels)"
    return replace(picture, pixels=pixels.reshape(picture.pixels.shape), notes=(*picture.notes, note))


def _blur(values: np.ndarray, sigma: float) -> np.ndarray:
    return ndimage.gaussian_filter(values, (sigma, sigma, 0), mode="nearest", truncate=3.0)


def _sharpen(values: np.ndarray, rounds: int) -> np.ndarray:
    for _ in range(rounds):
        low, high = (_of_nine(values, pick) for pick in (np.minimum, np.maximum))
        values = np.where(high - values < values - low, high, low)
    return values


def _of_nine(values: np.ndarray, pick: np.ufunc) -> np.ndarray:
    """The least or the greatest of each pixel and its eight neighbours: scipy's filters take eight times as long."""
    for axis in (0, 1):
        found = values.copy()
        to, of = (np.moveaxis(each, axis, 0) for each in (found, values))
        pick(to[1:], of[:-1], out=to[1:])
        pick(to[:-1], of[1:], out=to[:-1])
        values = found
    return values
