"""One order of the clusters for everything that leaves a solver, and one for all that a page shows.

A state keeps its clusters in an order of its own, in which some may have no samples. An *order* lists, for each number
from 0, the cluster of the state that has it; -1 where a number is held but no cluster has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

if TYPE_CHECKING:
    from cclab.core.beliefs.partitions import Partition
    from cclab.core.constraints.tables import Labels

# In an order, where a number has no cluster.
NO_CLUSTER = -1
# Labels may leave gaps between the numbers; a larger gap than this is a mistake, and would fill the memory.
MOST_NUMBERS = 1000


def living_first(partition: Partition) -> NDArray[np.int64]:
    """(k,) the clusters that have samples, in the state's order, then the empty ones.

    >>> from cclab.core import Hard
    >>> living_first(Hard([2, 2, 0], n_clusters=4))
    array([0, 2, 1, 3])
    """
    sizes = np.bincount(partition.labels(), minlength=partition.n_clusters)
    return np.argsort(sizes == 0, kind="stable")


def matched_to_labels(partition: Partition, labels: Labels) -> NDArray[np.int64]:
    """(m,) an order in which each cluster has the number that the labels of its samples give it.

    Numbers and clusters are matched one to one, so that as many labels as possible agree. Clusters that are left over
    take the free numbers, those that have samples first.

    >>> from cclab.core import ConstraintSet, Hard
    >>> matched_to_labels(Hard([0, 0, 1, 2]), ConstraintSet(4).with_labels({0: 2, 2: 3}).labels)
    array([ 2, -1,  0,  1])
    """
    entry, number = labels.degrees.row_of_entry, labels.degrees.items
    held = np.unique(number)
    agreement = np.zeros((len(held), partition.n_clusters))
    clusters = partition.labels()[labels.sample]
    np.add.at(agreement, (np.searchsorted(held, number), clusters[entry]), labels.weight[entry] * labels.degrees.values)
    rows, columns = linear_sum_assignment(agreement, maximize=True)
    agreed = agreement[rows, columns] > 0
    rows, columns = rows[agreed], columns[agreed]
    order = np.full(max(partition.n_clusters, held[rows].max(initial=-1) + 1), NO_CLUSTER)
    order[held[rows]] = columns
    living = living_first(partition)
    left = living[~np.isin(living, columns)]
    order[np.flatnonzero(order == NO_CLUSTER)[: len(left)]] = left
    return order


def check_held(labels: Labels) -> None:
    """Raise ValueError, in words, if a label is too large to number a cluster."""
    beyond = np.flatnonzero(labels.degrees.items >= MOST_NUMBERS)
    if len(beyond):
        sample = labels.sample[labels.degrees.row_of_entry[beyond[0]]]
        raise ValueError(
            f"sample {sample} is labelled {labels.degrees.items[beyond[0]]}; "
            f"number the clusters from 0 to {MOST_NUMBERS - 1} at most"
        )


def numbers_in(order: ArrayLike) -> NDArray[np.int64]:
    """(k,) the number of each cluster of the state: the inverse of an order.

    >>> numbers_in(np.array([2, -1, 0, 1]))
    array([2, 3, 0])
    """
    order = np.asarray(order)
    numbers = np.flatnonzero(order != NO_CLUSTER)
    return numbers[np.argsort(order[numbers])]


def in_order(values: NDArray, order: ArrayLike, fill: float) -> NDArray:
    """What belongs to each cluster (the last axis) in another order; `fill` where a number has no cluster.

    >>> in_order(np.array([10.0, 20.0]), [1, -1, 0], fill=np.nan)
    array([20., nan, 10.])
    """
    order = np.asarray(order)
    return np.where(order == NO_CLUSTER, fill, values[..., order])


def page_numbers(partition: Partition) -> NDArray[np.int64]:
    """(k,) the number by which a page shows each cluster of a state: its rank, from 1, among those that have samples.

    Empty clusters come after them, so there are no gaps.

    >>> from cclab.core import Hard
    >>> page_numbers(Hard([2, 2, 0], n_clusters=4))
    array([1, 3, 2, 4])
    """
    return np.argsort(living_first(partition)) + 1
