"""Mixtures of Gaussians and a uniform background whose components compete for samples.

Each component pays a toll of half its number of parameters out of its samples (Figueiredo and Jain, Unsupervised
learning of finite mixture models, IEEE PAMI 24(3), 2002): small ones fade, and vanish.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from cclab.core.arrays import readonly

SHAPES = ("round", "shared", "free")
# How many samples' worth of the pooled covariance is mixed into that of each free component.
SHRINKAGE = 4.0
# The background takes at most this share of the samples: it is for what belongs nowhere, not a cluster.
MOST_BACKGROUND = 0.2
# Of the mean variance, added to every covariance.
RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class Sight:
    """Samples as a mixture sees them.

    Attributes
    ----------
    Z : (n, q) array
    weights : (n,) array
    background : float
        Log density of the background: uniform over the box that holds all samples.
    variance : float
        Mean variance of a coordinate.
    """

    Z: NDArray
    weights: NDArray
    background: float
    variance: float

    @classmethod
    def of(cls, Z: NDArray, weights: NDArray) -> Sight:
        """Samples with what is computed of them once."""
        w = weights / weights.sum()
        variance = float((w @ (Z - w @ Z) ** 2).mean())
        variance = variance if variance > 0 else 1.0
        box = np.maximum(np.ptp(Z, axis=0), np.sqrt(RIDGE * variance))
        return cls(Z, weights, -float(np.log(box).sum()), variance)

    @property
    def total(self) -> float:
        """The weight of all samples."""
        return float(self.weights.sum())


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weights, means and covariances of Gaussians, and the weight of a uniform background.

    Attributes
    ----------
    shape : {"round", "shared", "free"}
        One variance each; one covariance for all; a covariance each.
    ids : (k,) int array
        Names that components keep when others vanish.
    log_weights : (k + 1,) array
        The background is last.
    means : (k, q) array
    covariances : (k, q, q) array
    background : float
        Log density of the background.
    """

    shape: str
    ids: NDArray
    log_weights: NDArray = field(repr=False)
    means: NDArray = field(repr=False)
    covariances: NDArray = field(repr=False)
    background: float = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("ids", "log_weights", "means", "covariances"):
            object.__setattr__(self, name, readonly(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.ids)

    def log_densities(self, Z: NDArray) -> NDArray:
        """(n, k + 1) log of weight times density, the background last."""
        k, q = self.means.shape
        inverse_roots = np.linalg.inv(np.linalg.cholesky(self.covariances))
        away = (Z - self.means[:, None]) @ np.swapaxes(inverse_roots, 1, 2)  # (k, n, q)
        log_volumes = np.log(np.diagonal(inverse_roots, axis1=1, axis2=2)).sum(axis=1)
        L = np.empty((len(Z), k + 1))
        L[:, :k] = (-0.5 * np.einsum("kiq,kiq->ki", away, away) + log_volumes[:, None]).T - 0.5 * q * np.log(2 * np.pi)
        L[:, k] = self.background
        L += self.log_weights
        return L

    def squared_distances(self, Z: NDArray) -> NDArray:
        """(n, k) Mahalanobis distances from the means."""
        away = Z - self.means[:, None]
        return np.einsum("kiq,kiq->ik", away @ np.linalg.inv(self.covariances), away)

    @property
    def toll(self) -> float:
        """Half the number of parameters of a component: the samples' worth that it pays."""
        return 0.5 * n_parameters(self.shape, self.means.shape[1])

    def description_length(self, log_total: float) -> float:
        """Nats that the parameters cost in the Bayesian information criterion."""
        k, q = self.means.shape
        shared = q * (q + 1) / 2 if self.shape == "shared" else 0
        return 0.5 * log_total * (k * n_parameters(self.shape, q) + k + shared)

    def without(self, k: int) -> Mixture:
        """The mixture that is left when component `k` goes, its weight shared out."""
        log_weights = np.delete(self.log_weights, k)
        return replace(
            self,
            ids=np.delete(self.ids, k),
            log_weights=log_weights - logsumexp(log_weights),
            means=np.delete(self.means, k, axis=0),
            covariances=np.delete(self.covariances, k, axis=0),
        )


def n_parameters(shape: str, q: int) -> int:
    """Of one component, its weight left out."""
    return {"round": q + 1, "shared": q, "free": q + q * (q + 1) // 2}[shape]


def first_mixture(sight: Sight, centers: NDArray, shape: str, ids: NDArray) -> Mixture:
    """Equal components about `centers` (k, q), each as wide as a tenth of the variance."""
    k, q = centers.shape
    weights = np.append(np.full(k, 0.99 / k), 0.01)
    covariance = 0.1 * sight.variance * np.eye(q)
    return Mixture(shape, ids, np.log(weights), centers, np.tile(covariance, (k, 1, 1)), sight.background)


def responsibilities(L: NDArray) -> tuple[NDArray, NDArray]:
    """(n, k + 1) the part of each component in each sample, and (n,) the log density of each sample."""
    top = L.max(axis=1, keepdims=True)
    R = np.exp(L - top)
    total = R.sum(axis=1, keepdims=True)
    R /= total
    return R, (top + np.log(total))[:, 0]


def refitted(mixture: Mixture, sight: Sight, R: NDArray, toll: float) -> Mixture:
    """The mixture after an M-step at responsibilities `R`; components pay `toll` samples' worth each.

    Those that can't pay keep a weight of zero; the caller lets them go.
    """
    wR = R * sight.weights[:, None]
    N = wR.sum(axis=0)
    k = len(mixture)
    paid = np.append(np.maximum(N[:k] - toll, 0), min(N[k], MOST_BACKGROUND * sight.total))
    if not paid[:k].any():  # one is left in any case
        paid[np.argmax(N[:k])] = 1.0
    held = np.maximum(N[:k], np.finfo(float).tiny)
    means = (wR[:, :k].T @ sight.Z) / held[:, None]
    return replace(
        mixture,
        log_weights=np.log(np.maximum(paid / paid.sum(), np.finfo(float).tiny)),
        means=means,
        covariances=_covariances(mixture.shape, sight, wR[:, :k].T, means, held),
    )


def _covariances(shape: str, sight: Sight, wR: NDArray, means: NDArray, N: NDArray) -> NDArray:
    """(k, q, q) by shape, from weighted responsibilities (k, n)."""
    k, q = means.shape
    ridge = RIDGE * sight.variance
    eye = np.eye(q)
    if shape == "round":
        squares = wR @ np.einsum("ij,ij->i", sight.Z, sight.Z) - N * np.einsum("kj,kj->k", means, means)
        return (np.maximum(squares / (q * N), 0) + ridge)[:, None, None] * eye
    away = sight.Z - means[:, None]
    scatters = np.swapaxes(away * wR[..., None], 1, 2) @ away
    pooled = scatters.sum(axis=0) / N.sum()
    if shape == "shared":
        return np.tile(pooled + ridge * eye, (k, 1, 1))
    return (scatters + SHRINKAGE * pooled) / (N + SHRINKAGE)[:, None, None] + ridge * eye


def weakest(mixture: Mixture, sight: Sight) -> tuple[int, float]:
    """The component whose loss costs least likelihood, and how many nats it costs."""
    R, _ = responsibilities(mixture.log_densities(sight.Z))
    others = R @ (1 - np.eye(len(mixture) + 1, len(mixture)))  # what is left of each sample's density
    loss = -(sight.weights @ np.log(np.maximum(others, np.finfo(float).tiny)))
    # The weight that is left is shared out.
    loss += sight.total * np.log1p(-np.minimum(np.exp(mixture.log_weights[:-1]), 1 - 1e-12))
    return int(np.argmin(loss)), float(loss.min())
