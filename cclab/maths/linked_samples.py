"""The samples that any link touches, and how they depend on each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import ConstraintSet, LinkOperator, Problem
from cclab.maths.colour_classes import colour_classes
from cclab.maths.knowledge import of_constraints


@dataclass(frozen=True, eq=False)
class Links:
    """Some rows of a link operator on t samples: ``pairs + members coupling blocks - diag(diagonal)``.

    Attributes
    ----------
    rows : (r,) int array
        Which of the t samples' partners are added up.
    pairs : (r, t) sparse array
    members : (r, b) sparse array
        Shares of these samples in the blocks.
    coupling : (b, b) sparse array
    blocks : (b, t) sparse array
        Shares of all samples in the blocks.
    diagonal : (r,) array
    """

    rows: NDArray
    pairs: sparse.csr_array
    members: sparse.csr_array
    coupling: sparse.csr_array
    blocks: sparse.csr_array
    diagonal: NDArray

    @classmethod
    def among(cls, operator: LinkOperator, samples: NDArray) -> Links:
        """All rows of an operator, written for `samples`, which hold all that it touches."""
        m, t = len(operator.samples), len(samples)
        place = np.searchsorted(samples, operator.samples)
        choose = sparse.csr_array((np.ones(m), place, np.arange(m + 1)), shape=(m, t))
        blocks = sparse.csr_array(operator.blocks @ choose)
        return cls(
            rows=np.arange(t),
            pairs=sparse.csr_array(choose.T @ operator.pairs @ choose),
            members=sparse.csr_array(blocks.T),
            coupling=operator.coupling,
            blocks=blocks,
            diagonal=choose.T @ operator.diagonal,
        )

    def at(self, rows: NDArray) -> Links:
        """Some of the rows."""
        return replace(
            self,
            rows=self.rows[rows],
            pairs=self.pairs[rows],
            members=self.members[rows],
            diagonal=self.diagonal[rows],
        )

    def times(self, factor: float) -> Links:
        """The same links, all weights multiplied."""
        return replace(
            self, pairs=self.pairs * factor, coupling=self.coupling * factor, diagonal=self.diagonal * factor
        )

    def apply(self, Y: NDArray) -> NDArray:
        """(r, k) for each of the rows, the weighted sum of its partners' rows of `Y` (t, k)."""
        total = self.pairs @ Y
        if self.members.nnz:
            total += self.members @ (self.coupling @ (self.blocks @ Y))
            total -= self.diagonal[:, None] * Y[self.rows]
        return total

    @property
    def degree(self) -> NDArray:
        """(r,) weighted number of partners."""
        return self.apply(np.ones((self.blocks.shape[1], 1)))[:, 0]

    def __bool__(self) -> bool:
        return bool(self.pairs.nnz or self.members.nnz)


@dataclass(frozen=True, eq=False)
class LinkedSamples:
    """Linked and labelled samples, with an order in which they can be updated a class at a time.

    Attributes
    ----------
    samples : (t,) int array
        Sorted.
    must, cannot : Links
        Among them.
    neighbours : (t, t) sparse array
        The affinity, symmetric and without a diagonal.
    classes : tuple of int arrays
        Positions among the t samples. No two samples of a class are linked to each other, save by a group: an
        update of a class must allow for its groups, and for nothing else.
    """

    samples: NDArray
    must: Links
    cannot: Links
    neighbours: sparse.csr_array
    classes: tuple[NDArray, ...]

    @classmethod
    def of(cls, problem: Problem) -> LinkedSamples:
        """Those of a problem, worked out once for as long as its constraints stay the same."""
        return of_constraints(problem, "linked samples", lambda known: cls._among(problem, known))

    @classmethod
    def _among(cls, problem: Problem, known: ConstraintSet) -> LinkedSamples:
        neighbours, neighbour_colours = _neighbours(problem)
        touched = np.diff(neighbours.indptr) > 0
        for samples in (known.must.samples, known.cannot.samples, known.labels.sample):
            touched[samples] = True
        samples = np.flatnonzero(touched)
        must, cannot = Links.among(known.must, samples), Links.among(known.cannot, samples)
        colours = [
            neighbour_colours[samples],
            _block_colours(cannot),
            _colours(must.pairs + cannot.pairs),
        ]
        _, kinds = np.unique(np.stack(colours), axis=1, return_inverse=True)
        by_kind = np.argsort(kinds, kind="stable")
        classes = np.split(by_kind, np.cumsum(np.bincount(kinds))[:-1]) if len(samples) else []
        return cls(samples, must, cannot, neighbours[samples][:, samples], tuple(classes))


def _colours(adjacency: sparse.csr_array) -> NDArray:
    """(t,) a colour for each vertex."""
    colours = np.zeros(adjacency.shape[0], dtype=np.int64)
    for colour, members in enumerate(colour_classes(adjacency)):
        colours[members] = colour
    return colours


def _block_colours(cannot: Links) -> NDArray:
    """(t,) a colour for each sample, so that samples of blocks that are kept apart differ.

    Samples of the same blocks are alike, so it is these kinds of samples that are coloured.
    """
    if not cannot.blocks.shape[0]:
        return np.zeros(len(cannot.diagonal), dtype=np.int64)
    inside = (cannot.blocks.T != 0).astype(np.int64)
    # A random number a block, added up over the blocks of a sample: a name for the set of its blocks.
    names = np.random.default_rng(0).integers(2**62, size=inside.shape[1])
    _, first, kind = np.unique(inside @ names, return_index=True, return_inverse=True)
    kinds = inside[first]
    return _colours(sparse.csr_array(kinds @ (cannot.coupling != 0) @ kinds.T))[kind]


def _neighbours(problem: Problem) -> tuple[sparse.csr_array, NDArray]:
    """(n, n) the affinity, symmetric and without a diagonal, and a colour for each sample."""

    def compute() -> tuple[sparse.csr_array, NDArray]:
        n = problem.n_samples
        if problem.affinity is None:
            return sparse.csr_array((n, n)), np.zeros(n, dtype=np.int64)
        weights = sparse.coo_array((problem.affinity + problem.affinity.T) / 2)
        off = weights.row != weights.col
        entries = (weights.data[off], (weights.row[off], weights.col[off]))
        weights = sparse.csr_array(sparse.coo_array(entries, shape=(n, n)))
        weights.eliminate_zeros()
        return weights, _colours(weights)

    return problem.derived("neighbours", compute)
