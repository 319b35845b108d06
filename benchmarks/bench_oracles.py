"""What it costs to find the next question, and to find what is probably wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from benchmarks import Row, compare
from cclab import CECM, CFCM, PCKMeans, Problem, load_dataset
from cclab.core import ConstraintSet
from cclab.oracles import Truth, suspects
from cclab.queries import GroupQueries, TripletQueries, UncertaintyQueries
from cclab.studies.drawing import random_pairs


def linked(n_samples: int, n_links: int, n_classes: int = 5) -> tuple[Problem, np.ndarray]:
    """Clouds with links, a tenth of them wrong."""
    rng = np.random.default_rng(0)
    target = np.arange(n_samples) % n_classes
    X = rng.normal(scale=3, size=(n_classes, 20))[target] + rng.normal(size=(n_samples, 20))
    pairs = random_pairs(n_samples, n_links, rng)
    return Problem(X, Truth(target, 0.1, rng).link(ConstraintSet(n_samples), pairs), seed=0), target


def bench_next_question() -> Iterator[Row]:
    solvers = CFCM(5, n_init=1), CECM(5, n_init=1), PCKMeans(5, n_init=1)
    for n_samples, solver in product((20_000, 1_000), solvers):
        problem, _ = linked(n_samples, 100)
        adapted = solver.adapt(problem)
        state = solver.step(adapted, solver.start(adapted, 0))
        for strategy in (UncertaintyQueries(), GroupQueries(), TripletQueries()):
            if strategy.suits(state.partition):
                what = f"next question by {type(strategy).__name__}, over a step of {type(solver).__name__}"
                ask, step = partial(strategy.propose, problem, state), partial(solver.step, adapted, state)
                yield compare(f"{what}, n = {n_samples:,}", ask, step, 1.0, repeats=15)


def bench_suspects() -> Iterator[Row]:
    for name in ("iris", "wdbc", "digits"):
        data = load_dataset(name)
        rng = np.random.default_rng(0)
        pairs = random_pairs(data.n_samples, 100, rng)
        known = Truth(data.target, 0.1, rng).link(ConstraintSet(data.n_samples), pairs)
        problem = Problem(data.X, known, seed=0)
        for solver in (PCKMeans(data.n_classes), CFCM(data.n_classes)):
            view = type("View", (), {"problem": problem, "solver": solver, "state": solver.solve(problem)})
            yield compare(
                f"suspects among 100 links of {name}, over a fit of {type(solver).__name__}",
                partial(suspects, view),
                partial(solver.solve, problem),
                10.0,
            )
