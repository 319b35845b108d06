"""Links as single pairs, for algorithms that look at them one by one; of large blocks, a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet

# Pairs of one group or separation: of larger ones so many are drawn.
MOST_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class LinkedPairs:
    """Pairs of samples, each once, must-links first.

    Attributes
    ----------
    i, j : (s,) int arrays
    must : (s,) bool array
    weight : (s,) float array
        Statements about the same pair added up; a pair that was drawn from a block counts for those that were not.
    """

    i: NDArray
    j: NDArray
    must: NDArray
    weight: NDArray

    def __len__(self) -> int:
        return len(self.i)

    @classmethod
    def of(cls, known: ConstraintSet) -> LinkedPairs:
        """The pairs of all links; of blocks with more than `MOST_PAIRS`, as many drawn at random.

        The draw is the same whenever the same block is stated.

        Examples
        --------
        >>> pairs = LinkedPairs.of(ConstraintSet(9).with_group([4, 1, 2]).with_must_link([[2, 1]]))
        >>> pairs.i.tolist(), pairs.j.tolist(), pairs.weight.tolist()
        ([1, 1, 2], [2, 4, 4], [2.0, 1.0, 1.0])
        """
        p, s = known.pairs, known.separations
        rows: list[tuple] = [(p.i, p.j, p.must, p.weight)]
        for block, weight in zip(known.groups.block, known.groups.weight):
            samples, shares = known.blocks.row(block)
            a, b, stands_for = _of_group(len(samples))
            rows.append((samples[a], samples[b], True, weight * stands_for * shares[a] * shares[b]))
        for left, right, weight in zip(s.a, s.b, s.weight):
            (samples, shares), (others, other_shares) = known.blocks.row(left), known.blocks.row(right)
            a, b, stands_for = _of_separation(len(samples), len(others))
            rows.append((samples[a], others[b], False, weight * stands_for * shares[a] * other_shares[b]))
        return cls._merged(rows, known.n_samples)

    @classmethod
    def _merged(cls, rows: list[tuple], n: int) -> LinkedPairs:
        one, other, weight = (np.concatenate([row[c] for row in rows]) for c in (0, 1, 3))
        must = np.concatenate([np.broadcast_to(row[2], len(row[0])) for row in rows])
        low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other).astype(np.int64)
        keys, which = np.unique((~must * n + low) * n + high, return_inverse=True)
        pair, kind = keys % (n * n), keys // (n * n)
        return cls(pair // n, pair % n, kind == 0, np.bincount(which.ravel(), weight, minlength=len(keys)))


def _of_group(g: int) -> tuple[NDArray, NDArray, float]:
    """Places of two different members, and how many pairs each of these pairs stands for."""
    total = g * (g - 1) // 2
    if total <= MOST_PAIRS:
        return *np.triu_indices(g, 1), 1.0
    rng = np.random.default_rng(g)
    a = rng.integers(g, size=MOST_PAIRS)
    return a, (a + rng.integers(1, g, size=MOST_PAIRS)) % g, total / MOST_PAIRS


def _of_separation(g: int, h: int) -> tuple[NDArray, NDArray, float]:
    if g * h <= MOST_PAIRS:
        return np.repeat(np.arange(g), h), np.tile(np.arange(h), g), 1.0
    rng = np.random.default_rng([g, h])
    return rng.integers(g, size=MOST_PAIRS), rng.integers(h, size=MOST_PAIRS), g * h / MOST_PAIRS
