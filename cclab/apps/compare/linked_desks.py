"""Two desks with one set of statements: what is said, selected or undone at one is so at the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal
from sklearn.base import clone

from cclab.apps.compare.disagreement import Disagreement
from cclab.apps.page.loading import solver_for
from cclab.looks.encoding import Look
from cclab.session import Moment, Session, Snapshot
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.run import run


class LinkedDesks:
    """Moves two desks as one.

    A gesture may move one desk (another solver) or both (a statement, a step); it is undone wherever it was done.

    Parameters
    ----------
    first, second : Desk
        With the same data.

    Attributes
    ----------
    desks : pair of Desk
    changed : Signal
        After each verb at either desk.
    """

    changed = Signal()

    def __init__(self, first: Desk, second: Desk) -> None:
        self.desks = first, second
        self._acting = False
        self._run: set[Desk] | None = None  # the desks that the run under way has moved
        self._disagreement = Disagreement(first.session.current, second.session.current)
        self._gestures: list[set[Desk]] = []
        self._undone: list[set[Desk]] = []

    def listen(self) -> None:
        """Hear the desks from now on. Called when their views are made: these take other data first."""
        for one, two in (self.desks, self.desks[::-1]):
            one.changed.connect(partial(self._heard, one, two), check_nargs=False)
            one.selected.connect(partial(self._mirror, two, "selection", two.select), check_nargs=False)
            one.first_selected.connect(
                partial(self._mirror, two, "first_selection", two.select_first), check_nargs=False
            )
            one.pointed.connect(partial(self._mirror, two, "sample", two.point_at), check_nargs=False)

    # ------------------------------------------------------------------ gestures

    async def go(self, n_steps: int | None, painted: Callable[[], Awaitable[Any]]) -> None:
        """Let each solver that has not converged make `n_steps` steps; None: until both have, or someone pauses."""
        moved: set[Desk] = set()
        self._run = moved
        self._gestures.append(moved)
        done = 0
        numbers = {desk: desk.session.new_run() for desk in self.desks}
        self.changed.emit()
        try:
            while self._run is moved and done != n_steps:
                waiting = [desk for desk in self.desks if not desk.session.converged]
                if not waiting or not all([await run(desk, 1, number=numbers[desk]) for desk in waiting]):
                    break
                done += 1
                self.changed.emit()
                if n_steps is None:
                    await painted()
        finally:
            if self._run is moved:
                self.pause()
            self._gestures = [gesture for gesture in self._gestures if gesture]  # where no step was made
            self.changed.emit()

    @property
    def running(self) -> bool:
        """Whether `go` is under way."""
        return self._run is not None

    def pause(self) -> None:
        """End `go`; a step in flight is dropped."""
        self._run = None
        for desk in self.desks:
            desk.session.pause()

    def start_again(self) -> None:
        """Start both anew, with what is stated."""
        self.pause()
        self._undone.clear()
        self._gestures.append(set(self.desks))
        with self._as_one():
            for desk in self.desks:
                desk.attempt(desk.session.switch, clone(desk.session.solver))

    def switch(self, desk: Desk, name: str) -> None:
        """Start one of them anew with another solver, with as many clusters as now."""
        self.pause()
        n_clusters = getattr(desk.session.solver, "n_clusters", None)
        desk.attempt(lambda: desk.session.switch(solver_for(desk.session.data, name, n_clusters)))

    def undo(self) -> None:
        """Take the last gesture back, at the desks where it was made."""
        self.pause()
        if self._gestures:
            self._undone.append(self._gestures.pop())
            self._travel(self._undone[-1], "undo")

    def redo(self) -> None:
        """Make the last gesture that was taken back again."""
        self.pause()
        if self._undone:
            self._gestures.append(self._undone.pop())
            self._travel(self._gestures[-1], "redo")

    @property
    def can_undo(self) -> bool:
        """Whether there is a gesture to undo."""
        return bool(self._gestures)

    @property
    def can_redo(self) -> bool:
        """Whether there is a gesture to redo."""
        return bool(self._undone)

    def take_second(self, session: Session) -> bool:
        """Put a session on the second desk, if it is about the same data and the same statements; whether it is."""
        first, second = self.desks[0].session, self.desks[1]
        about = session.data.X.shape == first.data.X.shape and (session.data.X != first.data.X).sum() == 0
        if not about or session.constraints != first.constraints:
            return False
        with self._as_one():
            second.open(session)
        self._forget_gestures()
        return True

    # ------------------------------------------------------------------ how the two are shown

    @property
    def disagreement(self) -> Disagreement:
        """Where the two differ now; while other data are opened on one desk before the other, where they did."""
        now = tuple(desk.session.current for desk in self.desks)
        if self._disagreement.snapshots != now and len({desk.session.data.n_samples for desk in self.desks}) == 1:
            self._disagreement = Disagreement(*now)
        return self._disagreement

    def look_of(self, desk: Desk, snapshot: Snapshot) -> Look:
        """How each cluster of a desk is shown; in its own way where there is nothing to compare it with."""
        disagreement, place = self.disagreement, self.desks.index(desk)
        return disagreement.looks[place] if disagreement.snapshots[place] is snapshot else Look.of(snapshot)

    def differing(self, desk: Desk, snapshot: Snapshot) -> NDArray[np.int64]:
        """The samples on which a desk differs from the other."""
        disagreement, place = self.disagreement, self.desks.index(desk)
        return disagreement.differing if disagreement.snapshots[place] is snapshot else np.empty(0, dtype=np.int64)

    # ------------------------------------------------------------------ what the two share

    def _mirror(self, desk: Desk, name: str, tell: Callable[[Any], None], value: Any) -> None:
        """What is pointed at or selected on one side is so on the other."""
        if not np.array_equal(getattr(desk, name), value):
            tell(value)

    def _heard(self, one: Desk, two: Desk, old: Moment | None, new: Moment) -> None:
        """What is stated on one side is stated on the other; other data are opened on both."""
        if self._acting:
            return
        if old is None:
            self._open_beside(one, two)
        elif old.snapshot is not new.snapshot:
            self._follow(one, two, new.snapshot)
        self.changed.emit()

    def _follow(self, one: Desk, two: Desk, new: Snapshot) -> None:
        """Say to the other desk what was said to this one, and remember the gesture."""
        if one.session.commands[-1]["verb"] == "undo" and self._gestures:  # by a banner's button
            self._undone.append(self._gestures.pop())
            self._travel(self._undone[-1] - {one}, "undo")
            return
        self._undone.clear()
        if new.how == "step" and self._run is not None:
            self._run.add(one)
            return
        if new.how != "step":
            self.pause()
        moved = {one}
        if one.session.constraints != two.session.constraints:
            with self._as_one():
                if two.attempt(two.session.constrain, constraints=one.session.constraints) is not None:
                    moved.add(two)
        self._gestures.append(moved)

    def _open_beside(self, one: Desk, two: Desk) -> None:
        """A new session for the other desk, with its solver, on the data and statements of this one."""
        self.pause()
        solver = solver_for(one.session.data, type(two.session.solver).__name__)
        gone = two.session
        with self._as_one():
            two.open(Session(one.session.data, solver, seed=one.session.problem.seed))
            if len(one.session.constraints):
                two.attempt(two.session.constrain, constraints=one.session.constraints)
        gone.close()
        self._forget_gestures()

    def _travel(self, gesture: set[Desk], verb: str) -> None:
        with self._as_one():
            for desk in gesture:
                desk.attempt(getattr(desk.session, verb))

    def _forget_gestures(self) -> None:
        self._gestures, self._undone = [], []

    @contextmanager
    def _as_one(self) -> Iterator[None]:
        """What is done here is no gesture of its own, and is told of when all of it is done."""
        self._acting = True
        try:
            yield
        finally:
            self._acting = False
        self.changed.emit()

    def close(self) -> None:
        """Listen no more."""
        self.pause()
        self._acting = True
        self.changed.disconnect()
