"""Starting another solver: beside the page, with a word before it takes minutes."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from cclab.core import Solver
from cclab.session.estimate import WORTH_A_TRIAL, Estimate, estimate
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.memory import give_back
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Fix, Notice, in_words, sentence

#: A start and a step that take longer than this, in seconds, are asked about before.
LONG = 30.0


class Starter:
    """Starts solvers on a desk, in the worker thread; what takes long is told before, and waits for a yes.

    Parameters
    ----------
    desk : Desk

    Attributes
    ----------
    too_slow : dict from str to str
        What was found of solvers that take long, by name.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.too_slow: dict[str, str] = {}
        self._tasks = Tasks()

    def start(self, solver: Solver, *, insist: bool = False) -> None:
        """Start anew with a solver; `insist` says however long it takes."""
        self._tasks.cancel()
        self.desk.session.pause()
        self._tasks.start(self._start(solver, insist))

    def change(self, parameters: dict[str, Any]) -> None:
        """Start anew with the same solver and other parameters."""
        self.start(clone(self.desk.session.solver).set_params(**parameters))

    def stop(self) -> None:
        """Give up what is under way; all stays as it is."""
        self._tasks.cancel()
        self.desk.session.pause()
        self.desk.set_busy("")

    close = stop

    async def _start(self, solver: Solver, insist: bool) -> None:
        desk, session, name = self.desk, self.desk.session, type(solver).__name__
        try:
            if not insist and session.data.n_samples >= WORTH_A_TRIAL:
                desk.set_busy(f"Looking how long {name} takes")
                expected = await in_thread(estimate, solver, session.problem)
                if expected is not None and expected.start + expected.step > LONG:
                    self._ask(solver, expected)
                    return
            desk.set_busy(f"Starting {name}")
            if await session.aswitch(solver) is not None:
                desk.attempt(solver.warn, session.problem)
        except Exception as error:
            desk.tell_of(error, sentence(in_words(error)))
        finally:
            give_back()
            if desk.session is session:
                desk.set_busy("")

    def _ask(self, solver: Solver, expected: Estimate) -> None:
        name, n = type(solver).__name__, self.desk.session.data.n_samples
        self.too_slow[name] = str(expected)
        words = f"{name} would take {expected} on these {n:,} samples, judged by a trial on few of them."
        self.desk.tell(Notice("warning", words, Fix("Start all the same", lambda: self.start(solver, insist=True))))
