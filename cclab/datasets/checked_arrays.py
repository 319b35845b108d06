"""Arrays that a data set takes, checked and read-only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse


def read_only(values: Any, dtype: DTypeLike) -> np.ndarray:
    """The values as an array that no one can write to; copied unless no one can already."""
    array = np.asarray(values, dtype=dtype)
    if array.flags.writeable or array.base is not None:
        array = array.copy()
        array.flags.writeable = False
    return array


def checked_features(name: str, X: Any) -> Any:
    """X as a read-only float array or CSR array with at least one sample and feature, all finite."""
    if sparse.issparse(X):
        X = sparse.csr_array(X, dtype=float)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        # scikit-learn takes 32-bit indices only.
        index = np.int32 if max(X.nnz, X.shape[1]) <= np.iinfo(np.int32).max else np.int64
        X.indices, X.indptr = read_only(X.indices, index), read_only(X.indptr, index)
        X.data = read_only(X.data, float)
        values = X.data
    else:
        try:
            if np.iscomplexobj(X):
                raise ValueError("complex numbers; give their real and imaginary parts as features")
            X = values = read_only(X, float)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{name}: the features must be numbers in an array (n_samples, n_features): {error}"
            ) from None
        if X.ndim != 2:
            raise ValueError(
                f"{name}: expected an array (n_samples, n_features), got shape {X.shape}; "
                "a single feature is X.reshape(-1, 1)"
            )
    if 0 in X.shape:
        raise ValueError(f"{name}: no samples or no features (shape {X.shape})")
    if not np.isfinite(values).all():
        where = "" if sparse.issparse(X) else " (first at row {}, column {})".format(*_first_not_finite(X))
        raise ValueError(f"{name}: the features have missing or infinite values{where}; drop or fill those rows")
    return X


def _first_not_finite(X: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(~np.isfinite(X))[0])
