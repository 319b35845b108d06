"""Pairwise constraint propagation: the smoothest kernel in which linked samples are the same, or orthogonal [1]_.

Notation
--------
=======  ====================  ===============================================================
paper    here                  meaning
=======  ====================  ===============================================================
W        ``affinities``        how alike samples are
L        ``L``                 normalised Laplacian
K        ``F F'``              the kernel that is looked for, kept as rows F of length 1
M        ``unit``              must-links: samples joined by them are one row
C        ``i, j``              cannot-links, between these rows
=======  ====================  ===============================================================

References
----------
.. [1] Z. Li, J. Liu, X. Tang, Pairwise constraint propagation by semidefinite programming for semi-supervised
   classification, ICML 2008.
.. [2] S. Burer, R. D. C. Monteiro, A nonlinear programming algorithm for solving semidefinite programs via low-rank
   factorization, Mathematical Programming 95, 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from cclab.algorithms.spectral.embedding import (
    Embedding,
    _EmbeddingSolver,
    affinities,
    inverse_roots,
    lowest_eigenvectors,
    unit_rows,
)
from cclab.core import ConstraintSet, Gauge, Problem
from cclab.core.parameters import whole
from cclab.maths.constraint_cache import of_constraints

# Of this rank at most: more constraints than its square, halved, are rare, and each column costs.
MOST_COLUMNS = 50
# How many evaluations a step makes at most.
EVALUATIONS = 60
# A cannot-link holds when the two rows have no more than this in common.
HOLDS = 1e-3


@dataclass(frozen=True, eq=False)
class Program:
    """The semidefinite program, written for units of samples that must-links join.

    Attributes
    ----------
    unit : (n,) int array
        The unit of each sample.
    L : (u, u) array
        The Laplacian, added up over the units' samples.
    i, j : (c,) int arrays
        Units that stay apart.
    """

    unit: NDArray
    L: NDArray
    i: NDArray
    j: NDArray

    @classmethod
    def of(cls, known: ConstraintSet, L: NDArray) -> Program:
        """The program for these links and this graph."""
        unit = known.must_components
        u = int(unit.max()) + 1
        members = sparse.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))), shape=(u, len(unit)))
        pairs = sparse.triu(known.cannot.expanded(), 1).tocoo() if known.cannot else sparse.coo_array(L.shape)
        ends = np.sort(np.stack([unit[pairs.row], unit[pairs.col]], axis=1), axis=1)
        # What must-links have joined no cannot-link can part: the program would have no answer.
        ends = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)
        return cls(unit, (members @ (members @ L).T).T, ends[:, 0], ends[:, 1])

    def common(self, F: NDArray) -> NDArray:
        """(c,) what units that stay apart have in common: 0 wherever the link holds."""
        return np.einsum("cr,cr->c", F[self.i], F[self.j])

    def pull(self, prices: NDArray) -> sparse.csr_array:
        """(u, u) the prices of common ground, symmetric, halved."""
        ends = np.concatenate([self.i, self.j]), np.concatenate([self.j, self.i])
        return sparse.csr_array((np.tile(prices / 2, 2), ends), shape=self.L.shape)

    def roughness(self, F: NDArray) -> float:
        """The objective of the paper, ``trace(L K)``."""
        return float(np.vdot(F, self.L @ F))

    def smoothed(self, F: NDArray, prices: NDArray, ρ: float, evaluations: int) -> NDArray:
        """(u, r) rows of length 1 that lower the roughness and what common ground costs."""

        def cost(flat: NDArray) -> tuple[float, NDArray]:
            G = flat.reshape(F.shape)
            lengths = np.linalg.norm(G, axis=1, keepdims=True)
            H = G / lengths
            LH, s = self.L @ H, self.common(H)
            g = 2 * (LH + self.pull(prices + ρ * s) @ H)
            g -= np.einsum("ur,ur->u", g, H)[:, None] * H
            return float(np.vdot(H, LH) + prices @ s + ρ / 2 * s @ s), (g / lengths).ravel()

        options = {"maxfun": evaluations, "maxiter": evaluations, "maxcor": 10, "ftol": 1e-12, "gtol": 1e-8}
        found = minimize(cost, F.ravel(), jac=True, method="L-BFGS-B", options=options)
        return unit_rows(found.x.reshape(F.shape))


@dataclass(eq=False, repr=False, kw_only=True)
class PCP(_EmbeddingSolver):
    """The smoothest kernel in which must-linked samples are the same and cannot-linked ones orthogonal; then k-means.

    Parameters
    ----------
    max_sweeps : int
        How many steps the search for the kernel may take; one mostly needs ten.

    Notes
    -----
    The program of [1]_: the kernel K, positive semi-definite with 1 on its diagonal, that has the least ``trace(L K)``
    under ``K_ij = 1`` for must-links and ``K_ij = 0`` for cannot-links. In place of a solver for semidefinite programs,
    K is kept as ``F F'`` with rows of length 1 [2]_: samples joined by must-links share a row, and an augmented
    Lagrangian, a step of which is a step here, makes the rows of cannot-linked samples orthogonal. With about as many
    columns as the root of twice the number of constraints, local minima are global ones as a rule; the tests certify it
    by the dual of the program. Links hold for certain, so weights play no part.

    Where nothing is kept apart all samples would be the same. Then, and at the start, the coordinates are the lowest
    eigenvectors of the Laplacian between the units. A cannot-link within samples that must-links join is left out.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> PCP(2, random_state=0).fit(X, must_link=[[0, 2], [3, 5]], cannot_link=[[2, 3]]).labels_.tolist()
    [1, 1, 1, 0, 0, 0]
    """

    uses = frozenset({"must", "cannot"})
    # First the Lagrangian, whose prices change, then the inertia of k-means.
    descends = False
    parameters = {"max_sweeps": whole(1)}

    max_sweeps: int = 40

    def first(self, problem: Problem) -> Embedding:
        def plain() -> NDArray:
            return unit_rows(lowest_eigenvectors(self._laplacian(problem), self.n_clusters)[1])

        return Embedding(problem.derived(("plain rows", self.n_clusters, self.kernel), plain))

    def improved(self, problem: Problem, embedding: Embedding) -> Embedding:
        program = self.program(problem)
        if not len(program.i):
            sizes = np.bincount(program.unit)
            roots = 1 / np.sqrt(sizes)
            _, vectors = lowest_eigenvectors(roots[:, None] * program.L * roots, self.n_clusters)
            return Embedding(unit_rows(roots[:, None] * vectors)[program.unit], settled=True)
        if embedding.memory:
            F, prices, (ρ, worst, sweeps) = embedding.memory
        else:
            F, prices = self._begin(program, problem, embedding.rows), np.zeros(len(program.i))
            ρ, worst, sweeps = 1.0, 1.0, 0
        before = program.roughness(F)
        F = program.smoothed(F, prices, ρ, EVALUATIONS)
        s = program.common(F)
        prices, rough, off = prices + ρ * s, program.roughness(F), float(np.abs(s).max())
        if off > worst / 4:
            ρ *= 4
        sweeps += 1
        settled = (off < HOLDS and abs(before - rough) <= 1e-3 * max(rough, 1e-9)) or sweeps >= self.max_sweeps
        return Embedding(
            _turned(F)[program.unit],
            objective=rough + float(prices @ s),
            settled=bool(settled),
            memory=(F, prices, np.array([ρ, max(off, HOLDS), sweeps])),
            gauges=(Gauge("Common ground of samples kept apart", ("largest", "mean"), (off, float(np.abs(s).mean()))),),
        )

    def program(self, problem: Problem) -> Program:
        """The program of a problem; worked out once for as long as knowledge stays the same."""

        def derive(known: ConstraintSet) -> Program:
            return Program.of(known, self._laplacian(problem))

        return of_constraints(problem, f"semidefinite program, {self.kernel}", derive)

    def _laplacian(self, problem: Problem) -> NDArray:
        def make() -> NDArray:
            A = affinities(problem, self.kernel)
            roots = inverse_roots(A.sum(axis=1))
            return np.eye(len(A)) - roots[:, None] * A * roots

        return problem.derived(("normalised laplacian", self.kernel), make)

    def _begin(self, program: Program, problem: Problem, rows: NDArray) -> NDArray:
        """(u, r) the plain coordinates of the units, with room for what links will need."""
        u = len(program.L)
        columns = int(np.ceil(np.sqrt(2 * (u + len(program.i))))) + 1
        r = min(max(columns, self.n_clusters), MOST_COLUMNS, max(u, 2))
        F = 0.3 * np.random.default_rng(problem.seed).normal(size=(u, r)) / np.sqrt(r)
        sums: Any = sparse.csr_array((np.ones(len(rows)), (program.unit, np.arange(len(rows))))) @ rows
        width = min(r, rows.shape[1])
        F[:, :width] += unit_rows(sums)[:, :width]
        return unit_rows(F)


def _turned(F: NDArray) -> NDArray:
    """(u, r) the same inner products, in as few columns as they need."""
    left, sizes, _ = np.linalg.svd(F, full_matrices=False)
    return (left * sizes)[:, sizes > 1e-6 * sizes.max()]
