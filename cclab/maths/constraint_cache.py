"""What a solver derives from the constraints, kept until they change."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from cclab.core import ConstraintSet, Problem

T = TypeVar("T")


def of_constraints(problem: Problem, key: Hashable, derive: Callable[[ConstraintSet], T]) -> T:
    """``derive(problem.constraints)``, worked out once for as long as the constraints stay the same.

    `Problem.derived` keeps what follows from the data; here only the latest is kept, since knowledge changes
    with every statement and the old arrays would pile up.
    """
    cell = problem.derived(("of constraints", key), lambda: [None])
    kept = cell[0]
    if kept is None or kept[0] is not problem.constraints:
        kept = cell[0] = (problem.constraints, derive(problem.constraints))
    return kept[1]
