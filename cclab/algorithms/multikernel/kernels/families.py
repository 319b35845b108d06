"""Families of kernels that share one base: rank-one by vectors, powers of a base by rows, powers by landmarks.

A family of M kernels on N samples answers `diag` (M, N) and ``matmul(W)`` (M, N, C), the products of all its kernel
matrices with the (N, C) matrix ``W``. That is all that kernel clustering needs, and none of them keeps M matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cclab.core.sample_blocks import row_blocks

# A block of kernel rows holds about this many numbers, so that it is raised to all its powers within the cache.
BLOCK_SIZE = 400_000

Rows = NDArray | slice
Base = Callable[[Rows, Rows], NDArray]
Growth = Callable[[NDArray, NDArray], NDArray]


class Family(Protocol):
    """What the families have in common."""

    names: tuple[str, ...]

    def diag(self) -> NDArray:
        """(M, N) the kernels' diagonals."""
        ...

    def matmul(self, W: NDArray) -> NDArray:
        """(M, N, C) each kernel times `W`."""
        ...


class RankOne:
    """Kernels ``v v'``, one for each vector.

    Parameters
    ----------
    names : tuple of str
    vectors : (M, N) array
    """

    def __init__(self, names: tuple[str, ...], vectors: NDArray) -> None:
        self.names = names
        self.vectors = vectors

    def diag(self) -> NDArray:
        """(M, N) the kernels' diagonals."""
        return self.vectors**2

    def matmul(self, W: NDArray) -> NDArray:
        """(M, N, C) each kernel times `W`."""
        return self.vectors[:, :, None] * (self.vectors @ W)[:, None, :]


def squares(kernel: NDArray, base: NDArray) -> NDArray:
    """From one Gaussian kernel to the next, of half its width: in place."""
    return np.square(kernel, out=kernel)


def times_base(kernel: NDArray, base: NDArray) -> NDArray:
    """From one polynomial kernel to the next, of one degree more: in place."""
    return np.multiply(kernel, base, out=kernel)


class Powers:
    """Kernels that grow out of one base, entry by entry; exact, a block of rows at a time.

    Parameters
    ----------
    names : tuple of str
        One for each kernel; the first is the base.
    n_samples : int
    base : callable
        ``base(rows, columns)`` gives that part of the first kernel's matrix, as a new array.
    diagonal : (N,) array
        The diagonal of the base.
    growth : callable
        From one kernel's entries (written to) and the base's to the next kernel's: `squares` or `times_base`.
    stored : bool
        Whether to keep the base's matrix, or to work out its rows anew each time.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        n_samples: int,
        base: Base,
        diagonal: NDArray,
        growth: Growth = squares,
        stored: bool = False,
    ) -> None:
        self.names = names
        self.base = base
        self.growth = growth
        self._diagonal = diagonal
        self._blocks = tuple(row_blocks(n_samples, max(1, BLOCK_SIZE // n_samples)))
        self.matrix = self._stored(n_samples) if stored else None

    def _stored(self, n_samples: int) -> NDArray:
        matrix = np.empty((n_samples, n_samples))
        for rows in self._blocks:
            matrix[rows] = self.base(rows, slice(None))
        return matrix

    def diag(self) -> NDArray:
        """(M, N) the kernels' diagonals."""
        return np.array([kernel.copy() for kernel in self.powers(self._diagonal)])

    def matmul(self, W: NDArray) -> NDArray:
        """(M, N, C) each kernel times `W`."""
        products = np.empty((len(self.names), *W.shape))
        for rows in self._blocks:
            block = self.base(rows, slice(None)) if self.matrix is None else self.matrix[rows]
            for k, kernel in enumerate(self.powers(block)):
                np.matmul(kernel, W, out=products[k, rows])
        return products

    def powers(self, base: NDArray) -> Iterator[NDArray]:
        """All kernels' entries from the base's, one after the other in the same array."""
        yield base
        kernel = base.copy() if len(self.names) > 1 else base
        for _ in self.names[1:]:
            kernel = self.growth(kernel, base)
            yield kernel


class Landmarks:
    """The kernels of a `Powers` family by Nystrom's method: seen through a few landmark samples only.

    With ``B`` the kernel between samples and landmarks and ``A`` the one among landmarks, the matrix is taken to be
    ``B A^+ B'``. The diagonal stays exact: it costs nothing, and without it the distances are off by far more.

    Parameters
    ----------
    family : Powers
    landmarks : (r,) int array
        Samples.
    n_samples : int
    """

    # Eigenvalues below this part of the largest drown in the rounding of the single-precision columns.
    CUT = 1e-6

    def __init__(self, family: Powers, landmarks: NDArray, n_samples: int) -> None:
        self.names = family.names
        self._family = family
        self._blocks = tuple(row_blocks(n_samples, max(1, BLOCK_SIZE // len(landmarks))))
        self._columns = np.empty((n_samples, len(landmarks)), dtype=np.float32)
        for rows in self._blocks:
            self._columns[rows] = family.base(rows, landmarks)
        among = family.base(landmarks, landmarks)
        self._cores = [np.linalg.pinv(A, rcond=self.CUT, hermitian=True) for A in family.powers(among)]

    def diag(self) -> NDArray:
        """(M, N) the kernels' diagonals, exact."""
        return self._family.diag()

    def matmul(self, W: NDArray) -> NDArray:
        """(M, N, C) each kernel times `W`, nearly."""
        M, C = len(self.names), W.shape[1]
        W = W.astype(np.float32)
        seen = np.zeros((M, self._columns.shape[1], C))
        for rows in self._blocks:
            for k, B in enumerate(self._family.powers(self._columns[rows])):
                seen[k] += B.T @ W[rows]
        seen = np.array([core @ s for core, s in zip(self._cores, seen, strict=True)], dtype=np.float32)
        products = np.empty((M, *W.shape))
        for rows in self._blocks:
            for k, B in enumerate(self._family.powers(self._columns[rows])):
                products[k, rows] = B @ seen[k]
        return products
