"""Where centres start."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import kmeans_plusplus

from cclab.core import Problem
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import cluster_means


def initial_centers(problem: Problem, n_clusters: int, init: Any, restart: int = 0) -> NDArray:
    """(k, p) the given centres, or k-means++ centres drawn for this restart."""
    if not isinstance(init, str):
        return np.asarray(init, dtype=float)
    rng = problem.rng(restart, 0)
    seed = int(rng.integers(np.iinfo(np.int32).max))
    X, weight = problem.drawn()
    centers, _ = kmeans_plusplus(X, n_clusters, sample_weight=weight, random_state=seed)
    return np.asarray(centers.toarray() if hasattr(centers, "toarray") else centers, dtype=float)


def seeded_centers(problem: Problem, n_clusters: int, init: Any, restart: int = 0) -> NDArray:
    """(k, p) the means of the labelled samples, and drawn centres for the clusters that have none.

    A sample with several possible clusters counts for the one that is most possible, the first of them where they are
    alike. Given centres are taken as they are.
    """
    V = initial_centers(problem, n_clusters, init, restart)
    samples, degrees, certainty = problem.constraints.label_degrees(n_clusters)
    if not len(samples) or not isinstance(init, str):
        return V
    seeds = np.nan_to_num(degrees).argmax(axis=1)
    seeded = np.unique(seeds)
    means = cluster_means(problem.X[samples], seeds, problem.weights[samples] * certainty, V)
    # Of the drawn centres, the other clusters take those furthest from the seeds' means.
    far = np.argsort(-squared_distances(V, means[seeded]).min(axis=1), kind="stable")
    others = np.setdiff1d(np.arange(n_clusters), seeded)
    means[others] = V[far[: len(others)]]
    return means


def order_by_labels(centers: NDArray, problem: Problem) -> NDArray[np.int64]:
    """(k,) which centre is to be that of each cluster, so that it is the one nearest to its labelled samples.

    Labels name clusters by number, so centres that were found without them have to be put in that order (by the
    Hungarian method). Clusters without labelled samples take the remaining centres.
    """
    samples, degrees, certainty = problem.constraints.label_degrees(len(centers))
    if not len(samples):
        return np.arange(len(centers))
    seeds = np.nan_to_num(degrees).argmax(axis=1)
    seeded = np.unique(seeds)
    means = cluster_means(problem.X[samples], seeds, problem.weights[samples] * certainty, centers)[seeded]
    rows, columns = linear_sum_assignment(squared_distances(means, centers))
    order = np.full(len(centers), -1)
    order[seeded[rows]] = columns
    order[order < 0] = np.setdiff1d(np.arange(len(centers)), columns)
    return order
