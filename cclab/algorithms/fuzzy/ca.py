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

from cclab.algorithms.fuzzy.agglomeration import Contenders, with_the_close_merged, without_the_small
from cclab.core import CenterSolver, CenterState, Fuzzy, Gauge, Problem, center_shift
from cclab.core.parameters import real, whole
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.quadratic_memberships import NEAREST, NO_PULL, LinkPull, links_rest, quadratic_memberships
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class CAState(CenterState):
    """Centres and what they gain by their sizes; the memberships follow, except those of linked samples.

    Attributes
    ----------
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

    def rests_since(self, previous: CAState) -> bool:
        return links_rest(previous, self)

    def belief(self, block: Block) -> Fuzzy:
        U = self.memberships(block.X)
        linked, at = block.find(self.linked)
        U[at] = self.linked_memberships[linked]
        return Fuzzy(U)

    def gauges(self) -> tuple[Gauge, ...]:
        names = tuple(str(id_ + 1) for id_ in self.alive)
        return (
            Gauge("Number of clusters", ("clusters",), (float(len(names)),)),
            Gauge("Cluster sizes", names, tuple(self.sizes.tolist()), by_cluster=True),
        )


@dataclass(eq=False, repr=False, kw_only=True)
class CA(CenterSolver):
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
    accepts_chunks = True
    # The weight of the competition changes at each step, and clusters vanish.
    descends = False
    parameters = {
        "n_clusters": whole(1, or_none=True),
        "max_clusters": whole(1),
        "competition": real(0),
        "peak": real(0),
        "fading": real(0, open_low=True),
        "smallest": real(0, 1),
    }

    # None, which other solvers don't know: to be found.
    n_clusters: int | None = field(default=None, kw_only=False)  # type: ignore[assignment]
    max_iter: int = 200
    tol: float = 1e-3
    max_clusters: int = 15
    competition: float = 1.0
    peak: float = 5.0
    fading: float = 10.0
    smallest: float = 1 / 30

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
        return with_the_close_merged(without_the_small(left, self.smallest * problem.total_weight))

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
        V = left.centers
        bonus, nearest = -2 * beta * left.sizes, NEAREST * problem.spread**2
        touched = pull.samples
        linked_distances = np.maximum(squared_distances(problem.X[touched], V), nearest)
        linked_memberships = pull.half_way(linked_distances, bonus)

        def part(block: Block) -> tuple[NDArray, NDArray, NDArray, NDArray]:
            D = np.maximum(squared_distances(block.X, V, block.norms), nearest)
            U = quadratic_memberships(D, bonus)
            linked, at = block.find(touched)
            U[at] = linked_memberships[linked]
            sizes = block.weights @ U
            U *= U
            U *= block.weights[:, None]
            return sizes, U.sum(axis=0), np.einsum("ik,ik->k", U, D), U.T @ block.X

        sizes, mass, inertia, sums = problem.total(part)
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
            means=means_from(sums, mass, V),
            **progress,
        )
