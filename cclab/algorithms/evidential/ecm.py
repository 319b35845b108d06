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
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cclab.algorithms.evidential.free_masses import Survey, half_cost, masses_of
from cclab.algorithms.evidential.set_geometry import SetGeometry
from cclab.core import CenterSolver, CenterState, Credal, Problem
from cclab.core.parameters import choice, real
from cclab.core.sample_blocks import Block, squared_norms
from cclab.maths.focal_sets import KINDS, MOST_SETS, FocalSets
from cclab.maths.seeding import initial_centers

# Samples that tell where the middle of all is.
MEDIAN_SAMPLES = 501
# Beyond this the cost of large sets leaves the range of numbers.
MOST_ALPHA = 30
NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class ECMState(CenterState):
    """Centres and metrics; the masses follow from them, except those of linked samples.

    Attributes
    ----------
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

    def belief(self, block: Block) -> Credal:
        masses = masses_of(block.X, self.geometry, self.rho2, self.beta)
        linked, here = block.find(self.linked)
        masses[here] = self.linked_masses[linked]
        focal = self.geometry.focal
        return Credal(masses, focal.sets, focal.n_clusters)


@dataclass(eq=False, repr=False, kw_only=True)
class ECM(CenterSolver):
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
        and for more only pairs of clusters that are neighbours at the start. There may be 2,048 sets, which is all
        of up to 11 clusters.

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
    accepts_chunks = True
    # The masses are the best for centres and metrics; for these masses no step of the centres costs more, nor then one
    # of the metrics. (Where `rejection_rate` moves rho2, the objective itself is another at each step.)
    descends = True
    parameters = {
        "alpha": real(0),
        "beta": real(1, open_low=True),
        "rho2": real(0, open_low=True, or_none=True),
        "rejection_rate": real(0, 1, open_high=True, or_none=True),
        "metric": choice("euclidean", "mahalanobis"),
        "focal_sets": choice(*KINDS, also=(list, tuple)),
    }

    n_init: int = 5
    max_iter: int = 100
    tol: float = 1e-3
    alpha: float = 1.0
    beta: float = 2.0
    rho2: float | None = None
    rejection_rate: float | None = None
    metric: str = "euclidean"
    focal_sets: str | Sequence[Sequence[int]] = "auto"

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if self.alpha > MOST_ALPHA:
            raise ValueError(
                f"alpha must be at most {MOST_ALPHA}, got {self.alpha:g}; larger sets get no mass long before"
            )
        if self.rho2 is not None and self.rejection_rate is not None:
            raise ValueError("give either rho2 or rejection_rate: the rate sets rho2 by itself")
        if isinstance(self.focal_sets, str):
            count = FocalSets.count(self.focal_sets, self.n_clusters)
            FocalSets.check_number(count, self.n_clusters, f"focal_sets={self.focal_sets!r}")
        else:
            focal = FocalSets.of_list(self.focal_sets, self.n_clusters)
            if self.rejection_rate is not None and not focal.has_empty:
                raise ValueError("rejection_rate needs the empty set, []: add it to focal_sets")

    def choices(self, name: str) -> tuple[str, ...]:
        """As `Solver.choices`; kinds of focal sets that are too many for so many clusters are left out."""
        offered = super().choices(name)
        if name != "focal_sets":
            return offered
        return tuple(kind for kind in offered if FocalSets.count(kind, self.n_clusters) <= MOST_SETS)

    # ------------------------------------------------------------------ the algorithm

    def start(self, problem: Problem, restart: int = 0) -> ECMState:
        V = self._first_centers(problem, restart)
        geometry = self._geometry(problem, self._focal(V), V)
        return self._state_at(problem, geometry, self._first_rho2(problem, geometry), restart=restart)

    def step(self, problem: Problem, state: ECMState) -> ECMState:
        return self._state_at(
            problem,
            state.following,
            state.following_rho2,
            previous=state,
            **state.progress_to(state.following.centers, problem.spread),
        )

    def _state_at(
        self,
        problem: Problem,
        geometry: SetGeometry,
        rho2: float,
        previous: ECMState | None = None,
        **progress: Any,
    ) -> ECMState:
        """The state with this geometry: one pass over the samples gives the objective and the next geometry."""
        linked, linked_masses, link_terms = self._linked(problem, geometry, rho2, previous)
        rate = self.rejection_rate
        survey = Survey(geometry, rho2, self.beta, linked, linked_masses, keep_thresholds=rate is not None)
        moments, sums, thresholds = survey.over(problem)
        V = geometry.next_centers(moments)
        S = geometry.next_metrics(moments, V)
        terms = {name: value * self._unit(problem, geometry) for name, value in sums.items()} | link_terms
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
            following=geometry.moved(V, S),
            following_rho2=rho2 if rate is None else self._rejecting(problem, rate, thresholds),
            **progress,
        )

    def _linked(
        self, problem: Problem, geometry: SetGeometry, rho2: float, previous: ECMState | None
    ) -> tuple[NDArray, NDArray, dict[str, float]]:
        """Samples whose masses don't follow from the geometry alone, their masses, and what these cost."""
        return NOBODY, np.empty((0, len(geometry.focal))), {}

    def _unit(self, problem: Problem, geometry: SetGeometry) -> float:
        """What a sum over samples and focal sets is multiplied by in the objective (Eq. 14)."""
        return 1 / (problem.total_weight * len(geometry.focal))

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
            X, weight = problem.drawn()
            return lloyd.fit(X, sample_weight=weight).cluster_centers_

    def _focal(self, centers: NDArray) -> FocalSets:
        if isinstance(self.focal_sets, str):
            return FocalSets.of_kind(self.focal_sets, self.n_clusters, centers)
        return FocalSets.of_list(self.focal_sets, self.n_clusters)

    def _geometry(self, problem: Problem, focal: FocalSets, centers: NDArray) -> SetGeometry:
        """Round clusters around these centres."""
        c, p = centers.shape
        metrics = None if self.metric == "euclidean" else np.broadcast_to(np.eye(p), (c, p, p))
        return SetGeometry(focal, self.alpha, centers, metrics, middle(problem))

    def _first_rho2(self, problem: Problem, geometry: SetGeometry) -> float:
        if self.rejection_rate is None:
            return never_rejecting(problem) if self.rho2 is None else float(self.rho2)
        beta = self.beta

        def part(block: Block) -> tuple[list[NDArray]]:
            return ([half_cost(geometry.costs(geometry.lift(block.X)), beta)],)

        (thresholds,) = problem.total(part, geometry.block_rows)
        return self._rejecting(problem, self.rejection_rate, np.concatenate(thresholds))

    def _rejecting(self, problem: Problem, rate: float, thresholds: NDArray) -> float:
        """The cost of the empty set at which it takes more than half of this share of the samples."""
        order = np.argsort(thresholds)
        kept = int(np.searchsorted(np.cumsum(problem.weights[order]), (1 - rate) * problem.total_weight))
        return float(max(thresholds[order[min(kept, len(order) - 1)]], np.finfo(float).tiny))

    def believe(self, X: NDArray, state: ECMState) -> Credal:
        focal = state.geometry.focal
        return Credal(masses_of(X, state.geometry, state.rho2, state.beta), focal.sets, focal.n_clusters)


def middle(problem: Problem) -> NDArray:
    """(p,) the median of each feature over some samples, drawn at even steps of the weight: amid most of it."""

    def compute() -> NDArray:
        steps = (np.arange(MEDIAN_SAMPLES) + 0.5) / MEDIAN_SAMPLES
        passed = np.cumsum(problem.weights)
        rows = np.minimum(np.searchsorted(passed, steps * passed[-1]), problem.n_samples - 1)
        return np.median(problem.X[rows], axis=0).astype(float)

    return problem.derived("middle", compute)


def never_rejecting(problem: Problem) -> float:
    """At least the squared diameter of the data."""

    def compute() -> float:
        (sums,) = problem.total(lambda block: (block.weights @ block.X,))
        mean = sums / problem.total_weight
        (farthest,) = problem.total(lambda block: ([squared_norms(block.X - mean).max()],))
        return float(4 * max(farthest)) or 1.0

    return problem.derived("squared diameter", compute)
