"""Beliefs about clusters: hard, fuzzy, possibilistic, both at once. Credal ones are in `cclab.core.credal`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import readonly

Array = NDArray


class Partition(ABC):
    """A belief about which cluster each sample is in. All that views know of a solver's result.

    Attributes
    ----------
    kind : str
        "hard", "fuzzy", "possibilistic", "fuzzy-possibilistic" or "credal".
    outlier_threshold : float
        What `outliers` uses when it is given none.
    """

    kind: ClassVar[str]
    outlier_threshold: float = 0.5

    @property
    @abstractmethod
    def degrees(self) -> Array:
        """(n, k) how much each sample belongs to each cluster, in this belief's own terms."""

    @property
    def n_samples(self) -> int:
        return self.degrees.shape[0]

    @property
    def n_clusters(self) -> int:
        return self.degrees.shape[1]

    def labels(self) -> NDArray[np.int64]:
        """(n,) the most likely cluster of each sample."""
        return np.argmax(self.degrees, axis=1)

    def ambiguity(self) -> Array:
        """(n,) how torn each sample is between its two best clusters: 0 = not at all, 1 = both alike."""
        if self.n_clusters == 1:
            return np.zeros(self.n_samples)
        second, first = np.partition(self.degrees, self.n_clusters - 2, axis=1)[:, -2:].T
        return np.divide(second, first, out=np.ones(self.n_samples), where=first > 0)

    def outliers(self, threshold: float | None = None) -> NDArray[np.bool_]:
        """(n,) which samples belong nowhere; a hard or fuzzy belief can't tell, and flags none."""
        return np.zeros(self.n_samples, dtype=bool)

    def columns(self) -> dict[str, Array]:
        """What `to_frame` shows of each sample besides label, ambiguity and outlier flag."""
        return {f"cluster_{k}": self.degrees[:, k] for k in range(self.n_clusters)}

    def to_frame(self) -> pd.DataFrame:
        """One row a sample: label, ambiguity, outlier flag, and the belief itself."""
        return pd.DataFrame(
            {
                "label": self.labels(),
                "ambiguity": self.ambiguity(),
                "outlier": self.outliers(),
                **self.columns(),
            }
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_samples} samples, {self.n_clusters} clusters)"


def _degrees(values: ArrayLike, what: str) -> Array:
    array = readonly(values, float)
    if array.ndim != 2:
        raise ValueError(f"{what} must have shape (n_samples, n_clusters), got {array.shape}")
    return array


class Hard(Partition):
    """Each sample is in one cluster.

    Parameters
    ----------
    labels : (n,) int array
    n_clusters : int, optional
        Default: the largest label plus one.
    """

    kind = "hard"

    def __init__(self, labels: ArrayLike, n_clusters: int | None = None) -> None:
        self._labels = readonly(labels, np.int64)
        self._n_clusters = int(self._labels.max(initial=-1)) + 1 if n_clusters is None else n_clusters

    @cached_property
    def degrees(self) -> Array:
        return readonly(np.eye(self._n_clusters)[self._labels])

    @property
    def n_samples(self) -> int:
        return len(self._labels)

    @property
    def n_clusters(self) -> int:
        return self._n_clusters

    def labels(self) -> NDArray[np.int64]:
        return self._labels

    def ambiguity(self) -> Array:
        return np.zeros(self.n_samples)


class Fuzzy(Partition):
    """Each sample is spread over the clusters; its memberships add up to 1.

    Parameters
    ----------
    memberships : (n, k) array
    """

    kind = "fuzzy"

    def __init__(self, memberships: ArrayLike) -> None:
        self.memberships = _degrees(memberships, "memberships")

    @property
    def degrees(self) -> Array:
        return self.memberships


class Possibilistic(Partition):
    """How typical each sample is of each cluster, every cluster for itself.

    Parameters
    ----------
    typicalities : (n, k) array in [0, 1]
    outlier_threshold : float
        A sample is an outlier when its largest typicality is below this.
    """

    kind = "possibilistic"

    def __init__(self, typicalities: ArrayLike, outlier_threshold: float = 0.1) -> None:
        self.typicalities = _degrees(typicalities, "typicalities")
        self.outlier_threshold = outlier_threshold

    @property
    def degrees(self) -> Array:
        return self.typicalities

    def outliers(self, threshold: float | None = None) -> NDArray[np.bool_]:
        threshold = self.outlier_threshold if threshold is None else threshold
        return self.typicalities.max(axis=1) < threshold


class FuzzyPossibilistic(Possibilistic):
    """Memberships and typicalities together.

    Parameters
    ----------
    memberships, typicalities : (n, k) arrays
    decide : {"typicality", "product"}
        Which of them decides: the typicality, or membership times typicality.
    outlier_threshold : float
    """

    kind = "fuzzy-possibilistic"

    def __init__(
        self,
        memberships: ArrayLike,
        typicalities: ArrayLike,
        decide: str = "typicality",
        outlier_threshold: float = 0.1,
    ) -> None:
        super().__init__(typicalities, outlier_threshold)
        self.memberships = _degrees(memberships, "memberships")
        if decide not in ("typicality", "product"):
            raise ValueError(f"decide must be 'typicality' or 'product', got {decide!r}")
        self.decide = decide

    @cached_property
    def degrees(self) -> Array:
        if self.decide == "product":
            return readonly(self.memberships * self.typicalities)
        return self.typicalities

    def columns(self) -> dict[str, Array]:
        k = range(self.n_clusters)
        return {
            **{f"membership_{c}": self.memberships[:, c] for c in k},
            **{f"typicality_{c}": self.typicalities[:, c] for c in k},
        }
