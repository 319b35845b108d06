"""Missing values of features: rows without them are left out, or they are filled in; either way they are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.impute import KNNImputer

from cclab.core.words import counted

_NEIGHBOURS = 5
# Neighbours are looked for among so many rows at most.
_MOST_DONORS = 5_000


@dataclass(frozen=True)
class Filled:
    """Columns without holes.

    Attributes
    ----------
    columns : mapping from name to float array (n_kept,)
    keep : int array
        The rows that are samples.
    missing, infinite : int arrays
        The rows that are none, and why.
    worst : tuple of str and int
        The column that lacks most, and how many values.
    notes : tuple of str
        On what was filled in.
    """

    columns: Mapping[str, np.ndarray]
    keep: np.ndarray
    missing: np.ndarray
    infinite: np.ndarray
    worst: tuple[str, int]
    notes: tuple[str, ...]


def fill(
    columns: Mapping[str, np.ndarray],
    how: Mapping[str, str],
    lacking: Mapping[str, np.ndarray],
    n_rows: int,
    file: str,
    weights: np.ndarray | None = None,
) -> Filled:
    """Leave rows out, and fill the columns that are to be filled.

    Parameters
    ----------
    columns : mapping from name to float array (n_rows,)
        NaN where a value is missing.
    how : mapping from name to {"drop", "median", "neighbours"}
    lacking : mapping from name to bool array (n_rows,)
        Rows that lack something else that nothing can fill in.
    n_rows : int
    file : str
    weights : array (n_rows,), optional
        How many rows each stands for.
    """
    holes = {name: np.isnan(values) for name, values in columns.items()}
    missing, infinite = (np.zeros(n_rows, dtype=bool) for _ in range(2))
    counts = {name: int((~np.isfinite(values)).sum()) for name, values in columns.items()}
    counts |= {name: int(rows.sum()) for name, rows in lacking.items()}
    for name, values in columns.items():
        infinite |= np.isinf(values)
        if how.get(name, "drop") == "drop":
            missing |= holes[name]
    for rows in lacking.values():
        missing |= rows
    infinite &= ~missing
    keep = np.flatnonzero(~missing & ~infinite)
    worst = max(counts, key=lambda name: counts[name], default="")
    if len(keep) < 2:
        raise ValueError(
            f"{file}: fewer than two of {n_rows} rows have no missing or infinite value; column {worst!r} lacks most "
            f"({counts[worst]}): leave it out (role 'ignored') or fill it in (missing='median')"
        )
    kept = {name: values[keep] for name, values in columns.items()}
    to_fill = {name: how[name] for name, values in kept.items() if how.get(name, "drop") != "drop"}
    notes = []
    by_neighbours = []
    for name, way in to_fill.items():
        gaps = np.isnan(kept[name])
        if gaps.all():
            raise ValueError(f"{file}: column {name!r} has no value at all to fill it from; give it the role 'ignored'")
        if not gaps.any():
            continue
        if way == "neighbours" and len(kept) > 1:
            by_neighbours.append(name)
            said = "from their nearest neighbours"
        else:
            middle = median(kept[name], None if weights is None else weights[keep])
            kept[name] = np.where(gaps, middle, kept[name])
            said = f"with the median {middle:g}"
        notes.append(f"{counted(int(gaps.sum()), 'missing value')} of {name!r} filled {said}")
    if by_neighbours:
        kept |= _from_neighbours(kept, by_neighbours)
    return Filled(
        kept, keep, np.flatnonzero(missing), np.flatnonzero(infinite), (worst, counts.get(worst, 0)), tuple(notes)
    )


def median(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The middle of the values that are there, each counting by its weight."""
    there = ~np.isnan(values)
    if weights is None:
        return float(np.median(values[there]))
    return float(np.quantile(values[there], 0.5, weights=weights[there], method="inverted_cdf"))


def _from_neighbours(columns: Mapping[str, np.ndarray], wanted: Iterable[str]) -> dict[str, np.ndarray]:
    """Each gap is the mean of the five nearest rows, every column counting by its spread."""
    names = list(columns)
    X = np.column_stack([columns[name] for name in names])
    centre, spread = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    spread[spread == 0] = 1
    Z = (X - centre) / spread
    donors = Z
    if len(Z) > _MOST_DONORS:
        donors = Z[np.sort(np.random.default_rng(0).choice(len(Z), _MOST_DONORS, replace=False))]
    model = KNNImputer(n_neighbors=_NEIGHBOURS, keep_empty_features=True).fit(donors)
    holey = np.flatnonzero(np.isnan(Z).any(axis=1))
    Z = Z.copy()
    Z[holey] = model.transform(Z[holey])
    found = Z * spread + centre
    return {n: np.where(np.isnan(columns[n]), found[:, names.index(n)], columns[n]) for n in wanted}
