"""Small helpers for arrays that nobody may write to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def readonly(values: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """A read-only array over `values`: the same memory where that is possible."""
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


def as_pairs(pairs: ArrayLike, n_samples: int, what: str) -> NDArray[np.int64]:
    """Pairs of sample indices as an (m, 2) integer array, or an error that names the first bad one."""
    try:
        array = np.asarray(pairs)
    except ValueError:
        raise ValueError(f"{what} must have two sample indices in every row; its rows differ in length") from None
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"{what} must have shape (n_pairs, 2), one row of two sample indices a pair; got {array.shape}"
        )
    return as_indices(array, n_samples, what)


def as_samples(samples: ArrayLike, n_samples: int, what: str) -> NDArray[np.int64]:
    """Sample indices as a flat integer array, or an error that names the first bad one."""
    array = np.asarray(samples)
    if array.ndim != 1:
        raise ValueError(f"{what} must be a flat list of sample indices, got shape {array.shape}")
    return as_indices(array, n_samples, what)


def as_indices(values: ArrayLike, n_samples: int, what: str) -> NDArray[np.int64]:
    """An integer array of any shape with every entry in ``0 .. n_samples - 1``."""
    array = np.asarray(values)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype == bool or not np.issubdtype(array.dtype, np.number):
        raise ValueError(f"{what} must hold sample indices (integers), got {array.dtype} values")
    if not np.issubdtype(array.dtype, np.integer):
        broken = array[~np.isfinite(array) | (array != np.floor(array))]
        if len(broken):
            raise ValueError(f"{what} must hold sample indices (integers), got {broken[0]}")
    whole = array.astype(np.int64)
    outside = (whole < 0) | (whole >= n_samples)
    if outside.any():
        where = np.argwhere(outside)[0]
        entry = f"entry {where[0]}" if array.ndim == 1 else f"row {where[0]}"
        raise ValueError(
            f"{what}: {entry} names sample {whole[tuple(where)]}, but samples run from 0 to {n_samples - 1}"
        )
    return whole


def distinct(samples: ArrayLike) -> NDArray[np.int64]:
    """Each sample once, in order; at once where they are so already, as a million of a selection are.

    >>> distinct([3, 1, 3]).tolist(), distinct([1, 2]).tolist()
    ([1, 3], [1, 2])
    """
    values = np.asarray(samples, dtype=np.int64).ravel()
    if not (values[1:] > values[:-1]).all():
        values = np.sort(values)
        values = values[np.concatenate([[True], values[1:] != values[:-1]])]
    return values
