"""The terms of the possibilistic objective, and the belief that follows from them for given centres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.possibilistic.typicalities import labelled_typicalities, typicalities
from cclab.core import FuzzyPossibilistic, Partition, Possibilistic
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances
from cclab.maths.memberships import fuzzy_memberships


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

    def within(self, block: Block) -> Seeds:
        """Those of a block, by their rows in it."""
        inside, rows = block.find(self.samples)
        return Seeds(rows, self.degrees[inside], self.weight[inside])


def belief(X: NDArray, V: NDArray, settings: Terms, seeds: Seeds, outlier_threshold: float) -> Partition:
    """Typicalities (and memberships, where the algorithm has them) for given centres; `seeds` by their rows in `X`."""
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
