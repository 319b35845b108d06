"""Memberships of quadratic objectives, which links and competition shift by linear terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Problem
from cclab.maths.knowledge import of_constraints
from cclab.maths.simplex import simplex_minimum

# Squared distances are at least this share of the squared spread, so that a sample may lie on a centre.
NEAREST = 1e-12


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
        return of_constraints(problem, "link costs", cls.stated)

    @classmethod
    def stated(cls, known: ConstraintSet) -> Links:
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


class LinkedState(Protocol):
    """A state whose memberships follow from its centres, except those of linked samples."""

    X: NDArray
    linked: NDArray
    linked_memberships: NDArray

    def memberships(self, X: NDArray) -> NDArray: ...


def memberships_at(state: LinkedState, samples: NDArray) -> NDArray:
    """(t, k) the memberships of `samples` (sorted) in a state, which may not have heard of all their links yet."""
    if np.array_equal(samples, state.linked):
        return state.linked_memberships
    U = state.memberships(state.X[samples])
    _, new, old = np.intersect1d(samples, state.linked, return_indices=True)
    U[new] = state.linked_memberships[old]
    return U


@dataclass(frozen=True, eq=False)
class LinkPull:
    """What links add to the costs of the samples that they touch, at some memberships.

    Attributes
    ----------
    samples : (t,) int array
    U : (t, k) array
        Their memberships.
    costs : (t, k) array
        For one unit of sample weight.
    alpha : float
        What a broken link costs.
    links : Links or None
    """

    samples: NDArray
    U: NDArray
    costs: NDArray
    alpha: float = 0.0
    links: Links | None = None

    @classmethod
    def at(cls, problem: Problem, U: NDArray, constraint_weight: float, mean_cost: float) -> LinkPull:
        """At memberships `U` (t, k) of the samples that links touch.

        Broken links cost, all together, `constraint_weight` times what all samples cost at `mean_cost`: alpha = (n /
        number of links) sum u^2 d^2 / sum u^2, after Grira, Crucianu and Boujemaa.
        """
        links = Links.of(problem)
        alpha = constraint_weight * mean_cost * problem.weights.sum() / links.total if links.total else 0.0
        each = np.maximum(problem.weights[links.samples, None], np.finfo(float).tiny)
        return cls(links.samples, U, alpha * links.costs(U) / each, alpha, links)

    def memberships(self, D: NDArray, g: NDArray, rows: slice) -> NDArray:
        """The next memberships of some of the samples, half-way: their partners move too, and both would overshoot.

        Parameters
        ----------
        D : (m, k) array
            Their squared distances.
        g : (k,) array
            What each cluster costs besides.
        rows : slice
            Which of `samples`.
        """
        return (self.U[rows] + quadratic_memberships(D, g + self.costs[rows])) / 2

    def cost(self, U: NDArray) -> float:
        """The part of links in the objective, at memberships `U` (t, k)."""
        return 0.0 if self.links is None else self.alpha * self.links.broken(U)


NO_PULL = LinkPull(np.empty(0, dtype=np.int64), np.empty((0, 0)), np.empty((0, 0)))
