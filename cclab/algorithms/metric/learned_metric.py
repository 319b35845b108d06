"""What solvers that learn a metric share: first the metric, a step at a time, then k-means by it.

Distances are ``d(x, y)^2 = (x - y)' M (x - y)`` with one symmetric, positive semi-definite ``M`` for all samples.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import kmeans_plusplus
from sklearn.utils.validation import check_is_fitted, validate_data

from cclab.core import CenterSolver, ConstraintSet, Gauge, Hard, LinkOperator, Problem, center_shift
from cclab.core.arrays import readonly
from cclab.core.parameters import real
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import LloydState, cluster_means, inertia

# A metric has p x p entries, and its eigenvectors are wanted at each step.
MOST_FEATURES = 2000
# A matrix of scatters stays invertible, whatever the ridge.
LEAST_RIDGE = 1e-12
# Shares of more features than this are no longer a picture.
MOST_SHOWN = 40


@dataclass(frozen=True, eq=False)
class Learning:
    """Where the learning of a metric stands.

    Attributes
    ----------
    metric : (p, p) array
        In the units of `scaled_samples`.
    objective : float
        What the learning lowers.
    settled : bool
        Whether it has ended.
    sweeps : int
        How many steps it has made.
    memory : tuple of arrays
        What else the algorithm goes on with.
    """

    metric: NDArray = field(repr=False)
    objective: float
    settled: bool = False
    sweeps: int = 0
    memory: tuple[NDArray, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", readonly(self.metric))
        object.__setattr__(self, "memory", tuple(readonly(part) for part in self.memory))


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricState(LloydState):
    """A metric on its way, or learned, and clusters by it.

    Attributes
    ----------
    learning : Learning
    metric : (p, p) array
        ``M``, in the units of the data.
    shares : (p,) array
        The part of each feature in the squared distances of the samples from their mean.
    """

    learning: Learning = field(repr=False)
    metric: NDArray = field(repr=False)
    shares: NDArray = field(repr=False)

    def gauges(self) -> tuple[Gauge, ...]:
        if len(self.shares) > MOST_SHOWN:
            return ()
        names = tuple(f"feature {j}" for j in range(1, len(self.shares) + 1))
        return (Gauge("What each feature counts in the metric", names, tuple(self.shares.tolist())),)


@dataclass(eq=False, repr=False, kw_only=True)
class _MetricSolver(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CenterSolver):
    """A metric learned from links, then k-means by it: a transformer and a clusterer.

    Parameters
    ----------
    max_iter : int
        Stop after so many steps at the latest, those of the metric included.
    metric_tol : float
        When the metric is learned: it changes less than this, in the terms of the algorithm.
    ridge : float
        Added to what links say in all directions, as a share of the variance of each feature: directions that no link
        speaks of stay finite.

    Attributes
    ----------
    metric_ : (n_features, n_features) array
        The learned metric, in the units of the data.

    Notes
    -----
    Without links the metric is the Euclidean one. A metric depends on nothing drawn, so of several starts (`n_init`)
    only the first is seen learning it; the others begin where it has ended. The objective is that of the metric until
    it is learned, and from then on the sum of squared distances to the centres by it.
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    ancestor = "SeededKMeans"
    parameters = {"metric_tol": real(0, open_low=True), "ridge": real(0)}
    # Steps of the metric at most; some solvers have a parameter of this name.
    max_sweeps = 100

    n_init: int = 10

    # ------------------------------------------------------------------ what an algorithm gives

    @abstractmethod
    def improved(self, problem: Problem, learning: Learning) -> Learning:
        """One step of the learning."""

    def first(self, problem: Problem) -> Learning:
        """Where the learning begins: at the Euclidean metric."""
        return Learning(np.eye(problem.n_features), 0.0)

    def unit(self, problem: Problem) -> float:
        """What the metric of `scaled_samples` is multiplied with to be that of the data."""
        return 1.0

    # ------------------------------------------------------------------ the metric

    def learned(self, problem: Problem) -> Learning:
        """The end of the learning, without clusters. Pure; worked out once for as long as knowledge stays the same."""
        problem = self.adapt(problem)

        def learn(_: ConstraintSet) -> Learning:
            learning = self._begun(problem)
            while not learning.settled:
                learning = self._advanced(problem, learning)
            return learning

        settings = {name: value for name, value in self.get_params().items() if name not in ("init", "random_state")}
        return of_constraints(problem, f"metric {type(self).__name__} {settings}", learn)

    def _begun(self, problem: Problem) -> Learning:
        known = problem.constraints
        links = ("must" in self.uses and known.must) or ("cannot" in self.uses and known.cannot)
        flat = not scaled_samples(problem).any()
        return replace(self.first(problem), settled=not links or flat)

    def _advanced(self, problem: Problem, learning: Learning) -> Learning:
        after, sweeps = self.improved(problem, learning), learning.sweeps + 1
        return replace(after, sweeps=sweeps, settled=after.settled or sweeps >= self.max_sweeps)

    # ------------------------------------------------------------------ the solver

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if problem.n_features > MOST_FEATURES:
            raise ValueError(
                f"{type(self).__name__} learns a {problem.n_features} x {problem.n_features} metric; above "
                f"{MOST_FEATURES} features project the samples first, by sklearn.decomposition.PCA say"
            )

    def start(self, problem: Problem, restart: int = 0) -> MetricState:
        learning = self.learned(problem) if restart else self._begun(problem)
        return self._state_at(problem, learning, self._first_centers(problem, learning, restart), restart=restart)

    def step(self, problem: Problem, state: MetricState) -> MetricState:
        progress = {"restart": state.restart, "iteration": state.iteration + 1}
        if state.learning.settled:
            V = cluster_means(problem.X, state.labels, problem.weights, state.centers)
            shift = center_shift(state.centers, V, problem.spread)
            return self._state_at(problem, state.learning, V, shift=shift, **progress)
        learning, V = self._advanced(problem, state.learning), state.centers
        notes: tuple[str, ...] = ()
        if learning.settled:
            V = self._first_centers(problem, learning, state.restart)
            steps = "one step" if learning.sweeps == 1 else f"{learning.sweeps} steps"
            notes = (f"the metric is learned, in {steps}: from here on k-means by it",)
        return self._state_at(problem, learning, V, notes=notes, **progress)

    def converged(self, previous: MetricState, state: MetricState) -> bool:
        return state.learning.settled and state.shift <= self.tol

    def rebase(self, old_problem: Problem, new_problem: Problem, state: MetricState) -> MetricState:
        """The same centres, by the Euclidean metric; what is known now is learned from the beginning."""
        progress = {"restart": state.restart, "iteration": state.iteration}
        return self._state_at(new_problem, self._begun(new_problem), state.centers, **progress)

    def believe(self, X: NDArray, state: MetricState) -> Hard:
        root = metric_root(state.metric)
        return Hard(squared_distances(X @ root, state.centers @ root).argmin(axis=1), len(state.centers))

    def transform(self, X: NDArray) -> NDArray:
        """(n, p) samples whose Euclidean distances are those of the learned metric."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return (X @ metric_root(self.metric_)).astype(X.dtype)

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_

    def _keep(self, problem: Problem, state: MetricState) -> None:
        super()._keep(problem, state)
        self.metric_ = np.array(state.metric)

    def _state_at(self, problem: Problem, learning: Learning, V: NDArray, **progress: Any) -> MetricState:
        M = learning.metric * (self.unit(problem) if learning.sweeps else 1.0)
        root = metric_root(M)
        d = squared_distances(problem.X @ root, V @ root)
        labels = d.argmin(axis=1)
        within = inertia(d, labels, problem.weights)
        return MetricState(
            centers=V,
            labels=labels,
            learning=learning,
            metric=M,
            shares=feature_shares(problem, learning.metric),
            objective=within if learning.settled else learning.objective,
            terms={"metric": learning.objective, "inertia": within},
            **progress,
        )

    def _first_centers(self, problem: Problem, learning: Learning, restart: int) -> NDArray:
        """(k, p) the given centres, or samples drawn by k-means++ in the metric."""
        if not isinstance(self.init, str):
            return np.asarray(self.init, dtype=float)
        seed = int(problem.rng(restart, 0).integers(np.iinfo(np.int32).max))
        seen = problem.X @ metric_root(learning.metric)
        _, drawn = kmeans_plusplus(seen, self.n_clusters, sample_weight=problem.sample_weight, random_state=seed)
        return np.asarray(problem.X[drawn], dtype=float)


# ---------------------------------------------------------------------- pieces of metrics


def scaled_samples(problem: Problem) -> NDArray:
    """(n, p) the samples about their mean, over their spread: no square leaves the range of numbers."""

    def scale() -> NDArray:
        w = problem.weights / problem.weights.sum()
        X = np.asarray(problem.X, dtype=float)
        return readonly((X - w @ X) / problem.spread)

    return problem.derived("metric: scaled samples", scale)


def metric_root(M: NDArray) -> NDArray:
    """(p, p) the symmetric matrix whose square is `M`: samples times it are samples in the metric."""
    if np.array_equal(M, np.eye(len(M))):
        return np.eye(len(M))
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def link_scatter(links: LinkOperator, Z: NDArray) -> NDArray:
    """(p, p) the mean over all links of ``(z_i - z_j) (z_i - z_j)'``: no group is ever expanded to pairs."""
    linked = Z[links.samples]
    weight = links.degree / links.total
    S = linked.T @ (weight[:, None] * linked - links.apply(linked) / links.total)
    return (S + S.T) / 2


def ridged(S: NDArray, ridge: float, problem: Problem) -> NDArray:
    """`S`, made invertible: in the units of each feature's deviation, so that no unit of measurement matters."""
    Z, w = scaled_samples(problem), problem.weights / problem.weights.sum()
    deviation = np.sqrt(w @ Z**2)
    deviation[deviation <= 1e-12 * deviation.max()] = 1.0
    units = np.outer(deviation, deviation)
    values, vectors = np.linalg.eigh(S / units)
    # The second is for samples of so great a weight that the others hardly vary beside it.
    kept = np.maximum(values, 0) + max(ridge, LEAST_RIDGE, 1e-13 * values[-1])
    return (vectors * kept) @ vectors.T * units


def feature_shares(problem: Problem, M: NDArray) -> NDArray:
    """(p,) the part of each feature in the squared distances from the mean, those of two features left out."""
    Z, w = scaled_samples(problem), problem.weights / problem.weights.sum()
    parts = np.diagonal(M) * (w @ Z**2)
    total = parts.sum()
    return parts / total if total > 0 else np.full(len(parts), 1 / len(parts))
