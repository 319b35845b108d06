"""How long a solver would take on large data: it is tried on few of them, and what it takes there is carried on."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass

import numpy as np

from cclab.core import Problem, Solver

#: Fewer samples than this are not worth a trial.
WORTH_A_TRIAL = 10_000
#: So many samples are tried first, then twice as many, and so on.
TRIED = 1_000
# A trial that takes longer than this, in seconds, is the last one; so is one with so many samples.
_ENOUGH, _MOST_TRIED = 0.4, 16_000
# What takes less time than this is measured again: the shortest time counts, as it was disturbed least.
_BRIEF, _AGAIN = 0.05, 3


@dataclass(frozen=True)
class Estimate:
    """Seconds that a start and a step would take."""

    start: float
    step: float

    def __str__(self) -> str:
        """In words.

        >>> print(Estimate(95.0, 3.2)), print(Estimate(0.2, 4000.0))
        about 2 min to start and 3 s for each step
        about 1 s to start and 1.1 h for each step
        (None, None)
        """
        return f"about {_in_words(self.start)} to start and {_in_words(self.step)} for each step"


def estimate(solver: Solver, problem: Problem) -> Estimate | None:
    """How long a start and a step would take, judged by trials on few samples; None where that can't be said.

    Small data are not worth it: for these it is no time at all. ``python -m benchmarks.estimates`` sets estimates
    beside what solvers really take.
    """
    if problem.n_samples < WORTH_A_TRIAL:
        return Estimate(0.0, 0.0)
    tried = trials(solver, problem)
    return None if tried is None else carried_on(tried, problem.n_samples)


#: How many samples were tried, and how many seconds a start and a step took.
Trial = tuple[int, float, float]


def trials(solver: Solver, problem: Problem) -> list[Trial] | None:
    """What a solver takes on few of the samples, then on more; None where it fails on them."""
    n, size, tried = problem.n_samples, TRIED, list[Trial]()
    while True:
        chosen = np.linspace(0, n - 1, size).astype(int)
        some = Problem(problem.X[chosen], constraints=problem.constraints.restrict(chosen), seed=problem.seed)
        try:
            with warnings.catch_warnings(action="ignore"):
                tried.append((size, *timed(solver, some)))
        except Exception:  # what fails on a part may well do on the whole
            return None
        size *= 2
        if sum(tried[-1][1:]) > _ENOUGH or size > min(_MOST_TRIED, n // 2):
            return tried


def carried_on(tried: list[Trial], n: int) -> Estimate:
    """What n samples would take, where it grows on as it did in the last trials, at least in proportion.

    >>> carried_on([(1000, 1.0, 0.1), (2000, 4.0, 0.1)], 20_000)
    Estimate(start=400.0, step=1.0)
    """
    return Estimate(*(_carried_on([(size, times[place]) for size, *times in tried], n) for place in (0, 1)))


def timed(solver: Solver, problem: Problem) -> tuple[float, float]:
    """Seconds that a start and a step take, other work on the machine left aside as far as can be."""
    problem = solver.adapt(problem)
    best = (math.inf, math.inf)
    for _ in range(_AGAIN):
        began = _clocks()
        state = solver.start(problem, 0)
        state.partition  # noqa: B018  (some make it only when it is asked for)
        started = _clocks()
        solver.step(problem, state).partition  # noqa: B018
        times = _between(began, started), _between(started, _clocks())
        best = min(best[0], times[0]), min(best[1], times[1])
        if sum(best) > _BRIEF:
            break
    return best


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _between(began: tuple[float, float], ended: tuple[float, float]) -> float:
    """The smaller of two times: one clock runs on while other programs work, the other for each thread of this one."""
    return min(after - before for before, after in zip(began, ended))


def _carried_on(tried: list[tuple[int, float]], n: int) -> float:
    (small, first), (large, last) = tried[-3:][0], tried[-1]
    growth = math.log(max(last, 1e-9) / max(first, 1e-9)) / math.log(large / small) if large > small else 2.0
    return last * (n / large) ** min(max(growth, 1.0), 3.0)


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
