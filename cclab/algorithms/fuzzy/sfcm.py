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

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Fuzzy, Problem, State, WeightedSolver, center_shift
from cclab.core.parameters import real
from cclab.maths.distances import problem_norms, row_blocks, squared_distances
from cclab.maths.knowledge import of_constraints
from cclab.maths.memberships import fuzzy_memberships
from cclab.maths.seeding import seeded_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class SFCMState(State):
    """Centres; the memberships follow from them and the labels.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    samples, shares, trust : arrays of shape (m,), (m, k) and (m, 1)
        The labelled samples, the memberships stated of them, and how much they count.
    means : (k, p) array
        Where the centres go next.
    """

    X: NDArray = field(repr=False)
    samples: NDArray = field(repr=False)
    shares: NDArray = field(repr=False)
    trust: NDArray = field(repr=False)
    means: NDArray = field(repr=False)

    def _partition(self) -> Fuzzy:
        U = fuzzy_memberships(squared_distances(self.X, self.centers), 2.0)
        U[self.samples] = supervised(U[self.samples], self.shares, self.trust)
        return Fuzzy(U)


class SFCM(WeightedSolver):
    """Fuzzy c-means with labels: the memberships of labelled samples are drawn to what is stated.

    Parameters
    ----------
    label_weight : float
        How much labels count against the distances (alpha).
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    descends = True
    ancestor = "FCM"
    parameters = {"label_weight": real(0)}

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        label_weight=1.0,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.label_weight = label_weight

    def start(self, problem: Problem, restart: int = 0) -> SFCMState:
        V = seeded_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, restart=restart)

    def step(self, problem: Problem, state: SFCMState) -> SFCMState:
        V = state.means
        return self._state_at(
            problem,
            V,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=center_shift(state.centers, V, problem.spread),
        )

    def rebase(self, old_problem: Problem, new_problem: Problem, state: SFCMState) -> SFCMState:
        return self._state_at(
            new_problem, state.centers, restart=state.restart, iteration=state.iteration, shift=state.shift
        )

    def _state_at(self, problem: Problem, V: NDArray, **progress) -> SFCMState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        samples, F, trust = of_constraints(problem, f"shares {self.n_clusters} {self.label_weight}", self._shares)
        norms, w = problem_norms(problem), problem.weights
        sums, totals = np.zeros_like(V), np.zeros(len(V))
        terms = {"distances": 0.0, "labels": 0.0}
        for rows in row_blocks(problem.n_samples):
            X = problem.X[rows]
            d = squared_distances(X, V, norms[rows])
            U = fuzzy_memberships(d, 2.0)
            off = self.label_weight * U**2  # (u - b f)^2 where b = 0
            inside = slice(*np.searchsorted(samples, [rows.start, rows.stop]))
            labelled = samples[inside] - rows.start
            U[labelled] = supervised(U[labelled], F[inside], trust[inside])
            off[labelled] = trust[inside] * (U[labelled] - F[inside]) ** 2
            z = (U**2 + off) * w[rows, None]
            terms["distances"] += np.vdot(U**2 * w[rows, None], d)
            terms["labels"] += np.vdot(off * w[rows, None], d)
            sums += z.T @ X
            totals += z.sum(axis=0)
        means = np.divide(sums, totals[:, None], out=V.copy(), where=totals[:, None] > 0)
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
