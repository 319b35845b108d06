"""Ask about the samples that are torn most, against the ones that are sure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from cclab.core import Partition, Problem, State
from cclab.queries.base import Asked, Query, Settled, Strategy


class UncertaintyQueries(Strategy):
    """For a sample torn between two clusters, asks whether it belongs with a sure sample near to it of the one.

    Works with every belief that can be torn: it needs only ambiguities and degrees.
    """

    title = "Uncertainty"

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        return partition.kind != "hard"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        partition, names = state.partition, state.cluster_ids + 1
        ambiguity, labels, degrees = partition.ambiguity(), partition.labels(), partition.degrees
        settled = Settled(problem.constraints, asked)
        sure = [_sure_samples(labels, ambiguity, k) for k in range(partition.n_clusters)]
        found: dict[tuple[int, ...], Query] = {}
        for i in np.argsort(-ambiguity, kind="stable"):
            if len(found) == n:
                break
            clusters = np.argsort(-degrees[i], kind="stable")[:2]
            partner = _sure_partner(problem, int(i), clusters, sure, settled)
            if partner is not None:
                j, cluster = partner
                torn = " and ".join(map(str, sorted(names[clusters])))
                reason = f"{i} is torn between clusters {torn}; {j} is surely in cluster {names[cluster]}, and near."
                query = Query.pair(i, j, reason, ambiguity[i])
                found.setdefault(query.samples, query)
        return tuple(found.values())


def _sure_samples(labels: NDArray, ambiguity: NDArray, cluster: int) -> NDArray[np.int64]:
    """The surer half of a cluster's samples."""
    members = np.flatnonzero(labels == cluster)
    return members[np.argsort(ambiguity[members], kind="stable")][: (len(members) + 1) // 2]


def _sure_partner(
    problem: Problem, i: int, clusters: NDArray, sure: list[NDArray], settled: Settled
) -> tuple[int, int] | None:
    """The nearest sure sample of the first of `clusters` that has one to ask about, and that cluster."""
    closed = settled.with_sample(i)
    for cluster in clusters:
        candidates = sure[cluster][~closed[sure[cluster]]]
        if len(candidates):
            nearest = pairwise_distances_argmin(problem.X[[i]], problem.X[candidates])[0]
            return int(candidates[nearest]), int(cluster)
    return None
