"""The workbench: say what you know with a lasso, step a solver, watch it listen, answer its questions."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from sklearn.base import clone

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps import exports
from cclab.apps.bar import Bar
from cclab.apps.keeping import slot_of
from cclab.apps.keys import KeySheet
from cclab.apps.opening import named_sets, session_on, unlike_spreads
from cclab.apps.page import Page
from cclab.apps.remedies import remedy_for
from cclab.core import Solver
from cclab.session import Session
from cclab.widgets.banner import Banner, Remedy
from cclab.widgets.constraints import Constraints
from cclab.widgets.drawer import Drawer
from cclab.widgets.layout import column, row
from cclab.widgets.queries import Queries
from cclab.widgets.scatter import Scatter
from cclab.widgets.selecting import Selecting
from cclab.widgets.status import Status
from cclab.widgets.stepper import Stepper
from cclab.widgets.watch import Watch

KEYS = {
    "→ ←": "step, back",
    "Home End": "first, last",
    "Space": "run or pause",
    "M": "link together",
    "C": "keep apart; C or Enter confirms",
    "1 … 9": "label the selection",
    "Del": "forget what is stated",
    "Esc": "clear, close",
    "S D X": "same, different, don’t know",
    "Ctrl+Z": "undo",
    "Ctrl+Shift+Z": "redo",
    "Ctrl+S": "save",
    "P": "parameters",
    "L B H F": "lasso, box, hand, fit",
    "Shift Alt": "add to, remove from a selection",
    "?": "this list",
}


def workbench(
    data: Any = None,
    solver: Solver | str = "CECM",
    *,
    seed: int | None = None,
    journal: str | Path | None = None,
    height: int | None = None,
) -> Workbench:
    """The workbench, to be shown in a notebook or served as a page.

    Parameters
    ----------
    data : Dataset, name, DataFrame, path or array, optional
        What to open first; default: iris, or the session that this browser has left here.
    solver : Solver or str
        An estimator, or the name of one, which then looks for as many clusters as there are classes.
    seed : int, optional
        Where randomness comes from.
    journal : path, optional
        A folder to keep the session in. By default it is kept for the visitor's browser, which finds it again after
        a reload or in a new kernel.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = workbench("iris", "FCM")
    >>> page.desk.session
    <Session on iris with FCM: snapshot 1 of 1, iteration 0, 0 statements>
    >>> page.close()
    """
    session = session_on("iris" if data is None else data, solver, seed)
    fingerprint = (session.data.name, session.data.X.shape, repr(solver), seed)
    slot = "page" if data is None else slot_of(*fingerprint)
    return Workbench(session, slot=slot, journal=journal, height=height)


class Workbench(Page):
    """The page that `workbench` makes."""

    def __init__(
        self, session: Session, *, slot: str = "page", journal: str | Path | None = None, height: int | None = None
    ) -> None:
        super().__init__("workbench", "cclab workbench", session, slot=slot, journal=journal)
        desk, pace = self.desk, self.shell.ready
        self.drawer = self.add(Drawer(desk))
        self.key_sheet = KeySheet(KEYS)
        self.bar = self.add(
            Bar(
                desk,
                self.shell,
                data_names=named_sets(),
                on_data=self.open_data,
                on_solver=self.switch_solver,
                on_parameters=self.drawer.toggle,
                on_save=self.save,
                exports={
                    "Labels (CSV)": partial(self.download, exports.labels_csv),
                    "Constraints (CSV)": partial(self.download, exports.constraints_csv),
                    "Session (JSON)": partial(self.download, exports.session_json),
                    "Figure (PNG)": partial(self.download, self._figure),
                    "Python code": partial(self.download, exports.code),
                },
                on_help=self.key_sheet.toggle,
            )
        )
        self.selecting = self.add(Selecting(desk))
        self.banner = self.add(Banner(desk, self._remedy_for))
        self.scatter = self.add(Scatter(desk, over=(self.selecting.widget, self.banner.widget)))
        self.stepper = self.add(Stepper(desk, pace))
        self.constraints = self.add(
            Constraints(
                desk,
                on_import=self.shell.choose_file,
                on_export=partial(self.download, exports.constraints_csv),
            )
        )
        self.queries = self.add(Queries(desk, pace=pace))
        self.watch = self.add(Watch(desk))
        self.status = self.add(Status(desk))
        left = column(self.scatter.widget, self.stepper.widget, self.constraints.widget, css="cc-column cc-left")
        right = column(self.queries.widget, self.watch.widget, css="cc-column cc-right")
        body = row(left, right, css="cc-body")
        floating = (self.drawer.widget, self.bar.menu.widget, self.key_sheet.widget)
        self.show(self.bar.widget, body, self.status.widget, *floating, height=height)
        self.bind_keys(
            *(self.scatter, self.selecting, self.stepper, self.queries, self.bar),
            own={"?": self.key_sheet.toggle},
            floating=(self.key_sheet, self.bar.menu, self.drawer, self.banner),
            otherwise=self.selecting.clear,
        )
        if session.position == 0:
            self.tell_of_data()

    def tell_of_data(self, *notes: str) -> None:
        """Say what was done to the data as they were read, and whether some features drown out others."""
        unlike = unlike_spreads(self.desk.session.data)
        super().tell_of_data(*notes, *([] if unlike is None else [unlike]))

    def standardise(self) -> None:
        """Open the same data with every feature at mean 0 and variance 1; solver and statements stay."""
        old = self.desk.session
        session = Session(old.data.standardized(), clone(old.solver))
        if len(old.constraints):
            session.constrain(constraints=old.constraints)
        self.open_session(session)
        self.desk.tell("info", "Features are at mean 0 and variance 1 now; what you stated is kept")

    def _remedy_for(self, words: str) -> Remedy | None:
        return ("Standardise", self.standardise) if "Standardise" in words else remedy_for(self.desk, words)

    def _figure(self, session: Session) -> exports.File:
        dark = self.shell.theme == "dark"
        return exports.figure_png(
            session, self.scatter.projection, mode=self.scatter.color.value, threshold=self.desk.threshold, dark=dark
        )
