"""Ask which of two a sample is closer to."""

from __future__ import annotations

from functools import cache

from cclab.core import Partition, Problem, State
from cclab.core.beliefs.numbering import page_numbers
from cclab.queries.base import Asked, Query, Settled, Strategy
from cclab.queries.torn import LookedAt, nearest


class TripletQueries(Strategy):
    """For a sample torn between two clusters, asks whether it is closer to a sure sample of the one or of the other.

    A person can often say what is closer where they can't say what is the same. Takes any belief.
    """

    kind = "triplet"
    title = "Triplets"

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        return partition.n_clusters > 1

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        partition, names = state.partition, page_numbers(state.partition)
        if partition.n_clusters < 2:
            return ()
        here = LookedAt(problem, state, n, asked)
        settled = Settled(problem.constraints, asked)
        sure = cache(lambda k: here.samples[here.surer_half(k)])
        before = {samples[0] for samples in asked if len(samples) == 3}
        found: list[Query] = []
        for row in here.most_doubtful(4 * (n + len(before))):
            if len(found) == n:
                break
            a = int(here.samples[row])
            if a in before:
                continue
            closed = settled.with_sample(a)
            ends = [sure(k)[~closed[sure(k)]] for k in here.likeliest[:, row].tolist()]
            if not all(map(len, ends)):
                continue
            b, c = (nearest(problem.X, a, end) for end in ends)
            first, second = sorted(names[here.likeliest[:, row]].tolist())
            reason = f"{a} is torn between clusters {first} and {second}; {b} and {c} are surely in one each, and near."
            found.append(Query.triplet(a, b, c, reason, float(here.doubt[row])))
        return tuple(found)
