"""COP-KMeans: k-means that breaks no link [1]_, with the closure of the links and a search that backtracks.

Notation
--------
=======  ===============  ==========================================================
paper    here             meaning
=======  ===============  ==========================================================
C_i      ``V``            centre of cluster i
d_i      ``X[i]``         sample i
Con_=    ``unit``         samples joined by must-links form one unit
Con_≠    ``apart``        graph of the cannot-links between units
=======  ===============  ==========================================================

References
----------
.. [1] K. Wagstaff, C. Cardie, S. Rogers, S. Schroedl, Constrained k-means clustering with background
   knowledge, ICML 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from cclab.algorithms.kmeans.relocation import FEW, relocated
from cclab.algorithms.kmeans.unit_moves import improved
from cclab.algorithms.kmeans.units import InfeasibleConstraints, Units, refuse_conflicts
from cclab.core import CenterSolver, ConstraintSet, Hard, Problem, center_shift, iterate
from cclab.core.parameters import whole
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import LloydState, cluster_means, distances_to, inertia
from cclab.maths.seeding import initial_centers

__all__ = ["COPKMeans", "InfeasibleConstraints"]


@dataclass(eq=False, repr=False, kw_only=True)
class COPKMeans(CenterSolver):
    """K-means in which every must-link and every cannot-link holds, however little it is weighted.

    Parameters
    ----------
    max_tries : int
        How many dead ends the search for an assignment may meet before it gives up.

    Raises
    ------
    InfeasibleConstraints
        A ValueError that names the statements which can't all hold, or the samples on which the search
        gave up.

    Notes
    -----
    Samples joined by must-links move as one *unit*, whose cost in a cluster is the sum of its members'
    weighted squared distances: the transitive closure comes for nothing. The greedy assignment of [1]_ fails
    as soon as a sample has no cluster left; here a complete search backtracks, most constrained unit first,
    so it fails only where there is no answer (or, since that question is NP-complete, after `max_tries` dead
    ends). A greedy answer may be dearer than the one before, so each set of units that cannot-links connect
    keeps its previous clusters where those are cheaper: the objective never rises.

    Where k-means would rest, units move one by one as long as that lowers the inertia, the centres following at
    once (see `cclab.algorithms.kmeans.unit_moves`). Then a centre moves into another cluster, if that pays (see
    `cclab.algorithms.kmeans.relocation`). Where no link is stated both are left out: then it is k-means. Of several
    starts with more than ten clusters the best one goes on, with far more such moves tried.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> labels = COPKMeans(2).fit(X, must_link=[[0, 2]], cannot_link=[[0, 1], [2, 3]]).labels_
    >>> labels[0] == labels[2] != labels[1] == labels[3]
    np.True_
    >>> COPKMeans(2).fit(X, cannot_link=[[0, 1], [1, 2], [0, 2]])
    Traceback (most recent call last):
    cclab.algorithms.kmeans.units.InfeasibleConstraints: 3 samples must all stay apart (0, 1, 2), ...
    """

    uses = frozenset({"must", "cannot", "sample_weight"})
    accepts_sparse = True
    # Samples keep their clusters where those are cheaper, means are the best for these, and units move if that pays.
    descends = True
    ancestor = "SeededKMeans"
    parameters = {"max_tries": whole(1)}

    n_init: int = 10
    max_tries: int = 10_000

    def check(self, problem: Problem) -> None:
        super().check(problem)
        refuse_conflicts(problem.constraints, self.n_clusters)

    def start(self, problem: Problem, restart: int = 0) -> LloydState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        d = distances_to(problem, V)
        return self._state_at(problem, V, d, self._assign(problem, d, previous=None), restart=restart)

    def step(self, problem: Problem, state: Any) -> LloydState:
        V = cluster_means(problem.X, state.labels, problem.weights, state.centers)
        d = distances_to(problem, V)
        labels = self._assign(problem, d, previous=state.labels)
        if center_shift(state.centers, V, problem.spread) <= self.tol and self._units(problem).linked:
            labels = self._moved(problem, labels)
            V = cluster_means(problem.X, labels, problem.weights, V)
            d = distances_to(problem, V)
        return self._state_at(problem, V, d, labels, **state.progress_to(V, problem.spread))

    def _best_run(self, problem: Problem) -> iterate:
        """The best run; of several, with many clusters, it goes on after a closer look at where its centres are."""
        best, problem = super()._best_run(problem), self.adapt(problem)
        if self._n_starts() == 1 or self.n_clusters <= FEW or not self._units(problem).linked:
            return best
        found: Any = best.state
        labels = self._moved(problem, found.labels, closely=True)
        V = cluster_means(problem.X, labels, problem.weights, found.centers)
        progress = found.progress_to(V, problem.spread)
        run = iterate(self, problem, state=self._state_at(problem, V, distances_to(problem, V), labels, **progress))
        run.last()
        return run

    def _state_at(self, problem: Problem, V: NDArray, d: NDArray, labels: NDArray, **progress: Any) -> LloydState:
        return LloydState(centers=V, labels=labels, objective=inertia(d, labels, problem.weights), **progress)

    def _units(self, problem: Problem) -> Units:
        def derive(known: ConstraintSet) -> Units:
            refuse_conflicts(known, self.n_clusters)
            return Units.of(known)

        return of_constraints(problem, "units", derive)

    def _assign(self, problem: Problem, distances: NDArray, previous: NDArray | None) -> NDArray:
        """(n,) a cluster for each sample, each unit in one, no two units that stay apart in the same."""
        units = self._units(problem)
        members = of_constraints(problem, "members of units", lambda known: units.members(problem.weights))
        costs = members @ distances
        before = None if previous is None else previous[units.first]
        return units.assign(costs, before, self.max_tries)[units.unit]

    def _moved(self, problem: Problem, labels: NDArray, closely: bool = False) -> NDArray:
        """(n,) the clusters after units that gain by it have moved, and then centres, one by one, while one does."""
        units = self._units(problem)
        means, weight = of_constraints(problem, "means of units", lambda known: units.means(problem))
        clusters = improved(means, weight, units.apart, labels[units.first], self.n_clusters)
        for _ in range(self.n_clusters):
            moved = relocated(means, weight, units.apart, clusters, self.n_clusters, closely=closely)
            if moved is clusters:
                break
            clusters = moved
        return clusters[units.unit]

    def believe(self, X: NDArray, state: LloydState) -> Hard:
        return Hard(squared_distances(X, state.centers).argmin(axis=1), len(state.centers))
