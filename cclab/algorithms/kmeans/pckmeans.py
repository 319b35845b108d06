"""PCKMeans: k-means in which a broken link costs something [1]_.

Notation
--------
=======  =====================  =======================================================
paper    here                   meaning
=======  =====================  =======================================================
μ_h      ``V``                  centre of cluster h
l_i      ``labels``             the cluster of sample i
M, C     ``must``, ``cannot``   links
w_ij     ``price``              what a broken link costs, times the weight of the link
N_p      ``neighbourhoods``     samples that must-links join
=======  =====================  =======================================================

References
----------
.. [1] S. Basu, A. Banerjee, R. J. Mooney, Active semi-supervision for pairwise constrained clustering, SDM 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.algorithms.kmeans.greedy_assignment import LinkedSamples
from cclab.core import CenterSolver, ConstraintSet, Hard, Problem
from cclab.core.parameters import flag, real
from cclab.core.sample_blocks import Block
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import LloydState, cluster_means, inertia, problem_means
from cclab.maths.seeding import initial_centers

# An objective that changes by less than this share of itself is the same.
ROUNDING = 1e-12


@dataclass(eq=False, repr=False, kw_only=True)
class PCKMeans(CenterSolver):
    """K-means with a price on every broken link.

    Parameters
    ----------
    penalty : float
        What breaking a link costs, over the mean squared distance of the samples from their mean.
    closure : bool
        Whether links that follow from those stated count too; not where these contradict each other.

    Notes
    -----
    With sums over all links that are broken, each times its weight, Eq. (1) of [1]_ is::

        J = sum_i w_i |x_i - v_{l_i}|^2 + penalty * spread^2 * (broken must-links + broken cannot-links)

    A step moves each centre to the mean of its samples, and then goes through the samples in random order: each takes
    the cluster in which it costs least, given where the others are. [1]_ assigns all samples anew in each step, so that
    a partner counts once it is assigned, and J may rise. Where it would, the pass here begins with the clusters of the
    step before in place of none, which can't raise it. Free samples just take the nearest centre, and
    so do those whose links weigh too little to change that; only the rest have to take turns.

    Centres start at the means of *neighbourhoods*, samples joined by must-links. Of more than `n_clusters` those are
    taken that are large and far from each other; with fewer, the other centres are drawn by k-means++.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.2], [3.0]])
    >>> PCKMeans(2, random_state=0).fit(X, must_link=[[0, 1]]).labels_.tolist()
    [0, 0, 1, 1]
    >>> PCKMeans(2, random_state=0).fit(X, must_link=[[1, 2]], cannot_link=[[2, 3]]).labels_.tolist()
    [0, 0, 0, 1]
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    accepts_sparse = True
    accepts_chunks = True
    # Means are the best for the clusters, and a pass that would make things worse is not taken.
    descends = True
    ancestor: ClassVar[str | None] = "SeededKMeans"
    parameters = {"penalty": real(0), "closure": flag()}

    n_init: int = 10
    penalty: float = 1.0
    closure: bool = True

    def start(self, problem: Problem, restart: int = 0) -> LloydState:
        V = neighbourhood_centers(problem, self._linked(problem), self.n_clusters, self.init, restart)
        return self._state_at(problem, V, previous=None, restart=restart)

    def step(self, problem: Problem, state: Any) -> LloydState:
        V = problem_means(problem, state.labels, state.centers)
        return self._state_at(problem, V, previous=state.labels, **state.progress_to(V, problem.spread))

    def converged(self, previous: LloydState, state: LloydState) -> bool:
        # Where centres coincide, samples change clusters for ever, and nothing is gained.
        same = abs(state.objective - previous.objective) <= ROUNDING * abs(previous.objective)
        idle = same and max(previous.shift, state.shift) <= self.tol
        return idle or super().converged(previous, state)

    def _linked(self, problem: Problem) -> LinkedSamples:
        def derive(known: ConstraintSet) -> LinkedSamples:
            return LinkedSamples.of(known, self.closure)

        return of_constraints(problem, f"linked samples, {self.closure}", derive)

    def _state_at(
        self, problem: Problem, V: NDArray, previous: NDArray | None, restart: int, iteration: int = 0, **progress: Any
    ) -> LloydState:
        linked, price = self._linked(problem), self.penalty * problem.spread**2
        touched = linked.samples
        before = None if previous is None else previous[touched]
        order = problem.rng(restart, iteration).permutation(len(touched))
        costs = problem.weights[touched, None] * squared_distances(problem.X[touched], V)
        linked_labels = self._assign(linked, price, costs, before, order)

        def part(block: Block) -> tuple[float, list[NDArray]]:
            d = squared_distances(block.X, V, block.norms)
            nearest = d.argmin(axis=1)
            inside, here = block.find(touched)
            nearest[here] = linked_labels[inside]
            return inertia(d, nearest, block.weights), [nearest]

        distances, labels = problem.total(part)
        broken_must, broken_cannot = linked.broken(linked_labels, self.n_clusters)
        terms = {
            "distances": distances,
            "must-links": price * broken_must,
            "cannot-links": price * broken_cannot,
        }
        return LloydState(
            centers=V,
            labels=np.concatenate(labels),
            objective=sum(terms.values()),
            terms=terms,
            restart=restart,
            iteration=iteration,
            **progress,
        )

    def _assign(
        self, linked: LinkedSamples, price: float, costs: NDArray, previous: NDArray | None, order: NDArray
    ) -> NDArray:
        """(t,) clusters of the linked samples."""
        t, k = costs.shape
        # The others would go to the nearest centre whatever their partners do.
        lead = np.diff(np.partition(costs, 1, axis=1)[:, :2])[:, 0] if k > 1 else np.full(t, np.inf)
        torn = lead <= price * (linked.must.degree + linked.cannot.degree)

        def total(labels: NDArray) -> float:
            return costs[np.arange(t), labels].sum() + price * sum(linked.broken(labels, k))

        return linked.renew(costs, price, order[torn[order]], previous, total)

    def believe(self, X: NDArray, state: Any) -> Hard:
        return state.nearest(X)


def neighbourhood_centers(
    problem: Problem, linked: LinkedSamples, n_clusters: int, init: str | ArrayLike, restart: int = 0
) -> NDArray:
    """(k, p) means of neighbourhoods, the larger and farther ones first, and drawn centres where they are too few."""
    members = [m for m in linked.neighbourhoods if problem.weights[m].any()]
    if not members or not isinstance(init, str):
        return initial_centers(problem, n_clusters, init, restart)
    samples, place = np.concatenate(members), np.repeat(np.arange(len(members)), [len(m) for m in members])
    none = np.zeros((len(members), problem.n_features))
    means = cluster_means(problem.X[samples], place, problem.weights[samples], none)
    if len(means) >= n_clusters:
        sizes = np.bincount(place, problem.weights[samples])
        return means[_farthest_weighted(means, sizes, n_clusters, problem.rng(restart, 0))]
    V = initial_centers(problem, n_clusters, init, restart)
    far = np.argsort(-squared_distances(V, means).min(axis=1), kind="stable")
    return np.concatenate([means, V[far[: n_clusters - len(means)]]])


def _farthest_weighted(points: NDArray, weights: NDArray, n: int, rng: np.random.Generator) -> list[int]:
    """Which `n` points to take: one drawn by weight, then each time the one with the largest weight times distance."""
    chosen = [int(rng.choice(len(points), p=weights / weights.sum()))]
    while len(chosen) < n:
        away = np.sqrt(squared_distances(points, points[chosen]).min(axis=1)) * weights
        away[chosen] = -1
        chosen.append(int(away.argmax()))
    return chosen
