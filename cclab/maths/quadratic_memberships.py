"""Memberships of quadratic objectives, which links and competition shift by linear terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from cclab.core import ConstraintSet, Problem
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.simplex import EXACT, simplex_minimum

# Squared distances are at least this share of the squared spread, so that a sample may lie on a centre.
NEAREST = 1e-12
# A share of all weight so small that it counts for nothing, and yet can be divided by.
WEIGHTLESS = 1e-50
# Linked samples rest when none of their memberships changes by more than this in a step.
RESTING = 0.01


def quadratic_memberships(D: NDArray, g: NDArray) -> NDArray:
    """For each row, the memberships that minimise ``sum(D * u**2 + g * u)``.

    With a = (1 / D) / sum(1 / D), the memberships of fuzzy c-means, and the mean of g weighted by them, this is
    ``u = a + (mean - g) / (2 D)``; rows where that falls below 0 somewhere, or where the differences are lost in
    rounding, are solved on the simplex.

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
    if not g.any():
        return a
    mean = a @ g if g.ndim == 1 else np.einsum("ik,ik->i", a, g)
    shift = mean[:, None] - g
    shift *= 0.5 * closeness
    a += shift
    exact = np.abs(a @ np.ones(a.shape[1]) - 1) <= EXACT
    outside = np.flatnonzero(~(exact & (a.min(axis=1) >= 0)))
    if len(outside):
        a[outside] = simplex_minimum(D[outside], np.broadcast_to(g, D.shape)[outside])
    return a


@dataclass(frozen=True, eq=False)
class LinkCosts:
    """Must-links and cannot-links as costs of memberships, on the samples that they touch.

    Attributes
    ----------
    known : ConstraintSet
    samples : (t,) int array
        Those that any link touches, sorted.
    total : float
        Weighted number of links.
    piece : (t,) int array
        Which piece of the graph of links each sample is in: no link joins two of them.
    """

    known: ConstraintSet
    samples: NDArray
    total: float
    piece: NDArray

    @classmethod
    def of(cls, problem: Problem) -> LinkCosts:
        """The links of a problem, made once for each set of constraints."""
        return of_constraints(problem, "link costs", cls.stated)

    @classmethod
    def stated(cls, known: ConstraintSet) -> LinkCosts:
        """The links of a set of constraints."""
        samples = np.union1d(known.must.samples, known.cannot.samples)
        return cls(known, samples, known.must.total + known.cannot.total, _pieces(known)[samples])

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

    def shares(self, counts: NDArray | float) -> NDArray:
        """Numbers of links as shares of all: these don't depend on how little all links are weighted."""
        return np.divide(counts, self.total) if self.total else np.zeros_like(counts)

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


def _pieces(known: ConstraintSet) -> NDArray:
    """(n,) the connected component of each sample in the graph of links, whose groups and separations are nodes too."""
    n, pairs, blocks, apart = known.n_samples, known.pairs, known.blocks, known.separations
    ends = (
        np.concatenate([pairs.i, blocks.items, n + apart.a]),
        np.concatenate([pairs.j, n + blocks.row_of_entry, n + apart.b]),
    )
    graph = sparse.coo_array((np.ones(len(ends[0])), ends), shape=(n + len(blocks),) * 2)
    return csgraph.connected_components(graph, directed=False)[1][:n]


class LinkedState(Protocol):
    """A state whose memberships follow from its centres, except those of linked samples."""

    @property
    def X(self) -> NDArray:
        """(n, p) the samples."""
        ...

    @property
    def linked(self) -> NDArray:
        """(t,) the samples that links touch."""
        ...

    @property
    def linked_memberships(self) -> NDArray:
        """(t, k) the memberships of those."""
        ...

    def memberships(self, X: NDArray) -> NDArray:
        """(m, k) the memberships of any samples."""
        ...


def memberships_at(state: LinkedState, samples: NDArray) -> NDArray:
    """(t, k) the memberships of `samples` (sorted) in a state, which may not have heard of all their links yet."""
    if np.array_equal(samples, state.linked):
        return state.linked_memberships
    U = state.memberships(state.X[samples])
    _, new, old = np.intersect1d(samples, state.linked, return_indices=True)
    U[new] = state.linked_memberships[old]
    return U


def links_rest(previous: LinkedState, state: LinkedState) -> bool:
    """Whether links are neither new nor still being weighed: else the centres are about to follow."""
    if not np.array_equal(previous.linked, state.linked):
        return False
    return bool(np.abs(state.linked_memberships - previous.linked_memberships).max(initial=0) <= RESTING)


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
    weights : (t, 1) array
        How many samples each stands for.
    stake : float
        What all links together cost when all are broken.
    links : LinkCosts or None
    """

    samples: NDArray
    U: NDArray
    costs: NDArray
    weights: NDArray
    stake: float = 0.0
    links: LinkCosts | None = None

    @classmethod
    def at(cls, problem: Problem, U: NDArray, constraint_weight: float, mean_cost: float) -> LinkPull:
        """At memberships `U` (t, k) of the samples that links touch.

        Broken links cost, all together, `constraint_weight` times what all samples cost at `mean_cost`: each costs
        alpha = (n / number of links) sum u^2 d^2 / sum u^2, after Grira, Crucianu and Boujemaa.
        """
        links = LinkCosts.of(problem)
        stake = constraint_weight * mean_cost * problem.total_weight
        # A sample of no weight has nothing to lose by its links.
        each = np.maximum(problem.weights[links.samples, None], WEIGHTLESS * problem.total_weight)
        return cls(links.samples, U, stake * links.shares(links.costs(U)) / each, each, stake, links)

    def half_way(self, D: NDArray, g: NDArray) -> NDArray:
        """The memberships half-way to what would be best for each sample: enough where links are weak.

        Parameters as for `lowest`.
        """
        return np.empty_like(D) if self.links is None else (self.U + quadratic_memberships(D, g + self.costs)) / 2

    def lowest(self, D: NDArray, g: NDArray) -> NDArray:
        """The memberships at the lowest point on the way to what would be best for each sample.

        The partners of a sample move too, and all the way both would overshoot; half-way, where links weigh more than
        distances, they may change places for ever. On the way the costs of each piece of the graph of links are a
        parabola: its samples go to the lowest point of it.

        Parameters
        ----------
        D : (t, k) array
            Their squared distances.
        g : (k,) array
            What each cluster costs besides.
        """
        if self.links is None:
            return np.empty_like(D)
        way = quadratic_memberships(D, g + self.costs) - self.U
        falls = self.weights * (2 * D * self.U + g + self.costs) * way
        bends = (self.weights * D * way + 0.5 * self.stake * self.links.shares(self.links.costs(way))) * way
        fall, bend = (np.bincount(self.links.piece, values.sum(axis=1)) for values in (falls, bends))
        # Where it bends down, or hardly up, it is lowest at the end.
        step = np.divide(-fall, 2 * bend, out=np.ones(len(fall)), where=(bend > 0) & (-fall < 2 * bend))
        return self.U + np.maximum(step, 0)[self.links.piece, None] * way

    def cost(self, U: NDArray) -> float:
        """The part of links in the objective, at memberships `U` (t, k)."""
        return 0.0 if self.links is None else self.stake * float(self.links.shares(self.links.broken(U)))


NO_PULL = LinkPull(np.empty(0, dtype=np.int64), np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 1)))
