"""Speed and memory, always as the ratio of two things run side by side: machines differ, ratios hardly do.

A benchmark is a function ``bench_...`` in a module ``bench_....py`` of this folder; it yields rows made by `compare` or
`Row`. ``python -m benchmarks`` runs them all, ``python -m benchmarks links fcm`` those whose names hold these words.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measured ratio and the limit it should keep.

    Attributes
    ----------
    what : str
    ratio : float
    limit : float
    at_least : bool
        Whether the ratio should be at least the limit (a speed-up) and not at most (a cost).
    detail : str
        The two times, or whatever else makes the ratio understood.
    """

    what: str
    ratio: float
    limit: float
    at_least: bool = False
    detail: str = ""

    @property
    def ok(self) -> bool:
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "ok  " if self.ok else "OVER"
        return f"{verdict}  {self.what:<72} {self.ratio:>9.3g}  {sign} {self.limit:<7g} {self.detail}"


def best_time(work: Callable[[], Any], repeats: int = 5, *, clock: Callable[[], float] = time.process_time) -> float:
    """The shortest of several runs, in seconds of this process: what is left when the machine's noise is taken off."""
    times = []
    for _ in range(repeats):
        begun = clock()
        work()
        times.append(clock() - begun)
    return min(times)


def compare(
    what: str,
    ours: Callable[[], Any],
    other: Callable[[], Any],
    limit: float,
    *,
    at_least: bool = False,
    repeats: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> Row:
    """Time `ours` and `other` in turns; the ratio is ours over other (or, for `at_least`, other over ours)."""
    ours_best = other_best = float("inf")
    for _ in range(repeats):
        ours_best = min(ours_best, best_time(ours, 1, clock=clock))
        other_best = min(other_best, best_time(other, 1, clock=clock))
    ratio = other_best / ours_best if at_least else ours_best / other_best
    return Row(what, ratio, limit, at_least, f"({1e3 * ours_best:.3g} ms, {1e3 * other_best:.3g} ms)")
