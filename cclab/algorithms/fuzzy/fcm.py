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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import CenterSolver, CenterState, Fuzzy, Problem
from cclab.core.parameters import real
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class FCMState(CenterState):
    """Centres; the memberships follow from them.

    Attributes
    ----------
    fuzzifier : float
    means : (k, p) array
        The membership-weighted means: where the centres go next.
    """

    fuzzifier: float
    means: NDArray = field(repr=False)

    def belief(self, block: Block) -> Fuzzy:
        return Fuzzy(fuzzy_memberships(squared_distances(block.X, self.centers), self.fuzzifier))


@dataclass(eq=False, repr=False, kw_only=True)
class FCM(CenterSolver):
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
    accepts_chunks = True
    # The memberships are the best for the centres, and the next centres the best for these memberships.
    descends = True
    parameters = {"fuzzifier": real(1, open_low=True)}

    fuzzifier: float = 2.0

    def start(self, problem: Problem, restart: int = 0) -> FCMState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, restart=restart)

    def step(self, problem: Problem, state: FCMState) -> FCMState:
        V = state.means
        return self._state_at(problem, V, **state.progress_to(V, problem.spread))

    def _state_at(self, problem: Problem, V: NDArray, **progress: Any) -> FCMState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        m = self.fuzzifier

        def part(block: Block) -> tuple[NDArray, NDArray, float]:
            d = squared_distances(block.X, V, block.norms)
            a = raised(fuzzy_memberships(d, m), m)  # u^m
            a *= block.weights[:, None]
            return a.T @ block.X, a.sum(axis=0), np.vdot(a, d)

        sums, totals, objective = problem.total(part)
        means = means_from(sums, totals, V)
        return FCMState(centers=V, objective=objective, X=problem.X, fuzzifier=m, means=means, **progress)

    def believe(self, X: NDArray, state: FCMState) -> Fuzzy:
        return Fuzzy(fuzzy_memberships(squared_distances(X, state.centers), self.fuzzifier))
