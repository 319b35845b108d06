"""Samples a block of rows at a time: the one way in which solvers go through them, in memory or not.

A step of a solver with centres is a sum over samples. What a block adds to it is written once, as a function of a
`Block`; `Problem.total` adds up, for an array in memory as for samples that come in chunks from a file or a cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from operator import iadd
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core.arrays import as_samples

# Rows a block: its arrays of a few columns stay in the processor's cache.
BLOCK = 4096
# So many sets of picked rows are remembered: the linked samples, those that starts are drawn from.
REMEMBERED = 4


def row_blocks(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices that cover ``0 .. n_rows``, each of at most `size` rows."""
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def squared_norms(X: Any) -> NDArray:
    """(n,) squared length of each row, in double precision whatever the samples are in."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=float)


@dataclass(frozen=True, eq=False)
class Block:
    """Some consecutive samples.

    Attributes
    ----------
    start : int
        The number of the first of them.
    X : (m, p) array or sparse matrix
    sample_weight : (m,) array or None
    """

    start: int
    X: Any
    sample_weight: NDArray | None = None
    _norms: Callable[[], NDArray] | None = None

    @property
    def rows(self) -> slice:
        """Where they are among all samples."""
        return slice(self.start, self.start + self.X.shape[0])

    @cached_property
    def weights(self) -> NDArray:
        """(m,) their weights, ones where none were given."""
        return np.ones(self.X.shape[0]) if self.sample_weight is None else self.sample_weight

    @cached_property
    def norms(self) -> NDArray:
        """(m,) their squared lengths."""
        return squared_norms(self.X) if self._norms is None else self._norms()[self.rows]

    def find(self, samples: NDArray) -> tuple[slice, NDArray]:
        """Which of some samples (sorted) are here, and in which rows of the block.

        >>> Block(10, np.zeros((5, 1))).find(np.array([3, 12, 14, 15]))
        (slice(1, 3, None), array([2, 4]))
        """
        first, last = np.searchsorted(samples, (self.rows.start, self.rows.stop))
        return slice(int(first), int(last)), samples[first:last] - self.start

    def parts(self, size: int) -> Iterator[Block]:
        """The same samples in blocks of at most `size` rows."""
        w = self.sample_weight
        for rows in row_blocks(self.X.shape[0], size):
            yield Block(self.start + rows.start, self.X[rows], None if w is None else w[rows], self._norms)


# What a block adds to a sum: numbers, arrays of one shape, and lists, which come one after the other.
Part = Callable[[Block], tuple[Any, ...]]


def added(parts: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Tuples added up, place by place, from the first to the last; their arrays and lists are used up.

    >>> added([(1.0, [1]), (2.5, [2])])
    (3.5, [1, 2])
    """
    every = iter(parts)
    total = next(every)
    for part in every:
        total = tuple(map(iadd, total, part))
    return total


def block_total(chunk: Block, part: Part, size: int) -> tuple[Any, ...]:
    """What the blocks of a chunk add up to."""
    return added(map(part, chunk.parts(size)))


class Chunked(ABC):
    """Samples that are not in memory all at once: chunks of rows, one after the other.

    `Solver.fit` and `Problem` take them in place of an array where the solver says so (`Solver.accepts_chunks`).
    A subclass gives `shape`, `chunks` and, where it can do better than to read everything, `rows` and `map`.

    Attributes
    ----------
    shape : tuple of two int
    feature_names : tuple of str
        What the columns are called, where they have names.
    """

    shape: tuple[int, int]
    feature_names: tuple[str, ...] = ()
    ndim = 2

    @abstractmethod
    def chunks(self) -> Iterator[NDArray]:
        """All samples in order, arrays (m, p) of doubles or singles."""

    def rows(self, samples: NDArray) -> NDArray:
        """(t, p) some samples, by their numbers in rising order, each once."""
        found = [block.X[block.find(samples)[1]] for block in self.blocks()]
        return np.concatenate(found)

    def map(self, work: Callable[[Block], Any], sample_weight: NDArray | None = None) -> Iterable[Any]:
        """What `work` makes of each chunk, in order."""
        return map(work, self.blocks(sample_weight))

    def blocks(self, sample_weight: NDArray | None = None) -> Iterator[Block]:
        """All samples in order, each chunk a block."""
        start = 0
        for X in self.chunks():
            if not len(X):
                continue
            stop = start + len(X)
            yield Block(start, X, None if sample_weight is None else sample_weight[start:stop])
            start = stop

    def whole_blocks(self) -> Iterator[Block]:
        """As `blocks`; a value that is missing or infinite is refused where it is met."""
        for block in self.blocks():
            self._refuse(_first_bad(block))
            yield block

    def check_columns(self, n_features: int, names: tuple[str, ...] = ()) -> None:
        """Raise ValueError, in words, where there are no samples, or these have not the features of a fit."""
        if 0 in self.shape:
            raise ValueError(f"X is empty: it has shape {self.shape}")
        if self.shape[1] != n_features:
            raise ValueError(f"X has {self.shape[1]} features, but the fit had {n_features} features")
        if names and self.feature_names and self.feature_names != names:
            raise ValueError(
                f"X has the columns {', '.join(self.feature_names)}, but the fit had {', '.join(names)}; "
                "give the same ones in the same order: ParquetRows(path, solver.feature_names_in_)"
            )

    def total(self, part: Part, sample_weight: NDArray | None = None, size: int = BLOCK) -> tuple[Any, ...]:
        """As `Problem.total`."""
        return added(self.map(partial(block_total, part=part, size=size), sample_weight))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, samples: Any) -> NDArray:
        """Some samples by their numbers, in memory; those asked for lately are remembered."""
        numbers = as_samples(samples, len(self), "samples")
        key, kept = numbers.tobytes(), self._remembered
        if key not in kept:
            if len(kept) >= REMEMBERED:
                kept.pop(next(iter(kept)))
            distinct, place = np.unique(numbers, return_inverse=True)
            kept[key] = self.rows(distinct)[place] if len(numbers) else np.empty((0, self.shape[1]))
        return kept[key]

    @cached_property
    def _remembered(self) -> dict[bytes, NDArray]:
        return {}

    @cached_property
    def extent(self) -> tuple[NDArray, NDArray]:
        """(p,) the smallest and the largest value of each feature.

        Raises
        ------
        ValueError
            Some values are missing or infinite; the words name the first.
        """
        least, most, bad = zip(*self.map(_extent_of))
        self._refuse(next((place for place in bad if place is not None), None))
        return np.min(least, axis=0), np.max(most, axis=0)

    def _refuse(self, bad: Bad | None) -> None:
        if bad is not None:
            row, column, what = bad
            called = repr(self.feature_names[column]) if self.feature_names else column
            raise ValueError(
                f"X contains {what} in row {row}, column {called}; drop the rows with such values or fill them in first"
            )


# Where a value is missing or infinite, and which of them it is.
Bad = tuple[int, int, str]


def _extent_of(block: Block) -> tuple[NDArray, NDArray, Bad | None]:
    least, most = block.X.min(axis=0), block.X.max(axis=0)
    is_whole = np.isfinite(least).all() and np.isfinite(most).all()
    return least, most, None if is_whole else _first_bad(block)


def _first_bad(block: Block) -> Bad | None:
    finite = np.isfinite(block.X)
    if finite.all():
        return None
    row, column = np.argwhere(~finite)[0]
    return block.start + int(row), int(column), "NaN" if np.isnan(block.X[row, column]) else "infinity (inf)"
