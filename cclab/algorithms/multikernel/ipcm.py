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

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.fcm import FCM
from cclab.core import FuzzyPossibilistic, Problem, State, WeightedSolver, center_shift, iterate
from cclab.core.parameters import choice, real
from cclab.maths.distances import problem_norms, row_blocks, squared_distances
from cclab.maths.joint_memberships import joint_memberships, mean_cost
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class IPCMState(State):
    """Centres and typicality scales; memberships and typicalities follow from them.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    eta : (k,) array
        The squared distances at which typicalities are 1/2.
    exponents : tuple of two floats
        Of memberships and of typicalities.
    means : (k, p) array
        The weighted means: where the centres go next.
    outlier_threshold : float
    """

    X: NDArray = field(repr=False)
    eta: NDArray
    exponents: tuple[float, float]
    means: NDArray = field(repr=False)
    outlier_threshold: float

    def _partition(self) -> FuzzyPossibilistic:
        return self.belief_about(self.X)

    def belief_about(self, X: NDArray) -> FuzzyPossibilistic:
        """Memberships and typicalities of any samples."""
        U, T, _ = joint_memberships(squared_distances(X, self.centers), self.eta, *self.exponents)
        return FuzzyPossibilistic(U, T, "product", self.outlier_threshold)


class _PossibilisticMeans(WeightedSolver):
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
    descends = True

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        fuzzifier=None,
        typicality_exponent=None,
        typicality_scale=None,
        outlier_threshold=0.1,
        variant="cclab",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.fuzzifier = fuzzifier
        self.typicality_exponent = typicality_exponent
        self.typicality_scale = typicality_scale
        self.outlier_threshold = outlier_threshold
        self.variant = variant

    def start(self, problem: Problem, restart: int = 0) -> IPCMState:
        m, _ = self.exponents
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        if isinstance(self.init, str):
            run = iterate(FCM(self.n_clusters, init=V, fuzzifier=m, max_iter=self.max_iter, tol=self.tol), problem)
            V = list(run)[-1].centers  # [1]_ starts from fuzzy c-means: typicalities do not find clusters
        D = squared_distances(problem.X, V, problem_norms(problem))
        a = problem.weights[:, None] * raised(fuzzy_memberships(D, m), m)
        return self._state_at(problem, V, self.scale_of(a, D), restart=restart)

    def step(self, problem: Problem, state: IPCMState) -> IPCMState:
        V = state.means
        return self._state_at(
            problem,
            V,
            state.eta,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=center_shift(state.centers, V, problem.spread),
        )

    def _state_at(self, problem: Problem, V: NDArray, eta: NDArray, **progress) -> IPCMState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        (m, p), w, norms = self.exponents, problem.weights, problem_norms(problem)
        sums, totals, objective = np.zeros_like(V), np.zeros(len(V)), 0.0
        for rows in row_blocks(problem.n_samples):
            X = problem.X[rows]
            U, T, G = joint_memberships(squared_distances(X, V, norms[rows]), eta, m, p)
            um = raised(U, m)
            um *= w[rows, None]
            objective += np.vdot(um, G)
            a = um * raised(T, p)  # u^m t^p
            sums += a.T @ X
            totals += a.sum(axis=0)
        means = np.divide(sums, totals[:, None], out=V.copy(), where=totals[:, None] > 0)
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
        return state.belief_about(X)
