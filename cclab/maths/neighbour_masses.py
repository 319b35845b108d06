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


def settle_neighbours(
    w: NDArray,
    single: NDArray,
    ties: sparse.csr_array,
    classes: Sequence[NDArray],
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
    ties : (t, t) sparse array
        Symmetric, with no diagonal.
    classes : sequence of int arrays
        Samples that can be updated at once: no two of a class are tied.
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
    # Samples without weight cost nothing, which is as good as next to nothing.
    slope = 0.5 / np.maximum(w, 1e-12 * w[np.isfinite(w)].max())
    alone, others = np.ascontiguousarray(slope[:, single]), slope[:, ~single].sum(axis=1)
    held = alone / (alone.sum(axis=1) + others)[:, None] if masses is None else np.ascontiguousarray(masses[:, single])
    level = np.empty(len(w))
    awake = np.ones(len(w), dtype=bool)
    for _ in range(MAX_SWEEPS):
        total = 0.0
        for members in classes:
            rows = members[awake[members]]
            new, level[rows] = _minimum(alone[rows], others[rows], ties[rows] @ held)
            change = np.abs(new - held[rows]).sum(axis=1)
            held[rows] = new
            awake[rows] = False
            awake[ties[rows[change > settled]].indices] = True
            total += change.sum()
        if total <= settled * len(w):
            break
    result = slope * np.maximum(level, 0)[:, None]
    result[:, single] = held
    return result


def _minimum(alone: NDArray, others: NDArray, pull: NDArray) -> tuple[NDArray, NDArray]:
    """Masses on single clusters (r, c), and the level (r,) at which all masses add up to 1.

    A cluster's mass is ``max(0, (level + pull) alone)``, that of all larger sets together ``max(0, level) others``.
    With all of them in it the level is too high; those that would get nothing drop out until it is right.
    """
    # One row a set: sums over the few sets then run along the many samples.
    slope = np.vstack([alone.T, others])
    g = np.vstack([-pull.T, np.zeros(len(others))])
    product = g * slope
    level = (1 + product.sum(axis=0)) / slope.sum(axis=0)
    left = np.arange(len(level))
    for _ in range(len(g) - 1):
        inside = g[:, left] < level[left]
        dropping = ~inside.all(axis=0)
        left, inside = left[dropping], inside[:, dropping]
        if not len(left):
            break
        level[left] = (1 + (product[:, left] * inside).sum(axis=0)) / (slope[:, left] * inside).sum(axis=0)
    masses = slope[:-1] * (level - g[:-1])
    return np.maximum(masses, 0, out=masses).T, level
