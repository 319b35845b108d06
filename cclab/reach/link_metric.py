"""A metric in which samples that links join are close and those that links part are far: a linear map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Problem
from cclab.core.arrays import readonly
from cclab.core.registry import solvers
from cclab.maths.link_scatters import cannot_scatter, must_scatter, telling_apart
from cclab.maths.lloyd import cluster_means
from cclab.reach.scatters import covariance, partition_scatters

#: Who answers quickly, so that many answers can be compared.
JUDGE = "PCKMeans"
#: How often metric and partition follow from each other.
ROUNDS = 3
#: How much directions count in which clusters are far apart.
EMPHASIS = 0.5
#: What a partition says counts as much as so many links for each feature.
STRENGTH = 1.0


@dataclass(frozen=True, eq=False)
class LinkMetric:
    """The map ``x -> x matrix``, which has an inverse.

    Attributes
    ----------
    matrix : (p, p) array
    """

    matrix: NDArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", readonly(self.matrix, float))

    def apply(self, X: NDArray) -> NDArray:
        """Samples in the metric."""
        return X @ self.matrix

    def back(self, X: NDArray) -> NDArray:
        """What is in the metric (centres, say), in the units of the data."""
        return X @ self._inverse

    @cached_property
    def _inverse(self) -> NDArray:
        return np.linalg.inv(self.matrix)


def link_metric(problem: Problem, labels: NDArray, n_clusters: int) -> LinkMetric:
    """The metric that the links and a partition give together.

    It is `telling_apart` of the mean scatter of samples that belong together, and that of samples that belong apart,
    both shrunk towards those of the partition, scaled so that the samples vary as much in all as they did.
    """
    X, known = problem.X, problem.constraints.links_from_labels()
    within, across = partition_scatters(problem, labels, n_clusters)
    strength = STRENGTH * X.shape[1]
    W = must_scatter(X, known).shrunk(within, strength)
    B = cannot_scatter(X, known).shrunk(across, strength)
    matrix = telling_apart(W, B, EMPHASIS)
    variance = covariance(problem)
    return LinkMetric(matrix * np.sqrt(np.trace(variance) / np.trace(matrix.T @ variance @ matrix)))


def quick_answer(problem: Problem, n_clusters: int, centers: NDArray | None = None) -> NDArray[np.int64]:
    """(n,) hard labels of the judge, from one start or from given centres."""
    start = {} if centers is None else {"init": centers}
    return solvers.get(JUDGE)(n_clusters, n_init=1, **start).solve(problem).partition.labels()


def learned(problem: Problem, labels: NDArray, n_clusters: int) -> tuple[LinkMetric, NDArray[np.int64]]:
    """A metric and a partition that follow from each other, beginning with the partition `labels`."""
    for _ in range(ROUNDS):
        metric = link_metric(problem, labels, n_clusters)
        moved = mapped(problem, metric, problem.constraints)
        centers = cluster_means(moved.X, labels, moved.weights, np.zeros((n_clusters, problem.n_features)))
        labels = quick_answer(moved, n_clusters, centers)
    return metric, labels


def mapped(problem: Problem, metric: LinkMetric, constraints: ConstraintSet) -> Problem:
    """The problem with its samples in the metric."""
    return Problem(
        metric.apply(problem.X),
        constraints,
        sample_weight=problem.sample_weight,
        affinity=problem.affinity,
        seed=problem.seed,
    )
