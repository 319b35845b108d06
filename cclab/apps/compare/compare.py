"""Compare: two solvers on the same data and the same statements, and where they part."""

from __future__ import annotations

import logging
import secrets
from functools import partial
from pathlib import Path
from typing import Any

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.compare.linked_desks import LinkedDesks
from cclab.apps.compare.side_by_side import ComparedScatter, Crossings, Scores, verdict
from cclab.apps.page.fixes import fix_for
from cclab.apps.page.key_sheet import KeySheet
from cclab.apps.page.loading import named_sets, session_on
from cclab.apps.page.page import Page
from cclab.apps.page.solver_menu import SolverMenu
from cclab.apps.page.top_bar import open_button, title_bar
from cclab.apps.page.visitor_store import VisitorStore, slot_of
from cclab.core import Solver
from cclab.session import InUse, Session, in_use
from cclab.session.storage.journal import JOURNAL
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import button, column, dropdown, row, text, with_classes
from cclab.widgets.knowledge.selection_bar import SelectionBar
from cclab.widgets.knowledge.table import Constraints
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import in_words, sentence
from cclab.widgets.notices.banner import Banner

log = logging.getLogger(__name__)

#: The folder of the second session, in that of the first.
SECOND = "second"

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
    slot = "page" if data is None else slot_of(left.data.fingerprint, repr(first), repr(second), seed)
    return Compare(left, session_on(left.data, second, seed), slot=slot, journal=journal, height=height)


class Compare(Page):
    """The page that `compare` makes.

    Attributes
    ----------
    desk, other : Desk
        The first solver's, and the second's.
    linked : LinkedDesks
        The two as one.
    """

    def __init__(
        self,
        first: Session,
        second: Session,
        *,
        slot: str = "page",
        journal: str | Path | None = None,
        height: int | None = None,
    ) -> None:
        super().__init__("compare", "cclab compare", first, slot=slot, journal=journal)
        self.other = Desk(second)
        self.linked = LinkedDesks(self.desk, self.other)
        self._filling = False
        self.key_sheet = KeySheet(KEYS)
        self.data = dropdown("Data set", [(name, name) for name in named_sets()], None)
        self.choices = tuple(
            self.add(SolverMenu(desk, partial(self.linked.switch, desk), hint=f"Solver {side}", css=f"cc-at-{side}"))
            for desk, side in zip(self.linked.desks, ("left", "right"))
        )
        self.data.observe(lambda change: None if self._filling else self.open_data(change["new"]), "value")
        for desk in self.linked.desks:
            desk.fix_for = partial(fix_for, desk)
        self.selecting = self.add(SelectionBar(self.desk))
        self.banners = tuple(self.add(Banner(desk)) for desk in self.linked.desks)
        self.scatter = self.add(
            ComparedScatter(self.desk, self.linked, (self.selecting.widget, self.banners[0].widget))
        )
        self.other_scatter = self.add(ComparedScatter(self.other, self.linked, (self.banners[1].widget,)))
        self.constraints = self.add(Constraints(self.desk))
        self.crossings, self.scores = Crossings(self.linked), Scores(self.linked)
        self.undo_button = button(icon="undo", hint="Undo (Ctrl+Z)", on_click=self.linked.undo)
        self.redo_button = button(icon="redo", hint="Redo (Ctrl+Shift+Z)", on_click=self.linked.redo)
        self.step_button = button("Step", self.step, icon="step", hint="Step both (→)", look="primary")
        self.run_button = button("Run", self.toggle_run, icon="run", hint="Run or pause both (Space)", look="outlined")
        again = button("Start again", self.linked.start_again, hint="Start both anew, with what is stated")
        self.verdict = text()
        versus = row(self.step_button, self.run_button, again, with_classes(self.verdict, "cc-push"))
        with_classes(versus, "cc-panel cc-versus")
        both = row(self.scatter.widget, self.other_scatter.widget, css="cc-twins")
        below = row(self.constraints.widget, self.crossings.widget, self.scores.widget, css="cc-below")
        tools = (
            self.undo_button,
            self.redo_button,
            self.recent_button(),
            open_button(),
            button(icon="help", hint="Keys (?)", on_click=self.key_sheet.toggle),
        )
        against = text(tag("span", "against", class_="cc-note"))
        bar = title_bar(
            self.shell, "Compare", (self.data, self.choices[0].widget, against, self.choices[1].widget), tools
        )
        floating = (*(choice.floating.widget for choice in self.choices), self.key_sheet.widget)
        self.show(bar, column(both, versus, below, css="cc-compare"), *floating, height=height)
        self.other.told.connect(self._told)
        self.linked.listen()
        self.linked.changed.connect(self._show)
        self.opened()
        self.bind_keys(
            self.selecting,
            own={
                "ArrowRight": self.step,
                "Space": self.toggle_run,
                "ctrl+z": self.linked.undo,
                "ctrl+shift+z": self.linked.redo,
                "ctrl+y": self.linked.redo,
                "?": self.key_sheet.toggle,
            },
            floating=(self.key_sheet, *self.choices, *self.banners),
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
        if self.linked.running:
            self.linked.pause()
        else:
            self._tasks.start(self.linked.go(n_steps, partial(self.shell.ready, 0.2)))

    # ------------------------------------------------------------------ keeping

    def undo(self) -> None:
        self.linked.undo()

    def opened(self) -> None:
        """Go on with the second session too, if it still belongs to the first."""
        entry = self.visit.entry
        if entry is None:
            return
        places = [entry.folder / SECOND]
        if self.shell.visitor:  # an earlier version kept it elsewhere
            places += [old.folder for old in VisitorStore(self.name, self.shell.visitor, SECOND).entries()]
        for folder in places:
            if not (folder / JOURNAL).exists():
                continue
            try:
                second = Session.open(folder)
            except Exception as error:
                log.info("the second session can't be opened", exc_info=True)
                said = f"The second session can't be opened, so this is a new one: {in_words(error)}"
                self.other.tell_of(error, sentence(said))
                continue
            gone = self.other.session
            if self.linked.take_second(second):
                gone.close()
                if folder == places[0]:
                    return
                break
            second.close()
        self.kept()

    def kept(self) -> None:
        """Keep the second session beside the first; one that is there, and was not taken, stays under another name."""
        if self.visit.entry is not None:
            self.desk.attempt(self._keep_second, self.visit.entry.folder / SECOND)

    def _keep_second(self, folder: Path) -> None:
        if (folder / JOURNAL).exists():
            if in_use(folder):
                raise InUse("the second session is open elsewhere, so what is done on the right is not kept here")
            folder.rename(folder.with_name(f"{SECOND}-{secrets.token_hex(4)}"))
        self.other.session.keep(folder)

    # ------------------------------------------------------------------ showing

    def _show(self) -> None:
        for side in (self.scatter, self.other_scatter):
            side.refresh()
        self.crossings.show()
        self.scores.show()
        self.verdict.value = verdict(self.linked)
        self.show_choices()
        running, sessions = self.linked.running, [desk.session for desk in self.linked.desks]
        self.undo_button.disabled, self.redo_button.disabled = not self.linked.can_undo, not self.linked.can_redo
        self.step_button.disabled = all(session.converged for session in sessions) and not running
        self.run_button.disabled = self.step_button.disabled
        self.run_button.description = "Pause" if running else "Run"
        gone, shown = ("cc-i-run", "cc-i-pause") if running else ("cc-i-pause", "cc-i-run")
        self.run_button.remove_class(gone)
        self.run_button.add_class(shown)

    def show_choices(self) -> None:
        """Let the bar say what is open."""
        self._filling = True
        try:
            name = self.desk.session.data.name
            if name not in dict(self.data.options):
                self.data.options = [(name, name), *self.data.options]
            self.data.value = name
        finally:
            self._filling = False

    def close(self) -> None:
        self.linked.close()
        super().close()
        self.other.session.close()
