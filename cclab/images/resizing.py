"""Pictures and labels at other sizes, and pixels without a value; rows by rows, so that little memory is taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import ndimage

from cclab.images.picture import Picture

_ROWS = 256


def reduced(picture: Picture, max_side: int | None) -> Picture:
    """The same picture, small enough to be painted on; it knows the size that masks are to have."""
    if max_side is not None and max_side < 1:
        raise ValueError(f"max_side is at least 1, or None; got {max_side}")
    height, width = picture.shape
    if max_side is None or max(height, width) <= max_side:
        return picture
    factor = -(-max(height, width) // max_side)
    pixels = _block_means(picture.pixels, factor)
    truth = None if picture.truth is None else picture.truth[::factor, ::factor]
    invalid = None if picture.invalid is None else picture.invalid[::factor, ::factor]
    spacing = None if picture.spacing is None else (picture.spacing[0] * factor, picture.spacing[1] * factor)
    note = (
        f"reduced from {height} x {width} to {pixels.shape[0]} x {pixels.shape[1]} to be painted on, each pixel the "
        f"mean of {factor} x {factor}; masks are made at the size of the file; max_side=None keeps every pixel"
    )
    return replace(
        picture,
        pixels=pixels,
        truth=truth,
        invalid=invalid,
        spacing=spacing,
        whole_shape=(height, width),
        notes=(*picture.notes, note),
    )


def _block_means(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Means of blocks, those at the far edges smaller; rows by rows, so that little memory is taken."""
    height, width = pixels.shape[:2]
    columns = np.arange(0, width, factor)
    counts = np.diff([*columns, width]).astype(np.float32).reshape(-1, *[1] * (pixels.ndim - 2))
    bands = (pixels[top : top + factor].mean(axis=0) for top in range(0, height, factor))
    return np.clip(np.stack([np.add.reduceat(band, columns, axis=0) / counts for band in bands]), 0, 1)


def enlarged(labels: np.ndarray, shape: tuple[int, int] | None) -> np.ndarray:
    """Labels at another size, their borders smooth; rows by rows, so that little memory is taken.

    >>> enlarged(np.array([[0, 1], [0, 1]], dtype=np.uint8), (4, 4))[0]
    array([0, 0, 1, 1], dtype=uint8)
    """
    if shape is None or shape == labels.shape:
        return labels
    height, present = shape[0], np.unique(labels)
    rows, columns = (_halfway(new, old) for new, old in zip(shape, labels.shape))
    whole = np.empty(shape, dtype=np.uint8)
    for top in range(0, height, _ROWS):
        above, below, low = (part[top : top + _ROWS] for part in rows)
        block = whole[top : top + _ROWS]
        best = np.full(block.shape, -np.inf)
        for label in present:
            mask = (labels == label).astype(np.float32)
            left = mask[above] * (1 - low[:, None]) + mask[below] * low[:, None]
            share = left[:, columns[0]] * (1 - columns[2]) + left[:, columns[1]] * columns[2]
            block[share > best] = label
            best = np.maximum(best, share)
    return whole


def _halfway(new: int, old: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each new place the two old ones around it, and how near it is to the second."""
    at = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
    first = np.floor(at).astype(np.int64)
    return first, np.minimum(first + 1, old - 1), (at - first).astype(np.float32)


def filled(pixels: np.ndarray, invalid: np.ndarray) -> np.ndarray:
    """Pixels without a value take that of the nearest that has one, so that features around them are not led astray."""
    whole = pixels.copy()
    for place, without in enumerate(invalid):
        if without.any() and not without.all():
            rows, columns = ndimage.distance_transform_edt(without, return_distances=False, return_indices=True)
            whole[place] = whole[place][rows, columns]
    return whole
