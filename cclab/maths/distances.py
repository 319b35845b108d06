"""Squared distances between samples and centres, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import Problem

# Rows a block: its arrays of a few columns stay in the processor's cache.
BLOCK = 4096
# A squared distance below this share of the sample's squared length has lost more than half of its digits.
CANCELLED = 1e-8


def row_blocks(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices that cover ``0 .. n_rows``, each of at most `size` rows."""
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def squared_norms(X: NDArray) -> NDArray:
    """(n,) squared length of each row, in double precision whatever the samples are in."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=float)


def problem_norms(problem: Problem) -> NDArray:
    """The squared lengths of the samples, worked out once."""
    return problem.derived("squared_norms", lambda: squared_norms(problem.X))


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
    if distances.min(initial=np.inf) < CANCELLED * norms.max(initial=0) and not sparse.issparse(X):
        rows, columns = np.nonzero(distances < CANCELLED * norms[:, None])
        for some in row_blocks(len(rows)):
            off = X[rows[some]] - centers[columns[some]]
            distances[rows[some], columns[some]] = np.einsum("ip,ip->i", off, off)
    return np.maximum(distances, 0, out=distances)
