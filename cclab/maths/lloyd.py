"""Pieces of k-means that its constrained relatives share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import Hard, Problem, State
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances


@dataclass(frozen=True, eq=False, kw_only=True)
class LloydState(State):
    """Centres and the hard assignment to them.

    Attributes
    ----------
    labels : (n,) int array
    """

    centers: NDArray = field(repr=False)
    labels: NDArray = field(repr=False)

    def _partition(self) -> Hard:
        return Hard(self.labels, len(self.centers))

    def rests_since(self, previous: LloydState) -> bool:
        # Centres may rest while samples that hear of new links, or wait for each other, still move.
        return np.array_equal(previous.labels, self.labels)

    def belief(self, block: Block) -> Hard:
        return Hard(self.labels[block.rows], len(self.centers))

    def nearest(self, X: NDArray) -> Hard:
        """Any samples, each in the cluster of the nearest centre."""
        return Hard(squared_distances(X, self.centers).argmin(axis=1), len(self.centers))


def cluster_means(X: NDArray, labels: NDArray, weights: NDArray, previous: NDArray) -> NDArray:
    """(k, p) weighted mean of each cluster; one that has no samples stays where it was."""
    return means_from(*_cluster_sums(X, labels, weights, len(previous)), previous)


def problem_means(problem: Problem, labels: NDArray, previous: NDArray) -> NDArray:
    """`cluster_means` of all samples, which need not be in memory."""
    k = len(previous)
    sums, totals = problem.total(lambda block: _cluster_sums(block.X, labels[block.rows], block.weights, k))
    return means_from(sums, totals, previous)


def _cluster_sums(X: NDArray, labels: NDArray, weights: NDArray, k: int) -> tuple[NDArray, NDArray]:
    n = len(labels)
    indicator = sparse.csc_array((weights, labels, np.arange(n + 1)), shape=(k, n))
    sums = indicator @ X
    return (sums.toarray() if sparse.issparse(sums) else sums), indicator.sum(axis=1)


def means_from(sums: NDArray, totals: NDArray, previous: NDArray) -> NDArray:
    """(k, p) weighted means from the sums of samples and of their weights; those of nothing stay where they were."""
    return np.divide(sums, totals[:, None], out=np.array(previous, dtype=float), where=totals[:, None] > 0)


def distances_to(problem: Problem, centers: NDArray) -> NDArray:
    """(n, k) squared distances of all samples."""
    return squared_distances(problem.X, centers, problem.norms)


def inertia(distances: NDArray, labels: NDArray, weights: NDArray) -> float:
    """Weighted sum of squared distances to the assigned centres."""
    return float(weights @ distances[np.arange(len(labels)), labels])
