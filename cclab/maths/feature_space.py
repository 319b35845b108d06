"""A kernel as plain coordinates, so that whatever works on vectors works on kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from cclab.core import Problem
from cclab.core.arrays import readonly
from cclab.maths.local_scaling import local_scaling_kernel

KERNELS = ("linear", "local-scaling", "precomputed")
# Above this a dense kernel matrix and its eigenvectors are no longer a matter of seconds.
LARGEST_KERNEL = 5000


def check_kernel(problem: Problem, kernel: str) -> None:
    """Raise ValueError, in words, if these samples can't have this kernel."""
    n, p = problem.X.shape
    if kernel != "linear" and n > LARGEST_KERNEL:
        raise ValueError(
            f"kernel={kernel!r} needs an {n} x {n} matrix; above {LARGEST_KERNEL} samples use kernel='linear', "
            "on features made by sklearn.kernel_approximation if need be"
        )
    if kernel == "precomputed":
        if n != p:
            raise ValueError(f"kernel='precomputed' wants X to be the (n, n) kernel matrix, got shape {(n, p)}")
        K = dense(problem.X)
        rows, columns = np.nonzero(~np.isclose(K, K.T, rtol=1e-6, atol=1e-9 * np.abs(K).max()))
        if len(rows):
            a, b = rows[0], columns[0]
            raise ValueError(
                f"the precomputed kernel is not symmetric: its entry ({a}, {b}) is {K[a, b]:g}, ({b}, {a}) {K[b, a]:g}"
            )


def features(problem: Problem, kernel: str) -> NDArray:
    """(n, r) coordinates whose inner products are the kernel, worked out once.

    The linear kernel's are the samples themselves, sparse or not. Of other kernels they come from the
    eigenvectors; negative eigenvalues, which the kernel with local scaling can have, are left out, which gives
    the nearest kernel in the least-squares sense.
    """
    if kernel == "linear":
        return problem.X
    if kernel == "precomputed":
        return problem.derived("features of precomputed", lambda: _coordinates(dense(problem.X)))
    return problem.derived("features of local-scaling", lambda: _coordinates(local_scaling_kernel(problem.X)))


def _coordinates(K: NDArray) -> NDArray:
    values, vectors = linalg.eigh(K)
    kept = values > 1e-10 * max(values[-1], 0)
    if not kept.any():
        raise ValueError("the kernel matrix has no positive eigenvalue: it is no kernel")
    return readonly(vectors[:, kept] * np.sqrt(values[kept]))


def dense(K: Any) -> NDArray:
    """A matrix as an array, sparse or not."""
    return K.toarray() if hasattr(K, "toarray") else K
