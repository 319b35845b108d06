"""Centres that are drawn to their samples and push each other away.

Given how much weight each centre's samples have and where their mean lies, the centres minimise

    sum_k W_k (v_k - m_k)' S_k (v_k - m_k)  +  sum_{k < l} (eta_k + eta_l) / |v_k - v_l|^2

jointly: the number of samples plays no part. The first term is all that is left of the distances once the sums over the
samples are formed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize


def repulsion_energy(V: NDArray, eta: NDArray) -> float:
    """``sum_k eta_k sum_{l != k} 1 / |v_k - v_l|^2``."""
    _, strength, r2 = _pairs(V, eta)
    return float((strength / r2).sum())


def repulsion_gradient(V: NDArray, eta: NDArray) -> NDArray:
    """(k, p) its gradient. Each pair counts for both centres, so their strengths add up."""
    u, strength, r2 = _pairs(V, eta)
    i, j = np.triu_indices(len(V), 1)
    pull = -2 * (strength / r2**2)[:, None] * u
    gradient = np.zeros_like(V)
    np.add.at(gradient, i, pull)
    np.add.at(gradient, j, -pull)
    return gradient


def repulsion_hessian(V: NDArray, eta: NDArray) -> NDArray:
    """(k p, k p) its Hessian: blocks ``B_kl = (eta_k + eta_l) (8 u u' / r^6 - 2 I / r^4)`` with ``u = v_k - v_l``."""
    k, p = V.shape
    u, strength, r2 = _pairs(V, eta)
    outer = u[:, :, None] * u[:, None, :]
    B = strength[:, None, None] * (8 * outer / r2[:, None, None] ** 3 - 2 * np.eye(p) / r2[:, None, None] ** 2)
    H = np.zeros((k, k, p, p))
    for number, (i, j) in enumerate(zip(*np.triu_indices(k, 1))):
        H[i, i] += B[number]
        H[j, j] += B[number]
        H[i, j] -= B[number]
        H[j, i] -= B[number]
    return H.transpose(0, 2, 1, 3).reshape(k * p, k * p)


def _pairs(V: NDArray, eta: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """For each pair of centres: difference, added strengths, squared distance."""
    i, j = np.triu_indices(len(V), 1)
    u = V[i] - V[j]
    return u, eta[i] + eta[j], np.maximum((u**2).sum(axis=1), np.finfo(float).tiny ** 0.25)


def repelled_centers(
    start: NDArray, means: NDArray, totals: NDArray, eta: NDArray, metrics: NDArray | None = None
) -> NDArray:
    """(k, p) the centres of least energy, found from `start`; the energy is never above that at `start`.

    Parameters
    ----------
    start : (k, p) array
    means : (k, p) array
        Weighted means of the samples (m).
    totals : (k,) array
        Their weights (W).
    eta : (k,) array
        Strengths of repulsion.
    metrics : (k, p, p) array, optional
        Default: Euclidean.
    """
    if len(start) == 1 or not eta.any():
        return means
    k, p = start.shape
    S = np.broadcast_to(np.eye(p), (k, p, p)) if metrics is None else metrics
    pull = totals[:, None, None] * S
    attraction = np.zeros((k, p, k, p))
    attraction[np.arange(k), :, np.arange(k), :] = 2 * pull
    attraction = attraction.reshape(k * p, k * p)

    def energy(flat: NDArray) -> tuple[float, NDArray]:
        V = flat.reshape(k, p)
        drawn = np.einsum("kij,kj->ki", pull, V - means)
        value = float(((V - means) * drawn).sum()) + repulsion_energy(V, eta)
        return value, (2 * drawn + repulsion_gradient(V, eta)).ravel()

    def hessian(flat: NDArray) -> NDArray:
        return attraction + repulsion_hessian(flat.reshape(k, p), eta)

    found = minimize(energy, start.ravel(), jac=True, hess=hessian, method="trust-ncg", options={"gtol": 1e-10})
    return found.x.reshape(k, p) if found.fun <= energy(start.ravel())[0] else start
