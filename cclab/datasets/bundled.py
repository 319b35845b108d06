"""The data sets that scikit-learn carries."""

from __future__ import annotations

import sklearn
from sklearn import datasets

from cclab.datasets.dataset import Dataset

_LOADERS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "wdbc": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}
BUNDLED = frozenset(_LOADERS)


def load_bundled(name: str) -> Dataset:
    """A data set out of scikit-learn's own files, no network needed."""
    bunch = _LOADERS[name]()
    notes: tuple[str, ...] = ()
    if name == "iris":
        notes = ("scikit-learn's copy, after Fisher's paper: samples 34 and 37 differ slightly from UCI's copy",)
    return Dataset(
        name=name,
        X=bunch.data,
        feature_names=tuple(bunch.feature_names),
        target=bunch.target,
        target_names=tuple(bunch.target_names),
        images=bunch.images / 16 if "images" in bunch else None,  # the grey levels go from 0 to 16
        source=f"copy in scikit-learn {sklearn.__version__} (BSD-3-Clause)",
        notes=notes,
    )
