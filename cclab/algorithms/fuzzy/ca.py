"""Competitive agglomeration [1]_: clusters compete for samples, the losers vanish, what is left is their number.

    J = sum_ik u_ik^2 d_ik^2 - beta sum_k N_k^2

Notation
--------
======  ========================  =====================================================================
paper   here                      meaning
======  ========================  =====================================================================
mu_k    ``V``                     centre of cluster k
u_ik    ``U``                     membership of sample i in cluster k
N_k     ``N``, ``sizes``          sum of the memberships in cluster k (Eq. 3 of [2]_)
C       ``max_clusters``          number of clusters at the start
beta    ``beta``                  weight of the competition (Eq. 4)
eta_0   ``competition``           how strong it gets
t_0     ``peak``                  the iteration at which it is strongest
tau     ``fading``                how many iterations it takes to rise and to fade
======  ========================  =====================================================================

References
----------
.. [1] H. Frigui, R. Krishnapuram, Clustering by competitive agglomeration, Pattern Recognition 30(7), 1997.
.. [2] N. Novoselova, I. Tom, Fuzzy semi-supervised clustering with active constraint selection, 2017. Equations are
   numbered as in [2]_.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import Fuzzy, Gauge, Problem, State, WeightedSolver, center_shift
from cclab.core.parameters import real, whole
from cclab.maths.agglomeration import Contenders, with_the_close_merged, without_the_small
from cclab.maths.distances import problem_norms, row_blocks, squared_distances
from cclab.maths.quadratic_memberships import NEAREST, NO_PULL, LinkPull, quadratic_memberships
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class CAState(State):
    """Centres and what they gain by their sizes; the memberships follow, except those of linked samples.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    nearest : float
        The least squared distance that counts.
    alive : (k,) int array
        The clusters that are left, by the numbers they started with.
    bonus : (k,) array
        ``-2 beta N``: what size takes off the cost of each cluster.
    linked, linked_memberships : (t,) int array and (t, k) array
        The samples whose memberships don't follow from the centres alone, and these.
    sizes, mass, inertia : (k,) arrays
        Sum of memberships, of squared memberships, and of these times squared distances.
    means : (k, p) array
        Where the centres go next.
    """

    X: NDArray = field(repr=False)
    nearest: float = field(repr=False)
    alive: NDArray
    bonus: NDArray = field(repr=False)
    linked: NDArray = field(repr=False)
    linked_memberships: NDArray = field(repr=False)
    sizes: NDArray = field(repr=False)
    mass: NDArray = field(repr=False)
    inertia: NDArray = field(repr=False)
    means: NDArray = field(repr=False)

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        return self.alive

    def memberships(self, X: NDArray) -> NDArray:
        """(m, k) the memberships of samples that no link touches."""
        D = np.maximum(squared_distances(X, self.centers), self.nearest)
        return quadratic_memberships(D, self.bonus)

    def _partition(self) -> Fuzzy:
        U = self.memberships(self.X)
        U[self.linked] = self.linked_memberships
        return Fuzzy(U)

    def gauges(self) -> tuple[Gauge, ...]:
        names = tuple(str(id_ + 1) for id_ in self.alive)
        return (
            Gauge("Number of clusters", ("clusters",), (float(len(names)),)),
            Gauge("Cluster sizes", names, tuple(self.sizes.tolist())),
        )


class CA(WeightedSolver):
    """Competitive agglomeration: starts with too many clusters and lets them compete, vanish and merge.

    Parameters
    ----------
    n_clusters : int or None
        How many clusters there are (none competes then), or None: to be found.
    init : "k-means++" or array of shape (any number of centres, n_features)
        Where the centres start.
    max_clusters : int
        How many clusters to start with when their number is to be found (C).
    competition : float
        How strongly large clusters draw samples away from small ones (eta_0). 5 leaves a single cluster.
    peak : float
        The step at which the competition is strongest (t_0).
    fading : float
        How many steps the competition takes to fade (tau).
    smallest : float
        A cluster vanishes when its memberships add up to less than this share of all samples.

    Notes
    -----
    Memberships start from those of fuzzy c-means: equal ones, as in [2]_, say nothing about sizes. Where Eq. 5 would
    go below 0 the exact minimum on the simplex takes its place. Two clusters merge when their centres are nearer than
    their spreads add up to. Both were found on two features; with more the memberships even out and the number of
    clusters is not to be trusted: see `CompetitiveMixture`.
    """

    uses = frozenset({"sample_weight"})
    parameters = {
        "n_clusters": whole(1, or_none=True),
        "max_clusters": whole(1),
        "competition": real(0),
        "peak": real(0),
        "fading": real(0, open_low=True),
        "smallest": real(0, 1),
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        init="k-means++",
        n_init=1,
        max_iter=200,
        tol=1e-3,
        random_state=None,
        max_clusters=15,
        competition=1.0,
        peak=5.0,
        fading=10.0,
        smallest=1 / 30,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.max_clusters = max_clusters
        self.competition = competition
        self.peak = peak
        self.fading = fading
        self.smallest = smallest

    def start(self, problem: Problem, restart: int = 0) -> CAState:
        n_clusters = min(self.max_clusters, problem.n_samples) if self.n_clusters is None else self.n_clusters
        V = initial_centers(problem, n_clusters, self.init, restart)
        return self._state_at(problem, Contenders.fresh(V), beta=0.0, pull=NO_PULL, restart=restart)

    def step(self, problem: Problem, state: CAState) -> CAState:
        left = self._survivors(problem, state)
        t = state.iteration + 1
        return self._state_at(
            problem,
            left,
            self._beta(left, t),
            self._pull(problem, state, left),
            notes=left.notes,
            restart=state.restart,
            iteration=t,
            shift=np.inf if left.notes else center_shift(state.centers, left.centers, problem.spread),
        )

    def converged(self, previous: CAState, state: CAState) -> bool:
        rising = self.n_clusters is None and state.iteration <= self.peak
        return not rising and super().converged(previous, state)

    def believe(self, X: NDArray, state: CAState) -> Fuzzy:
        return Fuzzy(state.memberships(X))

    def _survivors(self, problem: Problem, state: CAState) -> Contenders:
        """The clusters that are left of a state, where their centres go next."""
        left = Contenders(
            ids=state.alive,
            centers=state.means,
            sizes=state.sizes,
            mass=state.mass,
            inertia=state.inertia,
            heirs=np.eye(len(state.alive)),
            apart=self._apart(problem, state),
        )
        if self.n_clusters is not None:
            return left
        return with_the_close_merged(without_the_small(left, self.smallest * problem.weights.sum()))

    def _beta(self, left: Contenders, t: int) -> float:
        """Eq. 4 of [2]_ (its d(x_j, mu_j) is d(x_i, mu_j))."""
        if self.n_clusters is not None:
            return 0.0
        strength = self.competition * np.exp(-abs(t - self.peak) / self.fading)
        return strength * left.inertia.sum() / (left.sizes**2).sum()

    def _apart(self, problem: Problem, state: CAState) -> NDArray[np.bool_]:
        """(k, k) which two clusters must not merge."""
        return np.zeros((len(state.alive),) * 2, dtype=bool)

    def _pull(self, problem: Problem, state: CAState, left: Contenders) -> LinkPull:
        """What links ask of the samples that they touch: nothing here."""
        return NO_PULL

    def _state_at(self, problem: Problem, left: Contenders, beta: float, pull: LinkPull, **progress: Any) -> CAState:
        """The state with the clusters `left` of the one before: one pass over the samples."""
        V, k = left.centers, len(left)
        w, norms = problem.weights, problem_norms(problem)
        bonus, nearest = -2 * beta * left.sizes, NEAREST * problem.spread**2
        sizes, mass, inertia, sums = np.zeros(k), np.zeros(k), np.zeros(k), np.zeros_like(V)
        linked_memberships = np.empty((len(pull.samples), k))
        for rows in row_blocks(problem.n_samples):
            X = problem.X[rows]
            D = np.maximum(squared_distances(X, V, norms[rows]), nearest)
            U = quadratic_memberships(D, bonus)
            linked = slice(*np.searchsorted(pull.samples, [rows.start, rows.stop]))
            at = pull.samples[linked] - rows.start
            if len(at):
                U[at] = linked_memberships[linked] = pull.memberships(D[at], bonus, linked)
            sizes += w[rows] @ U
            U *= U
            U *= w[rows, None]
            mass += U.sum(axis=0)
            inertia += np.einsum("ik,ik->k", U, D)
            sums += U.T @ X
        terms = {"distances": inertia.sum(), "sizes": -beta * (sizes**2).sum(), "links": pull.cost(linked_memberships)}
        return CAState(
            centers=V,
            objective=sum(terms.values()),
            terms=terms,
            X=problem.X,
            nearest=nearest,
            alive=left.ids,
            bonus=bonus,
            linked=pull.samples,
            linked_memberships=linked_memberships,
            sizes=sizes,
            mass=mass,
            inertia=inertia,
            means=np.divide(sums, mass[:, None], out=V.copy(), where=mass[:, None] > 0),
            **progress,
        )
