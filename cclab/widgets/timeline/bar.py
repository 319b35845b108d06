"""The timeline: first, back, step, run, last; a scrubber over all snapshots; speed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import ipywidgets as widgets

from cclab.session import Moment, Snapshot
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import button, column, row, text, with_classes
from cclab.widgets.kit.throttle import Throttle
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.run import Pace, run
from cclab.widgets.model.view import View

#: Seconds a step takes at least, by the name of the speed.
SPEEDS = {"0.5×": 0.4, "1×": 0.2, "2×": 0.1, "max": 0.0}
_MOST_TICKS = 200
#: Why there is no step to take: nothing would move any more, or all was worked out with the start.
STEP_HINT, CONVERGED, AT_ONCE = "Step (→)", "No step to take: converged", "No step to take: all is worked out at once"


class Stepper(View):
    """Moves the session in time.

    Parameters
    ----------
    desk : Desk
    pace : coroutine function, optional
        Awaited after each step; it returns when the browser can take another one (`Shell.ready`), so that there is
        one frame in flight at most.
    extra : widget, optional
        What stands at the end, in place of the choice of a speed.
    """

    def __init__(self, desk: Desk, pace: Pace | None = None, extra: widgets.Widget | None = None) -> None:
        super().__init__(desk)
        self._painted = pace
        self._tasks = Tasks()
        self._throttle = Throttle()
        self._hurry = asyncio.Event()
        self._target: int | None = None
        self._showing = False
        self._stepping = False

        self.first_button = button(icon="first", hint="First (Home)", on_click=self.first)
        self.back_button = button(icon="back", hint="Back (←)", on_click=self.back)
        self.step_button = button("Step", self.step, icon="step", hint=STEP_HINT, look="primary")
        self.run_button = button("Run", self.toggle_run, icon="run", hint="Run or pause (Space)", look="outlined")
        self.last_button = button(icon="last", hint="Last (End)", on_click=self.last)
        self.scrubber = with_classes(
            widgets.IntSlider(description="Snapshot", readout=False, layout={"width": "auto"}), "cc-quiet-label"
        )
        self.scrubber.observe(self._scrubbed, "value")
        self.ticks = text()
        self._place = text()
        self.speed = with_classes(
            widgets.Dropdown(description="Speed", options=list(SPEEDS), value="1×", layout={"width": "64px"}),
            "cc-plain cc-quiet-label cc-wide",
        )
        self.widget = row(
            self.first_button,
            self.back_button,
            self.step_button,
            self.run_button,
            self.last_button,
            column(self.scrubber, self.ticks, css="cc-scrubber"),
            self._place,
            self.speed if extra is None else extra,
            css="cc-panel cc-timeline",
        )
        self.update(None, desk.moment)

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        return {
            "ArrowRight": self.step,
            "ArrowLeft": self.back,
            "Home": self.first,
            "End": self.last,
            "Space": self.toggle_run,
        }

    # ------------------------------------------------------------------ gestures

    def step(self) -> None:
        """One step; a step that is on the timeline already is gone to. While the session runs: pause."""
        session = self.desk.session
        if self._stepping:  # a double click must not drop the step that the first click has begun
            return
        if session.running:
            self.pause()
        elif session.converged:
            return
        elif self._next_is_a_step():
            session.rewind(session.position + 1)
        else:
            self._tasks.start(self._step())

    async def _step(self) -> None:
        self._stepping = True
        try:
            await run(self.desk, 1)
        finally:
            self._stepping = False

    def _next_is_a_step(self) -> bool:
        session = self.desk.session
        after = session.snapshots[session.position + 1 : session.position + 2]
        return bool(after) and after[0].how == "step"

    def toggle_run(self) -> None:
        """Run until the solver has converged, or pause."""
        if self.desk.session.running:
            self.pause()
        elif not self.desk.session.converged:
            self._hurry = asyncio.Event()
            self._tasks.start(run(self.desk, pace=self._pace))

    def pause(self) -> None:
        """Stop a run; the step in flight is dropped."""
        self.desk.session.pause()
        self._hurry.set()

    def first(self) -> None:
        """Go to the first snapshot."""
        self.go_to(0)

    def back(self) -> None:
        """Go one snapshot back."""
        self.go_to(self.desk.session.position - 1)

    def last(self) -> None:
        """Go to the last snapshot."""
        self.go_to(len(self.desk.session.snapshots) - 1)

    def go_to(self, position: int) -> None:
        """Go to a snapshot of the timeline; nothing happens where there is none."""
        session = self.desk.session
        if session.running:
            self.pause()
        if 0 <= position < len(session.snapshots) and position != session.position:
            self.desk.attempt(session.rewind, position)

    async def _pace(self) -> None:
        """Wait until the step has been painted and its time is up; a pause cuts it short."""
        began = time.monotonic()
        if self._painted is not None:
            await self._painted()
        rest = SPEEDS[self.speed.value] - (time.monotonic() - began)
        if rest <= 0:
            await asyncio.sleep(0)  # even at full speed the loop must get to other work: a click on Pause, say
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), rest)

    def _scrubbed(self, change: dict) -> None:
        if self._showing:
            return
        under_way, self._target = self._target is not None, change["new"]
        if not under_way:
            self._tasks.start(self._follow())

    async def _follow(self) -> None:
        """Go where the scrubber is, one frame at a time: places it has left meanwhile are skipped."""
        place = None
        while self._target is not None and self._target != place:
            place = self._target
            self.go_to(place)
            if self._painted is not None:
                await self._painted()
        self._target = None

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        if self._throttle.holds(new):
            return
        session = self.desk.session
        position, last = session.position, len(session.snapshots) - 1
        self._showing = True
        try:
            # One message each: a browser that hears of both at once answers with the place it had before.
            self.scrubber.max = max(last, 1)  # a slider needs room
            if self._target is None:
                self.scrubber.value = position
            self.scrubber.disabled = last == 0
        finally:
            self._showing = False
        self._place.value = tag("span", tag("b", position), f" / {last}", class_="cc-place")
        self._show_ticks(session.snapshots)
        self.first_button.disabled = self.back_button.disabled = position == 0
        self.last_button.disabled = position == last
        done = new.snapshot.converged and not new.running
        self.step_button.disabled = self.run_button.disabled = done
        why = AT_ONCE if new.snapshot.how == "start" else CONVERGED
        self.step_button.tooltip = why if done else STEP_HINT
        self._show_running(new.running)

    def _show_running(self, running: bool) -> None:
        self.run_button.description = "Pause" if running else "Run"
        gone, shown = ("cc-i-run", "cc-i-pause") if running else ("cc-i-pause", "cc-i-run")
        self.run_button.remove_class(gone)
        self.run_button.add_class(shown)

    def _show_ticks(self, snapshots: tuple[Snapshot, ...]) -> None:
        """A filled tick where something was stated, a hollow one where a question was answered."""
        last = max(len(snapshots) - 1, 1)
        kinds = dict.fromkeys(("constrain", "pose", "paint", "forget"), "cc-statement") | {"answer": "cc-answer"}
        # By place in whole ticks, so that thousands of statements don't make thousands of elements.
        ticks = {
            round(place / last * _MOST_TICKS): kinds[snapshot.command.verb]
            for place, snapshot in enumerate(snapshots)
            if snapshot.command.verb in kinds
        }
        marks = [tag("i", class_=kind, style=f"left:{100 * at / _MOST_TICKS:g}%") for at, kind in ticks.items()]
        self.ticks.value = tag("div", marks, class_="cc-ticks", aria_hidden=True)

    def close(self) -> None:
        self.pause()
        self._tasks.cancel()
        super().close()
