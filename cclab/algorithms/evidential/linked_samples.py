"""The samples that any link touches, and how they depend on each other."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import ConstraintSet, Problem
from cclab.core.constraints.links import Links
from cclab.maths.colour_classes import colour_classes, two_colours
from cclab.maths.constraint_cache import of_constraints


@dataclass(frozen=True, eq=False)
class Ties:
    """All that ties r of the t samples to others: must-links, cannot-links, and neighbours in the affinity."""

    must: Links
    cannot: Links
    neighbours: Links

    def at(self, rows: NDArray) -> Ties:
        """The ties of some of the samples."""
        return Ties(self.must.at(rows), self.cannot.at(rows), self.neighbours.at(rows))


@dataclass(frozen=True, eq=False)
class LinkedSamples:
    """Linked and labelled samples, with an order in which they can be updated a class at a time.

    Attributes
    ----------
    samples : (t,) int array
        Sorted.
    ties : Ties
        Among them.
    classes : tuple of (positions, Ties)
        Positions among the t samples. No two samples of a class are tied to each other, save by a group: an
        update of a class must allow for its groups, and for nothing else.
    """

    samples: NDArray
    ties: Ties
    classes: tuple[tuple[NDArray, Ties], ...]

    @classmethod
    def of(cls, problem: Problem) -> LinkedSamples:
        """Those of a problem, worked out once for as long as its constraints stay the same."""
        return of_constraints(problem, "linked samples", lambda known: cls._of(problem, known))

    @classmethod
    def _of(cls, problem: Problem, known: ConstraintSet) -> LinkedSamples:
        near = _neighbourhood(problem)
        affinity = near.affinity
        touched = np.diff(affinity.indptr) > 0
        if touched.all() and not (len(known.must.samples) or len(known.cannot.samples)):
            return near.alone
        for samples in (known.must.samples, known.cannot.samples, known.labels.sample):
            touched[samples] = True
        samples = np.flatnonzero(touched)
        ties = Ties(
            must=known.must.among(samples),
            cannot=known.cannot.among(samples),
            neighbours=Links.of_pairs(affinity if touched.all() else affinity[samples][:, samples]),
        )
        colours = np.stack(
            [
                near.colours[samples],
                _block_colours(ties.cannot),
                _colours(ties.must.pairs + ties.cannot.pairs),
            ]
        )
        _, kind = np.unique(np.ravel_multi_index(colours, colours.max(axis=1, initial=0) + 1), return_inverse=True)
        return cls.by_colours(samples, ties, kind)

    @classmethod
    def by_colours(cls, samples: NDArray, ties: Ties, colours: NDArray) -> LinkedSamples:
        """Samples of one colour can be updated at once."""
        classes = [np.flatnonzero(colours == k) for k in range(colours.max(initial=-1) + 1)]
        return cls(samples, ties, tuple((members, ties.at(members)) for members in classes))


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """An affinity, symmetric and without a diagonal, and a colour for each sample that no neighbour has."""

    affinity: sparse.csr_array
    colours: NDArray

    @cached_property
    def alone(self) -> LinkedSamples:
        """What ties the samples where there are no links: neighbours alone."""
        n = len(self.colours)
        nothing = Links.of_pairs(sparse.csr_array((n, n)))
        ties = Ties(must=nothing, cannot=nothing, neighbours=Links.of_pairs(self.affinity))
        return LinkedSamples.by_colours(np.arange(n), ties, self.colours)


# The neighbours of a picture's pixels stay the same while its data, measured in units of the paint, change with every
# stroke. So the latest affinities that no one can change are kept, with what follows from them.
# Several threads may come here at once: a painter's worker, and the page.
_frozen: deque[tuple[sparse.csr_array, Neighbourhood]] = deque(maxlen=2)
_frozen_lock = Lock()


def _colours(adjacency: sparse.csr_array) -> NDArray:
    """(t,) a colour for each vertex."""
    colours = np.zeros(adjacency.shape[0], dtype=np.int64)
    if not adjacency.nnz:
        return colours
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


def _neighbourhood(problem: Problem) -> Neighbourhood:
    def compute() -> Neighbourhood:
        n, given = problem.n_samples, problem.affinity
        if given is None:
            return Neighbourhood(sparse.csr_array((n, n)), np.zeros(n, dtype=np.int64))
        with _frozen_lock:
            latest = tuple(_frozen)
        for known, near in latest:
            if all(_same_memory(getattr(known, part), getattr(given, part)) for part in ("data", "indices", "indptr")):
                return near
        affinity = given if _is_mutual(given) else _made_mutual(given)
        chessboard = two_colours(affinity)
        near = Neighbourhood(affinity, _colours(affinity) if chessboard is None else chessboard)
        if not given.data.flags.writeable:
            with _frozen_lock:
                _frozen.append((given, near))
        return near

    return problem.derived("neighbourhood", compute)


def _is_mutual(affinity: sparse.csr_array) -> bool:
    """Whether it is symmetric, without a diagonal, and stores no 0."""
    back = affinity.T.tocsr()
    same = all(np.array_equal(getattr(affinity, part), getattr(back, part)) for part in ("indptr", "indices", "data"))
    return same and bool(affinity.data.all()) and not affinity.diagonal().any()


def _made_mutual(affinity: sparse.csr_array) -> sparse.csr_array:
    """The mean of both directions, without a diagonal."""
    both_ways = sparse.coo_array((affinity + affinity.T) / 2)
    kept = (both_ways.row != both_ways.col) & (both_ways.data > 0)
    entries = (both_ways.data[kept], (both_ways.row[kept], both_ways.col[kept]))
    return sparse.csr_array(entries, shape=affinity.shape)


def _same_memory(one: NDArray, other: NDArray) -> bool:
    return one.__array_interface__ == other.__array_interface__
