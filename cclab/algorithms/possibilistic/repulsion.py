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
    return float((strength / r2).sum()) / 2


def repulsion_gradient(V: NDArray, eta: NDArray) -> NDArray:
    """(k, p) its gradient. Each pair counts for both centres, so their strengths add up."""
    u, strength, r2 = _pairs(V, eta)
    return -2 * np.einsum("kl,klp->kp", strength / r2**2, u)


def repulsion_hessian(V: NDArray, eta: NDArray) -> NDArray:
    """(k p, k p) its Hessian: blocks ``B_kl = (eta_k + eta_l) (8 u u' / r^6 - 2 I / r^4)`` with ``u = v_k - v_l``."""
    k, p = V.shape
    u, strength, r2 = _pairs(V, eta)
    B = (8 * strength / r2**3)[:, :, None, None] * u[:, :, :, None] * u[:, :, None, :]
    B -= (2 * strength / r2**2)[:, :, None, None] * np.eye(p)
    H = -B
    H[np.arange(k), np.arange(k)] = B.sum(axis=1)
    return H.transpose(0, 2, 1, 3).reshape(k * p, k * p)


def _pairs(V: NDArray, eta: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """For each two centres: difference (k, k, p), added strengths and squared distance (k, k).

    A centre is infinitely far from itself, so that it does not push itself.
    """
    u = V[:, None, :] - V
    r2 = np.maximum((u**2).sum(axis=2), np.finfo(float).tiny ** 0.25)
    np.fill_diagonal(r2, np.inf)
    return u, eta[:, None] + eta, r2


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
    # In units of how far the centres lie apart and of how much they weigh, so that steps and tolerance suit any data.
    middle = start.mean(axis=0)
    length = np.sqrt(((start - middle) ** 2).sum(axis=1).mean()) or 1.0
    weight = totals.max() or 1.0
    m, W, eta = (means - middle) / length, totals / weight, eta / (weight * length**4)
    k, p = start.shape
    S = np.broadcast_to(np.eye(p), (k, p, p)) if metrics is None else metrics
    pull = W[:, None, None] * S
    attraction = np.zeros((k, p, k, p))
    attraction[np.arange(k), :, np.arange(k), :] = 2 * pull
    attraction = attraction.reshape(k * p, k * p)

    def energy(flat: NDArray) -> tuple[float, NDArray]:
        V = flat.reshape(k, p)
        drawn = np.einsum("kij,kj->ki", pull, V - m)
        value = float(np.vdot(V - m, drawn)) + repulsion_energy(V, eta)
        return value, (2 * drawn + repulsion_gradient(V, eta)).ravel()

    def hessian(flat: NDArray) -> NDArray:
        return attraction + repulsion_hessian(flat.reshape(k, p), eta)

    first = ((start - middle) / length).ravel()
    found = minimize(energy, first, jac=True, hess=hessian, method="trust-ncg", options={"gtol": 1e-8})
    return found.x.reshape(k, p) * length + middle if found.fun < energy(first)[0] else start
