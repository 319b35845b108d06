"""Masses of samples that only neighbours tie: pixels of a picture, by the hundred thousand.

Two neighbours pay for all mass but that which both have on the same single cluster. So what a sample's neighbours ask
of it is one number for each cluster, and nothing of the larger sets, which can be treated as one. A sweep costs as
much as for c + 1 sets, however many there are; and samples that have settled sleep until a neighbour moves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

MAX_SWEEPS = 200
FEW = 0.2


def settle_neighbours(
    w: NDArray,
    single: NDArray,
    classes: Sequence[tuple[NDArray, sparse.csr_array]],
    masses: NDArray | None,
    settled: float,
) -> NDArray:
    """Minimise ``sum_i sum_A w_iA m_iA^2 + sum_ij ties_ij m_i' U m_j / 2`` over each sample in turn, until none moves.

    Parameters
    ----------
    w : (t, f) array
        Above 0; infinite where no mass may go.
    single : (f,) bool array
        Which sets are single clusters. U is 1, but 0 where both sets are the same single cluster.
    classes : sequence of (members, ties)
        Samples that can be updated at once, since no two of them are tied, and their rows (r, t) of the ties: a
        symmetric matrix without a diagonal.
    masses : (t, f) array or None
        Where to start; None: where each sample would stand alone.
    settled : float
        Sweeps end when the masses of a sample change by no more than this, on average; a sample whose own change by
        less lets its neighbours sleep.

    Returns
    -------
    (t, f) array
        Costs no more than `masses`.
    """
    # Samples without weight, or right on all centres, cost nothing: which is as good as next to nothing.
    strongest = max((ties.data.max(initial=0) for _, ties in classes), default=0)
    least = max(1e-12 * float(w.max(where=np.isfinite(w), initial=0)), 1e-9 * strongest, 1e-200)
    # One row a set: sums over the few sets then run along the many samples.
    slope = 0.5 / np.maximum(w.T, least)
    alone, others = slope[single], slope[~single].sum(axis=0)
    held = alone / (alone.sum(axis=0) + others) if masses is None else np.ascontiguousarray(masses.T[single])
    level = np.empty_like(others)
    awake = np.ones(len(w), dtype=bool)
    # What a whole class needs in every sweep, picked once.
    picked = [(members, ties, alone[:, members], others[members]) for members, ties in classes]
    for _ in range(MAX_SWEEPS):
        total = 0.0
        for members, ties, own, rest in picked:
            rows, roused = members, np.flatnonzero(awake[members])
            # To pick rows costs more than it saves, unless they are few.
            if len(roused) < FEW * len(members):
                rows, ties, own, rest = members[roused], ties[roused], own[:, roused], rest[roused]
            new, level[rows] = _minimum(own, rest, _product(ties, held))
            change = np.abs(new - held[:, rows]).sum(axis=0)
            held[:, rows] = new
            awake[rows] = False
            awake[ties[np.flatnonzero(change > settled)].indices] = True
            total += change.sum()
        if total <= settled * len(w):
            break
    result = slope * np.maximum(level, 0)
    result[single] = held
    # Samples that cost next to nothing have lost digits on the way.
    result /= result.sum(axis=0)
    return np.ascontiguousarray(result.T)


def _product(ties: sparse.csr_array, held: NDArray) -> NDArray:
    """(c, r) for each set, the weighted sum of its mass over the neighbours of r samples."""
    return np.stack([ties @ mass for mass in held])


def _minimum(alone: NDArray, others: NDArray, pull: NDArray) -> tuple[NDArray, NDArray]:
    """Masses on single clusters (c, r), and the level (r,) at which all masses add up to 1.

    A cluster's mass is ``max(0, (level + pull) alone)``, that of all larger sets together ``max(0, level) others``.
    Neighbours only ever pull, so while the level is above 0 everything has its mass. Where it is not, the larger sets
    drop out first, and then clusters that would get nothing, until it is right.
    """
    pulled, steepness = np.einsum("cr,cr->r", alone, pull), alone.sum(axis=0)
    level = (1 - pulled) / (steepness + others)
    left = np.flatnonzero(level <= 0)
    level[left] = (1 - pulled[left]) / steepness[left]
    for _ in range(len(alone) - 1):
        inside = pull[:, left] + level[left] > 0
        dropping = ~inside.all(axis=0)
        left, inside = left[dropping], inside[:, dropping]
        if not len(left):
            break
        kept = alone[:, left] * inside
        level[left] = (1 - np.einsum("cr,cr->r", kept, pull[:, left])) / kept.sum(axis=0)
    masses = pull + level
    masses *= alone
    return np.maximum(masses, 0, out=masses), level
