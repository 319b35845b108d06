"""What a solver is given: data, and what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cclab.core.arrays import readonly
from cclab.core.constraints import ConstraintSet


class IgnoredKnowledge(UserWarning):
    """A solver was told something that it has no use for."""


class ImpossibleKnowledge(UserWarning):
    """Statements that no answer can respect all at once."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, knowledge and a seed. A value: nothing in it changes.

    Parameters
    ----------
    X : (n, p) array or sparse matrix
        The samples.
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
    problems made by `with_constraints`, so new knowledge never recomputes it.
    """

    X: Any = field(repr=False)
    constraints: ConstraintSet = None  # type: ignore[assignment]
    sample_weight: NDArray | None = field(default=None, repr=False)
    affinity: sparse.csr_array | None = field(default=None, repr=False)
    seed: int = 0
    _derived: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        put("X", _checked_samples(self.X))
        n = self.X.shape[0]
        if self.constraints is None:
            put("constraints", ConstraintSet(n))
        elif not isinstance(self.constraints, ConstraintSet):
            raise ValueError(
                f"constraints must be a ConstraintSet, got {type(self.constraints).__name__}; "
                "ConstraintSet(n).with_must_link(pairs) makes one"
            )
        elif self.constraints.n_samples != n:
            raise ValueError(
                f"the constraints are about {self.constraints.n_samples} samples, but X has {n}; "
                "use ConstraintSet.restrict to choose samples"
            )
        if self.sample_weight is not None:
            put("sample_weight", _checked_weights(self.sample_weight, n))
        if self.affinity is not None:
            put("affinity", _checked_affinity(self.affinity, n))

    @property
    def n_samples(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def weights(self) -> NDArray[np.float64]:
        """(n,) the sample weights, ones where none were given."""
        if self.sample_weight is None:
            return self.derived("ones", lambda: readonly(np.ones(self.n_samples)))
        return self.sample_weight

    def with_constraints(self, constraints: ConstraintSet) -> Problem:
        """The same data, with other knowledge."""
        return replace(self, constraints=constraints)

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
        w = self.weights / self.weights.sum()
        mean = np.asarray(w @ self.X, dtype=float).ravel()
        if sparse.issparse(self.X):
            variance = float(w @ self.X.multiply(self.X).sum(axis=1) - mean @ mean)
        else:
            # Around the mean, a block of rows at a time: far from the origin a difference of squares would be noise.
            blocks = (slice(start, start + 4096) for start in range(0, self.n_samples, 4096))
            variance = sum(float(w[rows] @ ((self.X[rows] - mean) ** 2).sum(axis=1)) for rows in blocks)
        # Rounding leaves about eps squared times the squared mean where the samples are all the same.
        least = (1e-14 if sparse.issparse(self.X) else 1e-28) * (mean @ mean)
        return float(np.sqrt(variance)) if variance > least else 1.0

    def rng(self, restart: int, iteration: int) -> np.random.Generator:
        """The random numbers of one step, the same whenever it is replayed."""
        return np.random.default_rng([self.seed, restart, iteration])


def _checked_samples(X: Any) -> Any:
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
    return X if sparse.issparse(X) else readonly(X)


def _checked_weights(weights: ArrayLike, n: int) -> NDArray:
    weights = readonly(weights, float)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(f"sample_weight of sample {bad[0]} is {weights[bad[0]]}; weights are finite and >= 0")
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample")
    return weights


def _checked_affinity(affinity: Any, n: int) -> sparse.csr_array:
    affinity = sparse.csr_array(affinity, dtype=float)
    if affinity.shape != (n, n):
        raise ValueError(f"affinity must have shape ({n}, {n}), got {affinity.shape}")
    if affinity.nnz and (not np.isfinite(affinity.data).all() or affinity.data.min() < 0):
        raise ValueError("affinity must be finite and >= 0 everywhere")
    return affinity
