"""Squared distances between samples and centres."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core.sample_blocks import row_blocks, squared_norms

# Numbers in a block of differences.
BLOCK_NUMBERS = 1 << 20
# A squared distance below this share of the sample's squared length has lost more than half of its digits.
CANCELLED = 1e-8


def squared_distances(X: NDArray, centers: NDArray, norms: NDArray | None = None) -> NDArray:
    """(n, k) squared Euclidean distances.

    Parameters
    ----------
    X : (n, p) array or sparse matrix
    centers : (k, p) array
    norms : (n,) array, optional
        Squared lengths of the rows of `X`, where they are known already.
    """
    norms = squared_norms(X) if norms is None else norms
    distances = np.asarray(X @ (-2.0 * centers.T))
    distances += norms[:, None]
    distances += squared_norms(centers)
    # Far from the origin the three terms cancel: such distances are worked out from the differences.
    if distances.min(initial=np.inf) < CANCELLED * norms.max(initial=0):
        rows, columns = np.nonzero(distances < CANCELLED * norms[:, None])
        for some in row_blocks(len(rows), max(1, BLOCK_NUMBERS // X.shape[1])):
            near: Any = X[rows[some]]
            off = (near.toarray() if sparse.issparse(near) else near) - centers[columns[some]]
            distances[rows[some], columns[some]] = np.einsum("ip,ip->i", off, off)
    return np.maximum(distances, 0, out=distances)
