"""Nasty problems for every solver, `COUNT` for each: a valid result or a sentence, and within a second a step."""

from __future__ import annotations

import linecache
import time
import warnings
from collections.abc import Iterator

import numpy as np

from cclab.algorithms import COPKMeans
from cclab.core import Credal, Fuzzy, FuzzyPossibilistic, Partition, Possibilistic, Problem, State, iterate
from cclab.core.registry import solvers
from cclab.reach import Propagating
from tests.fuzz import Attempt, Case
from tests.fuzz._problems import Nasty, nasty

COUNT = 200  # for each solver
STEPS = 12
SLOW = 1.0  # processor seconds for a step on at most 60 samples
# Sums over the samples lose about this share of what is summed.
ROUNDING = 1e-9


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    for name in [*solvers.names(), "Propagating"]:
        for index in range(count):
            yield Attempt(f"{name} {index}, seed {seed}", _attempt, (name, index, seed))


def _attempt(name: str, index: int, seed: int) -> Case:
    if name == "Propagating":
        return tried(Propagating, reaching(nasty(COPKMeans, index, seed)))
    cls = solvers.get(name)
    return tried(cls, nasty(cls, index, seed))


def reaching(given: Nasty) -> Nasty:
    """The problem for the same solver, with links that reach further as soon as they seem to help."""
    return given._replace(name=f"Propagating {given.name}", params={"solver": COPKMeans(**given.params), "gate": 0.0})


def tried(cls: type, given: Nasty) -> Case:
    """How a solver fares with a problem."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            problem = Problem(constraints=given.known(), **given.problem)
            solver = cls(**given.params)
            solver.check(problem)
            solver.warn(problem)
            fault = fault_of_run(solver, problem)
        except ValueError as error:
            if _is_ours(error):
                return Case(given.name, "sentence")
            return Case(given.name, "error", f"ValueError not in our words: {error}")
        except Exception as error:
            return Case(given.name, "error", f"{type(error).__name__}: {error}")
    if fault is None:
        noise = [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)]
        fault = f"numpy warned: {noise[0]}" if noise else None
        return Case(given.name, "noise" if noise else "result", fault)
    return Case(given.name, "slow" if "seconds" in fault else "invalid", fault)


def _is_ours(error: ValueError) -> bool:
    """Whether we raised it, rather than a library that we called."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return "cclab" in code.co_filename and linecache.getline(code.co_filename, trace.tb_lineno).strip()[:5] == "raise"


def fault_of_run(solver, problem: Problem) -> str | None:
    """What is wrong with a run of some steps, in words."""
    first, before, start = None, None, time.process_time()
    for state in iterate(solver, problem, max_iter=STEPS):
        took = time.process_time() - start
        if fault := _fault_of_state(problem, state):
            return f"{fault}, at iteration {state.iteration}"
        if took > SLOW:
            return f"iteration {state.iteration} took {took:.1f} seconds"
        if before is not None and _descends(solver) and _rose(solver, problem, first, before, state):
            return f"the objective rose from {before.objective:.10g} to {state.objective:.10g} at {state.iteration}"
        first, before, start = first or state, state, time.process_time()
    return None


def _descends(solver) -> bool:
    # A rejection rate moves the cost of the empty set, and with it the objective.
    return solver.descends and getattr(solver, "rejection_rate", None) is None


def _rose(solver, problem: Problem, first: State, before: State, state: State) -> bool:
    size = max(map(abs, (*state.terms.values(), *before.terms.values(), before.objective)))
    # What was large has left its rounding; means of equal samples differ from them by rounding.
    noise = 1e-11 * abs(first.objective)
    counted = max(problem.weights.sum(), 1) * max(getattr(solver, "label_weight", 1), 1)
    noise += 1e-26 * counted * max(float(abs(problem.X).max()) ** 2, 1)
    return state.objective - before.objective > ROUNDING * size + noise


def _fault_of_state(problem: Problem, state: State) -> str | None:
    partition = state.partition
    if not np.isfinite(state.objective):
        return f"the objective is {state.objective}"
    if state.centers is not None and not np.isfinite(state.centers).all():
        return "a centre is not finite"
    labels = partition.labels()
    if labels.shape != (problem.n_samples,) or labels.min() < 0 or labels.max() >= partition.n_clusters:
        return f"labels from {labels.min()} to {labels.max()} of {partition.n_clusters} clusters"
    return _fault_of_belief(partition)


def _fault_of_belief(partition: Partition) -> str | None:
    if isinstance(partition, Fuzzy | FuzzyPossibilistic) and (fault := _no_shares(partition.memberships)):
        return f"memberships {fault}"
    if isinstance(partition, Credal) and (fault := _no_shares(partition.masses)):
        return f"masses {fault}"
    if isinstance(partition, Possibilistic):
        T = partition.typicalities
        if not ((T >= 0) & (T <= 1 + 1e-12)).all():
            return f"typicalities from {T.min()} to {T.max()}"
    ambiguity = partition.ambiguity()
    return None if np.isfinite(ambiguity).all() else "the ambiguity is not finite"


def _no_shares(values: np.ndarray) -> str | None:
    """Why these rows are not shares of a whole, or None."""
    if not np.isfinite(values).all():
        return "are not finite"
    if values.min() < 0:
        return f"fall to {values.min():g}"
    sums = values.sum(axis=1)
    off = int(np.abs(sums - 1).argmax())
    return f"of sample {off} add up to {sums[off]:.10g}" if abs(sums[off] - 1) > 1e-9 else None
