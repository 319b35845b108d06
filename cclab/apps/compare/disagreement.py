"""Where two clusterings of the same samples part. No widgets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from cclab.looks.encoding import Look
from cclab.looks.palette import told_apart
from cclab.session import Snapshot


def matched(first: NDArray, second: NDArray, n_first: int, n_second: int) -> NDArray[np.int64]:
    """For each cluster of the second labelling, the cluster of the first that it has most samples in common with.

    One to one; a cluster that is left over gets a number of its own, from `n_first` on.

    >>> matched(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2]), 2, 3)
    array([1, 0, 2])
    """
    common = np.zeros((n_first, n_second))
    np.add.at(common, (first, second), 1)
    rows, columns = linear_sum_assignment(common, maximize=True)
    match = np.full(n_second, -1)
    match[columns] = rows
    match[match < 0] = n_first + np.arange((match < 0).sum())
    return match


class Crossing(NamedTuple):
    """Samples that the first clustering puts into one cluster and the second into another, both by their number."""

    first: int
    second: int
    samples: NDArray[np.int64]


class Disagreement:
    """Two clusterings, their clusters matched one to one.

    Parameters
    ----------
    first, second : Snapshot
        On the same samples.

    Attributes
    ----------
    snapshots : pair of Snapshot
    looks : pair of Look
        How each cluster is shown: in the second clustering like its partner in the first.
    differing : int array
        The samples on which the two differ.
    agreement : float
        Adjusted Rand index between the two.
    """

    def __init__(self, first: Snapshot, second: Snapshot) -> None:
        self.snapshots = first, second
        one, two = first.partition.labels(), second.partition.labels()
        match = matched(one, two, first.partition.n_clusters, second.partition.n_clusters)
        n, ids = first.partition.n_clusters, np.asarray(first.state.cluster_ids)
        without_partner = np.arange(max(match.max() + 1 - n, 0))
        hues = told_apart([*ids, *(ids.max() + 1 + without_partner)])
        numbers = [*first.page_numbers.tolist(), *(n + 1 + without_partner).tolist()]
        self.looks = Look(hues[:n], numbers[:n]), Look([hues[k] for k in match], [numbers[k] for k in match])
        self.differing = np.flatnonzero(one != match[two])
        self.agreement = float(adjusted_rand_score(one, two))
        self._shown = np.column_stack([np.array(look.numbers)[k] for look, k in zip(self.looks, (one, two))])

    def crossings(self) -> list[Crossing]:
        """Which clusters the samples that part belong to here and there, the largest such set first."""
        pairs, which = np.unique(self._shown[self.differing], axis=0, return_inverse=True)
        found = [Crossing(int(i), int(j), self.differing[which.ravel() == place]) for place, (i, j) in enumerate(pairs)]
        return sorted(found, key=lambda crossing: -len(crossing.samples))
