"""The one loop that all solvers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cclab.core.problem import Problem
from cclab.core.state import State

if TYPE_CHECKING:
    from cclab.core.solver import Solver

Progress = Callable[[int, int], None]


class iterate:
    """Go through the states of a solver, from the start until it has converged.

    Parameters
    ----------
    solver : Solver
    problem : Problem
    restart : int
        Which of the random starts.
    max_iter : int, optional
        Default: the solver's own.
    state : State, optional
        Go on from this state in place of a start.
    progress : callable, optional
        Called after each step with the number of steps made and the largest number there can be.

    Attributes
    ----------
    state : State
        The latest state.
    reason : str
        Why it stopped: "converged" or "max_iter"; "running" before.

    Examples
    --------
    >>> from cclab import FCM, Problem
    >>> run = iterate(FCM(n_clusters=2), Problem([[0.0], [0.1], [1.0], [1.1]]))
    >>> objectives = [state.objective for state in run]
    >>> run.reason, bool(objectives[-1] <= objectives[0])
    ('converged', True)
    """

    def __init__(
        self,
        solver: Solver,
        problem: Problem,
        *,
        restart: int = 0,
        max_iter: int | None = None,
        state: State | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._solver = solver
        self._problem = solver.adapt(problem)
        self._max_iter = solver.max_iter if max_iter is None else max_iter
        self._progress = progress
        self.state = solver.start(self._problem, restart) if state is None else state
        self.reason = "running"

    def last(self) -> Any:
        """The state at which it stops, of the solver's own kind."""
        for _ in self:
            pass
        return self.state

    def __iter__(self) -> Iterator[State]:
        yield self.state
        for done in range(1, self._max_iter + 1):
            previous, self.state = self.state, self._solver.step(self._problem, self.state)
            if self._progress is not None:
                self._progress(done, self._max_iter)
            if self._solver.converged(previous, self.state):
                self.reason = "converged"
                yield self.state
                return
            yield self.state
        self.reason = "max_iter"
