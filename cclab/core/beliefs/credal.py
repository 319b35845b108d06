"""Credal partitions: masses on sets of clusters, and the algebra of belief functions on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import readonly
from cclab.core.beliefs.numbering import in_order, numbers_in
from cclab.core.beliefs.partitions import Array, Partition


class Credal(Partition):
    """For each sample, masses on sets of clusters: "in 1", "in 1 or 2", "in any", "in none".

    Parameters
    ----------
    masses : (n, f) array
        Each row adds up to 1.
    focal_sets : sequence of f sets of clusters
        0-based; the empty set stands for outliers.
    n_clusters : int, optional
        Default: the largest cluster named plus one.
    outlier_threshold : float
        A sample is an outlier when its mass on the empty set is above this.

    Examples
    --------
    >>> belief = Credal([[0.0, 0.5, 0.1, 0.4], [0.7, 0.1, 0.1, 0.1]], [[], [0], [1], [0, 1]])
    >>> belief.belief([0])
    array([0.5, 0.1])
    >>> belief.plausibility([0])
    array([0.9, 0.2])
    >>> belief.pignistic[0]
    array([0.7, 0.3])
    >>> [belief.focal_sets[s] for s in belief.hard_sets()]
    [(0,), ()]
    """

    kind = "credal"

    def __init__(
        self,
        masses: ArrayLike,
        focal_sets: Sequence[Iterable[int]],
        n_clusters: int | None = None,
        outlier_threshold: float = 0.5,
    ) -> None:
        self.masses = readonly(masses, float)
        self.focal_sets = tuple(tuple(sorted(int(k) for k in members)) for members in focal_sets)
        if self.masses.ndim != 2 or self.masses.shape[1] != len(self.focal_sets):
            raise ValueError(
                f"masses must have one column for each of {len(self.focal_sets)} focal sets, got {self.masses.shape}"
            )
        if len(set(self.focal_sets)) != len(self.focal_sets):
            raise ValueError(f"a focal set is named twice: {self.focal_sets}")
        named = [k for members in self.focal_sets for k in members]
        if n_clusters is None and not named:
            raise ValueError("the focal sets name no cluster; say how many there are with n_clusters")
        self._n_clusters = max(named) + 1 if n_clusters is None else n_clusters
        self.outlier_threshold = outlier_threshold

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.masses)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self._n_clusters

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """(f, k) which clusters each focal set holds."""
        members = np.zeros((len(self.focal_sets), self.n_clusters), dtype=bool)
        for row, clusters in enumerate(self.focal_sets):
            members[row, list(clusters)] = True
        return members

    def _as_set(self, clusters: int | Iterable[int]) -> NDArray[np.bool_]:
        named = [clusters] if isinstance(clusters, int | np.integer) else list(clusters)
        for cluster in named:
            self._check_cluster(cluster)
        chosen = np.zeros(self.n_clusters, dtype=bool)
        chosen[named] = True
        return chosen

    def _check_cluster(self, cluster: int) -> None:
        if not 0 <= cluster < self.n_clusters:
            raise ValueError(f"there is no cluster {cluster}: clusters run from 0 to {self.n_clusters - 1}")

    def belief(self, clusters: int | Iterable[int]) -> Array:
        """(n,) mass of all non-empty sets inside `clusters`: what surely supports it."""
        chosen = self._as_set(clusters)
        inside = self.members.any(axis=1) & ~(self.members & ~chosen).any(axis=1)
        return self.masses[:, inside].sum(axis=1)

    def plausibility(self, clusters: int | Iterable[int]) -> Array:
        """(n,) mass of all sets that meet `clusters`: what does not speak against it."""
        meets = (self.members & self._as_set(clusters)).any(axis=1)
        return self.masses[:, meets].sum(axis=1)

    @cached_property
    def pignistic(self) -> Array:
        """(n, k) each set's mass shared equally among its clusters, the empty set left out."""
        size = self.members.sum(axis=1)
        shared = self.masses @ (self.members / np.maximum(size, 1)[:, None])
        total = shared.sum(axis=1, keepdims=True)
        return readonly(np.divide(shared, total, out=np.full_like(shared, 1 / self.n_clusters), where=total > 0))

    @property
    def degrees(self) -> Array:
        """(n, k) the pignistic probabilities."""
        return self.pignistic

    @property
    def empty_mass(self) -> Array:
        """(n,) mass of the empty set."""
        return self.masses[:, [not members for members in self.focal_sets]].sum(axis=1)

    def outliers(self, threshold: float | None = None) -> NDArray[np.bool_]:
        """(n,) where the mass on the empty set is above a threshold."""
        return self.empty_mass > (self.outlier_threshold if threshold is None else threshold)

    def hard_sets(self) -> NDArray[np.int64]:
        """(n,) the focal set of highest mass of each sample, the empty set included."""
        return np.argmax(self.masses, axis=1)

    def lower(self, cluster: int) -> NDArray[np.bool_]:
        """(n,) the samples that are surely in `cluster`: its hard set is that cluster alone."""
        return self.upper(cluster) & (self._hard_members().sum(axis=1) == 1)

    def upper(self, cluster: int) -> NDArray[np.bool_]:
        """(n,) the samples that may be in `cluster`: its hard set holds it."""
        self._check_cluster(cluster)
        return self._hard_members()[:, cluster]

    def _hard_members(self) -> NDArray[np.bool_]:
        return self.members[self.hard_sets()]

    def nonspecificity(self) -> Array:
        """(n,) how large the sets are that the mass lies on: 0 = single clusters, 1 = all mass on "any" or "none"."""
        if self.n_clusters == 1:
            return np.zeros(self.n_samples)
        size = self.members.sum(axis=1)
        bits = np.where(size > 0, np.log2(np.maximum(size, 1)), np.log2(self.n_clusters))
        return self.masses @ bits / np.log2(self.n_clusters)

    def set_name(self, focal_set: int) -> str:
        """A focal set in words, clusters counted from 1: "2", "1 or 3", "any", "outlier"."""
        clusters = self.focal_sets[focal_set]
        if not clusters:
            return "outlier"
        if len(clusters) == self.n_clusters > 2:
            return "any"
        return " or ".join(str(k + 1) for k in clusters)

    def _reordered(self, order: NDArray[np.int64]) -> Credal:
        numbers = numbers_in(order)
        sets = [tuple(sorted(numbers[list(members)])) for members in self.focal_sets]
        by_size = sorted(range(len(sets)), key=lambda s: (len(sets[s]), sets[s]))
        other = Credal(self.masses[:, by_size], [sets[s] for s in by_size], len(order), self.outlier_threshold)
        # Summed in another order they would differ by a rounding, and a label with them.
        other.__dict__["pignistic"] = readonly(in_order(self.pignistic, order, fill=0))
        return other

    def _rows(self, samples: NDArray[np.intp]) -> Credal:
        some = Credal(self.masses[samples], self.focal_sets, self._n_clusters, self.outlier_threshold)
        if "pignistic" in self.__dict__:
            some.__dict__["pignistic"] = readonly(self.pignistic[samples])
        return some

    def columns(self, first: int = 0) -> dict[str, Array]:
        """The masses by name of focal set, for a table."""

        def name(clusters: tuple[int, ...]) -> str:
            return "mass_" + ("_".join(str(k + first) for k in clusters) or "empty")

        return {
            **{f"pignistic_{k + first}": self.pignistic[:, k] for k in range(self.n_clusters)},
            **{name(members): self.masses[:, s] for s, members in enumerate(self.focal_sets)},
        }
