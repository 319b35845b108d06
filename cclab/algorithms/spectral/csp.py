"""Flexible constrained spectral clustering: the smoothest cut that respects links by at least so much [1]_.

Notation
--------
=========  ===================  ==================================================================
paper      here                 meaning
=========  ===================  ==================================================================
A          ``A``                affinities
D          ``degrees``          their sums by rows
L̄          ``L``                normalised Laplacian, ``I - D^(-1/2) A D^(-1/2)``
Q          ``links``            + weight for must-links, - weight for cannot-links
Q̄          ``Q``                ``D^(-1/2) Q D^(-1/2)``
β / vol    ``threshold``        how much links must be respected
λ_K-1      ``values``           eigenvalue of Q̄ that the threshold has to stay below
V*         ``V``                the K - 1 feasible vectors of lowest cost
=========  ===================  ==================================================================

References
----------
.. [1] X. Wang, I. Davidson, Flexible constrained spectral clustering, KDD 2010; for more than two clusters: X. Wang,
   B. Qian, I. Davidson, On constrained spectral clustering and its applications, Data Mining and Knowledge Discovery
   28, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from cclab.algorithms.spectral.embedding import (
    Embedding,
    _EmbeddingSolver,
    affinities,
    inverse_roots,
    lowest_eigenvectors,
)
from cclab.core import Gauge, Problem
from cclab.core.parameters import real

# Makes the Laplacian invertible where samples fall apart into pieces that nothing connects.
RIDGE = 1e-9


@dataclass(eq=False, repr=False, kw_only=True)
class CSP(_EmbeddingSolver):
    """Spectral clustering among the cuts that respect the links by at least so much.

    Parameters
    ----------
    strength : float
        How much links must be respected (β), as a share of what a cut in two that breaks no link respects.

    Notes
    -----
    Of all vectors with ``v' Q v >= threshold`` the smoothest are wanted. They solve ``L v = λ (Q - threshold I) v``
    with λ above 0 (Eq. 7 of the first paper), and the K - 1 of lowest cost ``v' L v`` are kept, each times 1 minus its
    cost. The trivial vector, on which the Laplacian is 0, is taken out first, so that the problem is a definite one.

    The threshold is far below the largest that has enough solutions, the eigenvalue λ_K-1 of Q: near that one the
    vectors are about the few linked samples alone. A vector that has two values and breaks no link respects them by
    twice their number over the volume, and `strength` is a share of that.

    The links may have fewer positive directions than K - 1: then all of these are used, and the remaining vectors are
    those of the plain Laplacian. Without links all are, which is spectral clustering. The first step finds the
    vectors, and from there on it is k-means on them.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> CSP(2, random_state=0).fit(X, must_link=[[0, 2], [3, 5]], cannot_link=[[2, 3]]).labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    # The start has other vectors than all that follows.
    descends = False
    parameters = {"strength": real(0, 1, open_low=True, open_high=True)}
    most_samples = 3000

    strength: float = 0.8

    def first(self, problem: Problem) -> Embedding:
        def plain() -> NDArray:
            L, roots = self._laplacian(problem)
            values, vectors = lowest_eigenvectors(L, self.n_clusters)
            return _some_column(_scaled(vectors[:, 1:], values[1:], roots))

        return Embedding(problem.derived(("plain cuts", self.n_clusters, self.kernel), plain))

    def improved(self, problem: Problem, embedding: Embedding) -> Embedding:
        L, roots = self._laplacian(problem)
        V, cost = self._feasible(problem, L, roots)
        missing = max(self.n_clusters - 1 - V.shape[1], 0)
        rows = _some_column(np.column_stack([_scaled(V, cost, roots), embedding.rows[:, :missing]]))
        names = tuple(f"cut {i + 1}" for i in range(len(cost)))
        told = (Gauge("What the cuts of the links cost", names, tuple(cost.tolist())),) if len(cost) else ()
        return Embedding(rows, settled=True, gauges=told)

    def _laplacian(self, problem: Problem) -> tuple[NDArray, NDArray]:
        """(n, n) the normalised Laplacian, and (n,) one over the roots of the degrees."""
        A = np.array(affinities(problem, self.kernel))
        np.fill_diagonal(A, 0)
        roots = inverse_roots(A.sum(axis=1))
        return np.eye(len(A)) - roots[:, None] * A * roots, roots

    def threshold(self, problem: Problem, roots: NDArray, most: float) -> float:
        """How much links must be respected (β / vol): a share of what a cut in two that breaks none respects."""
        links, volume = problem.constraints, float(np.sum(1 / roots[roots > 0] ** 2))
        return self.strength * min(2 * (links.must.total + links.cannot.total) / volume, most)

    def _feasible(self, problem: Problem, L: NDArray, roots: NDArray) -> tuple[NDArray, NDArray]:
        """(n, r) and (r,) the feasible vectors of lowest cost, of length 1, and what they cost; K - 1 at most."""
        known, n = problem.constraints, problem.n_samples
        Q = np.zeros((n, n))
        for links, sign in ((known.must, 1.0), (known.cannot, -1.0)):
            if links:
                Q += sign * links.expanded().toarray()
        Q *= roots[:, None] * roots
        wanted = min(self.n_clusters - 1, n - 1)
        values = -lowest_eigenvectors(-Q, wanted)[0] if wanted else np.empty(0)
        values = values[values > 1e-12 * max(float(np.abs(Q).max()), 1e-300)]
        if not len(values):
            return np.empty((n, 0)), np.empty(0)
        M = Q - self.threshold(problem, roots, values[-1]) * np.eye(n)
        M = given = M / np.abs(M).max()
        trivial = np.divide(1, roots, out=np.zeros(n), where=roots > 0)
        length = np.linalg.norm(trivial)
        if length > 0:
            trivial /= length
            told = M @ trivial
            if abs(trivial @ told) > 1e-12:
                # Solutions are M-orthogonal to the trivial vector: so is what is left of M.
                M = M - np.outer(told, told) / (trivial @ told)
            L = L + np.outer(trivial, trivial)
        # μ = 1 / λ; those above 0 are the feasible ones.
        μ, V = linalg.eigh(M, L + RIDGE * np.eye(n), subset_by_index=(max(n - 4 * wanted, 0), n - 1))
        V = V[:, μ > 1e-10 * np.abs(μ).max()]
        V = _among_solutions(V, trivial, given)
        cost = np.einsum("ij,ij->j", V, L @ V) - (trivial @ V) ** 2
        cheapest = np.argsort(cost, kind="stable")[:wanted]
        return V[:, cheapest], np.clip(cost[cheapest], 0, 2)


def _among_solutions(V: NDArray, trivial: NDArray, M: NDArray) -> NDArray:
    """The vectors, made M-orthogonal to the trivial one and of length 1."""
    told = M @ trivial
    if abs(trivial @ told) > 1e-12:
        V = V - np.outer(trivial, told @ V) / (trivial @ told)
    return V / np.linalg.norm(V, axis=0)


def _scaled(V: NDArray, cost: NDArray, roots: NDArray) -> NDArray:
    """(n, r) the rows that k-means sees: ``D^(-1/2) V (I - V' L V)``, in units of their spread."""
    rows = roots[:, None] * V * (1 - np.clip(cost, 0, 1))
    return rows / (np.abs(rows).max(initial=0) or 1.0)


def _some_column(rows: NDArray) -> NDArray:
    """The rows, or zeros where nothing is to be cut."""
    return rows if rows.shape[1] else np.zeros((len(rows), 1))
