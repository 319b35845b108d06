"""Samples and sets of clusters: distances, and where centres and metrics go next.

A set of clusters stands at the mean of its clusters' centres and measures by the mean of their metrics. Its squared
distance from a sample is linear in the *lifted* sample ``(1, x, x x')``, or ``(1, x, |x|^2)`` for the Euclidean
metric. So one matrix product gives all distances of a block of samples, and one more adds up all the moments that
the next centres and metrics need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve

from cclab.core.arrays import readonly
from cclab.core.sample_blocks import row_blocks
from cclab.maths.distances import CANCELLED
from cclab.maths.focal_sets import FocalSets
from cclab.maths.metrics import better_metrics

# Numbers in a block of lifted samples: it stays in the processor's cache.
BLOCK_NUMBERS = 1 << 16
# Of the largest eigenvalue: moves the centres only where the samples don't say where they belong.
RIDGE = 1e-13


@dataclass(frozen=True, eq=False)
class SetGeometry:
    """Where the non-empty focal sets are, and how they measure.

    Attributes
    ----------
    focal : FocalSets
        Below, f counts the non-empty ones.
    alpha : float
        The cost of a set of clusters grows with the number of clusters to this power.
    centers : (c, p) array
    metrics : (c, p, p) array or None
        None for Euclidean.
    origin : (p,) array
        Where lifted samples are measured from, best where most of them are: far from it digits are lost. Default: 0,
        from which version 0.1.0 measured.
    """

    focal: FocalSets
    alpha: float
    centers: NDArray
    metrics: NDArray | None
    origin: NDArray = None  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        object.__setattr__(self, "centers", readonly(self.centers, float))
        if self.origin is None:
            object.__setattr__(self, "origin", np.zeros(self.centers.shape[1]))
        if self.metrics is not None:
            object.__setattr__(self, "metrics", readonly(self.metrics, float))

    def moved(self, centers: NDArray, metrics: NDArray | None) -> SetGeometry:
        """The same sets around other centres."""
        return SetGeometry(self.focal, self.alpha, centers, metrics, self.origin)

    def __getstate__(self) -> dict:
        return {name: self.__dict__[name] for name in ("focal", "alpha", "centers", "metrics", "origin")}

    # ------------------------------------------------------------------ sets

    @cached_property
    def members(self) -> NDArray:
        """(f, c) 1 where a set holds a cluster (s_lj)."""
        return self.focal.members[self.focal.sizes > 0].astype(float)

    @cached_property
    def sizes(self) -> NDArray:
        """(f,) how many clusters each focal set has."""
        return self.members.sum(axis=1)

    def barycenters(self, centers: NDArray) -> NDArray:
        """(f, p) of the sets, from the origin (Eq. 11)."""
        return self.members @ (centers - self.origin) / self.sizes[:, None]

    @cached_property
    def set_metrics(self) -> NDArray:
        """(f, p, p) mean metric of each set's clusters (Eq. 22)."""
        assert self.metrics is not None
        return np.tensordot(self.members / self.sizes[:, None], self.metrics, axes=1)

    # ------------------------------------------------------------------ lifted samples

    @cached_property
    def _products(self) -> tuple[NDArray, NDArray]:
        """Which two features each entry of ``x x'`` in a lifted sample multiplies."""
        return np.triu_indices(self.centers.shape[1])

    @property
    def n_lifted(self) -> int:
        """q, the length of a lifted sample."""
        p = self.centers.shape[1]
        return p + 2 if self.metrics is None else 1 + p + p * (p + 1) // 2

    @property
    def block_rows(self) -> int:
        """How many samples to lift at a time."""
        return max(1, BLOCK_NUMBERS // max(self.n_lifted, len(self.members)))

    def lift(self, X: NDArray) -> NDArray:
        """(q, r) lifted samples, one a column."""
        r, p = X.shape
        lifted = np.empty((self.n_lifted, r))
        lifted[0] = 1
        x = np.subtract(X.T, self.origin[:, None], out=lifted[1 : p + 1])
        squares = lifted[p + 1 :]
        if self.metrics is None:
            np.einsum("ij,ij->j", x, x, out=squares[0])
        else:
            first = 0
            for i in range(p):  # the upper triangle of x x', row by row
                np.multiply(x[i], x[i:], out=squares[first : first + p - i])
                first += p - i
        return lifted

    @cached_property
    def _coefficients(self) -> NDArray:
        """(f, q) what lifted samples are multiplied by to give ``|A|^alpha d^2``."""
        v = self.barycenters(self.centers)
        if self.metrics is None:
            linear, squares = v, np.ones((len(v), 1))
        else:
            i, j = self._products
            linear = np.einsum("fpq,fq->fp", self.set_metrics, v)
            squares = self.set_metrics[:, i, j] * np.where(i == j, 1, 2)
        constant = np.einsum("fp,fp->f", linear, v)
        return np.column_stack([constant, -2 * linear, squares]) * self.sizes[:, None] ** self.alpha

    def costs(self, lifted: NDArray) -> NDArray:
        """(f, r) ``|A|^alpha d^2`` (Eqs. 13 and 23)."""
        costs = self._coefficients @ lifted
        x = lifted[1 : self.centers.shape[1] + 1]
        squares = lifted[-1] if self.metrics is None else np.einsum("pr,pr->r", x, x)
        if costs.min(initial=np.inf) < CANCELLED * self._sharpness.max() * squares.max(initial=0):
            sets, columns = np.nonzero(costs < np.outer(CANCELLED * self._sharpness, squares))
            for some in row_blocks(len(sets)):
                costs[sets[some], columns[some]] = self._near(sets[some], x[:, columns[some]].T)
        return costs

    def _near(self, sets: NDArray, x: NDArray) -> NDArray:
        """(m,) what samples (m, p) cost that lie so near to one set each that lifting loses the digits."""
        off = x - self.barycenters(self.centers)[sets]
        measured = off if self.metrics is None else np.einsum("mpq,mq->mp", self.set_metrics[sets], off)
        return np.einsum("mp,mp->m", measured, off) * self.sizes[sets] ** self.alpha

    @cached_property
    def _sharpness(self) -> NDArray:
        """(f,) by how much each set multiplies squared lengths, at most."""
        grown = self.sizes**self.alpha
        return grown if self.metrics is None else grown * np.trace(self.set_metrics, axis1=1, axis2=2)

    # ------------------------------------------------------------------ updates

    def next_centers(self, moments: NDArray) -> NDArray:
        """(c, p) the centres that minimise the cost for the given masses.

        Parameters
        ----------
        moments : (f, q) array
            For each set, the sum of lifted samples times their weight in it (mass to the power beta).
        """
        c, p = self.centers.shape
        S, V = self.members, self.centers - self.origin
        counts = moments[:, 0] * self.sizes ** (self.alpha - 2)
        sums = moments[:, 1 : p + 1] * self.sizes[:, None] ** (self.alpha - 1)
        if self.metrics is None:
            H = (S.T * counts) @ S  # Eq. A.4
            B = S.T @ sums  # Eq. A.3
            return self.centers + _move(H, B - H @ V)
        shared = np.einsum("fl,fk,f->lkf", S, S, counts)
        G = np.tensordot(shared, self.set_metrics, axes=1)  # Eq. 31
        G = G.transpose(0, 2, 1, 3).reshape(c * p, c * p)
        FX = S.T @ np.einsum("fpq,fq->fp", self.set_metrics, sums)  # Eq. 30
        return self.centers + _move(G, FX.ravel() - G @ V.ravel()).reshape(c, p)

    def next_metrics(self, moments: NDArray, centers: NDArray) -> NDArray | None:
        """(c, p, p) the metrics of unit volume that minimise the cost for the given masses and `centers`."""
        if self.metrics is None:
            return None
        p = self.centers.shape[1]
        v = self.barycenters(centers)
        counts, sums = moments[:, 0], moments[:, 1 : p + 1]
        i, j = self._products
        scatter = np.empty((len(v), p, p))
        scatter[:, i, j] = scatter[:, j, i] = moments[:, p + 1 :]
        cross = sums[:, :, None] * v[:, None, :]
        scatter += counts[:, None, None] * (v[:, :, None] * v[:, None, :]) - cross - cross.transpose(0, 2, 1)
        weights = self.members * self.sizes[:, None] ** (self.alpha - 1)
        scatter = np.tensordot(weights.T, scatter, axes=1)  # Eq. 37
        return better_metrics(self.metrics, scatter)  # Eq. 42


def _move(system: NDArray, residual: NDArray) -> NDArray:
    """Solve for a move of the centres; one that nothing pulls at stays."""
    size = np.trace(system)
    if not size > 0:
        return np.zeros_like(residual)
    return solve(system / size + RIDGE * np.eye(len(system)), residual / size, assume_a="pos")
