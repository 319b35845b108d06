"""Competitive agglomeration, and questions about borders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks import Row, best_time, compare
from cclab import FCM, PCCA, ConstraintSet, Problem, load_dataset
from cclab.oracles import Truth, statements
from cclab.queries import ASCQueries


def bench_pcca() -> Iterator[Row]:
    data = load_dataset("blobs", n_samples=100_000, n_clusters=8, n_features=5, seed=0)
    rng = np.random.default_rng(0)
    pairs = rng.integers(100_000, size=(1000, 2))
    known = Truth(data.target).link(ConstraintSet(100_000), pairs[pairs[:, 0] != pairs[:, 1]])
    init = data.X[rng.choice(100_000, 15, replace=False)]
    plain, problem = Problem(data.X), Problem(data.X, known)
    fcm, pcca = FCM(15, init=init), PCCA(init=init, smallest=0.0)
    first = fcm.start(plain)
    state = pcca.start(problem)
    crowded = pcca.step(problem, state)
    yield compare(
        f"PCCA iteration with {len(crowded.alive)} clusters and 1,000 links / FCM's with 15, n = 1e5, p = 5",
        lambda: pcca.step(problem, state),
        lambda: fcm.step(plain, first),
        6,
    )
    held, start = PCCA(15, init=init), PCCA(15, init=init).start(problem)
    yield compare(
        "PCCA iteration with 15 clusters that stay and 1,000 links / FCM's with 15",
        lambda: held.step(problem, start),
        lambda: fcm.step(plain, first),
        6,
    )


def bench_asc() -> Iterator[Row]:
    n = 100_000
    data = load_dataset("blobs", n_samples=n, n_clusters=8, n_features=5, seed=0)
    problem, strategy, truth = Problem(data.X), ASCQueries(), Truth(data.target)
    state = FCM(8).start(problem)
    graph = best_time(lambda: NearestNeighbors(n_neighbors=10).fit(data.X).kneighbors_graph(), 1)
    strategy.propose(problem, state)  # makes the graph and scores its edges, once
    at_once = best_time(lambda: strategy.propose(problem, state, 1000), 3)

    def one_by_one() -> None:
        here, asked = problem, frozenset()
        for _ in range(1000):
            (query,) = strategy.propose(here, state, asked=asked)
            asked |= {query.samples}
            here = here.with_constraints(here.constraints.with_statements(statements(query, truth.answer(query))))

    in_turn = best_time(one_by_one, 1)
    yield Row(
        "1,000 ASC queries at once / the neighbour graph, n = 1e5", at_once / graph, 0.1, detail=_times(at_once, graph)
    )
    yield Row(
        "1,000 ASC queries, each answered / the neighbour graph, n = 1e5",
        in_turn / graph,
        0.5,
        detail=_times(in_turn, graph),
    )


def _times(ours: float, other: float) -> str:
    return f"({ours:.3g} s, {other:.3g} s)"
