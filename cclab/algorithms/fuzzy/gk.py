"""Gustafson-Kessel clustering: fuzzy c-means in which each cluster takes its own shape [1]_.

Notation
--------
=====  =================  ======================================================
paper  here               meaning
=====  =================  ======================================================
v_i    ``V``              centre of cluster i
μ_ij   ``U``              membership of sample j in cluster i
m      ``fuzzifier``      above 1; towards 1 the result is hard
F_i    ``scatters``       fuzzy scatter of cluster i
M_i    ``S``              its metric, of determinant 1
=====  =================  ======================================================

References
----------
.. [1] D. E. Gustafson, W. C. Kessel, Fuzzy clustering with a fuzzy covariance matrix, IEEE Conference on Decision and
   Control, 1979.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.fuzzy.cfcm import metric_distances, weighted_squares
from cclab.core import CenterSolver, CenterState, Fuzzy, Problem
from cclab.core.parameters import real
from cclab.core.sample_blocks import Block
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.metrics import better_metrics, scatter_about
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class GKState(CenterState):
    """Centres and metrics; the memberships follow from them.

    Attributes
    ----------
    fuzzifier : float
    metrics : (k, p, p) array
        Of determinant 1: all clusters have the same volume, each its own shape.
    means, scatters : (k, p) and (k, p, p) arrays
        Where the centres go next, and the fuzzy scatter about them.
    """

    fuzzifier: float
    metrics: NDArray = field(repr=False)
    means: NDArray = field(repr=False)
    scatters: NDArray = field(repr=False)

    def memberships(self, X: NDArray) -> NDArray:
        """(m, k) the memberships of any samples."""
        return fuzzy_memberships(np.maximum(metric_distances(X, self.centers, self.metrics), 0), self.fuzzifier)

    def belief(self, block: Block) -> Fuzzy:
        return Fuzzy(self.memberships(block.X))


@dataclass(eq=False, repr=False, kw_only=True)
class GK(CenterSolver):
    """Fuzzy c-means whose clusters are ellipsoids: each measures distances by its own shape.

    Parameters
    ----------
    fuzzifier : float
        How soft the memberships are (m): near 1 almost hard, 2 is usual.

    Notes
    -----
    The metric of a cluster is ``det(F)^(1/p) F^-1`` with F its fuzzy scatter, so that clusters differ in shape and
    direction, not in volume. A flat scatter is made invertible by a tiny ridge, and a metric that this would make worse
    is not taken: the objective never rises. `CFCM` with ``metric="mahalanobis"`` is the same with links, for ``m = 2``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([6 * rng.normal(size=40), np.repeat([0.0, 2.0], 20) + 0.2 * rng.normal(size=40)])
    >>> labels = GK(n_clusters=2, init=[[0, -1], [0, 3]]).fit(X).labels_
    >>> labels[:20].any(), labels[20:].all()
    (np.False_, np.True_)
    """

    uses = frozenset({"sample_weight"})
    accepts_chunks = True
    # Memberships are the best for centres and metrics, the next centres for these, and the next metrics for both.
    descends = True
    parameters = {"fuzzifier": real(1, open_low=True)}

    fuzzifier: float = 2.0

    def start(self, problem: Problem, restart: int = 0) -> GKState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        round_ones = np.tile(np.eye(problem.n_features), (len(V), 1, 1))
        return self._state_at(problem, V, round_ones, restart=restart)

    def step(self, problem: Problem, state: GKState) -> GKState:
        V = state.means
        return self._state_at(
            problem, V, better_metrics(state.metrics, state.scatters), **state.progress_to(V, problem.spread)
        )

    def believe(self, X: NDArray, state: GKState) -> Fuzzy:
        return Fuzzy(state.memberships(np.asarray(X, dtype=float)))

    def _state_at(self, problem: Problem, V: NDArray, S: NDArray, **progress: Any) -> GKState:
        """The state with centres `V` and metrics `S`: one pass over the samples."""
        m = self.fuzzifier

        def part(block: Block) -> tuple[NDArray, float, NDArray, NDArray]:
            X = np.asarray(block.X, dtype=float)
            D = np.maximum(metric_distances(X, V, S), 0)
            a = raised(fuzzy_memberships(D, m), m) * block.weights[:, None]
            away = X - V[:, None]  # (k, m, p)
            return a.sum(axis=0), np.vdot(a, D), np.einsum("ik,kip->kp", a, away), weighted_squares(away, a)

        mass, objective, sums, squares = problem.total(part)
        means = V + np.divide(sums, mass[:, None], out=np.zeros_like(V), where=mass[:, None] > 0)
        return GKState(
            centers=V,
            objective=objective,
            X=problem.X,
            fuzzifier=m,
            metrics=S,
            means=means,
            scatters=scatter_about(means, V, squares, mass),
            **progress,
        )
