"""Which regions the clusters of a painting stand for."""

from __future__ import annotations

import numpy as np

from cclab.core import Partition
from cclab.images.posed import Posed


def by_region(posed: Posed, partition: Partition) -> tuple[np.ndarray, np.ndarray]:
    """(n_objects, n_regions) degrees of the regions, and which regions these are."""
    regions = posed.palette.painted
    belongs = np.equal.outer(regions_of_clusters(posed, partition), regions).astype(float)
    return partition.degrees @ belongs, regions


def regions_of_clusters(posed: Posed, partition: Partition) -> np.ndarray:
    """(n_clusters,) the region of each cluster: that of its prototype, or of the paint on it.

    A solver that chooses the number of clusters, or where they start, leaves it to the paint which is which; what has
    no paint on it goes to the nearest that has.
    """
    regions = posed.palette.regions
    if partition.n_clusters == len(regions) and "init" in type(posed.solver).all_parameters():
        return regions
    degrees = partition.degrees
    votes = np.stack([degrees[posed.painted == region].sum(axis=0) for region in posed.palette.painted], axis=1)
    found = posed.palette.painted[votes.argmax(axis=1)]
    blank = votes.sum(axis=1) < 1e-3 * max(votes.sum(), 1e-12)
    if blank.any() and not blank.all():
        weights = degrees / np.maximum(degrees.sum(axis=0), 1e-12)
        centers = weights.T @ posed.problem.X
        squares = ((centers[:, None] - centers[None, ~blank]) ** 2).sum(axis=2)
        found = np.where(blank, found[~blank][squares.argmin(axis=1)], found)
    return found
