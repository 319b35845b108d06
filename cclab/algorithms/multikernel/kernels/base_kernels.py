"""A set of kernels as one object, whichever families it is made of."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.multikernel.kernels.families import Family

# A kernel whose variance is below this part of its size is the same for all samples.
NO_SPREAD = 1e-12


class Kernels:
    """M kernels on the same N samples.

    Parameters
    ----------
    families : list of Family
    weights : (N,) array
        How many samples each stands for.
    note : str
        How the products are worked out, for a person; empty where they are exact and there is nothing to say.

    Attributes
    ----------
    names : tuple of str
        A name for each kernel.

    Examples
    --------
    >>> from cclab.algorithms.multikernel.kernels import RankOne
    >>> v = np.array([1.0, -1.0, 2.0])
    >>> kernels = Kernels([RankOne(("spectral 1",), v[None])], np.ones(3))
    >>> kernels.matmul(np.ones((3, 1)))[0, :, 0].tolist(), kernels.quad(np.ones((3, 1))).tolist()
    ([2.0, -2.0, 4.0], [[4.0]])
    """

    def __init__(self, families: list[Family], weights: NDArray, note: str = "") -> None:
        self.families = families
        self.note = note
        self.names = tuple(name for family in families for name in family.names)
        self._weights = weights

    def __add__(self, other: Kernels) -> Kernels:
        """Both sets together, with what is known of their scales."""
        both = Kernels(self.families + other.families, self._weights, self.note or other.note)
        both.scale = np.concatenate([self.scale, other.scale])
        return both

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _diag(self) -> NDArray:
        return np.concatenate([family.diag() for family in self.families])

    def diag(self) -> NDArray:
        """(M, N) the diagonals."""
        return self._diag

    def matmul(self, W: NDArray) -> NDArray:
        """(M, N, C) each kernel times the (N, C) matrix `W`."""
        return np.concatenate([family.matmul(W) for family in self.families])

    def quad(self, W: NDArray) -> NDArray:
        """(M, C) ``w' K w`` for each kernel and each column of `W`."""
        return np.einsum("ic,kic->kc", W, self.matmul(W))

    @cached_property
    def scale(self) -> NDArray:
        """(M,) one over the variance of the samples in each kernel's feature space; 0 where they are all alike."""
        w = self._weights / self._weights.sum()
        size = self.diag() @ w
        variance = size - self.quad(w[:, None])[:, 0]
        spread = variance > NO_SPREAD * np.abs(size)
        return np.divide(1.0, variance, out=np.zeros(len(self)), where=spread)

    def distances(self, W: NDArray) -> tuple[NDArray, NDArray]:
        """Squared distances of all samples to weighted means, in each kernel's feature space.

        Parameters
        ----------
        W : (N, C) array
            The samples' weights in each of C means; any positive multiple gives the same means.

        Returns
        -------
        distances : (M, N, C) array
        sums : (M,) array
            The distances weighted by `W`, added up.
        """
        totals = np.maximum(W.sum(axis=0), np.finfo(float).tiny)
        share = W / totals
        distances = self.matmul(share)
        squared_means = np.einsum("ic,kic->kc", share, distances)
        distances *= -2
        distances += self.diag()[:, :, None]
        distances += squared_means[:, None, :]
        sums = np.einsum("ic,ki->k", W, self.diag()) - squared_means @ totals
        return np.maximum(distances, 0, out=distances), np.maximum(sums, 0)


def best_weights(Y: NDArray, q: float, usable: NDArray) -> NDArray:
    """Weights that minimise ``sum_k omega_k^q Y_k`` and add up to 1: Eq. 8 for q = 2.

    Parameters
    ----------
    Y : (M,) array
    q : float
        Above 1.
    usable : (M,) bool array
        The others get no weight.

    Examples
    --------
    >>> best_weights(np.array([1.0, 3.0]), 2, np.array([True, True])).tolist()
    [0.75, 0.25]
    """
    usable = usable if usable.any() else np.ones_like(usable)
    least = max(Y[usable].min(), np.finfo(float).tiny)
    omega = np.where(usable, (least / np.maximum(Y, least)) ** (1 / (q - 1)), 0.0)
    return omega / omega.sum()


def mixed_distances(kernels: Kernels, W: NDArray, q: float, *, scaled: bool) -> tuple[NDArray, NDArray]:
    """Squared distances to weighted means in the mix of kernels that makes them least.

    Parameters
    ----------
    kernels : Kernels
    W : (N, C) array
        The samples' weights in each of C means.
    q : float
        The kernels' weights count with this exponent.
    scaled : bool
        Whether each kernel is divided by the variance of the samples in its feature space, so that its unit does not
        matter.

    Returns
    -------
    distances : (N, C) array
        ``sum_k omega_k^q Q_k``.
    omega : (M,) array
        The kernels' weights.
    """
    Q, Y = kernels.distances(W)
    scale = kernels.scale if scaled else np.ones(len(kernels))
    omega = best_weights(scale * Y, q, scale > 0)
    return np.tensordot(omega**q * scale, Q, 1), omega
