"""Pairs drawn at random: what every other strategy is compared with."""

from __future__ import annotations

from cclab.core import Problem, State
from cclab.queries.base import Asked, Query, Settled, Strategy, draw_rng


class Random(Strategy):
    """Asks about pairs drawn at random among those that nothing settles yet."""

    title = "Random"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        rng = draw_rng(problem, state, asked)
        settled = Settled(problem.constraints, asked)
        found: dict[tuple[int, ...], Query] = {}
        for i in rng.permutation(problem.n_samples):
            if len(found) == n:
                break
            open_ = ~settled.with_sample(i)
            for j in (s for q in found for s in q if i in q):
                open_[j] = False
            candidates = open_.nonzero()[0]
            if len(candidates):
                query = Query.pair(i, rng.choice(candidates), "Two samples drawn at random.", 0.0)
                found.setdefault(query.samples, query)
        return tuple(found.values())
