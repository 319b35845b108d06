"""What is known of each sample beside its features: columns of the original table, and pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd


def checked_meta(name: str, meta: pd.DataFrame | None, index: pd.Index) -> pd.DataFrame:
    """The columns with one row per sample, called as the samples are; no columns where there are none.

    Raises
    ------
    ValueError
        It is no table, or has not one row for each sample.
    """
    if meta is None or (isinstance(meta, pd.DataFrame) and meta.columns.empty):
        return pd.DataFrame(index=index)
    if not isinstance(meta, pd.DataFrame):
        raise ValueError(f"{name}: meta must be a DataFrame with one row per sample, not {type(meta).__name__}")
    if len(meta) != len(index):
        raise ValueError(f"{name}: meta has {len(meta)} rows, expected one for each of {len(index)} samples")
    return named_apart(meta.set_axis(index))


def unique_names(columns: Iterable[Any]) -> list[str]:
    """Names of columns as texts of which no two are the same.

    >>> unique_names(["a", 1, "a", "1"])
    ['a', '1', 'a (2)', '1 (2)']
    """
    names, taken = [str(column) for column in columns], set()
    for j, name in enumerate(names):
        times = 1
        while names[j] in taken:
            times += 1
            names[j] = f"{name} ({times})"
        taken.add(names[j])
    return names


def named_apart(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table, its columns called by texts of which no two are the same."""
    return frame.set_axis(unique_names(frame.columns), axis="columns")


def content_of(meta: pd.DataFrame) -> Iterable[bytes]:
    """All that is in the columns, as bytes that are the same for the same content in every process."""
    for name, values in meta.items():
        if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biufmM":
            array = values.to_numpy()
            yield json.dumps([name, array.dtype.str.lstrip("<>|=")]).encode()
            yield array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        else:
            cells = [None if missing else str(value) for value, missing in zip(values, values.isna())]
            yield json.dumps([name, cells]).encode()


def checked_images(name: str, images: Any, n_samples: int) -> np.ndarray:
    """Pictures as a read-only array, of bytes or of floats from 0 to 1.

    Raises
    ------
    ValueError
        They are none, or not one for each sample.
    """
    array = np.asarray(images)
    kind = np.uint8 if array.dtype == np.uint8 else float
    array = array.astype(kind, copy=array.flags.writeable or array.base is not None)
    if len(array) != n_samples:
        raise ValueError(f"{name}: images has {len(array)} entries, expected {n_samples}")
    shaped = array.ndim == 3 or (array.ndim == 4 and array.shape[3] == 3)
    if not shaped or 0 in array.shape or (kind is float and not 0 <= array.min() <= array.max() <= 1):
        raise ValueError(
            f"{name}: images must be (n_samples, height, width) or (n_samples, height, width, 3), as bytes or with "
            "values in [0, 1]"
        )
    array.flags.writeable = False
    return array


def light(image: np.ndarray) -> np.ndarray:
    """One picture as bytes that a screen shows, (height, width) or (height, width, 3): 0 is black.

    >>> light(np.array([[0.0, 1.0]])).tolist()   # ink on paper
    [[255, 0]]
    """
    if image.dtype == np.uint8:
        return image
    ink = image if image.ndim == 2 else 1 - image
    return np.round(255 * (1 - ink)).astype(np.uint8)
