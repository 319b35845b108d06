"""Rows of different lengths, kept as three flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cclab.core.arrays import readonly


@dataclass(frozen=True, eq=False)
class Ragged:
    """A list of rows, each a list of integer items with a value each.

    Attributes
    ----------
    indptr : (n_rows + 1,) int array
        Row ``r`` holds the entries ``indptr[r]:indptr[r + 1]``.
    items : (n_entries,) int array
    values : (n_entries,) float array
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int64]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "indptr", readonly(self.indptr, np.int64))
        object.__setattr__(self, "items", readonly(self.items, np.int64))
        object.__setattr__(self, "values", readonly(self.values, np.float64))

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[ArrayLike, ArrayLike]] = ()) -> Ragged:
        """One row for each ``(items, values)``; a single value serves all items of its row."""
        items, values, lengths = [], [], [0]
        for row_items, row_values in rows:
            row_items = np.asarray(row_items, dtype=np.int64)
            items.append(row_items)
            values.append(np.broadcast_to(np.asarray(row_values, dtype=float), row_items.shape))
            lengths.append(len(row_items))
        return cls(
            np.cumsum(lengths),
            np.concatenate(items) if items else np.empty(0, dtype=np.int64),
            np.concatenate(values) if values else np.empty(0),
        )

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def row(self, r: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Items and values of one row."""
        entries = slice(self.indptr[r], self.indptr[r + 1])
        return self.items[entries], self.values[entries]

    def rows(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """All rows in order; see `row`."""
        return (self.row(r) for r in range(len(self)))

    def tuples(self) -> Iterator[tuple[tuple[int, ...], tuple[float, ...]]]:
        """Items and values of each row as plain numbers: the quick way through a million short rows."""
        items, values, ends = self.items.tolist(), self.values.tolist(), self.indptr.tolist()
        return ((tuple(items[a:b]), tuple(values[a:b])) for a, b in pairwise(ends))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many items each row has."""
        return np.diff(self.indptr)

    @property
    def row_of_entry(self) -> NDArray[np.int64]:
        """Which row each entry belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def __getitem__(self, rows: NDArray) -> Ragged:
        """The chosen rows, in the order given."""
        lengths = self.lengths[rows]
        starts = np.repeat(self.indptr[:-1][rows], lengths)
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        entries = starts + within
        return Ragged(np.concatenate([[0], np.cumsum(lengths)]), self.items[entries], self.values[entries])

    def __add__(self, other: Ragged) -> Ragged:
        """The rows of both, one after the other."""
        return Ragged(
            np.concatenate([self.indptr, other.indptr[1:] + self.indptr[-1]]),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.values, other.values]),
        )

    def matrix(self, n_columns: int) -> sparse.csr_array:
        """The rows as a sparse matrix, items as columns."""
        return sparse.csr_array((self.values, self.items, self.indptr), shape=(len(self), n_columns))
