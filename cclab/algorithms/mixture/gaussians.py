"""Gaussians whose covariances are as rich as one says, fitted to samples that are measured in standard deviations."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cclab.core.arrays import readonly
from cclab.core.sample_blocks import row_blocks
from cclab.maths.distances import squared_distances

#: From the simplest to the richest: one variance; one covariance; one each, all of the same volume; one each.
COVARIANCES = ("spherical", "shared", "equal volume", "free")
#: Of a variance of 1, added to every covariance.
RIDGE = 1e-4
#: Each covariance of its own is mixed with the shared one, which counts for so many samples for each feature.
SHRINKAGE = 2.0
#: Of more features than this, as many principal components are kept.
MOST_FEATURES = 60


@dataclass(frozen=True, eq=False)
class Scale:
    """The units in which samples are looked at: standard deviations, without features that don't vary.

    Attributes
    ----------
    origin : (p,) array
    units : (p,) array
        0 for a feature that is left out.
    axes : (p, q) array
        Orthonormal on the features that are left in.
    """

    origin: NDArray
    units: NDArray
    axes: NDArray

    @classmethod
    def of(cls, X: NDArray, weights: NDArray) -> Scale:
        """That of some samples."""
        w = weights / weights.sum()
        origin = w @ X
        deviation = np.sqrt(w @ (X - origin) ** 2)
        # Rounding leaves this much of a feature that is the same everywhere.
        varies = deviation > 1e-12 * np.abs(X).max(axis=0)
        units = np.where(varies, deviation, 0.0)
        if not varies.any():  # nothing tells the samples apart, but they are samples
            units[0], varies[0] = 1.0, True
        axes = np.eye(len(units))[:, varies]
        if axes.shape[1] > MOST_FEATURES:
            Z = ((X - origin) / np.where(varies, units, np.inf)) * np.sqrt(w)[:, None]
            axes = np.linalg.svd(Z, full_matrices=False)[2][:MOST_FEATURES].T
        return cls(origin, units, axes)

    def apply(self, X: NDArray) -> NDArray:
        """(n, q) samples in these units."""
        return ((X - self.origin) / np.where(self.units > 0, self.units, np.inf)) @ self.axes

    def back(self, Z: NDArray) -> NDArray:
        """(m, p) in the units of the data."""
        return self.origin + (Z @ self.axes.T) * self.units


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples in units of their own, and how much each counts.

    Attributes
    ----------
    scale : Scale
    Z : (n, q) array
    weights : (n,) array
    """

    scale: Scale
    Z: NDArray
    weights: NDArray

    @classmethod
    def of(cls, X: NDArray, weights: NDArray) -> Samples:
        """Samples in a scale of their own."""
        X = np.asarray(X, dtype=float)
        scale = Scale.of(X, weights)
        return cls(scale, np.ascontiguousarray(scale.apply(X)), weights)

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def moments(self) -> NDArray:
        """(q, q) the sum of the outer products."""
        return (self.Z * self.weights[:, None]).T @ self.Z


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Weights, means and covariances.

    Attributes
    ----------
    covariance : str
        One of `COVARIANCES`.
    log_weights : (k,) array
    means : (k, q) array
    roots : (1 or k, q, q) array
        The inverse of each covariance is ``root root'``; one for all where they share it.
    """

    covariance: str
    log_weights: NDArray = field(repr=False)
    means: NDArray = field(repr=False)
    roots: NDArray = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("log_weights", "means", "roots"):
            object.__setattr__(self, name, readonly(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.means)

    def log_densities(self, Z: NDArray) -> NDArray:
        """(n, k) log of weight times density."""
        k, q = self.means.shape
        log_volumes = np.log(np.diagonal(self.roots, axis1=1, axis2=2)).sum(axis=1)
        constants = self.log_weights + log_volumes - 0.5 * q * np.log(2 * np.pi)
        if len(self.roots) == 1:
            L = squared_distances(Z @ self.roots[0], self.means @ self.roots[0])
        else:
            L = np.empty((len(Z), k))
            middles = np.einsum("kq,kqr->kr", self.means, self.roots)
            for rows in row_blocks(len(Z)):
                block = Z[rows]
                for c in range(k):
                    off = block @ self.roots[c] - middles[c]
                    L[rows, c] = np.einsum("iq,iq->i", off, off)
        L *= -0.5
        L += constants
        return L


def fitted(covariance: str, samples: Samples, R: NDArray, means: NDArray) -> Gaussians:
    """The Gaussians that suit memberships best.

    Weights are half-way between the share of each cluster and equal ones.

    Parameters
    ----------
    covariance : str
        One of `COVARIANCES`.
    R : (n, k) array
        Memberships.
    means : (k, q) array
        Where a cluster without samples stays.
    """
    k, q = means.shape
    wR = R * samples.weights[:, None]
    N = wR.sum(axis=0)
    held = 1e-9 * samples.total < N
    sums = wR.T @ samples.Z
    means = np.where(held[:, None], sums / np.maximum(N, np.finfo(float).tiny)[:, None], means)
    log_weights = np.log((N + samples.total / k) / (2 * samples.total))
    between = (means * np.where(held, N, 0.0)[:, None]).T @ means
    shared = (samples.moments - between) / samples.total
    if covariance == "spherical":
        variance = max(np.trace(shared) / q, 0.0) + RIDGE
        roots = (np.eye(q) / np.sqrt(variance))[None]
        return Gaussians(covariance, log_weights, means, roots)
    # A covariance of few samples is mostly noise: that much counts for uncorrelated features.
    few = q / (samples.total + q)
    shared = (1 - few) * shared + few * np.diag(np.diagonal(shared)) + RIDGE * np.eye(q)
    if covariance == "shared":
        return Gaussians(covariance, log_weights, means, _roots(shared[None]))
    own = _scatters(samples.Z, wR) - np.einsum("k,kq,kr->kqr", N, means, means)
    ridge = RIDGE * np.eye(q)
    own = (own + SHRINKAGE * q * shared) / (N + SHRINKAGE * q)[:, None, None] + ridge
    if covariance == "equal volume":
        log_size = np.linalg.slogdet(own)[1] / q
        common = np.log(N @ np.exp(log_size) / samples.total)
        own *= np.exp(common - log_size)[:, None, None]
    return Gaussians(covariance, log_weights, means, _roots(own))


def _scatters(Z: NDArray, wR: NDArray) -> NDArray:
    """(k, q, q) the sum of the outer products, by cluster."""
    k, q = wR.shape[1], Z.shape[1]
    total = np.zeros((k, q, q))
    for rows in row_blocks(len(Z)):
        block, weights = Z[rows], np.ascontiguousarray(wR[rows].T)
        for c in range(k):
            total[c] += (block.T * weights[c]) @ block
    return total


def _roots(covariances: NDArray) -> NDArray:
    """A root of the inverse of each, upper triangular; rounding is lifted as far as it has to be."""
    q = covariances.shape[1]
    covariances = (covariances + np.swapaxes(covariances, 1, 2)) / 2
    lift = RIDGE
    while True:
        try:
            return np.swapaxes(np.linalg.inv(np.linalg.cholesky(covariances)), 1, 2)
        except np.linalg.LinAlgError:
            covariances = covariances + lift * np.eye(q)
            lift *= 10
