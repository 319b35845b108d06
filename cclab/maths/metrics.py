"""Adaptive metrics: each cluster measures distances by its own shape, at constant volume."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Added to a scatter matrix, times its mean eigenvalue: shapes that are flat in some direction stay invertible.
RIDGE = 1e-9
# Below this a scatter matrix is as good as 0.
TINIEST = np.finfo(float).tiny


def unit_volume_metric(scatter: NDArray) -> NDArray:
    """(..., p, p) the metrics of determinant 1 with the least ``trace(metric @ scatter)``.

    That is ``det(scatter) ** (1 / p) * inv(scatter)`` (Gustafson and Kessel, 1979).

    Parameters
    ----------
    scatter : (..., p, p) array
        Symmetric, positive semi-definite. One that is all 0 gives the identity.

    Examples
    --------
    >>> unit_volume_metric(np.diag([4.0, 1.0])).round(6)
    array([[0.5, 0. ],
           [0. , 2. ]])
    """
    p = scatter.shape[-1]
    size = np.trace(scatter, axis1=-2, axis2=-1)[..., None] / p
    values, vectors = np.linalg.eigh(scatter)
    values = np.where(RIDGE * size > TINIEST, np.maximum(values, 0) + RIDGE * size, 1.0)
    # The geometric mean over each value, in logarithms: a determinant of many features would over- or underflow.
    logs = np.log(values)
    scale = np.exp(logs.mean(axis=-1, keepdims=True) - logs)
    return (vectors * scale[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def better_metrics(before: NDArray, scatter: NDArray) -> NDArray:
    """(k, p, p) `unit_volume_metric`, save where the ridge that keeps flat shapes invertible would make it worse."""
    metrics = unit_volume_metric(scatter)
    better = np.einsum("kpq,kpq->k", metrics - before, scatter) < 0
    return np.where(better[:, None, None], metrics, before)


def scatter_about(means: NDArray, V: NDArray, squares: NDArray, mass: NDArray) -> NDArray:
    """(k, p, p) scatter about the means, from that about `V`."""
    move = means - V
    return squares - mass[:, None, None] * move[:, :, None] * move[:, None, :]
