"""Evidential c-means (ECM) [1]_, with an adaptive metric [2]_.

Notation
--------
=========  =====================  ==================================================================
paper      here                   meaning
=========  =====================  ==================================================================
v_k        ``geometry.centers``   centre of cluster k
S_k        ``geometry.metrics``   metric of cluster k, of determinant 1
A_j        ``focal.sets[j]``      a set of clusters that may carry mass
m_ij       ``masses``             mass of sample i on set j
d_ij^2     (in ``costs``)         squared distance from sample i to the mean of the centres of set j
alpha      ``alpha``              how much the size of a set adds to its cost
beta       ``beta``               how soft the masses are
rho^2      ``rho2``               cost of the empty set
=========  =====================  ==================================================================

References
----------
.. [1] M.-H. Masson, T. Denoeux, ECM: an evidential version of the fuzzy c-means algorithm, Pattern Recognition 41,
   2008.
.. [2] V. Antoine, B. Quost, M.-H. Masson, T. Denoeux, CECM: constrained evidential c-means algorithm,
   Computational Statistics and Data Analysis 56, 2012. Equations are numbered as in [2]_.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cclab.core import Credal, Problem, State, WeightedSolver, center_shift
from cclab.core.parameters import choice, real
from cclab.maths.distances import row_blocks, squared_norms
from cclab.maths.focal_sets import KINDS, FocalSets
from cclab.maths.free_masses import half_cost, masses_of, sample_blocks, survey
from cclab.maths.seeding import initial_centers
from cclab.maths.set_geometry import SetGeometry

NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class ECMState(State):
    """Centres and metrics; the masses follow from them, except those of linked samples.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    geometry : SetGeometry
        Centres, metrics and focal sets.
    rho2 : float
    beta : float
    linked : (t,) int array
        The samples whose masses don't follow from the geometry alone.
    linked_masses : (t, f) array
    following : SetGeometry
        Centres and metrics of the next step.
    following_rho2 : float
    """

    X: NDArray = field(repr=False)
    geometry: SetGeometry = field(repr=False)
    rho2: float
    beta: float
    linked: NDArray = field(repr=False, default_factory=lambda: NOBODY)
    linked_masses: NDArray = field(repr=False)
    following: SetGeometry = field(repr=False)
    following_rho2: float = field(repr=False)

    @property
    def metrics(self) -> NDArray:
        """(c, p, p) the metric of each cluster."""
        c, p = self.centers.shape
        return np.broadcast_to(np.eye(p), (c, p, p)) if self.geometry.metrics is None else self.geometry.metrics

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        return np.arange(len(self.centers))

    def _partition(self) -> Credal:
        masses = masses_of(self.X, self.geometry, self.rho2, self.beta)
        masses[self.linked] = self.linked_masses
        focal = self.geometry.focal
        return Credal(masses, focal.sets, focal.n_clusters)


class ECM(WeightedSolver):
    """Evidential c-means: belief about each sample may go to one cluster, to several together, or to none.

    Parameters
    ----------
    alpha : float
        How much larger sets of clusters are held back (alpha): the larger, the fewer samples stay undecided.
    beta : float
        How soft the masses are (beta): near 1 almost hard, 2 is usual.
    rho2 : float or None
        Squared distance at which a sample is as near to no cluster as to any (rho^2), in the data's units. None:
        so large that nothing is rejected.
    rejection_rate : float or None
        The share of samples to be taken for outliers (more than half of their mass on the empty set); sets `rho2`
        anew at each step.
    metric : {"euclidean", "mahalanobis"}
        Round clusters, or clusters that each find their own shape at constant volume.
    focal_sets : {"auto", "full", "pairs", "singletons"} or list of lists of clusters
        Which sets of clusters may carry mass: all, those of at most two clusters and the whole, single clusters
        and the whole, or a given list such as ``[[], [0], [1], [0, 1]]``. "auto" takes all of up to four clusters,
        and for more only pairs of clusters that are neighbours at the start.

    Notes
    -----
    The objective (Eq. 14) is divided by samples times focal sets; the exponent that is printed there can't be meant.
    While `rejection_rate` moves `rho2`, the objectives of two steps are not comparable.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1], [0.55]])
    >>> belief = ECM(n_clusters=2, random_state=0).fit(X).partition_
    >>> belief.set_name(belief.hard_sets()[4])
    '1 or 2'
    """

    uses = frozenset({"sample_weight"})
    descends = True
    parameters = {
        "alpha": real(0),
        "beta": real(1, open_low=True),
        "rho2": real(0, open_low=True, or_none=True),
        "rejection_rate": real(0, 1, open_high=True, or_none=True),
        "metric": choice("euclidean", "mahalanobis"),
        "focal_sets": choice(*KINDS, also=(list, tuple)),
    }

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=5,
        max_iter=100,
        tol=1e-3,
        random_state=None,
        alpha=1.0,
        beta=2.0,
        rho2=None,
        rejection_rate=None,
        metric="euclidean",
        focal_sets="auto",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.alpha = alpha
        self.beta = beta
        self.rho2 = rho2
        self.rejection_rate = rejection_rate
        self.metric = metric
        self.focal_sets = focal_sets

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if self.rho2 is not None and self.rejection_rate is not None:
            raise ValueError("give either rho2 or rejection_rate: the rate sets rho2 by itself")
        if not isinstance(self.focal_sets, str):
            focal = FocalSets.of_list(self.focal_sets, self.n_clusters)
            if self.rejection_rate is not None and not focal.has_empty:
                raise ValueError("rejection_rate needs the empty set, []: add it to focal_sets")

    # ------------------------------------------------------------------ the algorithm

    def start(self, problem: Problem, restart: int = 0) -> ECMState:
        V = self._first_centers(problem, restart)
        geometry = self._geometry(self._focal(V), V)
        return self._state_at(problem, geometry, self._first_rho2(problem, geometry), restart=restart)

    def step(self, problem: Problem, state: ECMState) -> ECMState:
        return self._state_at(
            problem,
            state.following,
            state.following_rho2,
            previous=state,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=center_shift(state.centers, state.following.centers, problem.spread),
        )

    def _state_at(
        self,
        problem: Problem,
        geometry: SetGeometry,
        rho2: float,
        previous: ECMState | None = None,
        **progress,
    ) -> ECMState:
        """The state with this geometry: one pass over the samples gives the objective and the next geometry."""
        linked, linked_masses, link_terms = self._linked(problem, geometry, rho2, previous)
        found = survey(problem, geometry, rho2, self.beta, linked, linked_masses, self.rejection_rate is not None)
        V = geometry.next_centers(found.moments)
        S = geometry.next_metrics(found.moments, V)
        terms = {name: value * self._unit(problem, geometry) for name, value in found.terms.items()} | link_terms
        return ECMState(
            centers=geometry.centers,
            objective=sum(terms.values()),
            terms=terms,
            X=problem.X,
            geometry=geometry,
            rho2=rho2,
            beta=self.beta,
            linked=linked,
            linked_masses=linked_masses,
            following=SetGeometry(geometry.focal, geometry.alpha, V, S),
            following_rho2=rho2 if self.rejection_rate is None else self._rejecting(problem, found.thresholds),
            **progress,
        )

    def _linked(self, problem, geometry, rho2, previous) -> tuple[NDArray, NDArray, dict[str, float]]:
        """Samples whose masses don't follow from the geometry alone, their masses, and what these cost."""
        return NOBODY, np.empty((0, len(geometry.focal))), {}

    def _unit(self, problem: Problem, geometry: SetGeometry) -> float:
        """What a sum over samples and focal sets is multiplied by in the objective (Eq. 14)."""
        return 1 / (problem.weights.sum() * len(geometry.focal))

    # ------------------------------------------------------------------ where it starts

    def _first_centers(self, problem: Problem, restart: int) -> NDArray:
        """Given centres as they are; else k-means for the first start, and its random seeds for the others."""
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        if restart or not isinstance(self.init, str):
            return V
        lloyd = KMeans(self.n_clusters, init=V, n_init=1, random_state=0)
        with warnings.catch_warnings():
            # Fewer distinct samples than clusters: centres that coincide are as good a start as any.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return lloyd.fit(problem.X, sample_weight=problem.sample_weight).cluster_centers_

    def _focal(self, centers: NDArray) -> FocalSets:
        if isinstance(self.focal_sets, str):
            return FocalSets.of_kind(self.focal_sets, self.n_clusters, centers)
        return FocalSets.of_list(self.focal_sets, self.n_clusters)

    def _geometry(self, focal: FocalSets, centers: NDArray) -> SetGeometry:
        """Round clusters around these centres."""
        c, p = centers.shape
        metrics = None if self.metric == "euclidean" else np.broadcast_to(np.eye(p), (c, p, p))
        return SetGeometry(focal, self.alpha, centers, metrics)

    def _first_rho2(self, problem: Problem, geometry: SetGeometry) -> float:
        if self.rejection_rate is None:
            return never_rejecting(problem) if self.rho2 is None else float(self.rho2)
        blocks = sample_blocks(problem.X, geometry)
        thresholds = [half_cost(geometry.costs(geometry.lift(problem.X[rows])), self.beta) for rows in blocks]
        return self._rejecting(problem, np.concatenate(thresholds))

    def _rejecting(self, problem: Problem, thresholds: NDArray) -> float:
        """The cost of the empty set at which it takes more than half of `rejection_rate` of the samples."""
        order = np.argsort(thresholds)
        kept = np.searchsorted(np.cumsum(problem.weights[order]), (1 - self.rejection_rate) * problem.weights.sum())
        return float(max(thresholds[order[min(kept, len(order) - 1)]], np.finfo(float).tiny))

    def believe(self, X: NDArray, state: ECMState) -> Credal:
        focal = state.geometry.focal
        return Credal(masses_of(X, state.geometry, state.rho2, state.beta), focal.sets, focal.n_clusters)


def never_rejecting(problem: Problem) -> float:
    """At least the squared diameter of the data."""

    def compute() -> float:
        mean = problem.weights @ problem.X / problem.weights.sum()
        farthest = max(squared_norms(problem.X[rows] - mean).max() for rows in row_blocks(problem.n_samples))
        return float(4 * farthest) or 1.0

    return problem.derived("squared diameter", compute)
