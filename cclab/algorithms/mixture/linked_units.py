"""Samples that must-links join, as units, and what links and labels say between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import ConstraintSet

#: What an answer that breaks a certain link is worth, over one that keeps it; of weight w: 1 - w, if that is more.
LEAST = 1e-6
#: The same of many links between two units, which multiply.
LEAST_OF_MANY = 1e-30
#: The same for a certain label, which holds whatever the samples look like, as a certain must-link does.
LEAST_OF_LABELS = 1e-20
#: A group or a separation of more pairs of units than this is heard of as a whole.
MOST_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Block:
    """Many links said at once: a group that is not certain, or a separation.

    Attributes
    ----------
    must : bool
    a, b : int arrays
        Units; of a group all are in `a`.
    breaking : float
        The log of what an answer is worth that breaks it, for each unit that does.
    """

    must: bool
    a: NDArray
    b: NDArray
    breaking: float


@dataclass(frozen=True, eq=False)
class LinkedUnits:
    """Units of samples that links and labels touch.

    Attributes
    ----------
    samples : (t,) int array
        The samples, sorted.
    unit : (t,) int array
        The unit of each.
    gather : (u, t) sparse array
        Adds up what is known of the members: their weighted mean, times their number.
    i, j : (e,) int arrays
        Edges between units.
    must : (e,) bool array
        Whether they say "together", which is not certain; all others say "apart".
    breaking : (e,) array
        The log of what an answer is worth that breaks the link.
    blocks : tuple of Block
    """

    samples: NDArray
    unit: NDArray
    gather: sparse.csr_array
    i: NDArray
    j: NDArray
    must: NDArray
    breaking: NDArray
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return self.gather.shape[0]

    @classmethod
    def of(cls, known: ConstraintSet, weights: NDArray) -> LinkedUnits:
        """Those of some statements; `weights` (n,) says how much each sample counts."""
        samples = np.flatnonzero(known.constrained)
        _, unit = np.unique(_certain_musts(known).must_components[samples], return_inverse=True)
        place = np.full(known.n_samples, -1)
        place[samples] = unit
        i, j, must, breaking, blocks = _between(known, place)
        return cls(samples, unit, _gather(unit, weights[samples]), i, j, must, breaking, blocks)

    @cached_property
    def entries(self) -> tuple[NDArray, NDArray]:
        """Members of all blocks, one block after the other, and where each block begins (and the last ends)."""
        parts = [np.concatenate([block.a, block.b]) for block in self.blocks]
        ends = np.cumsum([0, *map(len, parts)])
        return np.concatenate([np.empty(0, dtype=np.int64), *parts]), ends

    def potentials(self, known: ConstraintSet, n_clusters: int) -> NDArray:
        """(u, k) the log of what labels say about each unit."""
        total = np.zeros((len(self), n_clusters))
        if len(known.labels):
            labelled, degrees, certainty = known.label_degrees(n_clusters)
            worth = 1 - certainty[:, None] * (1 - np.where(np.isnan(degrees), 1.0, degrees))
            at = self.unit[np.searchsorted(self.samples, labelled)]
            np.add.at(total, at, np.log(np.maximum(worth, LEAST_OF_LABELS)))
        return total


def _certain_musts(known: ConstraintSet) -> ConstraintSet:
    p, g, s, l = known.tables
    certain = [p.must & (p.weight > 1 - LEAST), g.weight > 1 - LEAST, np.zeros(len(s), bool), np.zeros(len(l), bool)]
    return known.rows(np.concatenate(certain))


def _gather(unit: NDArray, weights: NDArray) -> sparse.csr_array:
    u, t = int(unit.max(initial=-1)) + 1, len(unit)
    size, total = np.bincount(unit, minlength=u), np.bincount(unit, weights, minlength=u)
    # Samples that count for nothing still belong somewhere: a unit of them is where they all would be.
    share = np.where(total[unit] > 0, weights, 1.0)
    total = np.bincount(unit, share, minlength=u)
    return sparse.csr_array((share * (size / total)[unit], (unit, np.arange(t))), shape=(u, t))


def _breaking(weight: NDArray) -> NDArray:
    return np.log(np.maximum(1 - weight, LEAST))


def _between(known: ConstraintSet, unit: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, tuple[Block, ...]]:
    """What is said between units; `unit` (n,) of each sample. Inside of a unit there is nothing left to say."""
    p = known.pairs
    rows = [(unit[p.i], unit[p.j], p.must, _breaking(p.weight))]
    blocks = []
    for block, weight in zip(known.groups.block, known.groups.weight):
        members = np.unique(unit[known.blocks.row(block)[0]])
        if len(members) * (len(members) - 1) // 2 <= MOST_PAIRS:
            a, b = np.triu_indices(len(members), 1)
            rows.append((members[a], members[b], np.ones(len(a), bool), np.full(len(a), _breaking(weight))))
        else:
            blocks.append(Block(True, members, members[:0], float(_breaking(weight))))
    s = known.separations
    for left, right, weight in zip(s.a, s.b, s.weight):
        a, b = (np.unique(unit[known.blocks.row(side)[0]]) for side in (left, right))
        if len(a) * len(b) <= MOST_PAIRS:
            m = len(a) * len(b)
            ends = np.repeat(a, len(b)), np.tile(b, len(a))
            rows.append((*ends, np.zeros(m, bool), np.full(m, _breaking(weight))))
        else:
            both = np.intersect1d(a, b)  # joined by must-links, in spite of the separation
            sides = np.setdiff1d(a, both), np.setdiff1d(b, both)
            if all(map(len, sides)):
                blocks.append(Block(False, *sides, float(_breaking(weight))))
    i, j, must, breaking = (np.concatenate([row[column] for row in rows]) for column in range(4))
    return *_once(i, j, must, breaking), tuple(blocks)


def _once(i: NDArray, j: NDArray, must: NDArray, breaking: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Each edge once, sorted; doubts about one multiply: units that many links part must not share a cluster."""
    between = i != j
    low, high, must, breaking = np.minimum(i, j)[between], np.maximum(i, j)[between], must[between], breaking[between]
    n = int(high.max(initial=0)) + 1
    keys, which = np.unique((must * n + low) * n + high, return_inverse=True)
    breaking = np.maximum(np.bincount(which.ravel(), breaking, minlength=len(keys)), np.log(LEAST_OF_MANY))
    pair = keys % (n * n)
    return pair // n, pair % n, keys >= n * n, breaking.astype(float)
