"""A part of a large table that stands for all of it: a weighted coreset, drawn in two passes over the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import as_samples, distinct
from cclab.core.problem import checked_seed
from cclab.core.words import counted
from cclab.datasets.columns.new_rows import days, numbers
from cclab.datasets.coreset import Coreset
from cclab.datasets.dataset import Dataset
from cclab.datasets.limits import MOST_SAMPLES, check_limit
from cclab.datasets.parquet_rows import check_column, parquet_columns, parquet_frames
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
    if isinstance(size, bool) or not isinstance(size, Integral) or size < FEWEST:
        raise ValueError(f"coreset must be a whole number from {FEWEST}, got {size!r:.40}")
    check_limit(size, MOST_SAMPLES, "samples", "Ask for a smaller coreset.", where="coreset")
    if path.suffix.lower() not in (".parquet", ".pq"):
        raise ValueError(f"{path.name}: a coreset is drawn from a Parquet file; write the table as one first")
    names, n_rows = parquet_columns(path)
    for column in names:
        check_column(column, names, path.name)
    kept = distinct(as_samples(keep, n_rows, "keep"))
    if not n_rows:
        raise ValueError(f"{path.name} has no rows")
    first = next(parquet_frames(path))
    first.attrs["file"] = path.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about rows with missing values, which are told of below
        begin = table_to_dataset(first, target=target, name=name, **changes)
    guessed = begin.plan
    assert guessed is not None
    numeric = [column for column in guessed.columns("feature") if _is_numeric(first[column])]
    if not numeric:
        raise ValueError(f"{path.name} has no column of numbers or dates to draw a coreset by")
    features = _Features(
        numeric,
        scaled=np.array([guessed.scale.get(column, "none") != "none" for column in numeric]),
        filled=np.array([guessed.missing.get(column, "drop") != "drop" for column in numeric]),
    )
    moments = _moments(map(features.of, parquet_frames(path, numeric)))
    # Data that were made by random numbers of the same seed must not meet them again here.
    rng = np.random.default_rng([checked_seed(seed), n_rows, size])
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
    notes += [note for note in begin.notes if "is no feature" in note]
    without_reading = replace(data.rows, reading=None)  # the file holds more than the samples
    return replace(data, notes=(*notes, *data.notes), rows=without_reading)


@dataclass(frozen=True)
class _Features:
    """The columns by which distances are measured; whether each is scaled, and whether its gaps are filled in."""

    names: list[str]
    scaled: NDArray
    filled: NDArray

    def of(self, frame: pd.DataFrame) -> tuple[NDArray, NDArray]:
        """(m, p) the values of rows, and which rows can be samples."""
        X = np.column_stack([_values(frame[name]) for name in self.names])
        return X, (np.isfinite(X) | (np.isnan(X) & self.filled)).all(axis=1)


@dataclass(frozen=True)
class _Moments:
    count: int
    mean: NDArray
    variance: NDArray


def _moments(blocks: Iterable[tuple[NDArray, NDArray]]) -> _Moments:
    """Number of rows that can be samples, means and variances of their values, added up about the means so far."""
    n_samples = 0
    count = mean = squares = np.zeros(1)
    for X, usable in blocks:
        X = X[usable]
        known = ~np.isnan(X)
        n = known.sum(axis=0)
        m = np.where(known, X, 0).sum(axis=0) / np.maximum(n, 1)
        off, both = m - mean, np.maximum(count + n, 1)
        squares = squares + (np.where(known, X - m, 0) ** 2).sum(axis=0) + off**2 * (count * n / both)
        mean = mean + off * (n / both)
        count, n_samples = count + n, n_samples + len(X)
    if n_samples < 2:
        raise ValueError("fewer than two rows have a number in every column that is clustered by")
    return _Moments(n_samples, mean, squares / np.maximum(count, 1))


def _drawn(
    path: Path, features: _Features, all_rows: _Moments, size: int, kept: NDArray, rng: np.random.Generator
) -> tuple[pd.DataFrame, NDArray, NDArray]:
    """The rows that are drawn, their numbers and their weights."""
    # Columns that will be scaled count by their variance, the others as they are.
    unit = np.where(features.scaled & (all_rows.variance > 0), np.sqrt(all_rows.variance), 1.0)
    spread = float((all_rows.variance / unit**2).sum())
    frames, rows, chances, start = [], [], [], 0
    for frame in parquet_frames(path):
        X, usable = features.of(frame)
        off = np.where(np.isnan(X), 0, X - all_rows.mean)  # what is filled in is not far from all
        away = ((off / unit) ** 2).sum(axis=1) / spread if spread else np.ones(len(X))
        chance = np.minimum(size / all_rows.count * (0.5 + 0.5 * away), 1.0)
        here = kept[slice(*np.searchsorted(kept, (start, start + len(X))))] - start
        if not usable[here].all():
            row = int(here[~usable[here]][0])
            name = features.names[int((~np.isfinite(X[row])).argmax())]
            raise ValueError(
                f"keep: row {start + row} of {path.name} has no value in column {name!r}, so it is no sample"
            )
        chance[here] = 1.0
        taken = np.flatnonzero((rng.random(len(X)) < chance) & usable)
        frames.append(frame.iloc[taken])
        rows.append(taken + start)
        chances.append(chance[taken])
        start += len(X)
    numbered, weights = np.concatenate(rows), 1 / np.concatenate(chances)
    # Those that stand for others stand for all of them: the sum is that of all rows.
    others = weights > 1
    weights[others] *= max(all_rows.count - int((~others).sum()), 0) / max(weights[others].sum(), 1e-300)
    return pd.concat(frames, ignore_index=True), numbered, weights


def _values(column: pd.Series) -> NDArray:
    return days(column) if column.dtype.kind == "M" else numbers(column)


def _is_numeric(values: pd.Series) -> bool:
    return values.dtype.kind in "iufbM"
