"""Beliefs about clusters: hard, fuzzy, possibilistic, both at once. Credal ones are in `cclab.core.beliefs.credal`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import readonly
from cclab.core.beliefs.numbering import in_order, numbers_in

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
    # Which cluster has a sample that belongs to several alike: the earlier one here (None: the lower number). So a
    # belief in another order gives each sample to the same cluster.
    _winners: NDArray[np.int64] | None = None

    @property
    @abstractmethod
    def degrees(self) -> Array:
        """(n, k) how much each sample belongs to each cluster, in this belief's own terms."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.degrees.shape[0]

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.degrees.shape[1]

    def labels(self) -> NDArray[np.int64]:
        """(n,) the most likely cluster of each sample."""
        if self._winners is None:
            return np.argmax(self.degrees, axis=1)
        return self._winners[np.argmax(self.degrees[:, self._winners], axis=1)]

    def ambiguity(self) -> Array:
        """(n,) how torn each sample is between its two best clusters: 0 = not at all, 1 = both alike."""
        if self.n_clusters == 1:
            return np.zeros(self.n_samples)
        second, first = np.partition(self.degrees, self.n_clusters - 2, axis=1)[:, -2:].T
        return np.divide(second, first, out=np.ones(self.n_samples), where=first > 0)

    def outliers(self, threshold: float | None = None) -> NDArray[np.bool_]:
        """(n,) which samples belong nowhere; a hard or fuzzy belief can't tell, and flags none."""
        return np.zeros(self.n_samples, dtype=bool)

    def reordered(self, order: ArrayLike) -> Partition:
        """The same belief with its clusters in another order.

        Parameters
        ----------
        order : (m,) int array
            The present number of the cluster that comes at each place, every cluster once; -1 for a place that no
            cluster has, and no sample belongs to.
        """
        order = np.asarray(order)
        if np.array_equal(order, np.arange(self.n_clusters)):
            return self
        other = self._reordered(order)
        numbers = numbers_in(order)
        other._winners = numbers if self._winners is None else numbers[self._winners]
        return other

    @abstractmethod
    def _reordered(self, order: NDArray[np.int64]) -> Partition:
        """The same belief in an order that is not its own."""

    def restrict(self, samples: ArrayLike) -> Partition:
        """The belief about some of the samples only, by their numbers (or about one)."""
        some = self._rows(np.atleast_1d(np.asarray(samples, dtype=np.intp)))
        some._winners = self._winners
        return some

    @abstractmethod
    def _rows(self, samples: NDArray[np.intp]) -> Partition:
        """The belief about these samples."""

    def columns(self, first: int = 0) -> dict[str, Array]:
        """What `to_frame` shows of each sample besides label, ambiguity and outlier flag."""
        return {f"cluster_{k + first}": self.degrees[:, k] for k in range(self.n_clusters)}

    def to_frame(self, *, first: int = 0) -> pd.DataFrame:
        """One row a sample: label, ambiguity, outlier flag, and the belief itself.

        Parameters
        ----------
        first : int
            What clusters are counted from, in every column and its name.
        """
        return pd.DataFrame(
            {
                "label": self.labels() + first,
                "ambiguity": self.ambiguity(),
                "outlier": self.outliers(),
                **self.columns(first),
            }
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_samples} samples, {self.n_clusters} clusters)"


def _degrees(values: ArrayLike, what: str) -> Array:
    array = readonly(values, float)
    if array.ndim != 2:
        raise ValueError(f"{what} must have shape (n_samples, n_clusters), got {array.shape}")
    return array


def _whole_labels(labels: ArrayLike, n_clusters: int | None) -> NDArray[np.int64]:
    given = np.asarray(labels)
    array = readonly(given, np.int64)
    if array.ndim != 1:
        raise ValueError(f"labels must have shape (n_samples,), got {array.shape}")
    wrong = (array != given) | (array < 0) | (array >= (np.inf if n_clusters is None else n_clusters))
    if wrong.any():
        sample = int(np.argmax(wrong))
        last = "on" if n_clusters is None else f"to {n_clusters - 1}"
        raise ValueError(f"sample {sample} has label {given[sample]}; clusters are numbered from 0 {last}")
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
        self._labels = _whole_labels(labels, n_clusters)
        self._n_clusters = int(self._labels.max(initial=-1)) + 1 if n_clusters is None else n_clusters

    @cached_property
    def degrees(self) -> Array:
        """(n, k) 1 for the cluster of each sample, 0 for the others."""
        return readonly(np.eye(self._n_clusters)[self._labels])

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self._labels)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self._n_clusters

    def labels(self) -> NDArray[np.int64]:
        """(n,) the cluster of each sample."""
        return self._labels

    def ambiguity(self) -> Array:
        """(n,) zeros: nothing is in doubt."""
        return np.zeros(self.n_samples)

    def _reordered(self, order: NDArray[np.int64]) -> Hard:
        return Hard(numbers_in(order)[self._labels], len(order))

    def _rows(self, samples: NDArray[np.intp]) -> Hard:
        return Hard(self._labels[samples], self._n_clusters)


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
        """(n, k) the memberships."""
        return self.memberships

    def _reordered(self, order: NDArray[np.int64]) -> Fuzzy:
        return Fuzzy(in_order(self.memberships, order, fill=0))

    def _rows(self, samples: NDArray[np.intp]) -> Fuzzy:
        return Fuzzy(self.memberships[samples])


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
        """(n, k) the typicalities."""
        return self.typicalities

    def outliers(self, threshold: float | None = None) -> NDArray[np.bool_]:
        """(n,) where no typicality reaches a threshold."""
        threshold = self.outlier_threshold if threshold is None else threshold
        return self.typicalities.max(axis=1) < threshold

    def _reordered(self, order: NDArray[np.int64]) -> Possibilistic:
        return Possibilistic(in_order(self.typicalities, order, fill=0), self.outlier_threshold)

    def _rows(self, samples: NDArray[np.intp]) -> Possibilistic:
        return Possibilistic(self.typicalities[samples], self.outlier_threshold)


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
        """(n, k) what decides on the cluster of a sample."""
        if self.decide == "product":
            return readonly(self.memberships * self.typicalities)
        return self.typicalities

    def _reordered(self, order: NDArray[np.int64]) -> FuzzyPossibilistic:
        U, T = (in_order(values, order, fill=0) for values in (self.memberships, self.typicalities))
        return FuzzyPossibilistic(U, T, self.decide, self.outlier_threshold)

    def _rows(self, samples: NDArray[np.intp]) -> FuzzyPossibilistic:
        U, T = self.memberships[samples], self.typicalities[samples]
        return FuzzyPossibilistic(U, T, self.decide, self.outlier_threshold)

    def columns(self, first: int = 0) -> dict[str, Array]:
        """Memberships and typicalities by name, for a table."""
        k = range(self.n_clusters)
        return {
            **{f"membership_{c + first}": self.memberships[:, c] for c in k},
            **{f"typicality_{c + first}": self.typicalities[:, c] for c in k},
        }
