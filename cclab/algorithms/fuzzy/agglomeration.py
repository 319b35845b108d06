"""Clusters that vanish and merge."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cclab.maths.distances import squared_distances


@dataclass(frozen=True, eq=False)
class Contenders:
    """What agglomeration needs to know of each of k clusters, and what has happened to them.

    Attributes
    ----------
    ids : (k,) int array
    centers : (k, p) array
    sizes : (k,) array
        Sum of memberships.
    mass, inertia : (k,) arrays
        Sum of squared memberships, and that times squared distances.
    heirs : (k0, k) array
        Which of the clusters each of the first ones has become part of: 1, else 0.
    apart : (k, k) bool array
        Which two must not merge.
    notes : tuple of str
        What happened, in words; clusters are counted from 1.
    """

    ids: NDArray
    centers: NDArray
    sizes: NDArray
    mass: NDArray
    inertia: NDArray
    heirs: NDArray
    apart: NDArray
    notes: tuple[str, ...] = ()

    @classmethod
    def fresh(cls, centers: NDArray) -> Contenders:
        """Clusters that have no samples yet."""
        k = len(centers)
        none = np.zeros(k)
        return cls(np.arange(k), centers, none, none, none, np.eye(k), np.zeros((k, k), dtype=bool))

    def __len__(self) -> int:
        return len(self.ids)

    def keeping(self, rows: NDArray, note: str) -> Contenders:
        """These clusters alone."""
        return replace(
            self,
            ids=self.ids[rows],
            centers=self.centers[rows],
            sizes=self.sizes[rows],
            mass=self.mass[rows],
            inertia=self.inertia[rows],
            heirs=self.heirs[:, rows],
            apart=self.apart[np.ix_(rows, rows)],
            notes=(*self.notes, note),
        )

    @property
    def spreads(self) -> NDArray:
        """(k,) root of the fuzzy scatter of each cluster."""
        return np.sqrt(np.divide(self.inertia, self.mass, out=np.zeros(len(self)), where=self.mass > 0))


def without_the_small(clusters: Contenders, least: float) -> Contenders:
    """Let the clusters vanish that have fewer than `least` samples; the largest stays in any case."""
    while len(clusters) > 1 and clusters.sizes.min() < least:
        k = int(np.argmin(clusters.sizes))
        note = f"A cluster vanished: {clusters.sizes[k]:.3g} samples' worth, fewer than {least:.3g}."
        clusters = clusters.keeping(np.delete(np.arange(len(clusters)), k), note)
    return clusters


def with_the_close_merged(clusters: Contenders) -> Contenders:
    """Merge the nearest two clusters as long as their centres are nearer than their spreads add up to."""
    while len(clusters) > 1:
        away = np.sqrt(squared_distances(clusters.centers, clusters.centers))
        reach = clusters.spreads[:, None] + clusters.spreads
        may = (away <= reach) & ~clusters.apart & ~np.eye(len(clusters), dtype=bool)
        if not may.any():
            break
        i, j = divmod(int(np.argmin(np.where(may, away, np.inf))), len(clusters))
        large, small = (j, i) if clusters.sizes[j] > clusters.sizes[i] else (i, j)
        clusters = _merged(clusters, large, small, away[i, j], reach[i, j])
    return clusters


def _merged(clusters: Contenders, a: int, b: int, away: float, reach: float) -> Contenders:
    """Cluster `b` becomes part of cluster `a`, which keeps its name."""
    share = clusters.mass[[a, b]]
    total = share.sum()
    share = share / total if total > 0 else np.array([0.5, 0.5])
    centers, sizes, mass, inertia, heirs, apart = (
        np.array(values)
        for values in (
            clusters.centers, clusters.sizes, clusters.mass, clusters.inertia, clusters.heirs, clusters.apart
        )
    )  # fmt: skip
    centers[a] = share @ centers[[a, b]]
    sizes[a] += sizes[b]
    mass[a] = total
    inertia[a] += inertia[b] + total * share.prod() * away**2
    heirs[:, a] += heirs[:, b]
    apart[a] |= apart[b]
    apart[:, a] |= apart[:, b]
    merged = replace(clusters, centers=centers, sizes=sizes, mass=mass, inertia=inertia, heirs=heirs, apart=apart)
    note = (
        f"A cluster of {clusters.sizes[b]:.3g} samples' worth merged into one of {clusters.sizes[a]:.3g}: "
        f"their centres lie {away:.3g} apart, and their spreads add up to {reach:.3g}."
    )
    return merged.keeping(np.delete(np.arange(len(clusters)), b), note)
