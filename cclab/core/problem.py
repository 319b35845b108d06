"""What a solver is given: data, and what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from cclab.core.arrays import readonly
from cclab.core.constraints.conflicts import Conflict
from cclab.core.constraints.set import ConstraintSet
from cclab.core.dask_rows import DaskRows, is_dask
from cclab.core.parameters import Parameter, seed, whole
from cclab.core.sample_blocks import BLOCK, Block, Chunked, Part, added, squared_norms
from cclab.core.scales import check_scale, check_weight_scale, fits_single_precision

# Where samples are not in memory, so many of them stand for all when starts are drawn.
DRAWN = 50_000


class IgnoredKnowledge(UserWarning):
    """A solver was told something that it has no use for; `counts` has how many statements of each kind."""

    def __init__(self, message: str = "", counts: dict[str, int] | None = None) -> None:
        super().__init__(message)
        self.counts = counts or {}


class ImpossibleKnowledge(UserWarning):
    """Statements that no answer can respect all at once; `conflict` explains some of them."""

    def __init__(self, message: str = "", conflict: Conflict | None = None) -> None:
        super().__init__(message)
        self.conflict = conflict


class SameSamples(UserWarning):
    """The samples don't differ, so that nothing in them tells clusters apart."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, knowledge and a seed. A value: nothing in it changes.

    Parameters
    ----------
    X : (n, p) array, sparse matrix, Dask array or `Chunked`
        The samples; the last two need not fit into memory.
    constraints : ConstraintSet, optional
        What a person said about them.
    sample_weight : (n,) array, optional
        How many samples each stands for; weighting equals repeating.
    affinity : (n, n) sparse matrix, optional
        Weak ties that belong to the data (neighbouring pixels, say), all >= 0: they act like weak must-links and are
        never counted among the statements.
    seed : int
        Where all randomness comes from.

    Notes
    -----
    What is expensive to derive from the data (kernels, neighbour graphs) is kept by `derived` and shared between all
    problems made by `with_constraints`, so new knowledge never recomputes it. Other data begin with nothing derived.
    """

    X: Any = field(repr=False)
    constraints: ConstraintSet = None  # type: ignore[assignment]
    sample_weight: NDArray | None = field(default=None, repr=False)
    affinity: sparse.csr_array | None = field(default=None, repr=False)
    seed: int = 0
    _derived: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        put("X", _checked_samples(self.X))
        n = self.X.shape[0]
        put("constraints", _checked_constraints(self.constraints, n))
        if self.sample_weight is not None:
            put("sample_weight", _checked_weights(self.sample_weight, n))
        if self.affinity is not None:
            put("affinity", _checked_affinity(self.affinity, n))
        put("seed", checked_seed(self.seed))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def weights(self) -> NDArray[np.float64]:
        """(n,) the sample weights, ones where none were given."""
        if self.sample_weight is None:
            if self.in_chunks:
                return np.broadcast_to(1.0, self.n_samples)  # takes no memory
            return self.derived("ones", lambda: readonly(np.ones(self.n_samples)))
        return self.sample_weight

    @property
    def total_weight(self) -> float:
        """The sample weights, added up."""
        return float(self.n_samples if self.sample_weight is None else self.sample_weight.sum())

    @property
    def in_chunks(self) -> bool:
        """Whether the samples are not in memory all at once."""
        return isinstance(self.X, Chunked)

    @property
    def norms(self) -> NDArray[np.float64]:
        """(n,) the squared lengths of samples that are in memory, worked out once."""
        return self.derived("squared_norms", lambda: squared_norms(self.X))

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All samples in order, at most `size` of them at a time."""
        if isinstance(self.X, Chunked):
            chunks = self.X.blocks(self.sample_weight)
            return (block for chunk in chunks for block in chunk.parts(size))
        return Block(0, self.X, self.sample_weight, lambda: self.norms).parts(size)

    def total(self, part: Part, size: int = BLOCK) -> tuple[Any, ...]:
        """What all blocks of at most `size` samples add up to.

        Parameters
        ----------
        part : callable
            Given a `Block`, a tuple of what it adds: numbers, arrays of one shape, or lists, which are put one after
            the other. Samples that are not in memory may be at another machine, to which it is sent: it should hold
            what it needs, and not the problem.

        Examples
        --------
        >>> problem = Problem([[1.0], [2.0], [6.0]])
        >>> problem.total(lambda block: (block.X.sum(), [block.X.max()]), size=2)
        (np.float64(9.0), [np.float64(2.0), np.float64(6.0)])
        """
        if isinstance(self.X, Chunked):
            return self.X.total(part, self.sample_weight, size)
        return added(map(part, self.blocks(size)))

    def drawn(self) -> tuple[Any, NDArray | None]:
        """Samples to draw starts from, and their weights: all, or some at random where they are not in memory."""
        if not self.in_chunks:
            return self.X, self.sample_weight

        def draw() -> NDArray:
            rng = np.random.default_rng([self.seed, DRAWN])
            return np.sort(rng.choice(self.n_samples, min(DRAWN, self.n_samples), replace=False, shuffle=False))

        rows = self.derived("drawn", draw)
        return self.X[rows], None if self.sample_weight is None else self.sample_weight[rows]

    def with_constraints(self, constraints: ConstraintSet) -> Problem:
        """The same data, with other knowledge."""
        other = copy(self)  # data that were looked at once are not looked at for every statement
        object.__setattr__(other, "constraints", _checked_constraints(constraints, self.n_samples))
        return other

    def derived(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The value of `compute()`, worked out once for these data."""
        if key not in self._derived:
            self._derived[key] = compute()
        return self._derived[key]

    @property
    def spread(self) -> float:
        """Root mean square distance of the samples from their mean (1 where all samples are the same)."""
        return self.derived("spread", self._spread)

    def _spread(self) -> float:
        whole = self.total_weight
        if sparse.issparse(self.X):
            w = self.weights / whole
            mean = np.asarray(w @ self.X, dtype=float).ravel()
            variance = float(w @ self.X.multiply(self.X).sum(axis=1) - mean @ mean)
        else:
            # In one pass, around the mean of each block: far from the origin a difference of squares would be noise.
            weights, means, squares = map(np.array, self.total(_block_moments))
            mean = weights @ means / whole
            variance = float((squares.sum() + weights @ ((means - mean) ** 2).sum(axis=1)) / whole)
        # Rounding leaves about eps squared times the squared mean where the samples are all the same.
        least = (1e-14 if sparse.issparse(self.X) else 1e-28) * (mean @ mean)
        return float(np.sqrt(variance)) if variance > least else 1.0

    def rng(self, restart: int, iteration: int) -> np.random.Generator:
        """The random numbers of one step, the same whenever it is replayed."""
        return np.random.default_rng([self.seed, restart, iteration])


def _block_moments(block: Block) -> tuple[list[float], list[NDArray], list[float]]:
    """The weight of a block, its mean, and its squared distances from that, added up."""
    w, X = block.weights, block.X.astype(float, copy=False)
    whole = float(w.sum())
    mean = w @ X / whole if whole else X[0]
    off = X - mean
    rest = w @ off / (whole or 1)  # what rounding left
    return [whole], [mean + rest], [float(w @ (off**2).sum(axis=1) - whole * (rest @ rest))]


def checked_seed(seed: Any) -> int:
    """`seed` as a plain integer, or an error that says what would be one."""
    _refuse_wrong("seed", whole(0), seed)
    return int(seed)


def drawn_seed(random_state: int | np.random.RandomState | np.random.Generator | None) -> int:
    """A seed, as `fit` draws it: always the same from an integer."""
    _refuse_wrong("random_state", seed(), random_state)
    most = np.iinfo(np.int32).max
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(most))
    return int(check_random_state(random_state).randint(most))


def _refuse_wrong(name: str, parameter: Parameter, value: Any) -> None:
    wrong = parameter.problem_with(value)
    if wrong:
        raise ValueError(f"{name} must {wrong}, got {value!r}")


def in_chunks(X: Any) -> Any:
    """Samples that are not in memory as `Chunked`; any others as they are."""
    return DaskRows(X) if is_dask(X) else X


def _checked_samples(X: Any) -> Any:
    X = in_chunks(X)
    if isinstance(X, Chunked):
        if 0 in X.shape:
            raise ValueError(f"X is empty: it has shape {X.shape}")
        check_scale(X, X.feature_names)
        return X
    if sparse.issparse(X):
        X = sparse.csr_array(X, dtype=float)
        values = X.data
    else:
        X = np.asarray(X)
        if X.dtype not in (np.float32, np.float64):
            try:
                X = X.astype(float)
            except (TypeError, ValueError):
                raise ValueError(f"X must be numeric, got {X.dtype} values; load_dataset drops text columns") from None
        values = X
    if X.ndim != 2:
        raise ValueError(
            f"X must have shape (n_samples, n_features), got {X.shape}; reshape a single feature with X[:, None]"
        )
    if 0 in X.shape:
        raise ValueError(f"X is empty: it has shape {X.shape}")
    if not np.isfinite(values).all():
        rows, columns = np.nonzero(~np.isfinite(X.toarray() if sparse.issparse(X) else X))
        bad = "NaN" if np.isnan(X[rows[0], columns[0]]) else "infinity (inf)"
        raise ValueError(
            f"X contains {bad} in row {rows[0]}, column {columns[0]} ({len(rows)} such values in all); "
            "drop those rows or fill them in first"
        )
    check_scale(X)
    if X.dtype == np.float32 and not fits_single_precision(X):
        X = X.astype(float)
    return X if sparse.issparse(X) else readonly(X)


def _checked_constraints(constraints: Any, n: int) -> ConstraintSet:
    if constraints is None:
        return ConstraintSet(n)
    if not isinstance(constraints, ConstraintSet):
        raise ValueError(
            f"constraints must be a ConstraintSet, got {type(constraints).__name__}; "
            "ConstraintSet(n).with_must_link(pairs) makes one"
        )
    if constraints.n_samples != n:
        raise ValueError(
            f"the constraints are about {constraints.n_samples} samples, but X has {n}; "
            "use ConstraintSet.restrict to choose samples"
        )
    return constraints


def _checked_weights(weights: ArrayLike, n: int) -> NDArray:
    weights = readonly(weights, float)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(f"sample_weight of sample {bad[0]} is {weights[bad[0]]}; weights are finite and >= 0")
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample")
    check_weight_scale(weights)
    return weights


def _checked_affinity(affinity: Any, n: int) -> sparse.csr_array:
    affinity = sparse.csr_array(affinity, dtype=float)
    if affinity.shape != (n, n):
        raise ValueError(f"affinity must have shape ({n}, {n}), got {affinity.shape}")
    if affinity.nnz and (not np.isfinite(affinity.data).all() or affinity.data.min() < 0):
        raise ValueError("affinity must be finite and >= 0 everywhere")
    return affinity
