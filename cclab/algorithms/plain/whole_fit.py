"""Algorithms that come to their clusters at once: one step is the whole of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import Hard, Problem, Solver, State
from cclab.core.parameters import Seed
from cclab.maths.lloyd import cluster_means, distances_to, inertia


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedState(State):
    """Clusters, all samples in the first of them before the fit.

    Attributes
    ----------
    labels : (n,) int array
    n_clusters : int
    """

    labels: NDArray = field(repr=False)
    n_clusters: int

    def _partition(self) -> Hard:
        return Hard(self.labels, self.n_clusters)


@dataclass(eq=False, repr=False, kw_only=True)
class _WholeFit(Solver):
    """A solver whose one step is a fit of scikit-learn. What it shows as objective is the inertia, for scale."""

    # There is one step, and nothing says that the inertia is what it lowers.
    descends = False
    # One step does it all.
    max_iter = 1

    n_clusters: int = field(default=3, kw_only=False)
    random_state: Seed = None

    @abstractmethod
    def _labels(self, problem: Problem, seed: int) -> NDArray[np.int64]:
        """(n,) the clusters that scikit-learn finds."""

    def start(self, problem: Problem, restart: int = 0) -> FittedState:
        return self._state_at(problem, np.zeros(problem.n_samples, dtype=np.int64), restart=restart)

    def step(self, problem: Problem, state: Any) -> FittedState:
        seed = int(problem.rng(state.restart, 1).integers(np.iinfo(np.int32).max))
        labels = self._labels(problem, seed)
        return self._state_at(problem, labels, restart=state.restart, iteration=state.iteration + 1, shift=0.0)

    def converged(self, previous: Any, state: Any) -> bool:
        return True

    def _state_at(self, problem: Problem, labels: NDArray, **progress: Any) -> FittedState:
        V = cluster_means(problem.X, labels, problem.weights, np.zeros((self.n_clusters, problem.n_features)))
        within = inertia(distances_to(problem, V), labels, problem.weights)
        return FittedState(labels=labels, n_clusters=self.n_clusters, objective=within, **progress)
