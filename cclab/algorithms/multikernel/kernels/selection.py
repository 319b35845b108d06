"""From a description of kernels to the object that multiplies with them, exact or by landmarks as memory allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from cclab.algorithms.multikernel.kernels.base_kernels import Kernels
from cclab.algorithms.multikernel.kernels.families import (
    BLOCK_SIZE,
    Landmarks,
    Powers,
    RankOne,
    Rows,
    squares,
    times_base,
)
from cclab.algorithms.multikernel.kernels.linked import linked_directions
from cclab.core import ConstraintSet, Problem
from cclab.core.sample_blocks import row_blocks, squared_norms
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances

METHODS = ("auto", "stored", "blocks", "landmarks")

# Pairs of so many samples tell the spread of all pairwise distances well enough where those are too many.
SPREAD_SAMPLES = 3000
# What sums over samples lose.
ROUNDING = 1e-13

Kernel = str | Callable | NDArray


def choose_kernels(
    problem: Problem,
    kernels: str | Kernel | Sequence[Kernel],
    *,
    method: str = "auto",
    memory: float = 1e9,
    n_landmarks: int = 300,
    centered: bool = True,
) -> Kernels:
    """The kernels of a description, worked out once for these data.

    Parameters
    ----------
    problem : Problem
    kernels : str, callable, (N, N) array, or a list of them
        "spectral 5" gives the rank-one kernels of the 5 leading principal directions; "rbf 7" 7 Gaussian kernels,
        each half as wide as the one before; "polynomial 3" the powers 1 to 3 of the scalar product; "linked 2" the
        rank-one kernels of the 2 directions that best tell cannot-linked from must-linked pairs, once there are any;
        the name of a scikit-learn kernel that one ("laplacian"). One string may hold several, with commas. A callable
        takes two arrays of samples and gives the matrix of kernel values between them.
    method : {"auto", "stored", "blocks", "landmarks"}
        Keep base matrices; work out their rows each time; Nystrom's method; or the first of them if they fit into
        `memory`, else the last.
    memory : float
        Bytes that stored matrices may take.
    n_landmarks : int
    centered : bool
        Whether the spectral kernels are those of the centred samples.
    """
    listed = read_kernels(kernels)
    directions = sum(item[1] for item in listed if _is(item, "linked"))
    listed = [item for item in listed if not _is(item, "linked")]
    key = tuple(item if isinstance(item, str | tuple) else id(item) for item in listed)

    def build() -> tuple[Kernels, list]:
        # With what is listed kept alive, its ids are not used again as long as they are a key.
        return _build(problem, listed, method, memory, n_landmarks, centered), listed

    fixed = problem.derived(("kernels", key, method, memory, n_landmarks, centered), build)[0]
    known = problem.constraints
    if not directions or not len(known.must) + len(known.cannot):
        return fixed

    def extend(_: ConstraintSet) -> Kernels:
        return fixed + Kernels([linked_directions(problem, directions)], problem.weights)

    return of_constraints(problem, ("linked kernels", key, directions), extend)


def read_kernels(kernels: Any) -> list:
    """Each kernel or family of a description: ``(name, count)``, a callable or an array.

    >>> read_kernels("spectral 5, rbf 7, laplacian")
    [('spectral', 5), ('rbf', 7), ('laplacian', 1)]
    """
    if isinstance(kernels, str):
        kernels = [part for part in kernels.split(",") if part.strip()]
    elif callable(kernels) or (isinstance(kernels, np.ndarray) and kernels.ndim == 2):
        kernels = [kernels]
    listed = [item for kernel in kernels for item in _read(kernel)]
    if all(_is(item, "linked") for item in listed):
        raise ValueError("kernels must name at least one that needs no links, such as 'rbf 7'")
    return listed


def _read(kernel: Any) -> list:
    if callable(kernel) or isinstance(kernel, np.ndarray):
        return [kernel]
    if not isinstance(kernel, str):
        raise ValueError(f"a kernel is a name, a callable or an (n, n) array, got {type(kernel).__name__}")
    if "," in kernel:
        return read_kernels(kernel)
    found = re.fullmatch(r"\s*([a-z_0-9]*[a-z_])\s*(\d*)\s*", kernel)
    families = ("spectral", "rbf", "polynomial", "linked")
    if not found or (found[1] not in families and (found[1] not in PAIRWISE_KERNEL_FUNCTIONS or found[2])):
        known = ", ".join([*(f"'{name} 3'" for name in families), *map(repr, sorted(PAIRWISE_KERNEL_FUNCTIONS))])
        raise ValueError(f"there is no kernel {kernel.strip()!r}; use one of {known}, a callable or a matrix")
    if found[2] == "0":
        raise ValueError(f"kernel {kernel.strip()!r} asks for 0 kernels; ask for at least 1")
    return [(found[1], int(found[2] or 1))]


def _is(item: Any, family: str) -> bool:
    return isinstance(item, tuple) and item[0] == family


def _build(problem: Problem, listed: list, method: str, memory: float, n_landmarks: int, centered: bool) -> Kernels:
    n, weights = problem.n_samples, problem.weights
    n_bases = sum(not _is(item, "spectral") and not isinstance(item, np.ndarray) for item in listed)
    if method == "auto":
        method = "stored" if n_bases * n * n * 8 <= memory or n <= n_landmarks else "landmarks"
    sampled = method == "landmarks" and n_landmarks < n
    families: list = []
    for item in listed:
        if _is(item, "spectral"):
            families.append(_spectral(problem.X, weights, item[1], centered))
        elif isinstance(item, np.ndarray):
            families.append(_precomputed(item, n, families))
        else:
            families.append(_powers(problem, item, method == "stored", sampled, families))
    if not sampled or not n_bases:
        return Kernels(families, weights)
    landmarks = _landmarks(problem, n_landmarks)
    families = [
        Landmarks(family, landmarks, n) if isinstance(family, Powers) and family.matrix is None else family
        for family in families
    ]
    return Kernels(families, weights, f"Kernels are seen through {n_landmarks} landmarks (Nystrom's method).")


def _spectral(X: NDArray, weights: NDArray, count: int, centered: bool) -> RankOne:
    """The leading eigenvectors of the linear kernel, as many as its rank allows (Section 5.1.3 of the paper)."""
    X = X - (weights @ X) / weights.sum() if centered else X
    _, singular, directions = np.linalg.svd(np.sqrt(weights)[:, None] * X, full_matrices=False)
    rank = max(1, int((singular > 1e-10 * max(singular[0], np.finfo(float).tiny)).sum()))
    count = min(count, rank)
    vectors, size = directions[:count] @ X.T, singular[:count, None]
    # Where only samples of no weight differ, the others have no direction.
    seen = size > ROUNDING * np.abs(X).max() * np.sqrt(weights.max())
    vectors = np.divide(vectors, size, out=np.zeros_like(vectors), where=seen)
    return RankOne(tuple(f"spectral {k + 1}" for k in range(count)), vectors)


def _precomputed(matrix: NDArray, n: int, others: list) -> Powers:
    if matrix.shape != (n, n):
        raise ValueError(f"a kernel matrix has shape {matrix.shape}, but must be ({n}, {n}): there are {n} samples")
    matrix = np.asarray(matrix, dtype=float)
    if not np.allclose(matrix, matrix.T):
        raise ValueError("a kernel matrix must be finite and symmetric")
    family = Powers((_numbered("matrix", others),), n, lambda rows, columns: matrix[rows][:, columns], np.diag(matrix))
    family.matrix = matrix
    return family


def _powers(problem: Problem, item: Any, stored: bool, sampled: bool, others: list) -> Powers:
    """Gaussian, polynomial, scikit-learn's, or a callable's kernels."""
    X, n = problem.X, problem.n_samples
    if callable(item):
        return _called(item, _numbered(getattr(item, "__name__", "kernel").strip("<>"), others), X, stored)
    name, count = item
    if name == "rbf":
        # Centred, and in units in which the kernel is exp(-|x - y|^2): rounding is far below 1, whatever it cancels.
        X = (X - X.mean(axis=0)) / np.sqrt(2.0 ** (count - 1) * distance_spread(problem, sampled))
        norms = squared_norms(X)

        def base(rows: Rows, columns: Rows) -> NDArray:
            near = X[rows] @ (2 * X[columns].T)
            near -= norms[rows, None]
            near -= norms[columns]
            return np.exp(np.minimum(near, 0, out=near), out=near)

        names = tuple(f"rbf {2 ** (count - 1 - k)}" for k in range(count))
        return Powers(names, n, base, np.ones(n), squares, stored)
    if name == "polynomial":
        names = tuple(f"polynomial {k + 1}" for k in range(count))
        return Powers(names, n, lambda r, c: X[r] @ X[c].T, squared_norms(X), times_base, stored)
    return _called(partial(pairwise_kernels, metric=name), name, X, stored)


def _called(kernel: Callable, name: str, X: NDArray, stored: bool) -> Powers:
    """One kernel, given as a function of two arrays of samples."""

    def base(rows: Rows, columns: Rows) -> NDArray:
        values = np.array(kernel(X[rows], X[columns]), dtype=float)
        wanted = (len(X[rows]), len(X[columns]))
        if values.shape != wanted:
            raise ValueError(f"kernel {name!r} must give a {wanted} array for so many samples, got {values.shape}")
        return values

    diagonal = np.concatenate([np.diag(base(rows, rows)) for rows in row_blocks(len(X), 256)])
    return Powers((name,), len(X), base, diagonal, stored=stored)


def _numbered(name: str, others: list) -> str:
    """`name`, with a number where it is taken already."""
    taken = {other for family in others for other in family.names}
    names = [name, *(f"{name} {k}" for k in range(2, len(taken) + 2))]
    return next(candidate for candidate in names if candidate not in taken)


def distance_spread(problem: Problem, sampled: bool = False) -> float:
    """Standard deviation of all pairwise distances (their mean where they are all alike; 1 where all are 0).

    Parameters
    ----------
    problem : Problem
    sampled : bool
        Whether the pairs of a random `SPREAD_SAMPLES` samples will do.
    """
    X, w = problem.X, problem.weights
    if sampled and problem.n_samples > SPREAD_SAMPLES:
        drawn = np.random.default_rng(problem.seed).choice(len(X), SPREAD_SAMPLES, p=w / w.sum())
        X, w = X[drawn], np.ones(SPREAD_SAMPLES)
    X = X - X.mean(axis=0)
    norms = squared_norms(X)
    first = second = 0.0
    for rows in row_blocks(len(X), max(1, BLOCK_SIZE // len(X))):
        d2 = squared_distances(X[rows], X, norms[rows])
        d2[np.arange(len(d2)), np.arange(rows.start, rows.stop)] = 0  # rounding left a little, and its root is large
        second += float(w[rows] @ (d2 @ w))
        first += float(w[rows] @ (np.sqrt(d2, out=d2) @ w))
    total = w.sum()
    # Pairs of different samples: a sample of weight 2 has one pair, at distance 0, in itself.
    pairs = total * (total - 1) if total > 1 else total * total
    mean = first / pairs
    variance = second / pairs - mean**2
    if variance > 1e-12 * mean**2:
        return float(np.sqrt(variance))
    return float(mean) if mean > 0 else 1.0


def _landmarks(problem: Problem, count: int) -> NDArray:
    """Samples far from each other, by k-means++."""
    _, landmarks = kmeans_plusplus(
        problem.X, count, sample_weight=problem.sample_weight, random_state=problem.seed % (2**32)
    )
    return np.unique(landmarks)
