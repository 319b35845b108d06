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

# Centres are at rest long before; where they are not, the next step goes on.
MAX_ITER = 200
# Centres nearer than this, over how far all lie apart, are on one spot.
NEAR = 1e-6


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
    # Centres nearer than their digits tell are as far apart as these.
    told = max(np.finfo(float).tiny ** 0.25, float((np.finfo(float).eps * np.abs(V).max()) ** 2))
    r2 = np.maximum((u**2).sum(axis=2), told)
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
    # In units of how far the centres lie apart, or of how far the forces let them be at rest, and of how much they
    # weigh: whatever the data are measured in, the energy is then of the order of 1, and a step can go all the way.
    middle, weight = start.mean(axis=0), totals.max() or 1.0
    spread = max(np.sqrt(((V - middle) ** 2).sum(axis=1).max()) for V in (start, means))
    force = eta**0.25 / weight**0.25
    length = max(spread, force.max())
    m, W, eta = (means - middle) / length, totals / weight, (force / length) ** 4
    k, p = start.shape
    S = np.broadcast_to(np.eye(p), (k, p, p)) if metrics is None else metrics
    pull = W[:, None, None] * S
    blocks = np.zeros((k, p, k, p))
    blocks[np.arange(k), :, np.arange(k), :] = 2 * pull
    attraction = blocks.reshape(k * p, k * p)

    def energy(flat: NDArray) -> tuple[float, NDArray]:
        V = flat.reshape(k, p)
        drawn = np.einsum("kij,kj->ki", pull, V - m)
        value = float(np.vdot(V - m, drawn)) + repulsion_energy(V, eta)
        return value, (2 * drawn + repulsion_gradient(V, eta)).ravel()

    def hessian(flat: NDArray) -> NDArray:
        return attraction + repulsion_hessian(flat.reshape(k, p), eta)

    first = ((start - middle) / length).ravel()
    found = minimize(
        energy, _parted(first.reshape(k, p)).ravel(), jac=True, hess=hessian, method="trust-ncg",
        options={"gtol": 1e-8, "maxiter": MAX_ITER},
    )  # fmt: skip
    return found.x.reshape(k, p) * length + middle if found.fun < energy(first)[0] else start


def _parted(V: NDArray) -> NDArray:
    """(k, p) the centres, those on one spot a little apart: otherwise no force tells them where to go."""
    r2 = _pairs(V, np.zeros(len(V)))[2]
    return V if r2.min() > NEAR**2 else V + NEAR * np.random.default_rng(0).normal(size=V.shape)
