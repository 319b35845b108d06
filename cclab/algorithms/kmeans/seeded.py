"""Seeded and constrained k-means: labels of some samples start the centres, and stay or may change [1]_.

References
----------
.. [1] S. Basu, A. Banerjee, R. Mooney, Semi-supervised clustering by seeding, ICML 2002.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import CenterSolver, Hard, Problem
from cclab.maths.lloyd import LloydState, cluster_means, distances_to, inertia
from cclab.maths.seeding import seeded_centers


class SeededKMeans(CenterSolver):
    """K-means whose centres start at the means of labelled samples; after that, labels may change.

    A label counts in its cluster's mean by its weight; clusters without a labelled sample start by k-means++. A sample
    with several possible clusters counts for the one that is most possible, the first of them where they are alike.
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    # Clusters and means are each the best for the others, in turn.
    descends = True

    def start(self, problem: Problem, restart: int = 0) -> LloydState:
        V = seeded_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, restart=restart)

    def step(self, problem: Problem, state: LloydState) -> LloydState:
        V = cluster_means(problem.X, state.labels, problem.weights, state.centers)
        return self._state_at(problem, V, **state.progress_to(V, problem.spread))

    def _state_at(self, problem: Problem, V: NDArray, **progress: Any) -> LloydState:
        d = distances_to(problem, V)
        labels = self._assign(problem, d)
        return LloydState(centers=V, labels=labels, objective=inertia(d, labels, problem.weights), **progress)

    def _assign(self, problem: Problem, distances: NDArray) -> NDArray:
        return distances.argmin(axis=1)

    def believe(self, X: NDArray, state: LloydState) -> Hard:
        return state.nearest(X)


class ConstrainedKMeans(SeededKMeans):
    """Seeded k-means that never takes a labelled sample out of its cluster.

    A sample with several possible clusters stays within those that are most possible. A label holds however little it
    is weighted.
    """

    uses = frozenset({"labels", "sample_weight"})

    def _assign(self, problem: Problem, distances: NDArray) -> NDArray:
        labels = distances.argmin(axis=1)
        samples, degrees, _ = problem.constraints.label_degrees(self.n_clusters)
        if len(samples):
            degrees = np.where(np.isnan(degrees), 1.0, degrees)
            possible = degrees == degrees.max(axis=1, keepdims=True)
            labels[samples] = np.where(possible, distances[samples], np.inf).argmin(axis=1)
        return labels
