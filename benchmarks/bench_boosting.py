"""Boosted constrained k-means: the forest of working links, large problems, texts."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from benchmarks import Row, best_time, compare
from cclab import BCKM, ConstraintSet, Problem, iterate
from cclab.algorithms.kmeans.link_forest import Forest
from tests.maths.literal import literal_assignment


def random_problem(n: int, n_links: int, k: int, p: int = 10) -> Problem:
    """Overlapping clouds, and true links between samples drawn at random."""
    rng = np.random.default_rng(0)
    truth = rng.integers(k, size=n)
    X = 2 * rng.normal(size=(k, p))[truth] + rng.normal(size=(n, p))
    ends = rng.integers(n, size=(2 * n_links, 2))
    ends = ends[ends[:, 0] != ends[:, 1]][:n_links]
    same = truth[ends[:, 0]] == truth[ends[:, 1]]
    return Problem(X, ConstraintSet(n).with_must_link(ends[same]).with_cannot_link(ends[~same]))


def bench_sweep() -> Iterator[Row]:
    """As many samples, clusters and links as Wdbc has with a tenth of its pairs."""
    rng, n, s = np.random.default_rng(0), 569, 16_160
    i = rng.integers(n, size=s)
    j = (i + rng.integers(1, n, size=s)) % n
    must, distances = rng.random(s) < 0.5, rng.random((n, 2))
    forest = Forest.grow(i, j, must, n)
    yield compare(
        "a sweep over 16,160 links, the literal loop / the forest",
        lambda: forest.assign(distances),
        lambda: literal_assignment(i, j, must, distances),
        20,
        at_least=True,
        repeats=100,
    )

    def round_of_sweeps() -> None:
        grown = Forest.grow(i, j, must, n)
        for _ in range(6):
            grown.assign(distances)

    def round_of_loops() -> None:
        for _ in range(6):
            literal_assignment(i, j, must, distances)

    yield compare("a round of 6 such sweeps, the forest grown first", round_of_sweeps, round_of_loops, 5, at_least=True)


def bench_round() -> Iterator[Row]:
    """The cost of a round is linear in samples and links."""
    times = []
    for n, s in ((20_000, 100_000), (200_000, 1_000_000)):
        problem, solver = random_problem(n, s, k=10), BCKM(10, max_sweeps=5)
        state = solver.step(problem, solver.start(problem))
        times.append(best_time(lambda: solver.step(problem, state), 3))  # noqa: B023
    detail = f"({times[1]:.2g} s, {times[0]:.2g} s)"
    yield Row("a round, 10 x the samples and links / the smaller, over 10", times[1] / times[0] / 10, 2, detail=detail)


def bench_large() -> Iterator[Row]:
    """200,000 samples, a million links, 100 rounds, and the vote over them."""
    n, rounds = 200_000, 100
    problem = random_problem(n, 1_000_000, k=10)
    solver = BCKM(10, n_rounds=rounds)
    tracemalloc.start()
    begun = time.process_time()
    state = solver.solve(problem)
    held = state.partition.labels()
    seconds = time.process_time() - begun
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(held) == n
    detail = f"({peak / 1e6:.0f} MB; {state.iteration} rounds, {seconds:.0f} s)"
    yield Row("200,000 samples, 1e6 links: peak bytes / samples x rounds", peak / (n * rounds), 30, detail=detail)
    kept = sum(labels.nbytes for labels in state.hypotheses)
    yield Row("the same: bytes of the rounds in the state / samples x rounds", kept / (n * rounds), 1)


def bench_text() -> Iterator[Row]:
    """As many documents and words as Tr11, one word in seventy: never made dense."""
    rng, n, p, k = np.random.default_rng(0), 414, 6429, 9
    X = sparse.random_array((n, p), density=1 / 70, format="csr", rng=rng)
    known = random_problem(n, 4000, k).constraints
    problem, solver = Problem(X, known), BCKM(k, n_rounds=5)

    def run() -> None:
        for _ in iterate(solver, problem):
            pass

    run()
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield Row("text, 5 rounds: peak bytes / bytes of the dense samples", peak / (8 * n * p), 0.5)
