"""A part of a large table that stands for all of it: a weighted coreset, drawn in two passes over the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import as_samples, distinct
from cclab.core.words import counted
from cclab.datasets.columns.new_rows import days, numbers
from cclab.datasets.coreset import Coreset
from cclab.datasets.dataset import Dataset
from cclab.datasets.limits import MOST_SAMPLES, check_limit
from cclab.datasets.parquet_rows import parquet_columns, parquet_frames
from cclab.datasets.tables import table_to_dataset

#: Fewer samples than this stand for nothing.
FEWEST = 100
#: What the column of row numbers is called.
ROW = "row"


def load_coreset(
    path: Path,
    size: int,
    *,
    keep: ArrayLike = (),
    seed: int = 0,
    target: Any = None,
    name: str | None = None,
    **changes: Any,
) -> Dataset:
    """A data set of about `size` rows of a Parquet file, each with the number of rows that it stands for.

    A row is drawn with a probability that is half the same for all, and half grows with its squared distance from the
    mean of all (a lightweight coreset); it counts by the inverse of that. So sums of squared distances from any centres
    are about those over all rows. What columns are used for is guessed from the first rows of the file.

    Parameters
    ----------
    path : Path
    size : int
        How many samples to draw, about.
    keep : sequence of int
        Rows that are always in it, each standing for itself: those that statements name.
    seed : int
    target, name, **changes
        As `table_to_dataset` takes them.

    References
    ----------
    O. Bachem, M. Lucic, A. Krause, Scalable k-means clustering via lightweight coresets, KDD 2018.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < FEWEST:
        raise ValueError(f"coreset must be a whole number from {FEWEST}, got {size!r:.40}")
    check_limit(size, MOST_SAMPLES, "samples", "Ask for a smaller coreset.", where="coreset")
    if path.suffix.lower() not in (".parquet", ".pq"):
        raise ValueError(f"{path.name}: a coreset is drawn from a Parquet file; write the table as one first")
    _, n_rows = parquet_columns(path)
    kept = distinct(as_samples(keep, n_rows, "keep"))
    first = next(parquet_frames(path))
    first.attrs["file"] = path.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about rows with missing values, which are told of below
        guessed = table_to_dataset(first, target=target, name=name, **changes).plan
    assert guessed is not None
    features = {c: guessed.scale.get(c, "none") for c in guessed.columns("feature") if _is_numeric(first[c])}
    if not features:
        raise ValueError(f"{path.name} has no column of numbers or dates to draw a coreset by")
    moments = _moments(_blocks(path, list(features)))
    # Data that were made by random numbers of the same seed must not meet them again here.
    rng = np.random.default_rng([seed, n_rows, size])
    drawn, rows, weights = _drawn(path, features, moments, size, kept, rng)
    coreset = Coreset(n_rows, rows, weights, path.name, str(path.resolve()))
    drawn.attrs["file"] = path.name
    roles = dict(guessed.roles)
    if not guessed.columns("id") and ROW not in drawn:
        drawn.insert(0, ROW, rows)
        roles[ROW] = "id"
    changes.pop("roles", None)
    data = table_to_dataset(drawn, name=name, roles=roles, coreset=coreset, **changes)
    lost = n_rows - moments.count
    notes = [f"a coreset: {counted(data.n_samples, 'sample')} stand for {moments.count:,} rows"]
    notes += [f"{counted(lost, 'row')} with missing values left out"] if lost else []
    without_reading = replace(data.rows, reading=None)  # the file holds more than the samples
    return replace(data, notes=(*notes, *data.notes), rows=without_reading)


@dataclass(frozen=True)
class _Moments:
    count: int
    mean: NDArray
    variance: NDArray


def _moments(blocks: Iterator[NDArray]) -> _Moments:
    """Number, means and variances of rows without gaps, added up block by block about the means so far."""
    count, mean, squares = 0, None, None
    for X in blocks:
        X = X[np.isfinite(X).all(axis=1)]
        if not len(X):
            continue
        m = X.mean(axis=0)
        s = ((X - m) ** 2).sum(axis=0)
        if mean is None or squares is None:
            count, mean, squares = len(X), m, s
            continue
        off, both = m - mean, count + len(X)
        squares = squares + s + off**2 * (count * len(X) / both)
        mean = mean + off * (len(X) / both)
        count = both
    if mean is None or squares is None or count < 2:
        raise ValueError("fewer than two rows have a number in every column that is clustered by")
    return _Moments(count, mean, squares / count)


def _drawn(
    path: Path, features: Mapping[str, str], all_rows: _Moments, size: int, kept: NDArray, rng: np.random.Generator
) -> tuple[pd.DataFrame, NDArray, NDArray]:
    """The rows that are drawn, their numbers and their weights."""
    # Columns that will be scaled count by their variance, the others as they are.
    scaled = np.array([how != "none" for how in features.values()])
    unit = np.where(scaled & (all_rows.variance > 0), np.sqrt(all_rows.variance), 1.0)
    spread = float((all_rows.variance / unit**2).sum())
    frames, rows, chances, start = [], [], [], 0
    for frame in parquet_frames(path):
        X = _features(frame, list(features))
        whole = np.isfinite(X).all(axis=1)
        away = (((X - all_rows.mean) / unit) ** 2).sum(axis=1) / spread if spread else np.ones(len(X))
        chance = np.minimum(size / all_rows.count * (0.5 + 0.5 * away), 1.0)
        here = kept[slice(*np.searchsorted(kept, (start, start + len(X))))] - start
        chance[here] = 1.0
        taken = np.flatnonzero((rng.random(len(X)) < chance) & whole)
        frames.append(frame.iloc[taken])
        rows.append(taken + start)
        chances.append(chance[taken])
        start += len(X)
    numbered, weights = np.concatenate(rows), 1 / np.concatenate(chances)
    # Those that stand for others stand for all of them: the sum is that of all rows.
    others = weights > 1
    weights[others] *= max(all_rows.count - int((~others).sum()), 0) / max(weights[others].sum(), 1e-300)
    return pd.concat(frames, ignore_index=True), numbered, weights


def _blocks(path: Path, columns: Sequence[str]) -> Iterator[NDArray]:
    for frame in parquet_frames(path, columns):
        yield _features(frame, columns)


def _features(frame: pd.DataFrame, columns: Sequence[str]) -> NDArray:
    return np.column_stack([_values(frame[column]) for column in columns])


def _values(column: pd.Series) -> NDArray:
    return days(column) if column.dtype.kind == "M" else numbers(column)


def _is_numeric(values: pd.Series) -> bool:
    return values.dtype.kind in "iufbM"
