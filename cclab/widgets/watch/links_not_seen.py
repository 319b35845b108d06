"""On links it has not seen: a number that tells without any truth whether a solver suits, and the switch for reach."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import ipywidgets as widgets

from cclab.core import HeldOut, held_out
from cclab.session import Moment, Snapshot
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import button, column, gauge, show, text, with_classes
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.wrapping import reaches, takes_links, with_reach
from cclab.widgets.watch.part import Part

#: Of more samples than this, the number is worked out only when it is asked for.
MOST_AT_ONCE = 3_000
_HOW = (
    "Each third of what you stated is held back in turn, and compared with what the solver makes of the rest. "
    "Must-links and cannot-links count alike: guessing keeps 50 %."
)
_WAITING = "Worked out as soon as the solver rests."


class LinksNotSeen(Part):
    """The share of links kept that the solver was not told of, and whether links reach further.

    Parameters
    ----------
    desk : Desk
    """

    tab, order = "Links", 7

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self._working = False
        self._filling = False
        # What was found, for which statements and which solver.
        self._found: tuple[Any, Any, HeldOut] | None = None
        self.note, self.kept, self.words = text(), text(css="cc-padded"), text(css="cc-padded")
        self.check_button = button("Check", self.check, hint="Hold links back and see; takes as long as three runs")
        self.switch = with_classes(
            widgets.Checkbox(description="Let links reach further", indent=False, layout={"width": "auto"}),
            "cc-padded",
        )
        self.switch.observe(self._switched, "value")
        self.widget = column(
            gauge("On links it has not seen", self.kept, self.check_button, note=self.note),
            gauge("Reach", self.switch, self.words),
            css="cc-gauge",
        )
        self.start()

    def applies(self, snapshot: Snapshot) -> bool:
        return takes_links(snapshot.solver)

    # ------------------------------------------------------------------ gestures

    def check(self) -> None:
        """Work the number out now."""
        if not self._working:
            self._working = True
            self._tasks.start(self._work())

    def _switched(self, change: dict) -> None:
        if self._filling:
            return
        session = self.desk.session
        session.pause()
        self.desk.attempt(session.switch, with_reach(session.solver, bool(change["new"])))
        self._show()

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        super().update(old, new)
        fits = self.seen and self.applies(new.snapshot) and not new.running
        if fits and self._current() is None and self.desk.session.data.n_samples <= MOST_AT_ONCE:
            self.check()

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        self._show()

    def _current(self) -> HeldOut | None:
        """What was found, if it is about what is stated now and the solver of now."""
        session = self.desk.session
        known = self._found is not None and self._found[0] is session.constraints and self._found[1] is session.solver
        return self._found[2] if known and self._found is not None else None

    async def _work(self) -> None:
        try:
            while self.seen and self._current() is None:
                problem, solver = self.desk.session.problem, self.desk.session.solver
                found = await asyncio.to_thread(_quietly_held_out, problem, solver)
                self._found = (problem.constraints, solver, found)
                if problem.n_samples > MOST_AT_ONCE:
                    break
        finally:
            self._working = False
        self._show()

    def _show(self) -> None:
        session, found = self.desk.session, self._current()
        self._filling = True
        self.switch.value = reaches(session.solver)
        self._filling = False
        self.note.value = f"{100 * found.share:.0f} % kept" if found else ""
        asked_for = session.data.n_samples > MOST_AT_ONCE
        waiting = "" if asked_for else _WAITING
        said = _HOW if found else waiting if found is None else _sentence(found.why_not)
        self.kept.value = tag("span", said, class_="cc-help")
        show(self.check_button, found is None and asked_for)
        # A number and its sign stay on one line.
        self.words.value = tag("span", self._reach_in_words().replace(" %", "\u00a0%"), class_="cc-help")

    def _reach_in_words(self) -> str:
        session = self.desk.session
        if not reaches(session.solver):
            return "Samples that no link touches may follow those that links do, if links that are held back agree."
        return str(session.solver.report(session.problem))

    def close(self) -> None:
        self._tasks.cancel()
        super().close()


def _quietly_held_out(problem: Any, solver: Any) -> HeldOut:
    """As `held_out`; what a solver can't do with a part of what is stated is said in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return held_out(problem, solver)
        except ValueError as error:
            empty = held_out(problem.with_constraints(type(problem.constraints)(problem.n_samples)), solver)
            return HeldOut(empty.degrees, empty.must, empty.weight, empty.source, str(error))


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."
