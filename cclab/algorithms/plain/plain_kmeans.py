"""K-means as scikit-learn does it, for comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from cclab.core import CenterSolver, Hard, Problem
from cclab.maths.lloyd import LloydState, distances_to, inertia
from cclab.maths.seeding import initial_centers


@dataclass(eq=False, repr=False, kw_only=True)
class PlainKMeans(CenterSolver):
    """K-means of scikit-learn, for comparison: it takes no links and no labels.

    A step is one iteration of `sklearn.cluster.KMeans`; the last one is followed by none that would be worse.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> round(PlainKMeans(2, random_state=0).fit(X).objective_, 6)
    0.01
    """

    uses = frozenset({"sample_weight"})
    accepts_sparse = True
    # Clusters and means are each the best for the others, in turn; a step that climbs all the same is not taken.
    descends = True
    ancestor: ClassVar[str | None] = "SeededKMeans"

    n_init: int = 10

    def start(self, problem: Problem, restart: int = 0) -> LloydState:
        return self._state_at(problem, initial_centers(problem, self.n_clusters, self.init, restart), restart=restart)

    def step(self, problem: Problem, state: Any) -> LloydState:
        one = KMeans(len(state.centers), init=np.array(state.centers), n_init=1, max_iter=1, tol=0.0)
        V = one.fit(problem.X, sample_weight=problem.sample_weight).cluster_centers_
        after = self._state_at(problem, V, **state.progress_to(V, problem.spread))
        if after.objective <= state.objective:
            return after
        # Beside a sample that is far off, scikit-learn's distances lose the digits that tell the others apart.
        return self._state_at(problem, state.centers, **state.progress_to(state.centers, problem.spread))

    def _state_at(self, problem: Problem, V: NDArray, **progress: Any) -> LloydState:
        d = distances_to(problem, V)
        labels = d.argmin(axis=1)
        return LloydState(centers=V, labels=labels, objective=inertia(d, labels, problem.weights), **progress)

    def believe(self, X: NDArray, state: LloydState) -> Hard:
        return state.nearest(X)
