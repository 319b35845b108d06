"""What a step of possibilistic clustering leaves behind, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cclab.core import FuzzyPossibilistic, Partition, Possibilistic, State
from cclab.maths.distances import squared_distances
from cclab.maths.memberships import fuzzy_memberships
from cclab.maths.typicalities import labelled_typicalities, typicalities


@dataclass(frozen=True, eq=False)
class Terms:
    """Which terms of the objective there are, and how much each counts.

    `metrics` is None for the Euclidean distance; `stiffness` is how much clusters resist being stretched.
    """

    a: float
    b: float
    fuzzifier: float
    typicality_exponent: float
    gamma: NDArray
    repulsion: NDArray
    metrics: NDArray | None = None
    stiffness: float = 0.0


@dataclass(frozen=True, eq=False)
class Seeds:
    """The labelled samples in rising order, what is stated of each cluster (F), and how much it counts."""

    samples: NDArray
    degrees: NDArray
    weight: NDArray

    def within(self, rows: slice) -> slice:
        """Which of the labelled samples lie in these rows."""
        first, last = np.searchsorted(self.samples, [rows.start, rows.stop])
        return slice(int(first), int(last))


@dataclass(frozen=True, eq=False, kw_only=True)
class PossibilisticState(State):
    """Centres; memberships and typicalities follow from them.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    gamma : (k,) array
    repulsion : (k,) array
    metrics : (k, p, p) array or None
        None for the Euclidean distance.
    means : (k, p) array
        Weighted means of the samples: where centres without repulsion go next.
    totals : (k,) array
        Their weights.
    scatters : (k, p, p) array or None
        Weighted scatter about `means`, for the metrics' step.
    """

    X: NDArray = field(repr=False)
    settings: Terms = field(repr=False)
    seeds: Seeds = field(repr=False)
    outlier_threshold: float
    means: NDArray = field(repr=False)
    totals: NDArray = field(repr=False)
    scatters: NDArray | None = field(default=None, repr=False)

    @property
    def gamma(self) -> NDArray:
        return self.settings.gamma

    @property
    def repulsion(self) -> NDArray:
        return self.settings.repulsion

    @property
    def metrics(self) -> NDArray | None:
        return self.settings.metrics

    def _partition(self) -> Partition:
        return belief(self.X, self.centers, self.settings, self.seeds, self.outlier_threshold)


def belief(X: NDArray, V: NDArray, settings: Terms, seeds: Seeds, outlier_threshold: float) -> Partition:
    """Typicalities (and memberships, where the algorithm has them) for given centres."""
    d = distances(X, V, None, settings.metrics)
    T = typicalities(settings.b * d, settings.gamma, settings.typicality_exponent)
    s = seeds.samples
    if len(s):
        T[s] = labelled_typicalities(d[s], settings.gamma, settings.b, seeds.weight, seeds.degrees)
    if not settings.a:
        return Possibilistic(T, outlier_threshold)
    # Labels are decided by typicality: the memberships don't hear what is stated.
    return FuzzyPossibilistic(fuzzy_memberships(d, settings.fuzzifier), T, "typicality", outlier_threshold)


def distances(X: NDArray, V: NDArray, norms: NDArray | None, metrics: NDArray | None) -> NDArray:
    """(n, k) squared distances, each cluster by its own metric where there are any."""
    if metrics is None:
        return squared_distances(X, V, norms)
    off = X[:, None, :] - V
    return np.einsum("ikp,kpq,ikq->ik", off, metrics, off, optimize=True)
