"""Ask about the samples that are torn most, against the ones that are sure."""

from __future__ import annotations

from functools import cache

from cclab.core import Partition, Problem, State
from cclab.core.beliefs.numbering import page_numbers
from cclab.queries.base import Asked, Query, Settled, Strategy
from cclab.queries.torn import LookedAt, nearest


class UncertaintyQueries(Strategy):
    """For a sample torn between two clusters, asks whether it belongs with a sure sample near to it of the one.

    Works with every belief that can be torn: it needs only ambiguities and degrees.
    """

    title = "Uncertainty"

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        return partition.kind != "hard"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        names = page_numbers(state.partition)
        here = LookedAt(problem, state, n, asked)
        settled = Settled(problem.constraints, asked)
        sure = cache(lambda k: here.samples[here.surer_half(k)])
        found: dict[tuple[int, ...], Query] = {}
        for row in here.most_doubtful(4 * (n + len(asked))):
            if len(found) == n:
                break
            i, clusters = int(here.samples[row]), list(dict.fromkeys(here.likeliest[:, row].tolist()))
            closed = settled.with_sample(i)
            for cluster in clusters:
                candidates = sure(cluster)[~closed[sure(cluster)]]
                if not len(candidates):
                    continue
                j = nearest(problem.X, i, candidates)
                torn = " and ".join(map(str, sorted(names[clusters])))
                reason = f"{i} is torn between clusters {torn}; {j} is surely in cluster {names[cluster]}, and near."
                query = Query.pair(i, j, reason, float(here.doubt[row]))
                found.setdefault(query.samples, query)
                break
        return tuple(found.values())
