"""Fuzzy c-means [1]_.

Notation
--------
=====  ===============  ===========================================
paper  here             meaning
=====  ===============  ===========================================
v_k    ``V``            centre of cluster k
u_ik   ``U``            membership of sample i in cluster k
m      ``fuzzifier``    above 1; towards 1 the result is hard
=====  ===============  ===========================================

References
----------
.. [1] J. C. Bezdek, Pattern Recognition with Fuzzy Objective Function Algorithms, Plenum, 1981.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cclab.core import Fuzzy, Problem, State, WeightedSolver, center_shift
from cclab.core.parameters import real
from cclab.maths.distances import problem_norms, row_blocks, squared_distances
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class FCMState(State):
    """Centres; the memberships follow from them.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    fuzzifier : float
    means : (k, p) array
        The membership-weighted means: where the centres go next.
    """

    X: NDArray = field(repr=False)
    fuzzifier: float
    means: NDArray = field(repr=False)

    def _partition(self) -> Fuzzy:
        return Fuzzy(fuzzy_memberships(squared_distances(self.X, self.centers), self.fuzzifier))


class FCM(WeightedSolver):
    """Fuzzy c-means: each sample belongs to every cluster by a degree that falls with its distance.

    Parameters
    ----------
    fuzzifier : float
        How soft the memberships are (m): near 1 almost hard, 2 is usual.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [0.2, 0.1], [5.0, 5.0], [5.1, 4.9]])
    >>> FCM(n_clusters=2, random_state=0).fit(X).partition_.memberships.round(2)[:, 0].tolist() in (
    ...     [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0])
    True
    """

    uses = frozenset({"sample_weight"})
    descends = True
    parameters = {"fuzzifier": real(1, open_low=True)}

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        fuzzifier=2.0,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.fuzzifier = fuzzifier

    def start(self, problem: Problem, restart: int = 0) -> FCMState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, restart=restart)

    def step(self, problem: Problem, state: FCMState) -> FCMState:
        V = state.means
        return self._state_at(
            problem,
            V,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=center_shift(state.centers, V, problem.spread),
        )

    def _state_at(self, problem: Problem, V: NDArray, **progress) -> FCMState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        m, w, norms = self.fuzzifier, problem.weights, problem_norms(problem)
        sums, totals, objective = np.zeros_like(V), np.zeros(len(V)), 0.0
        for rows in row_blocks(problem.n_samples):
            X = problem.X[rows]
            d = squared_distances(X, V, norms[rows])
            a = raised(fuzzy_memberships(d, m), m)  # u^m
            a *= w[rows, None]
            sums += a.T @ X
            totals += a.sum(axis=0)
            objective += np.vdot(a, d)
        means = np.divide(sums, totals[:, None], out=V.copy(), where=totals[:, None] > 0)
        return FCMState(centers=V, objective=objective, X=problem.X, fuzzifier=m, means=means, **progress)

    def believe(self, X: NDArray, state: FCMState) -> Fuzzy:
        return Fuzzy(fuzzy_memberships(squared_distances(X, state.centers), self.fuzzifier))
