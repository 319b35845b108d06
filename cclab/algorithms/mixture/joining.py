"""Which components of a mixture are parts of one cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import chi2, multivariate_normal

from cclab.algorithms.mixture.mixtures import Mixture, Sight, n_parameters

# A component that holds less than this share of the samples, and half of the other centres, is background.
LIGHT = 0.25
# Samples beyond this quantile of their component say nothing about its shape.
TRIM = 0.99
# Two components whose density between them falls by less than this share of the lower peak are one.
SHALLOW = 0.1


def wide_component(mixture: Mixture) -> int | None:
    """A light component so wide that at least half of the other centres lie within it: background, not a cluster."""
    k, q = mixture.means.shape
    if k < 3:
        return None
    share = np.exp(mixture.log_weights[:-1])
    inside = chi2.ppf(TRIM, q) >= mixture.squared_distances(mixture.means).T  # [a, b]: centre b within a
    covered = inside.sum(axis=1) - 1
    wide = np.flatnonzero((share < LIGHT) & (covered >= max(2, (k - 1) / 2)))
    return int(wide[np.argmax(covered[wide])]) if len(wide) else None


def reason_to_join(mixture: Mixture, sight: Sight, a: int, b: int) -> str | None:
    """Why two components are parts of one cluster, in words that follow "because", or None."""
    dip = ridge_dip(mixture, a, b)
    if dip < SHALLOW:
        return f"the density between them falls by {100 * dip:.0f} % only"
    gain = gain_of_one(mixture, sight, a, b)
    if gain > 0:
        return f"one Gaussian describes them better, by {gain:.3g} nats"
    return None


def ridge_dip(mixture: Mixture, a: int, b: int) -> float:
    """How far the density falls between two components, as a share of the lower of the two peaks.

    All extremes of a mixture of two Gaussians lie on one curve between their means (Ray and Lindsay, The topography
    of multivariate normal mixtures, Annals of Statistics 33(5), 2005).
    """
    P = np.linalg.inv(mixture.covariances[[a, b]])
    pulls = np.einsum("kij,kj->ki", P, mixture.means[[a, b]])
    t = np.linspace(0, 1, 51)[:, None, None]
    ridge = np.linalg.solve((1 - t) * P[0] + t * P[1], ((1 - t[..., 0]) * pulls[0] + t[..., 0] * pulls[1])[..., None])
    log_density = logsumexp(mixture.log_densities(ridge[..., 0])[:, [a, b]], axis=1)
    valley = np.minimum(np.maximum.accumulate(log_density), np.maximum.accumulate(log_density[::-1])[::-1])
    return float(1 - np.exp(np.min(log_density - valley)))


def gain_of_one(mixture: Mixture, sight: Sight, a: int, b: int) -> float:
    """Nats saved by one free Gaussian in place of two components, on the samples that are theirs."""
    L = mixture.log_densities(sight.Z)
    owner = L[:, :-1].argmax(axis=1)
    near = mixture.squared_distances(sight.Z)
    q = sight.Z.shape[1]
    within = near[np.arange(len(owner)), owner] <= chi2.ppf(TRIM, q)
    mine = np.flatnonzero(((owner == a) | (owner == b)) & within)
    w = sight.weights[mine]
    free = n_parameters("free", q)
    if w.sum() <= free:
        return -np.inf
    Z = sight.Z[mine]
    two = w @ (logsumexp(L[mine][:, [a, b]], axis=1) - logsumexp(mixture.log_weights[[a, b]]))
    covariance = np.cov(Z.T, aweights=w, bias=True).reshape(q, q) + 1e-6 * sight.variance * np.eye(q)
    one = w @ multivariate_normal(w @ Z / w.sum(), covariance).logpdf(Z)
    more = 2 * n_parameters(mixture.shape, q) + 1 - free
    return float(one - two + 0.5 * np.log(w.sum()) * more)


def cluster_of_parts(joined: NDArray) -> NDArray[np.int64]:
    """(k,) consecutive numbers of clusters for parts that name their clusters in any way.

    >>> cluster_of_parts(np.array([4, 7, 4])).tolist()
    [0, 1, 0]
    """
    _, first, inverse = np.unique(joined, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def heaviest_parts(mixture: Mixture, clusters: NDArray) -> NDArray[np.int64]:
    """(c,) the component with the largest weight of each cluster."""
    by_weight = np.argsort(-mixture.log_weights[:-1], kind="stable")
    return by_weight[np.unique(clusters[by_weight], return_index=True)[1]]


def means_of_clusters(clusters: NDArray, sizes: NDArray, means: NDArray) -> tuple[NDArray, NDArray]:
    """(c,) sizes and (c, q) means of clusters, from those of their parts."""
    totals = np.bincount(clusters, sizes)
    share = sizes / np.maximum(totals[clusters], np.finfo(float).tiny)
    whole = np.zeros((len(totals), means.shape[1]))
    np.add.at(whole, clusters, share[:, None] * means)
    return totals, whole


def log_memberships(mixture: Mixture, clusters: NDArray, Z: NDArray) -> NDArray:
    """(n, c) log memberships in clusters of several parts, up to a constant in each row."""
    L = mixture.log_densities(Z)[:, :-1]
    if len(clusters) == clusters.max() + 1:
        return L
    joined = np.full((len(Z), clusters.max() + 1), -np.inf)
    for part, cluster in enumerate(clusters):
        joined[:, cluster] = np.logaddexp(joined[:, cluster], L[:, part])
    return joined
