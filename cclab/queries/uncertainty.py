"""Ask about the samples that are torn most, against the ones that are sure."""

from __future__ import annotations

import numpy as np

from cclab.core import Problem, State
from cclab.maths.distances import squared_distances
from cclab.queries.base import Asked, Query, Settled, Strategy


class UncertaintyQueries(Strategy):
    """For a sample torn between two clusters, asks whether it belongs with a sure sample near to it of the one.

    Works with every belief: it needs only ambiguities and degrees.
    """

    title = "Uncertainty"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        partition = state.partition
        ambiguity, labels = partition.ambiguity(), partition.labels()
        settled = Settled(problem.constraints, asked)
        sure = [self._sure_samples(labels, ambiguity, k) for k in range(partition.n_clusters)]
        found: dict[tuple[int, ...], Query] = {}
        for i in np.argsort(-ambiguity, kind="stable"):
            if len(found) == n:
                break
            query = self._ask_about(int(i), problem, state, settled, sure)
            if query is not None:
                found.setdefault(query.samples, query)
        return tuple(found.values())

    def _sure_samples(self, labels: np.ndarray, ambiguity: np.ndarray, cluster: int) -> np.ndarray:
        """The surer half of a cluster's samples."""
        members = np.flatnonzero(labels == cluster)
        return members[np.argsort(ambiguity[members], kind="stable")][: (len(members) + 1) // 2]

    def _ask_about(self, i: int, problem: Problem, state: State, settled: Settled, sure: list) -> Query | None:
        closed = settled.with_sample(i)
        clusters = np.argsort(-state.partition.degrees[i], kind="stable")[:2]
        for cluster in clusters:
            candidates = sure[cluster][~closed[sure[cluster]]]
            if len(candidates):
                # A sparse or very wide X costs no more than these few rows.
                d = squared_distances(problem.X[candidates], np.atleast_2d(_row(problem.X, i)))[:, 0]
                j = int(candidates[np.argmin(d)])
                torn = " and ".join(str(c + 1) for c in sorted(clusters))
                reason = f"{i} is torn between clusters {torn}; {j} is surely in cluster {cluster + 1}, and near."
                return Query.pair(i, j, reason, float(state.partition.ambiguity()[i]))
        return None


def _row(X, i: int) -> np.ndarray:
    row = X[[i]]
    return row.toarray() if hasattr(row, "toarray") else row
