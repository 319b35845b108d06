"""What every loader gives: samples by features, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples by features, with the truth where it is known. A frozen value: its arrays are read-only.

    Attributes
    ----------
    name : str
    X : float array (n_samples, n_features), or a scipy CSR array of that shape for texts
    feature_names : tuple of str
        ``x1, x2, ...`` where none are given.
    target : int array (n_samples,) or None
        The class of each sample, from 0; -1 for a sample of no class (an outlier, or the class is not known).
    target_names : tuple of str
    images : float array (n_samples, height, width) in [0, 1], or None
    description : str
        One or two sentences for a person.
    source : str
        Where the data come from, and on what terms.
    notes : tuple of str
        What was done to the data on the way: columns and rows left out and why, departures from a paper.
    sample_names : tuple of str, or None
    outliers : bool array (n_samples,) or None

    Examples
    --------
    >>> data = Dataset("pair", [[0.0, 1.0], [2.0, 1.0]], target=[0, 1], target_names=("low", "high"))
    >>> data
    <Dataset pair: 2 samples x 2 features; 2 classes: low 1, high 1>
    >>> data.standardized().X
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    name: str
    X: np.ndarray | sparse.csr_array
    feature_names: tuple[str, ...] = ()
    target: np.ndarray | None = None
    target_names: tuple[str, ...] = ()
    images: np.ndarray | None = None
    description: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    sample_names: tuple[str, ...] | None = None
    outliers: np.ndarray | None = None

    def __post_init__(self):
        keep = partial(object.__setattr__, self)
        keep("X", _checked_features(self.name, self.X))
        n_samples, n_features = self.X.shape
        keep("feature_names", _names(self.feature_names) or tuple(f"x{j + 1}" for j in range(n_features)))
        keep("notes", tuple(self.notes))
        self._check_length("feature_names", self.feature_names, n_features)
        if self.target is not None:
            if not np.issubdtype(np.asarray(self.target).dtype, np.integer):
                raise ValueError(f"{self.name}: target holds class codes from 0; for labels use with_target")
            keep("target", _read_only(self.target, int))
            self._check_length("target", self.target, n_samples)
            n_classes = self.target.max(initial=-1) + 1
            keep("target_names", _names(self.target_names) or tuple(str(k) for k in range(n_classes)))
            if self.target.min(initial=0) < -1 or n_classes > len(self.target_names):
                raise ValueError(
                    f"{self.name}: target must lie in -1..{len(self.target_names) - 1} (-1: of no class), "
                    f"one code for each of {self.target_names}"
                )
        elif self.target_names:
            raise ValueError(f"{self.name}: target_names without a target; give both or neither")
        if self.images is not None:
            keep("images", _read_only(self.images, float))
            self._check_length("images", self.images, n_samples)
            if self.images.ndim != 3 or self.images.min() < 0 or self.images.max() > 1:
                raise ValueError(f"{self.name}: images must be (n_samples, height, width) with values in [0, 1]")
        if self.sample_names is not None:
            keep("sample_names", _names(self.sample_names))
            self._check_length("sample_names", self.sample_names, n_samples)
        if self.outliers is not None:
            keep("outliers", _read_only(self.outliers, bool))
            self._check_length("outliers", self.outliers, n_samples)

    def _check_length(self, field, values, expected):
        if len(values) != expected:
            raise ValueError(f"{self.name}: {field} has {len(values)} entries, expected {expected}")

    @property
    def n_samples(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def n_classes(self) -> int | None:
        """Number of classes of the truth; None where there is no truth."""
        return None if self.target is None else len(self.target_names)

    def standardized(self) -> Dataset:
        """The same samples with every feature at mean 0 and variance 1; constant features are 0."""
        if sparse.issparse(self.X):
            raise ValueError(
                f"{self.name} is sparse: subtracting the means would fill it with {self.n_samples} x "
                f"{self.n_features} numbers. Text sets come with rows of unit length already; "
                "to standardise all the same, wrap X.toarray() with load_dataset"
            )
        Z = StandardScaler().fit_transform(self.X)
        Z[:, self.X.max(axis=0) == self.X.min(axis=0)] = 0.0
        return replace(self, X=Z, notes=(*self.notes, "features standardised to mean 0 and variance 1"))

    def with_target(self, labels, *, outliers=None) -> Dataset:
        """The same samples with another truth: any labels, missing ones (None, NaN) meaning no class.

        Parameters
        ----------
        labels : array-like (n_samples,), or None for no truth
        outliers : bool array-like (n_samples,), optional
        """
        target, target_names = (None, ()) if labels is None else encode(labels)
        return replace(self, target=target, target_names=target_names, outliers=outliers)

    def __repr__(self):
        parts = [f"{self.n_samples} samples x {self.n_features} features" + self._kind()]
        if self.target is not None:
            counts = np.bincount(self.target[self.target >= 0], minlength=self.n_classes)
            shown = [f"{name} {count}" for name, count in zip(self.target_names[:8], counts)]
            shown += ["..."] if self.n_classes > 8 else []
            parts.append(f"{self.n_classes} classes: {', '.join(shown)}")
        if self.outliers is not None:
            parts.append(f"{self.outliers.sum()} outliers")
        if self.notes:
            parts.append(f"{len(self.notes)} note{'s' if len(self.notes) > 1 else ''}")
        return f"<Dataset {self.name}: {'; '.join(parts)}>"

    def _kind(self):
        if sparse.issparse(self.X):
            return " (sparse)"
        return "" if self.images is None else f" (images of {self.images.shape[1]} x {self.images.shape[2]})"


def encode(labels) -> tuple[np.ndarray, tuple[str, ...]]:
    """Class codes from 0 and the names of the classes, numbers in numeric order; missing labels get -1.

    >>> codes, names = encode(["10", "9", None, "10"])
    >>> codes.tolist(), names
    ([1, 0, -1, 1], ('9', '10'))
    """
    codes, values = pd.factorize(pd.Series(labels))
    names = [_class_name(value) for value in values]
    ordered = _in_order(set(names))
    place = {name: k for k, name in enumerate(ordered)}
    places = np.array([*(place[name] for name in names), -1])  # code -1 (missing) picks the last entry
    return places[codes], tuple(ordered)


def _class_name(value):
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)


def _in_order(names):
    try:
        return sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        return sorted(names)


def _names(values):
    return tuple(str(value) for value in values)


def _read_only(values, dtype):
    array = np.asarray(values, dtype=dtype)
    if array.flags.writeable or array.base is not None:
        array = array.copy()
        array.flags.writeable = False
    return array


def _checked_features(name, X):
    """X as a read-only float array or CSR array with at least one sample and feature, all finite."""
    if sparse.issparse(X):
        X = sparse.csr_array(X, dtype=float)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        # scikit-learn takes 32-bit indices only.
        index = np.int32 if max(X.nnz, X.shape[1]) <= np.iinfo(np.int32).max else np.int64
        X.indices, X.indptr = _read_only(X.indices, index), _read_only(X.indptr, index)
        X.data = _read_only(X.data, float)
        values = X.data
    else:
        try:
            if np.iscomplexobj(X):
                raise ValueError("complex numbers; give their real and imaginary parts as features")
            X = values = _read_only(X, float)
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


def _first_not_finite(X):
    return tuple(int(i) for i in np.argwhere(~np.isfinite(X))[0])
