"""A belief about some of the samples only."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cclab.core.beliefs.credal import Credal
from cclab.core.beliefs.partitions import Fuzzy, FuzzyPossibilistic, Hard, Partition, Possibilistic


def rows_of(partition: Partition, samples: ArrayLike) -> Partition:
    """The belief about some of the samples only."""
    samples = np.atleast_1d(np.asarray(samples, dtype=np.intp))
    match partition:
        case Credal():
            return Credal(
                partition.masses[samples], partition.focal_sets, partition.n_clusters, partition.outlier_threshold
            )
        case FuzzyPossibilistic():
            both = partition.memberships[samples], partition.typicalities[samples]
            return FuzzyPossibilistic(*both, partition.decide, partition.outlier_threshold)
        case Possibilistic():
            return Possibilistic(partition.typicalities[samples], partition.outlier_threshold)
        case Hard():
            return Hard(partition.labels()[samples], partition.n_clusters)
        case _:
            return Fuzzy(partition.degrees[samples])
