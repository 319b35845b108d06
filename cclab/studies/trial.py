"""One trial of one cell: draw, solve, score."""

from __future__ import annotations

import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import Partition, Problem, Solver, State, scores
from cclab.core.scores import MEASURES
from cclab.oracles import Truth, ask
from cclab.studies.declaration import Cell, Data, Method
from cclab.studies.knowledge import Asked
from cclab.studies.time_limit import Ended, within


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method made of a problem: what measures are given.

    Attributes
    ----------
    data : Dataset
    problem : Problem
        With the knowledge that was given.
    labels : (n,) int array
    partition : Partition or None
        Where the method has one.
    state : State or None
        For our solvers.
    solver : estimator or None
        What made it, where that was an estimator.
    count : int
        How many statements were drawn, or questions asked.
    """

    data: Any
    problem: Problem
    labels: NDArray[np.int64]
    partition: Partition | None = None
    state: State | None = None
    solver: Any = None
    count: int = 0


Measure = Callable[[Outcome], dict[str, float]]


def run_trial(
    cell: Cell,
    trial: int,
    seed: int,
    measures: Sequence[Measure] = (),
    limit: float | None = None,
    data: Any = None,
) -> dict[str, Any]:
    """One trial, failures included.

    All methods of a trial see the same data, the same draws and the same seed, so that they can be compared in pairs.

    Parameters
    ----------
    cell : Cell
    trial, seed : int
    measures : sequence of callables
    limit : float, optional
        So many seconds of processor time it may take; with a limit, be it infinite, it has a process of its own.
    data : Dataset, optional
        The cell's, where they are at hand already.

    Returns
    -------
    dict
        ``rows``: one for each recorded state, with ``knowledge, drawn_by, count``, scores and measures, ``seconds``
        since the start; ``error``: None, or why it failed, in words; ``warnings``: different ones, in words;
        ``limit``: where it took too long, how long it might have.
    """
    if limit is None:
        return _tried(cell, trial, seed, measures, data)
    if data is None and not cell.data.anew:
        with suppress(Exception):  # the trial itself will say
            _load_once(cell.data)  # here, so that all trials have it
    failed: dict[str, Any] = {"rows": [], "warnings": []}
    try:
        record = within(limit, partial(_tried, cell, trial, seed, measures, data))
    except Ended as ended:
        return failed | {"error": f"Ended: {ended}"}
    error = f"TooLong: it took more than {limit:g} seconds of processor time"
    return failed | {"error": error, "limit": limit} if record is None else record


def _tried(cell: Cell, trial: int, seed: int, measures: Sequence[Measure], data: Any) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            start = time.perf_counter()
            for outcome in _outcomes(cell, trial, seed, data):
                seconds = time.perf_counter() - start
                rows.append({**_described(cell, outcome), **_scored(outcome, measures), "seconds": seconds})
            if len(rows) > 1:
                rows[-1] |= _areas(rows)
        except Exception as problem:  # one failing cell must not lose the others
            rows, error = [], f"{type(problem).__name__}: {problem}"
    said = sorted({f"{warning.category.__name__}: {warning.message}" for warning in caught})
    return {"rows": rows, "error": error, "warnings": said}


def _outcomes(cell: Cell, trial: int, seed: int, data: Any) -> Iterator[Outcome]:
    # Only the data set's name goes in besides the numbers: every method and amount of knowledge shares the draws.
    source = np.random.SeedSequence([seed, zlib.crc32(cell.data.label.encode()), trial])
    for_data, for_knowledge, for_answers, for_solver = source.spawn(4)
    if data is None:
        data = cell.data.load(_number(for_data)) if cell.data.anew else _load_once(cell.data)
    known = cell.knowledge.draw(data, np.random.default_rng(for_knowledge))
    problem = Problem(data.X, known, seed=_number(for_solver))
    if isinstance(cell.knowledge, Asked):
        yield from _asked(cell.method, cell.knowledge, data, problem, np.random.default_rng(for_answers))
    else:
        yield _solved(cell.method, data, problem)


def _solved(method: Method, data: Any, problem: Problem) -> Outcome:
    count = len(problem.constraints)
    if method.is_function:
        return _outcome(data, problem, method.make(problem, data, **method.parameters), count)
    estimator = method.estimator(data, problem.seed)
    if not isinstance(estimator, Solver):
        return _outcome(data, problem, estimator.fit(problem.X), count, estimator)
    estimator.check(problem)
    estimator.warn(problem)
    return _outcome(data, problem, estimator.solve(problem), count, estimator)


def _asked(
    method: Method, knowledge: Asked, data: Any, problem: Problem, rng: np.random.Generator
) -> Iterator[Outcome]:
    solver = None if method.is_function else method.estimator(data, problem.seed)
    if not isinstance(solver, Solver):
        raise TypeError(f"{method.label} can't be asked questions along the way: that takes one of cclab's solvers")
    solver.check(problem)
    truth = Truth(data.target, knowledge.noise, rng)
    rounds = ask(
        solver,
        problem,
        knowledge.strategy,
        truth,
        knowledge.budget,
        per_round=knowledge.per_round,
        steps_per_round=knowledge.steps_per_round,
        warm=knowledge.warm,
    )
    recorded = -1
    for last in rounds:
        if recorded < 0 or last.count - recorded >= knowledge.record_every or last.count == knowledge.budget:
            recorded = last.count
            yield _outcome(data, last.problem, last.state, recorded, solver)
    solver.warn(last.problem)
    # Where there was nothing left to ask, what is known stays as it is: the curve goes on level.
    step = max(knowledge.per_round, knowledge.record_every)
    while recorded < knowledge.budget:
        recorded = min(recorded + step, knowledge.budget)
        yield _outcome(data, last.problem, last.state, recorded, solver)


def _outcome(data: Any, problem: Problem, result: Any, count: int, solver: Any = None) -> Outcome:
    """An outcome from whatever a method returns."""
    result = getattr(result, "state_", getattr(result, "labels_", result))
    state = result if isinstance(result, State) else None
    partition = state.partition if state is not None else result if isinstance(result, Partition) else None
    if state is not None and isinstance(solver, Solver):
        partition = state.partition.reordered(solver.order(problem, state.partition))
    labels = np.asarray(result if partition is None else partition.labels())
    if labels.shape != (problem.n_samples,):
        raise ValueError(f"a method must give one label for each of {problem.n_samples} samples, got {labels.shape}")
    return Outcome(data, problem, labels, partition, state, solver, count)


def _described(cell: Cell, outcome: Outcome) -> dict[str, Any]:
    label = cell.knowledge.label_after(outcome.count)
    return {"knowledge": label, "drawn_by": cell.knowledge.drawn_by, "count": outcome.count}


def _scored(outcome: Outcome, measures: Sequence[Measure]) -> dict[str, float]:
    row = scores(outcome.data.target, outcome.labels, outcome.problem.constraints)
    for measure in measures:
        row |= {name: float(value) for name, value in measure(outcome).items()}
    return row


def _areas(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The mean height of each score's learning curve: the area under it over its width."""
    counts = np.array([row["count"] for row in rows], dtype=float)
    width = counts[-1] - counts[0]
    return {
        f"{m}_area": float(np.trapezoid([row[m] for row in rows], counts) / width) for m in MEASURES if m in rows[0]
    }


@lru_cache(maxsize=4)
def _load_once(data: Data) -> Any:
    return data.load()


def loaded_data(wanted: Iterable[Data]) -> dict[Data, Any]:
    """Data that all trials share, loaded; those that can't be had are left out, and their trials say why."""
    loaded = {}
    for data in dict.fromkeys(wanted):
        if not data.anew:
            with suppress(Exception):
                loaded[data] = data.load()
    return loaded


def _number(source: np.random.SeedSequence) -> int:
    return int(source.generate_state(1)[0] >> 1)  # fits the seeds of scikit-learn
