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
    whole = array.astype(np.int64)
    if not np.array_equal(whole, array):
        bad = array[whole != array].flat[0]
        raise ValueError(f"{what} must hold sample indices (integers), got {bad}")
    outside = (whole < 0) | (whole >= n_samples)
    if outside.any():
        where = np.argwhere(outside)[0]
        entry = f"entry {where[0]}" if array.ndim == 1 else f"row {where[0]}"
        raise ValueError(
            f"{what}: {entry} names sample {whole[tuple(where)]}, but samples run from 0 to {n_samples - 1}"
        )
    return whole
