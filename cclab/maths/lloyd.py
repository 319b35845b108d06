"""Pieces of k-means that its constrained relatives share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import Hard, Problem, State
from cclab.maths.distances import problem_norms, squared_distances


@dataclass(frozen=True, eq=False, kw_only=True)
class LloydState(State):
    """Centres and the hard assignment to them.

    Attributes
    ----------
    labels : (n,) int array
    """

    labels: NDArray = field(repr=False)

    def _partition(self) -> Hard:
        return Hard(self.labels, len(self.centers))


def cluster_means(X: NDArray, labels: NDArray, weights: NDArray, previous: NDArray) -> NDArray:
    """(k, p) weighted mean of each cluster; one that has no samples stays where it was."""
    n, k = len(labels), len(previous)
    indicator = sparse.csr_array((weights, (labels, np.arange(n))), shape=(k, n))
    totals = indicator.sum(axis=1)
    sums = indicator @ X
    sums = sums.toarray() if sparse.issparse(sums) else sums
    return np.divide(sums, totals[:, None], out=np.array(previous, dtype=float), where=totals[:, None] > 0)


def distances_to(problem: Problem, centers: NDArray) -> NDArray:
    """(n, k) squared distances of all samples."""
    return squared_distances(problem.X, centers, problem_norms(problem))


def inertia(distances: NDArray, labels: NDArray, weights: NDArray) -> float:
    """Weighted sum of squared distances to the assigned centres."""
    return float(weights @ distances[np.arange(len(labels)), labels])
