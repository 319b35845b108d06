"""Solvers around others, as views see them: menus and forms are about the solver inside."""

from __future__ import annotations

from sklearn.base import clone

from cclab.core import Solver
from cclab.core.registry import wrappers

#: The wrapper that lets links reach further, by its name in the registry.
REACHING = "Propagating"


def inside(solver: Solver) -> Solver:
    """The solver that does the work."""
    return solver.solver if type(solver).__name__ in wrappers.names() else solver


def wrapped_like(solver: Solver, worker: Solver) -> Solver:
    """`worker` in what is around `solver`, if anything is."""
    return worker if inside(solver) is solver else clone(solver).set_params(solver=worker)


def reaches(solver: Solver) -> bool:
    """Whether links are let to reach further."""
    return type(solver).__name__ == REACHING


def with_reach(solver: Solver, on: bool) -> Solver:
    """The same solver, with links that are let to reach further or not."""
    worker = clone(inside(solver))
    return wrappers.get(REACHING)(worker) if on else worker


def takes_links(solver: Solver) -> bool:
    """Whether it takes links or labels."""
    return bool(inside(solver).uses & {"must", "cannot", "labels"})
