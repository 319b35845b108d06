"""The directions in which data vary more than noise does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Noise draws have an eigenvalue that much above the expected one now and then.
ABOVE_NOISE = 1.05


@dataclass(frozen=True, eq=False)
class Subspace:
    """Where samples are looked at.

    Attributes
    ----------
    origin : (p,) array
    axes : (p, q) array
        Orthonormal.
    """

    origin: NDArray
    axes: NDArray

    def reduce(self, X: NDArray) -> NDArray:
        """(n, q) coordinates of samples."""
        return (X - self.origin) @ self.axes

    def restore(self, Z: NDArray) -> NDArray:
        """(m, p) the samples that have these coordinates."""
        return self.origin + Z @ self.axes.T


def leading_components(
    X: NDArray, weights: NDArray, rng: np.random.Generator, keep_all: int = 5, at_most: int = 10
) -> Subspace:
    """All features where there are few; else the principal components above the noise.

    The largest eigenvalue of white noise of the same size is found by a draw; how loud the noise is, from the lower
    half of the eigenvalues, where clusters leave no trace.

    Parameters
    ----------
    X : (n, p) array
    weights : (n,) array
    rng : Generator
    keep_all : int
        Up to so many features all of them are kept.
    at_most : int
        Number of components; and no more than one for every 15 samples, but at least 2.
    """
    w = weights / weights.sum()
    origin = w @ X
    n, p = len(X), X.shape[1]
    if p <= keep_all or n < 3:  # of one or two samples there is no telling noise from the rest
        return Subspace(origin, np.eye(p))
    _, singular, axes = np.linalg.svd((X - origin) * np.sqrt(n * w)[:, None], full_matrices=False)
    eigenvalues = singular[: min(n - 1, p)] ** 2
    noise = _noise_eigenvalues(len(eigenvalues), max(n - 1, p), rng)
    lower = slice(len(noise) // 2, None)
    level = eigenvalues[lower].sum() / noise[lower].sum()
    above = int((eigenvalues > ABOVE_NOISE * level * noise[0]).sum())
    q = min(max(above, 2), max(2, min(at_most, n // 15)), len(eigenvalues))
    return Subspace(origin, axes[:q].T)


def _noise_eigenvalues(size: int, degrees: int, rng: np.random.Generator) -> NDArray:
    """(size,) falling eigenvalues of a Wishart matrix, drawn by its Bartlett factor."""
    factor = np.tril(rng.standard_normal((size, size)), -1)
    factor[np.diag_indices(size)] = np.sqrt(rng.chisquare(degrees - np.arange(size)))
    return np.linalg.svd(factor, compute_uv=False) ** 2
