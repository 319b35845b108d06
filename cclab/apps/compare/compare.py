"""Compare: two solvers on the same data and the same statements, and where they part."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from pathlib import Path
from typing import Any

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.compare_views import Crossings, Scores, Twin, verdict
from cclab.apps.heading import dropdown, heading
from cclab.apps.keeping import Keeper
from cclab.apps.keys import KeySheet
from cclab.apps.opening import named_sets, session_on
from cclab.apps.page import Page
from cclab.apps.remedies import remedy_for
from cclab.apps.twins import Twins
from cclab.core import Solver
from cclab.core.registry import solvers
from cclab.session import Session
from cclab.widgets.banner import Banner
from cclab.widgets.constraints import Constraints
from cclab.widgets.desk import Desk
from cclab.widgets.html import tag
from cclab.widgets.layout import button, column, row, text, with_classes
from cclab.widgets.selecting import Selecting

log = logging.getLogger(__name__)

KEYS = {
    "→": "one step, both",
    "Space": "run or pause, both",
    "M": "link together",
    "C": "keep apart; C or Enter confirms",
    "Del": "forget what is stated",
    "Ctrl+Z": "undo, wherever it was done",
    "Ctrl+Shift+Z": "redo",
    "Esc": "clear, close",
    "?": "this list",
}


def compare(
    data: Any = None,
    first: Solver | str = "CECM",
    second: Solver | str = "COPKMeans",
    *,
    seed: int | None = None,
    journal: str | Path | None = None,
    height: int | None = None,
) -> Compare:
    """Two solvers side by side, to be shown in a notebook or served as a page.

    Parameters
    ----------
    data : Dataset, name, DataFrame, path or array, optional
        Default: iris.
    first, second : Solver or str
        Estimators, or names of some, which then look for as many clusters as there are classes.
    seed : int, optional
    journal : path, optional
        A folder to keep both sessions in. By default they are kept for the visitor's browser.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = compare("iris", "FCM", "COPKMeans")
    >>> _ = page.desk.session.constrain(must_link=[[0, 1]])   # FCM has no use for links, and warns
    >>> len(page.other.session.constraints)
    1
    >>> page.close()
    """
    left = session_on("iris" if data is None else data, first, seed)
    return Compare(left, session_on(left.data, second, seed), journal=journal, height=height)


class Compare(Page):
    """The page that `compare` makes.

    Attributes
    ----------
    desk, other : Desk
        The first solver's, and the second's.
    twins : Twins
        The two as one.
    """

    def __init__(
        self, first: Session, second: Session, *, journal: str | Path | None = None, height: int | None = None
    ) -> None:
        super().__init__("compare", "cclab compare", first, journal=journal)
        if journal is not None:
            second = self._kept_at(Path(journal) / "second", second)
        self.other = Desk(second)
        self.twins = Twins(self.desk, self.other)
        self._beside: Keeper | None = None
        self._filling = False
        self.key_sheet = KeySheet(KEYS)
        self.data = dropdown("Data set", [(name, name) for name in named_sets()], None)
        names = [(name, name) for name in solvers.names()]
        self.choices = tuple(dropdown(f"Solver {side}", names, None) for side in ("left", "right"))
        self.data.observe(lambda change: None if self._filling else self.open_data(change["new"]), "value")
        for desk, choice in zip(self.twins.desks, self.choices):
            choice.observe(partial(self._solver_chosen, desk), "value")
        self.selecting = self.add(Selecting(self.desk))
        self.banners = tuple(self.add(Banner(desk, partial(remedy_for, desk))) for desk in self.twins.desks)
        self.scatter = self.add(Twin(self.desk, self.twins, (self.selecting.widget, self.banners[0].widget)))
        self.twin = self.add(Twin(self.other, self.twins, (self.banners[1].widget,)))
        self.constraints = self.add(Constraints(self.desk))
        self.crossings, self.scores = Crossings(self.twins), Scores(self.twins)
        self.undo_button = button(icon="undo", hint="Undo (Ctrl+Z)", on_click=self.twins.undo)
        self.redo_button = button(icon="redo", hint="Redo (Ctrl+Shift+Z)", on_click=self.twins.redo)
        self.step_button = button("Step", self.step, icon="step", hint="Step both (→)", look="primary")
        self.run_button = button("Run", self.toggle_run, icon="run", hint="Run or pause both (Space)", look="outlined")
        again = button("Start again", self.twins.start_again, hint="Start both anew, with what is stated")
        self._verdict = text()
        versus = row(self.step_button, self.run_button, again, with_classes(self._verdict, "cc-push"))
        with_classes(versus, "cc-panel cc-versus")
        twins = row(self.scatter.widget, self.twin.widget, css="cc-twins")
        below = row(self.constraints.widget, self.crossings.widget, self.scores.widget, css="cc-below")
        tools = (
            self.undo_button,
            self.redo_button,
            button(icon="help", hint="Keys (?)", on_click=self.key_sheet.toggle),
        )
        against = text(tag("span", "against", class_="cc-note"))
        bar = heading(self.shell, "Compare", (self.data, self.choices[0], against, self.choices[1]), tools)
        self.show(bar, column(twins, versus, below, css="cc-compare"), self.key_sheet.widget, height=height)
        self.other.told.connect(self._told)
        self.twins.listen()
        self.twins.changed.connect(self._show)
        self.bind_keys(
            self.selecting,
            own={
                "ArrowRight": self.step,
                "Space": self.toggle_run,
                "ctrl+z": self.twins.undo,
                "ctrl+shift+z": self.twins.redo,
                "ctrl+y": self.twins.redo,
                "?": self.key_sheet.toggle,
            },
            floating=(self.key_sheet, *self.banners),
            otherwise=self.selecting.clear,
        )
        self._show()

    # ------------------------------------------------------------------ gestures

    def step(self) -> None:
        """One step of each solver that has not converged; while they run: pause."""
        self._go_or_pause(1)

    def toggle_run(self) -> None:
        """Run both until they have converged, or pause."""
        self._go_or_pause(None)

    def _go_or_pause(self, n_steps: int | None) -> None:
        if self.twins.running:
            self.twins.pause()
        else:
            self._tasks.start(self.twins.go(n_steps, partial(self.shell.ready, 0.2)))

    def _solver_chosen(self, desk: Desk, change: dict) -> None:
        if not self._filling:
            self.twins.switch(desk, change["new"])

    # ------------------------------------------------------------------ keeping

    async def _meet(self, visitor: str) -> None:
        """Go on with both sessions that were left; the second only if it still belongs to the first."""
        self._beside = Keeper(self._name, visitor, "second")
        left = self._beside.found() is not None
        await super()._meet(visitor)
        if not left:
            return
        try:
            second = await asyncio.to_thread(self._beside.open)
        except Exception:
            log.info("the second session can't be opened", exc_info=True)
            second = None
        if second is None or not self.twins.take_second(second):
            self._keep_second()

    def _keep(self, session: Session) -> None:
        super()._keep(session)
        self._keep_second()

    def _keep_second(self) -> None:
        if self._beside is not None:
            self.desk.attempt(self._beside.keep, self.other.session)

    # ------------------------------------------------------------------ showing

    def _show(self) -> None:
        for part in (self.scatter, self.twin):
            part.refresh()
        for part in (self.crossings, self.scores):
            part.show()
        self._verdict.value = verdict(self.twins)
        self._show_choices()
        running, sessions = self.twins.running, [desk.session for desk in self.twins.desks]
        self.undo_button.disabled, self.redo_button.disabled = not self.twins.can_undo, not self.twins.can_redo
        self.step_button.disabled = all(session.converged for session in sessions) and not running
        self.run_button.disabled = self.step_button.disabled
        self.run_button.description = "Pause" if running else "Run"
        gone, shown = ("cc-i-run", "cc-i-pause") if running else ("cc-i-pause", "cc-i-run")
        self.run_button.remove_class(gone)
        self.run_button.add_class(shown)

    def _show_choices(self) -> None:
        """Let the bar say what is open."""
        self._filling = True
        try:
            name = self.desk.session.data.name
            if name not in dict(self.data.options):
                self.data.options = [(name, name), *self.data.options]
            self.data.value = name
            for choice, desk in zip(self.choices, self.twins.desks):
                choice.value = type(desk.session.solver).__name__
        finally:
            self._filling = False

    def close(self) -> None:
        self.twins.close()
        super().close()
        self.other.session.close()
