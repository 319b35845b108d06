"""What each verb does: a command is worked out first, with no effect, and then taken over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cclab.core import ConstraintSet, Problem, Solver
from cclab.core.registry import solvers, strategies
from cclab.datasets import Dataset
from cclab.session.packing import unpack_estimator
from cclab.session.snapshot import Snapshot
from cclab.session.statements import state_all
from cclab.session.timeline import Dialogue, Timeline

Command = dict[str, Any]
TakeOver = Callable[[], Any]
Poser = Callable[[Mapping[str, Any]], tuple[Problem, Solver]]

VERBS = ("step", "constrain", "restart", "switch", "pose", "rewind", "undo", "redo", "propose", "answer", "reject")


def stepped(base: Snapshot, command: Command) -> Snapshot:
    """The snapshot one step after `base`. Pure, so it can be worked out in any thread."""
    state = base.solver.step(base.solver.adapt(base.problem), base.state)
    return Snapshot(base.problem, base.solver, "step", base, command, state)


class Verbs:
    """The verbs of a session, each a method that takes a command (ready for JSON) and returns how to take it over.

    All that can fail about a command fails before anything has changed.

    Parameters
    ----------
    timeline : Timeline
        What they change.
    poser : callable or None
        Makes ``(problem, solver)`` from the recipe of `pose`.
    """

    def __init__(self, timeline: Timeline, poser: Poser | None = None) -> None:
        self.timeline = timeline
        self.poser = poser

    def work_out(self, command: Command) -> TakeOver:
        """All that can fail about a command, with no effect yet; calling the result takes it over."""
        verb = command.get("verb")
        if verb not in VERBS:
            raise ValueError(f"unknown verb {verb!r}")
        return getattr(self, verb)(command)

    def open(self, data: Dataset, command: Command) -> None:
        """Begin: the one verb that no other comes before."""
        solver = unpack_estimator(command["solver"], solvers)
        problem = Problem(data.X, seed=command["seed"])
        solver.check(problem)
        self.timeline.commit(self._started(problem, solver, command), Dialogue())

    # ------------------------------------------------------------------ those that make a snapshot

    @property
    def _current(self) -> Snapshot:
        return self.timeline.current

    def _taking(self, snapshot: Snapshot | None, dialogue: Dialogue | None = None, run: Any = None) -> TakeOver:
        timeline = self.timeline
        return lambda: timeline.commit(snapshot, timeline.dialogue if dialogue is None else dialogue, run)

    def _started(self, problem: Problem, solver: Solver, command: Command, restart: int = 0) -> Snapshot:
        state = solver.start(solver.adapt(problem), restart)
        previous = self._current if self.timeline.snapshots else None
        return Snapshot(problem, solver, "start", previous, command, state)

    def _rebased(self, constraints: ConstraintSet, command: Command) -> Snapshot:
        base = self._current
        problem = base.problem.with_constraints(constraints)
        base.solver.warn(problem)
        state = base.solver.rebase(base.solver.adapt(base.problem), base.solver.adapt(problem), base.state)
        return Snapshot(problem, base.solver, "rebase", base, command, state)

    def step(self, command: Command) -> TakeOver:
        return self._taking(stepped(self._current, command), run=command.get("run"))

    def constrain(self, command: Command) -> TakeOver:
        known = self._current.problem.constraints
        return self._taking(self._rebased(state_all(known, command["statements"]), command))

    def restart(self, command: Command) -> TakeOver:
        here = self._current
        return self._taking(self._started(here.problem, here.solver, command, command["restart"]))

    def switch(self, command: Command) -> TakeOver:
        problem, solver = self._current.problem, unpack_estimator(command["solver"], solvers)
        solver.check(problem)
        solver.warn(problem)
        return self._taking(self._started(problem, solver, command))

    def pose(self, command: Command) -> TakeOver:
        if self.poser is None:
            raise ValueError("this session poses problems of its own; open it in the app that made it")
        problem, solver = self.poser(command["recipe"])
        solver.check(problem)
        return self._taking(self._started(problem, solver, command), run=command.get("run"))

    # ------------------------------------------------------------------ those that move about

    def rewind(self, command: Command) -> TakeOver:
        position, n = command["to"], len(self.timeline.snapshots)
        if not isinstance(position, int) or not 0 <= position < n:
            raise ValueError(f"there are snapshots 0 to {n - 1}, not {position}")
        return lambda: self.timeline.rewind(position)

    def undo(self, command: Command) -> TakeOver:
        return self.timeline.undo

    def redo(self, command: Command) -> TakeOver:
        return self.timeline.redo

    # ------------------------------------------------------------------ those of the dialogue

    def propose(self, command: Command) -> TakeOver:
        strategy = unpack_estimator(command["strategy"], strategies)
        here, dialogue = self._current, self.timeline.dialogue
        queries = strategy.propose(here.problem, here.state, command["n"], asked=dialogue.asked)
        proposed = replace(dialogue, pending=tuple(queries))
        return lambda: setattr(self.timeline, "dialogue", proposed)

    def answer(self, command: Command) -> TakeOver:
        samples, answer = tuple(command["samples"]), command["answer"]
        about = {"weight": command["weight"], "source": "query"}
        known = self._current.problem.constraints
        if answer == "same":
            known = known.with_must_link([samples], **about)
        elif answer == "different":
            known = known.with_cannot_link([samples], **about)
        else:
            known = known.with_labels({samples[0]: answer}, **about)
        return self._taking(self._rebased(known, command), self._settled(samples))

    def reject(self, command: Command) -> TakeOver:
        samples = tuple(command["samples"])
        dialogue = self._settled(samples)
        return self._taking(None, replace(dialogue, rejected=dialogue.rejected | {samples}))

    def _settled(self, samples: tuple[int, ...]) -> Dialogue:
        dialogue = self.timeline.dialogue
        pending = tuple(q for q in dialogue.pending if q.samples != samples)
        return Dialogue(pending, dialogue.asked | {samples}, dialogue.rejected - {samples})
