"""Constrained k-means with priorities: links are satisfied in order, and none can make it fail [1]_.

Notation
--------
=================  ===============  =======================================================================
paper              here             meaning
=================  ===============  =======================================================================
C_1, ..., C_k      ``V``            cluster centres
Con*_all           ``links``        links; their weights are the priorities
d_i, d_j           ``links.i, j``   the two samples of a link
dist(d, c)         ``d``            squared distances, in the space of the kernel
=================  ===============  =======================================================================

References
----------
.. [1] M. Okabe, S. Yamada, Clustering using boosted constrained k-means algorithm, Frontiers in Robotics and AI 5:18,
   2018.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import kmeans_plusplus

from cclab.algorithms.kmeans.link_forest import Forest
from cclab.core import Gauge, Hard, Problem, State, WeightedSolver, center_shift
from cclab.core.parameters import Seed, choice
from cclab.core.sample_blocks import squared_norms
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.feature_space import KERNELS, check_kernel, features
from cclab.maths.link_table import LinkTable
from cclab.maths.lloyd import cluster_means

TENTHS = tuple(f"{low}-{low + 10} %" for low in range(0, 100, 10))


@dataclass(frozen=True, eq=False, kw_only=True)
class CKMState(State):
    """Clusters, their means, and the order in which the links had their say.

    Attributes
    ----------
    labels : (n,) int array
    means : (k, r) array
        Of the clusters, in the space of the kernel; `centers` are the same where that is the space of the samples.
    n_clusters : int
    forest : Forest
        The links that do work in this order (the same object in all states of a run).
    order : (s,) int array
        The links by falling priority.
    satisfied_by_priority : tuple of float
        The share of links that hold in each tenth of that order.
    """

    labels: NDArray = field(repr=False)
    means: NDArray = field(repr=False)
    n_clusters: int
    forest: Forest = field(repr=False)
    order: NDArray = field(repr=False)
    satisfied_by_priority: tuple[float, ...] = field(repr=False)

    def _partition(self) -> Hard:
        return Hard(self.labels, self.n_clusters)

    def gauges(self) -> tuple[Gauge, ...]:
        return (satisfaction_gauge(self.satisfied_by_priority),) if len(self.order) else ()


@dataclass(eq=False, repr=False, kw_only=True)
class _KernelKMeans(WeightedSolver):
    """What constrained k-means and its ensembles share: the space of the kernel, and the table of links."""

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    accepts_sparse = True
    parameters = {"kernel": choice(*KERNELS)}

    n_clusters: int = field(default=3, kw_only=False)
    init: str | ArrayLike = "k-means++"
    n_init: int = 1
    random_state: Seed = None
    kernel: str = "linear"

    def check(self, problem: Problem) -> None:
        super().check(problem)
        check_kernel(problem, self.kernel)
        if self.kernel != "linear" and not isinstance(self.init, str):
            raise ValueError(f"centres can be given for kernel='linear' only, not for {self.kernel!r}")

    def _links(self, problem: Problem) -> LinkTable:
        return of_constraints(problem, "link table", LinkTable.of)

    def _first_centers(self, problem: Problem, rng: np.random.Generator) -> NDArray:
        """(k, r) the given centres, or k-means++ ones: of the original kind, since an ensemble gains by variety."""
        if not isinstance(self.init, str):
            return np.asarray(self.init, dtype=float)
        F = features(problem, self.kernel)
        seed = int(rng.integers(np.iinfo(np.int32).max))
        V, _ = kmeans_plusplus(
            F, self.n_clusters, sample_weight=problem.sample_weight, random_state=seed, n_local_trials=1
        )
        return np.asarray(V.toarray() if hasattr(V, "toarray") else V, dtype=float)

    def _sweep(self, problem: Problem, forest: Forest, V: NDArray) -> tuple[NDArray, NDArray, float]:
        """Steps 3-39 of Algorithm 2: the labels that centres `V` give, their means, and the sum of squares."""
        F, w = features(problem, self.kernel), problem.weights
        norms = problem.derived(("squared norms", self.kernel), lambda: squared_norms(F))
        labels = forest.assign(squared_distances(F, V, norms))
        V = cluster_means(F, labels, w, V)
        sizes = np.bincount(labels, w, minlength=len(V))
        return labels, V, max(float(w @ norms - sizes @ squared_norms(V)), 0.0)

    def _among_samples(self, V: NDArray) -> NDArray | None:
        """`V` as centres to be shown among the samples: those of another space have no place there."""
        return V if self.kernel == "linear" else None


@dataclass(eq=False, repr=False, kw_only=True)
class CKM(_KernelKMeans):
    """K-means that satisfies links in the order of their weights, as far as it can.

    Parameters
    ----------
    kernel : {"linear", "local-scaling", "precomputed"}
        In which space the distances are taken: that of the samples, that of a Gaussian kernel with the distance to
        the 7th neighbour as each sample's width, or that of a kernel matrix given as X.

    Notes
    -----
    The two links that come first always hold (if they can); the later a link comes, the likelier it is
    that its samples were assigned before. Links of the same weight come in random order, drawn anew for
    each restart. The draw is about their places, so the result depends on the order in which they were stated; where
    all weights differ it does not.

    The order of the links does not change during a run, so the links that do work are found once
    (`link_forest.Forest`) and a sweep costs no more than one of k-means, however many links there are.

    Printed, the sweeps go on until the clusters stay the same, but they may circle for ever. Here a sweep that does not
    lower the objective (the sum of squared distances to the means of the clusters) is dropped and ends the run.

    A group of more than 50 samples counts as one link for each member, to a member drawn at random; a
    separation of more than 1,225 pairs likewise.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> labels = CKM(2, random_state=0).fit(X, cannot_link=[[0, 1]]).labels_
    >>> labels[0] == labels[1]
    np.False_
    """

    # A sweep that does not lower the objective is dropped.
    descends = True
    ancestor = "SeededKMeans"

    max_iter: int = 300

    def start(self, problem: Problem, restart: int = 0) -> CKMState:
        rng = problem.rng(restart, 0)
        V = self._first_centers(problem, rng)
        return self._state_after(problem, V, *self._ordered(problem, rng), restart=restart)

    def step(self, problem: Problem, state: CKMState) -> CKMState:
        after = self._state_after(
            problem,
            state.means,
            state.order,
            state.forest,
            restart=state.restart,
            iteration=state.iteration + 1,
        )
        if after.objective < state.objective:
            return after
        return replace(state, iteration=state.iteration + 1, shift=0.0)

    def converged(self, previous: CKMState, state: CKMState) -> bool:
        return state.objective >= previous.objective

    def rebase(self, old_problem: Problem, new_problem: Problem, state: CKMState) -> CKMState:
        """From the same means, with the new links in an order of their own."""
        ordered = self._ordered(new_problem, new_problem.rng(state.restart, state.iteration))
        return self._state_after(new_problem, state.means, *ordered, restart=state.restart, iteration=state.iteration)

    def _ordered(self, problem: Problem, rng: np.random.Generator) -> tuple[NDArray, Forest]:
        links = self._links(problem)
        order = by_priority(links.weight, rng)
        return order, grown(links, order, problem.n_samples, rng)

    def _state_after(
        self, problem: Problem, means: NDArray, order: NDArray, forest: Forest, **progress: Any
    ) -> CKMState:
        """The state after a sweep from `means`."""
        labels, V, objective = self._sweep(problem, forest, means)
        return CKMState(
            centers=self._among_samples(V),
            shift=center_shift(means, V, problem.spread),
            labels=labels,
            means=V,
            n_clusters=self.n_clusters,
            objective=objective,
            forest=forest,
            order=order,
            satisfied_by_priority=by_tenths(self._links(problem).agreement(labels)[order]),
            **progress,
        )

    def believe(self, X: NDArray, state: CKMState) -> Hard:
        if self.kernel != "linear":
            raise ValueError(f"new samples have no place in the space of kernel={self.kernel!r}; use 'linear'")
        return Hard(squared_distances(X, state.means).argmin(axis=1), self.n_clusters)


def by_priority(priority: NDArray, rng: np.random.Generator) -> NDArray:
    """(s,) the links by falling priority, ties in random order."""
    shuffled = rng.permutation(len(priority))
    return shuffled[np.argsort(-priority[shuffled], kind="stable")]


def grown(links: LinkTable, order: NDArray, n_samples: int, rng: np.random.Generator) -> Forest:
    """The forest of `links` in this order."""
    return Forest.grow(links.i[order], links.partners(rng)[order], links.must[order], n_samples)


def by_tenths(agreement: NDArray) -> tuple[float, ...]:
    """The mean of each tenth of the links, 1 where a tenth is empty."""
    return tuple(float(part.mean()) if len(part) else 1.0 for part in np.array_split(agreement, len(TENTHS)))


def satisfaction_gauge(satisfied_by_priority: tuple[float, ...]) -> Gauge:
    """How many links hold, from those with the highest priority to those with the lowest."""
    return Gauge("Links satisfied, by priority", TENTHS, satisfied_by_priority)
