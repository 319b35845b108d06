"""How samples scatter within the clusters of a partition, and across them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.core import Problem
from cclab.maths.lloyd import cluster_means

#: The least share of a round covariance in one that a partition gives.
_ROUND = 0.1


def covariance(problem: Problem) -> NDArray:
    """(p, p) the covariance of all samples, worked out once."""

    def compute() -> NDArray:
        w = problem.weights / problem.weights.sum()
        off = problem.X - w @ problem.X
        return (off * w[:, None]).T @ off

    return problem.derived("covariance", compute)


def partition_scatters(problem: Problem, labels: NDArray, n_clusters: int) -> tuple[NDArray, NDArray]:
    """Two (p, p) arrays: what `must_scatter` and `cannot_scatter` would give for all pairs of a partition, per pair."""
    X, w = problem.X, problem.weights
    p = X.shape[1]
    size = np.bincount(labels, w, minlength=n_clusters)
    means = cluster_means(X, labels, w, np.zeros((n_clusters, p)))
    share = size / size.sum()
    mean = share @ means
    between = (means - mean).T @ ((means - mean) * share[:, None])
    # Samples vary within clusters as they do in all, less what the clusters' means do.
    within = covariance(problem) - between
    few = min(1.0, _ROUND + p / problem.n_samples)  # a covariance of few samples is mostly noise
    within = (1 - few) * within + few * np.trace(within) / p * np.eye(p)
    # Over all pairs of samples of different clusters, the mean of outer products of the differences of their means.
    apart = 1 - share @ share
    return within, within + (between / apart if apart > 1e-12 else 0.0)
