"""Rank-one kernels that links suggest: directions in which partners that belong apart lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cclab.core import LinkOperator, Problem
from cclab.maths.kernels.families import RankOne


def linked_directions(problem: Problem, count: int) -> RankOne:
    """Kernels of the directions with the largest ratio of cannot-linked to must-linked squared differences.

    Both kinds are shrunk towards the differences of all samples, which count as much as one pair for each feature:
    with few links the directions say little, with none they say nothing.
    """
    X, w = problem.X, problem.weights
    X = X - (w @ X) / w.sum()
    p = X.shape[1]
    all_pairs = 2 * (X.T * w) @ X / w.sum()
    # A feature that does not vary must not make the ratio 0 / 0.
    all_pairs[np.diag_indices(p)] += 1e-9 * max(np.trace(all_pairs) / p, np.finfo(float).tiny)
    must, cannot = (
        (_differences(links, X) + p * all_pairs) / (links.total + p)
        for links in (problem.constraints.must, problem.constraints.cannot)
    )
    count = min(count, p)
    _, directions = eigh(cannot, must, subset_by_index=[p - count, p - 1])
    return RankOne(tuple(f"linked {k + 1}" for k in range(count)), directions[:, ::-1].T @ X.T)


def _differences(links: LinkOperator, X: NDArray) -> NDArray:
    """(p, p) sum over all linked pairs of the weight times ``(x_i - x_j) (x_i - x_j)'``; groups are not written out."""
    linked = X[links.samples]
    return linked.T @ (links.degree[:, None] * linked - links.apply(linked))
