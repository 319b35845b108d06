"""Fuzzy c-means with pairwise constraints (CFCM) [1]_, Euclidean or with a metric for each cluster [2]_.

    J = sum_ik u_ik^2 d_ik^2 + alpha (sum_ML sum_k sum_{l != k} u_ik u_jl + sum_CL sum_k u_ik u_jk)

Notation
--------
=======  ========================  ====================================================================
paper    here                      meaning
=======  ========================  ====================================================================
mu_k     ``V``                     centre of cluster k
S_k      ``S``, ``metrics``        metric of cluster k, of determinant 1
u_ik     ``U``                     membership of sample i in cluster k
M, C     ``must``, ``cannot``      pairs of samples that belong together, or apart (ML, CL above)
alpha    ``alpha``                 what a broken link costs
=======  ========================  ====================================================================

References
----------
.. [1] N. Grira, M. Crucianu, N. Boujemaa, Fuzzy clustering with pairwise constraints for knowledge-driven image
   categorisation, IEE Proceedings Vision, Image and Signal Processing 153(3), 2006.
.. [2] V. Antoine, B. Quost, M.-H. Masson, T. Denoeux, CECM: constrained evidential c-means algorithm,
   Computational Statistics and Data Analysis 56, 2012, Section 5 (which compares with it).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import CenterSolver, CenterState, Fuzzy, Problem
from cclab.core.parameters import choice, real
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.metrics import scatter_about, unit_volume_metric
from cclab.maths.quadratic_memberships import (
    NEAREST,
    NO_PULL,
    LinkCosts,
    LinkPull,
    links_rest,
    memberships_at,
    quadratic_memberships,
)
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class CFCMState(CenterState):
    """Centres and metrics; the memberships follow from them, except those of linked samples.

    Attributes
    ----------
    nearest : float
        The least squared distance that counts.
    metrics : (k, p, p) array or None
        None where all clusters measure alike.
    linked, linked_memberships : (t,) int array and (t, k) array
        The samples that links touch, and their memberships.
    means, scatters : (k, p) and (k, p, p) arrays
        Where the centres go next, and the fuzzy scatter about them (None without metrics).
    mean_cost : float
        Squared distance of a sample from its centres, weighted by its squared memberships.
    """

    nearest: float = field(repr=False)
    metrics: NDArray | None = field(repr=False)
    linked: NDArray = field(repr=False)
    linked_memberships: NDArray = field(repr=False)
    means: NDArray = field(repr=False)
    scatters: NDArray | None = field(repr=False)
    mean_cost: float

    def distances(self, X: NDArray) -> NDArray:
        """(m, k) squared distances, each cluster's in its own metric."""
        return np.maximum(metric_distances(X, self.centers, self.metrics), self.nearest)

    def memberships(self, X: NDArray) -> NDArray:
        """(m, k) the memberships of samples that no link touches."""
        return quadratic_memberships(self.distances(X), np.zeros(len(self.centers)))

    def rests_since(self, previous: CFCMState) -> bool:
        return links_rest(previous, self)

    def belief(self, block: Block) -> Fuzzy:
        U = self.memberships(block.X)
        linked, at = block.find(self.linked)
        U[at] = self.linked_memberships[linked]
        return Fuzzy(U)


@dataclass(eq=False, repr=False, kw_only=True)
class CFCM(CenterSolver):
    """Fuzzy c-means with must-links and cannot-links: broken links cost memberships.

    Parameters
    ----------
    metric : {"euclidean", "mahalanobis"}
        Whether all clusters are round, or each takes its own shape (of constant volume).
    constraint_weight : float
        How much links count against distances: what all links together cost when broken, over what all samples cost
        at their places.
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    accepts_chunks = True
    # What a broken link costs follows the distances of the step before.
    descends = False
    ancestor = "FCM"
    parameters = {"metric": choice("euclidean", "mahalanobis"), "constraint_weight": real(0)}

    n_init: int = 5
    max_iter: int = 200
    metric: str = "euclidean"
    constraint_weight: float = 3.0

    def start(self, problem: Problem, restart: int = 0) -> CFCMState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, None, NO_PULL, restart=restart)

    def step(self, problem: Problem, state: CFCMState) -> CFCMState:
        V = state.means
        S = None if state.scatters is None else unit_volume_metric(state.scatters)
        U = memberships_at(state, LinkCosts.of(problem).samples)
        return self._state_at(
            problem,
            V,
            S,
            LinkPull.at(problem, U, self.constraint_weight, state.mean_cost),
            **state.progress_to(V, problem.spread),
        )

    def believe(self, X: NDArray, state: CFCMState) -> Fuzzy:
        return Fuzzy(state.memberships(X))

    def _state_at(self, problem: Problem, V: NDArray, S: NDArray | None, pull: LinkPull, **progress: Any) -> CFCMState:
        """The state with centres `V` and metrics `S`: one pass over the samples."""
        shaped = self.metric == "mahalanobis"
        nearest = NEAREST * problem.spread**2
        no_shift = np.zeros(len(V))
        linked_distances = np.maximum(metric_distances(problem.X[pull.samples], V, S), nearest)
        linked_memberships = pull.lowest(linked_distances, no_shift)
        touched = pull.samples

        def part(block: Block) -> tuple[Any, ...]:
            D = np.maximum(metric_distances(block.X, V, S), nearest)
            U = quadratic_memberships(D, no_shift)
            linked, at = block.find(touched)
            U[at] = linked_memberships[linked]
            a = U**2 * block.weights[:, None]
            return (
                a.sum(axis=0),
                np.vdot(a, D),
                a.T @ block.X,
                weighted_squares(block.X - V[:, None], a) if shaped else 0.0,
            )

        mass, cost, sums, squares = problem.total(part)
        means = means_from(sums, mass, V)
        terms = {"distances": cost, "links": pull.cost(linked_memberships)}
        return CFCMState(
            centers=V,
            objective=sum(terms.values()),
            terms=terms,
            X=problem.X,
            nearest=nearest,
            metrics=S,
            linked=pull.samples,
            linked_memberships=linked_memberships,
            means=means,
            scatters=scatter_about(means, V, squares, mass) if shaped else None,
            mean_cost=cost / mass.sum(),
            **progress,
        )


def metric_distances(X: NDArray, V: NDArray, S: NDArray | None) -> NDArray:
    """(n, k) squared distances from each centre, in its own metric where there are metrics."""
    if S is None:
        return squared_distances(X, V)
    away = X - V[:, None]
    return np.einsum("kij,kij->ik", away @ S, away)


def weighted_squares(away: NDArray, a: NDArray) -> NDArray:
    """(k, p, p) products of what (k, m, p) samples are away from each centre, added up by their weights (m, k)."""
    return np.swapaxes(away * a.T[..., None], 1, 2) @ away
