"""The Gaussian kernel with a width of its own for each sample [1]_.

References
----------
.. [1] L. Zelnik-Manor, P. Perona, Self-tuning spectral clustering, NIPS 2004.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances


def local_scaling_kernel(X: NDArray, neighbour: int = 7) -> NDArray:
    """(n, n) ``exp(-|x_i - x_j|^2 / (s_i s_j))``, with ``s_i`` the distance of sample i from its neighbour.

    Parameters
    ----------
    X : (n, p) array or sparse matrix
    neighbour : int
        Which neighbour gives the width, counted from the nearest (of fewer samples, the furthest).

    Notes
    -----
    A width of 0 (more copies of a sample than `neighbour`) is replaced by the smallest width that isn't.
    """
    squares = euclidean_distances(X, squared=True)
    np.fill_diagonal(squares, 0)
    rank = min(neighbour, len(squares) - 1)
    width = np.sqrt(np.partition(squares, rank, axis=1)[:, rank])
    if not width.all():
        width = np.where(width > 0, width, width[width > 0].min(initial=1.0))
    return np.exp(-squares / np.outer(width, width))
