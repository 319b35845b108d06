"""Improved possibilistic c-means [1]_, in the form of [2]_.

Notation
--------
======  ======================  =============================================================
paper   here                    meaning
======  ======================  =============================================================
v_c     ``V``                   centre of cluster c
d_ci^2  ``D``                   squared distance of sample i to it
u_ci    ``U``                   membership of sample i in cluster c; they add up to 1
t_ci    ``T``                   typicality of sample i for cluster c, each cluster for itself
m, p    ``fuzzifier``,          their exponents
        ``typicality_exponent``
eta_c   ``eta``                 the squared distance at which the typicality is 1/2
K       ``typicality_scale``    eta over the mean squared distance within clusters
======  ======================  =============================================================

Notes
-----
Membership and typicality of a sample are set together: with the best typicalities put in, what a sample adds to the
objective is ``sum_c u^m G`` with ``G = eta (1 - t)^(p - 1)``, which Eq. 7 of [2]_ minimises exactly.

The default variant departs from [2]_ in two things. One ``eta`` serves all clusters: with one for each, a far sample
belongs most to the cluster of the smallest ``eta``, however far that is. And it is 4 times the mean squared distance,
estimated once: with K = 1 typicalities shrink the clusters they are measured by, often to nothing. In both variants a
sample's cluster is the one of the largest membership times typicality; for ``m = p`` that is the nearest centre.

References
----------
.. [1] J.-S. Zhang, Y.-W. Leung, Improved possibilistic c-means clustering algorithms, IEEE Transactions on Fuzzy
   Systems 12(2), 2004.
.. [2] A. A. Abin, H. Beigy, Active constrained fuzzy clustering: a multiple kernels learning approach, Pattern
   Recognition 48(3), 2015.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.fuzzy.fcm import FCM
from cclab.algorithms.multikernel.joint_memberships import joint_memberships, mean_cost
from cclab.core import CenterSolver, CenterState, FuzzyPossibilistic, Problem, iterate
from cclab.core.parameters import choice, real
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class IPCMState(CenterState):
    """Centres and typicality scales; memberships and typicalities follow from them.

    Attributes
    ----------
    eta : (k,) array
        The squared distances at which typicalities are 1/2.
    exponents : tuple of two floats
        Of memberships and of typicalities.
    means : (k, p) array
        The weighted means: where the centres go next.
    outlier_threshold : float
    """

    eta: NDArray
    exponents: tuple[float, float]
    means: NDArray = field(repr=False)
    outlier_threshold: float

    def belief(self, block: Block) -> FuzzyPossibilistic:
        U, T, _ = joint_memberships(squared_distances(block.X, self.centers), self.eta, *self.exponents)
        return FuzzyPossibilistic(U, T, "product", self.outlier_threshold)


@dataclass(eq=False, repr=False, kw_only=True)
class _PossibilisticMeans(CenterSolver):
    """What IPCM and its relative with kernels and links have in common.

    Parameters
    ----------
    fuzzifier : float, optional
        How soft the memberships are (m), above 1. Left out: 1.5, in the paper's variant 2.
    typicality_exponent : float, optional
        How slowly the typicality falls with the distance (p), above 1. Left out: 1.5, in the paper's variant 2.
    typicality_scale : float, optional
        At which squared distance a sample is half typical (K), as a multiple of the mean squared distance within
        clusters. Left out: 4, in the paper's variant 1.
    outlier_threshold : float
        A sample is called an outlier when it is less typical than this of every cluster (theta).
    """

    parameters = {
        "fuzzifier": real(1, open_low=True, or_none=True),
        "typicality_exponent": real(1, open_low=True, or_none=True),
        "typicality_scale": real(0, open_low=True, or_none=True),
        "outlier_threshold": real(0, 1),
        "variant": choice("cclab", "paper"),
    }

    fuzzifier: float | None = None
    typicality_exponent: float | None = None
    typicality_scale: float | None = None
    outlier_threshold: float = 0.1
    variant: str = "cclab"

    @property
    def exponents(self) -> tuple[float, float]:
        """The exponents of memberships and typicalities (m, p)."""
        usual = 2.0 if self.variant == "paper" else 1.5
        m, p = self.fuzzifier, self.typicality_exponent
        return (usual if m is None else m, usual if p is None else p)

    def scale_of(self, a: NDArray, D: NDArray) -> NDArray:
        """(k,) eta, from the squared distances `D` with weights `a` (Eq. 5, line 7 of Algorithm 1 of [2]_)."""
        paper = self.variant == "paper"
        K = self.typicality_scale
        K = (1.0 if paper else 4.0) if K is None else K
        return K * mean_cost(a, D, per_cluster=paper)


class IPCM(_PossibilisticMeans):
    """Improved possibilistic c-means: memberships find the clusters, typicalities keep outliers from pulling at them.

    Parameters
    ----------
    variant : {"cclab", "paper"}
        "paper" has a typicality scale for each cluster, as printed; "cclab" one for all, which is what works.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 0.1], [5.0, 5.0], [5.1, 4.9], [2.0, 60.0]])
    >>> ipcm = IPCM(n_clusters=2, init=X[[0, 2]]).fit(X[:4])
    >>> ipcm.predict(X).tolist(), ipcm.believe(X, ipcm.state_).outliers().tolist()
    ([0, 0, 1, 1, 1], [False, False, False, False, True])
    """

    uses = frozenset({"sample_weight"})
    # Memberships and typicalities are together the best for the centres, and the next centres the best for both; eta
    # stays as it was at the start.
    descends = True

    def start(self, problem: Problem, restart: int = 0) -> IPCMState:
        m, _ = self.exponents
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        if isinstance(self.init, str):
            run = iterate(FCM(self.n_clusters, init=V, fuzzifier=m, max_iter=self.max_iter, tol=self.tol), problem)
            V = run.last().centers  # [1]_ starts from fuzzy c-means: typicalities do not find clusters
        D = squared_distances(problem.X, V, problem.norms)
        a = problem.weights[:, None] * raised(fuzzy_memberships(D, m), m)
        return self._state_at(problem, V, self.scale_of(a, D), restart=restart)

    def step(self, problem: Problem, state: IPCMState) -> IPCMState:
        V = state.means
        return self._state_at(problem, V, state.eta, **state.progress_to(V, problem.spread))

    def _state_at(self, problem: Problem, V: NDArray, eta: NDArray, **progress: Any) -> IPCMState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        m, p = self.exponents

        def part(block: Block) -> tuple[NDArray, NDArray, float]:
            U, T, G = joint_memberships(squared_distances(block.X, V, block.norms), eta, m, p)
            um = raised(U, m)
            um *= block.weights[:, None]
            a = um * raised(T, p)  # u^m t^p
            return a.T @ block.X, a.sum(axis=0), np.vdot(um, G)

        sums, totals, objective = problem.total(part)
        means = means_from(sums, totals, V)
        return IPCMState(
            centers=V,
            objective=objective,
            X=problem.X,
            eta=eta,
            exponents=self.exponents,
            means=means,
            outlier_threshold=self.outlier_threshold,
            **progress,
        )

    def believe(self, X: NDArray, state: IPCMState) -> FuzzyPossibilistic:
        return state.belief(Block(0, X))
