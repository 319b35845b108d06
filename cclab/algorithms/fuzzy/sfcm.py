"""Fuzzy c-means with partial supervision [1]_.

    J = sum_ik u_ik^2 d_ik^2 + alpha sum_ik (u_ik - b_i f_ik)^2 d_ik^2

Notation
--------
=====  ================  ====================================================
paper  here              meaning
=====  ================  ====================================================
v_k    ``V``             centre of cluster k
u_ik   ``U``             membership of sample i in cluster k
f_ik   ``F``             the membership that a label states; b_i says where
alpha  ``label_weight``  how much labels count
=====  ================  ====================================================

Notes
-----
Stated degrees that add up to more than 1 are divided by their sum, and what they leave below 1 is shared equally among
the clusters that a label does not speak of: memberships are such shares, degrees of possibility are not.

References
----------
.. [1] W. Pedrycz, J. Waletzky, Fuzzy clustering with partial supervision, IEEE Transactions on Systems, Man, and
   Cybernetics B 27(5), 1997.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import CenterSolver, CenterState, ConstraintSet, Fuzzy, Problem
from cclab.core.parameters import real
from cclab.core.sample_blocks import Block
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.memberships import fuzzy_memberships
from cclab.maths.seeding import seeded_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class SFCMState(CenterState):
    """Centres; the memberships follow from them and the labels.

    Attributes
    ----------
    samples, shares, trust : arrays of shape (m,), (m, k) and (m, 1)
        The labelled samples, the memberships stated of them, and how much they count.
    means : (k, p) array
        Where the centres go next.
    """

    samples: NDArray = field(repr=False)
    shares: NDArray = field(repr=False)
    trust: NDArray = field(repr=False)
    means: NDArray = field(repr=False)

    def belief(self, block: Block) -> Fuzzy:
        U = fuzzy_memberships(squared_distances(block.X, self.centers), 2.0)
        inside, labelled = block.find(self.samples)
        U[labelled] = supervised(U[labelled], self.shares[inside], self.trust[inside])
        return Fuzzy(U)


@dataclass(eq=False, repr=False, kw_only=True)
class SFCM(CenterSolver):
    """Fuzzy c-means with labels: the memberships of labelled samples are drawn to what is stated.

    Parameters
    ----------
    label_weight : float
        How much labels count against the distances (alpha).
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    accepts_chunks = True
    # Given the centres, both terms are quadratic in the memberships, which are at the minimum; given these, so are the
    # next centres.
    descends = True
    ancestor = "FCM"
    parameters = {"label_weight": real(0)}

    label_weight: float = 1.0

    def start(self, problem: Problem, restart: int = 0) -> SFCMState:
        V = seeded_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, restart=restart)

    def step(self, problem: Problem, state: SFCMState) -> SFCMState:
        V = state.means
        return self._state_at(problem, V, **state.progress_to(V, problem.spread))

    def rebase(self, old_problem: Problem, new_problem: Problem, state: SFCMState) -> SFCMState:
        return self._state_at(new_problem, state.centers, **state.progress)

    def _state_at(self, problem: Problem, V: NDArray, **progress: Any) -> SFCMState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        samples, F, trust = of_constraints(problem, f"shares {self.n_clusters} {self.label_weight}", self._shares)
        alpha = self.label_weight

        def part(block: Block) -> tuple[NDArray, NDArray, float, float]:
            w = block.weights[:, None]
            d = squared_distances(block.X, V, block.norms)
            U = fuzzy_memberships(d, 2.0)
            off = alpha * U**2  # (u - b f)^2 where b = 0
            inside, labelled = block.find(samples)
            U[labelled] = supervised(U[labelled], F[inside], trust[inside])
            off[labelled] = trust[inside] * (U[labelled] - F[inside]) ** 2
            z = (U**2 + off) * w
            return z.T @ block.X, z.sum(axis=0), np.vdot(U**2 * w, d), np.vdot(off * w, d)

        sums, totals, *costs = problem.total(part)
        terms = dict(zip(("distances", "labels"), costs))
        means = means_from(sums, totals, V)
        return SFCMState(
            centers=V,
            objective=sum(terms.values()),
            terms=terms,
            X=problem.X,
            samples=samples,
            shares=F,
            trust=trust,
            means=means,
            **progress,
        )

    def _shares(self, known: ConstraintSet) -> tuple[NDArray, NDArray, NDArray]:
        """The labelled samples in rising order, their stated memberships, and how much each counts."""
        samples, degrees, certainty = known.label_degrees(self.n_clusters)
        order = np.argsort(samples)
        degrees, certainty = degrees[order], certainty[order]
        unknown = np.isnan(degrees)
        F = np.where(unknown, 0.0, degrees)
        F /= np.maximum(F.sum(axis=1, keepdims=True), 1.0)
        left = (1 - F.sum(axis=1, keepdims=True)) / np.maximum(unknown.sum(axis=1, keepdims=True), 1)
        F = np.where(unknown, left, F)
        return samples[order], F, self.label_weight * certainty[:, None]

    def believe(self, X: NDArray, state: SFCMState) -> Fuzzy:
        return Fuzzy(fuzzy_memberships(squared_distances(X, state.centers), 2.0))


def supervised(U: NDArray, F: NDArray, trust: NDArray) -> NDArray:
    """(m, k) the memberships of labelled samples, from those that distances alone give."""
    left = 1 + trust * (1 - F.sum(axis=1, keepdims=True))
    return (left * U + trust * F) / (1 + trust)
