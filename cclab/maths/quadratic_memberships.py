"""Memberships of quadratic objectives, which links and competition shift by linear terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Problem
from cclab.maths.knowledge import of_constraints
from cclab.maths.simplex import simplex_minimum


def quadratic_memberships(D: NDArray, g: NDArray) -> NDArray:
    """For each row, the memberships that minimise ``sum(D * u**2 + g * u)``.

    With a = (1 / D) / sum(1 / D), the memberships of fuzzy c-means, and the mean of g weighted by them, this is
    ``u = a + (mean - g) / (2 D)``; rows where that falls below 0 somewhere are solved on the simplex.

    Parameters
    ----------
    D : (n, k) array
        Squared distances, all above 0.
    g : (n, k) or (k,) array

    Examples
    --------
    >>> quadratic_memberships(np.array([[1.0, 3.0]]), np.array([0.0, 0.0]))
    array([[0.75, 0.25]])
    >>> quadratic_memberships(np.array([[1.0, 3.0]]), np.array([9.0, 0.0]))
    array([[0., 1.]])
    """
    closeness = 1 / D
    total = closeness.sum(axis=1, keepdims=True)
    a = closeness / total
    mean = a @ g if g.ndim == 1 else np.einsum("ik,ik->i", a, g)
    shift = mean[:, None] - g
    shift *= 0.5 * closeness
    a += shift
    outside = np.flatnonzero(a.min(axis=1) < 0)
    if len(outside):
        a[outside] = simplex_minimum(D[outside], np.broadcast_to(g, D.shape)[outside])
    return a


@dataclass(frozen=True, eq=False)
class Links:
    """Must-links and cannot-links as costs of memberships, on the samples that they touch.

    Attributes
    ----------
    known : ConstraintSet
    samples : (t,) int array
        Those that any link touches, sorted.
    total : float
        Weighted number of links.
    """

    known: ConstraintSet
    samples: NDArray
    total: float

    @classmethod
    def of(cls, problem: Problem) -> Links:
        return of_constraints(problem, "link costs", cls._of)

    @classmethod
    def _of(cls, known: ConstraintSet) -> Links:
        return cls(known, np.union1d(known.must.samples, known.cannot.samples), known.must.total + known.cannot.total)

    def costs(self, U: NDArray) -> NDArray:
        """(t, k) how many links each sample breaks in each cluster.

        A must-link costs its partner's membership in the other clusters, a cannot-link that in the same one.

        Parameters
        ----------
        U : (t, k) array
            Memberships of the samples that links touch.
        """
        must, cannot = self.known.must, self.known.cannot
        C = np.zeros_like(U)
        rows = np.searchsorted(self.samples, must.samples)
        C[rows] += must.degree[:, None] - must.apply(U[rows])
        rows = np.searchsorted(self.samples, cannot.samples)
        C[rows] += cannot.apply(U[rows])
        return C

    def broken(self, U: NDArray) -> float:
        """The weighted number of links that memberships `U` (t, k) break."""
        return float(np.vdot(U, self.costs(U)) / 2)

    def between(self, labels: NDArray, n_clusters: int) -> tuple[NDArray, NDArray]:
        """(k, k) the weighted number of must-links, and of cannot-links, between each two clusters.

        Parameters
        ----------
        labels : (t,) int array
        """
        Z = np.eye(n_clusters)[labels]
        counts = []
        for operator in (self.known.must, self.known.cannot):
            ends = Z[np.searchsorted(self.samples, operator.samples)]
            counts.append(ends.T @ operator.apply(ends))
        return counts[0], counts[1]


@dataclass(frozen=True, eq=False)
class LinkPull:
    """What links add to the costs of the samples that they touch, at some memberships.

    Attributes
    ----------
    samples : (t,) int array
    costs : (t, k) array
        For one unit of sample weight.
    weight : float
        What a broken link costs.
    links : Links or None
    """

    samples: NDArray
    costs: NDArray
    weight: float = 0.0
    links: Links | None = None

    @classmethod
    def at(cls, problem: Problem, U: NDArray, weight: float) -> LinkPull:
        """At memberships `U` (t, k) of the samples that links touch."""
        links = Links.of(problem)
        each = np.maximum(problem.weights[links.samples, None], np.finfo(float).tiny)
        return cls(links.samples, weight * links.costs(U) / each, weight, links)

    def cost(self, U: NDArray) -> float:
        """The part of links in the objective, at memberships `U` (t, k)."""
        return 0.0 if self.links is None else self.weight * self.links.broken(U)


NO_PULL = LinkPull(np.empty(0, dtype=np.int64), np.empty((0, 0)))
