"""Rank-one kernels that links suggest: directions in which partners that belong apart lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cclab.algorithms.multikernel.kernels.families import RankOne
from cclab.core import LinkOperator, Problem

# So many standard deviations from the mean is as far as a feature counts: one far sample must not make a direction.
BOUND = 2.5


def linked_directions(problem: Problem, count: int) -> RankOne:
    """Kernels of the directions with the largest ratio of cannot-linked to must-linked squared differences.

    Both are shrunk towards those of samples that vary alike in all directions, which count as much as one pair for each
    feature: with few links the directions say little.
    """
    X = _bounded(problem.X, problem.weights)
    p = X.shape[1]
    must, cannot = (
        (_differences(links, X) + 2 * p * np.eye(p)) / (links.total + p)
        for links in (problem.constraints.must, problem.constraints.cannot)
    )
    count = min(count, p)
    # All of them: asked for some only, LAPACK's other driver now and then finds none, and does not say so.
    directions = eigh(cannot, must)[1][:, ::-1][:, :count]
    return RankOne(tuple(f"linked {k + 1}" for k in range(count)), directions.T @ X.T)


def _bounded(X: NDArray, weights: NDArray) -> NDArray:
    """Features centred and in units of their deviation, none beyond `BOUND`."""
    share = weights / weights.sum()
    X = X - share @ X
    deviation = np.sqrt(share @ X**2)
    return np.clip(X / np.where(deviation > 0, deviation, 1), -BOUND, BOUND)


def _differences(links: LinkOperator, X: NDArray) -> NDArray:
    """(p, p) sum over all linked pairs of the weight times ``(x_i - x_j) (x_i - x_j)'``; groups are not written out."""
    linked = X[links.samples]
    return linked.T @ (links.degree[:, None] * linked - links.apply(linked))
