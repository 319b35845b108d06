"""The workbench: say what you know with a lasso, step a solver, watch it listen, answer its questions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.page.columns_sheet import ColumnsSheet
from cclab.apps.page.fixes import fix_for
from cclab.apps.page.key_sheet import KeySheet
from cclab.apps.page.loading import session_on, unlike_spreads
from cclab.apps.page.nesting import Nesting
from cclab.apps.page.page import Page
from cclab.apps.page.solver_menu import SolverMenu
from cclab.apps.page.top_bar import TopBar
from cclab.apps.page.trying_all import TryAll
from cclab.apps.page.visitor_store import slot_of
from cclab.core import Solver
from cclab.core.words import counted
from cclab.export import files as exports
from cclab.export import whole_table
from cclab.oracles import Oracle
from cclab.session import Session
from cclab.widgets.kit.layout import button, column, row
from cclab.widgets.knowledge.selection_bar import SelectionBar
from cclab.widgets.model.notices import Fix
from cclab.widgets.model.view import View
from cclab.widgets.notices.banner import Banner
from cclab.widgets.notices.busy import Busy
from cclab.widgets.parameters.drawer import Drawer
from cclab.widgets.queries.card import Queries
from cclab.widgets.samples.lower import Lower
from cclab.widgets.scatter.panel import Scatter
from cclab.widgets.scatter.search import Search
from cclab.widgets.timeline.bar import Stepper
from cclab.widgets.timeline.status import Status
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
    "1 … 8 Enter": "of eight, mark who does not belong; answer",
    "Ctrl+Z": "undo",
    "Ctrl+Shift+Z": "redo",
    "Ctrl+S": "save",
    "P": "parameters",
    "L B H F": "lasso, box, hand, fit",
    "/": "find samples",
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
    views: Sequence[type[View]] = (),
    oracles: Mapping[str, Oracle] | Sequence[Oracle] = (),
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
        A folder to keep the session in; one that holds a session on other data is refused. By default a notebook's
        session is kept for its cell and its data, and found again when the cell is run in a new kernel; a page's is
        kept for the visitor's browser.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.
    views : sequence of View classes
        Your own, each in a panel over Watch; see docs/add-a-view.md.
    oracles : sequence of Oracle, or mapping from names to oracles
        Who may answer questions in your place; see docs/oracles.md.

    Returns
    -------
    Workbench
        Shown where it is the last line of a cell. What has come of it is in `session`, `labels`, `frame` and
        `selection`, and `on_change` calls back.

    Examples
    --------
    >>> page = workbench("iris", "FCM")
    >>> page.session
    <Session on iris with FCM: snapshot 1 of 1, iteration 0, 0 statements>
    >>> page.close()
    """
    session = session_on("iris" if data is None else data, solver, seed)
    slot = "page" if data is None else slot_of(session.data.fingerprint, repr(solver), seed)
    return Workbench(session, slot=slot, journal=journal, height=height, views=views, oracles=oracles)


def _asks(note: str) -> bool:
    """Whether a note on a column asks what it is; its name may have any sign in it."""
    return note.endswith("until you say so")


class Workbench(Page):
    """The page that `workbench` makes.

    Attributes
    ----------
    views : tuple of View
        Your own, made of the classes that were given.
    """

    def __init__(
        self,
        session: Session,
        *,
        slot: str = "page",
        journal: str | Path | None = None,
        height: int | None = None,
        views: Sequence[type[View]] = (),
        oracles: Mapping[str, Oracle] | Sequence[Oracle] = (),
    ) -> None:
        answering = oracles if isinstance(oracles, Mapping) else {oracle.name: oracle for oracle in oracles}
        for view in views:
            if not (isinstance(view, type) and issubclass(view, View)):
                raise TypeError(f"views must be classes derived from cclab.widgets.model.view.View, got {view!r:.80}")
        super().__init__("workbench", "cclab workbench", session, slot=slot, journal=journal)
        desk, pace = self.desk, self.shell.ready
        desk.fix_for = partial(fix_for, desk)
        self.drawer = self.add(Drawer(desk, on_apply=self.starter.change))
        self.trying = TryAll(desk, self.starter.start)
        self.solver_menu = self.add(
            SolverMenu(desk, self.switch_solver, self.trying.open, too_slow=self.starter.too_slow)
        )
        self.key_sheet = KeySheet(KEYS)
        self.columns = ColumnsSheet(desk, self.start, self.use_columns)
        hint = "Columns: what each column of the table is used for"
        columns_button = button("Columns", self.columns.toggle, icon="columns", hint=hint, css="cc-shrink")
        self.bar = self.add(
            TopBar(
                desk,
                self.shell,
                data_names=self.data_names,
                on_data=self.open_data,
                solver_choice=self.solver_menu.widget,
                on_parameters=self.drawer.toggle,
                on_undo=self.undo,
                on_redo=self.redo,
                on_save=self.save,
                exports={
                    "Table with clusters (CSV)": partial(self.download, whole_table.table_csv),
                    "Table with clusters (Excel)": partial(self.download, whole_table.table_excel),
                    "Table with clusters (Parquet)": partial(self.download, whole_table.table_parquet),
                    "Copy table with clusters": self.copy_table,
                    "Labels (CSV)": partial(self.download, exports.labels_csv),
                    "Constraints (CSV)": partial(self.download, exports.constraints_csv),
                    "Session (JSON)": partial(self.download, exports.session_json),
                    "Figure (PNG)": partial(self.download, self._figure),
                    "Python code": partial(self.download, exports.code),
                },
                extra=[columns_button],
                on_recent=self.recent.toggle,
                on_help=self.key_sheet.toggle,
            )
        )
        self.nesting = self.add(Nesting(desk, self))
        self.selecting = self.add(SelectionBar(desk, more={"Cluster these again": self.nesting.go_in}))
        self.banner = self.add(Banner(desk))
        self.busy = self.add(Busy(desk, self.starter.stop))
        self.search = self.add(Search(desk))
        over = (
            *(self.nesting.widget, self.search.widget, self.selecting.widget),
            *(self.banner.widget, self.busy.widget),
        )
        self.scatter = self.add(Scatter(desk, over=over, tools=(self.search.open_button,)))
        self.stepper = self.add(Stepper(desk, pace))
        self.lower = self.add(
            Lower(
                desk,
                on_import=partial(self.shell.choose_file, "constraints"),
                on_export=partial(self.download, exports.constraints_csv),
            )
        )
        self.constraints = self.lower.constraints
        self.queries = self.add(Queries(desk, pace=pace, oracles=answering))
        self.watch = self.add(Watch(desk))
        self.views = tuple(self.add(view(desk)) for view in views)
        own = [column(view.widget, css="cc-panel cc-fixed") for view in self.views]
        self.status = self.add(Status(desk))
        left = column(self.scatter.widget, self.stepper.widget, self.lower.widget, css="cc-column cc-left")
        right = column(self.queries.widget, *own, self.watch.widget, css="cc-column cc-right")
        body = row(left, right, css="cc-body")
        floating = (
            *(self.drawer.widget, self.bar.menu.widget, self.solver_menu.floating.widget),
            *(self.key_sheet.widget, self.columns.widget, self.trying.widget),
        )
        self.show(self.bar.widget, body, self.status.widget, *floating, height=height)
        self.bind_keys(
            *(self.scatter, self.search, self.selecting, self.stepper, self.queries, self.bar, *self.views),
            own={"?": self.key_sheet.toggle, "Enter": self._confirm, **self._number_keys()},
            floating=(
                *(self.key_sheet, self.columns, self.trying, self.bar.menu, self.solver_menu),
                *(self.drawer, self.search, self.banner),
            ),
            otherwise=self.selecting.clear,
        )
        if session.position == 0:
            named = session.data.made_from.name  # nobody asks how such a set was read
            self.tell_of_data(*(() if named else session.data.notes))

    def tell_of_data(self, *notes: str, fix: Fix | None = None) -> None:
        """Say what was done to the data as they were read, and whether some features drown out others."""
        # What was guessed about single columns is in Columns, but for what a person had better decide.
        told = [note for note in notes if not note.startswith("column ") or _asks(note) or "left out" in note]
        guessed = len(notes) - len(told)
        if notes:
            more = f"{counted(guessed, 'note')} on single columns" if guessed else "Columns shows how it was read"
            notes, fix = (*told, f"{more}: see Columns" if guessed else more), Fix("Columns", self.columns.toggle)
        unlike = unlike_spreads(self.desk.session.data)
        if unlike is not None:
            notes, fix = (*notes, unlike), Fix("Standardise", self.standardise)
        super().tell_of_data(*notes, fix=fix)

    def kept(self) -> None:
        self.nesting.find()

    def opened(self) -> None:
        self.nesting.find()

    def standardise(self) -> None:
        """Bring every feature to mean 0 and variance 1; solver and statements stay."""
        session = self.desk.session
        session.pause()
        if self.desk.attempt(session.set_columns, scale="standardise") is not None:
            self.shell.say("Features are at mean 0 and variance 1 now", action="Undo", on_action=self.undo)

    def copy_table(self) -> None:
        """Put the table with its clusters on the clipboard, for a spreadsheet."""
        copied = self.desk.attempt(whole_table.table_text, self.desk.session)
        if copied is not None:
            self.shell.copy(copied)
            self.shell.say(f"{counted(self.desk.session.data.rows.n_rows, 'row')} with their clusters are copied")

    async def use_columns(self, changes: dict[str, Any]) -> None:
        """Use the columns of the table otherwise; solver and statements stay, and it can be undone."""
        session = self.desk.session
        session.pause()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if await session.aset_columns(**changes) is None:
                raise ValueError("the session has moved on meanwhile; apply it again")
        data = session.data
        said = f"Clustered by {counted(data.n_features, 'feature')} of {counted(data.n_samples, 'row')} now"
        lost = [str(warning.message) for warning in caught if "undo brings them back" in str(warning.message)]
        self.shell.say("; ".join([said, *lost]), action="Undo", on_action=self.undo)

    def _confirm(self) -> None:
        """Enter: keep two selections apart where there is a first one, else answer about a group."""
        (self.selecting.confirm if len(self.desk.first_selection) else self.queries.confirm)()

    def _number_keys(self) -> dict[str, Callable[[], object]]:
        """1 to 9 label what is selected; with nothing selected they mark the samples of a group that is asked about."""

        def press(place: int) -> None:
            if len(self.desk.selection) or not self.queries.mark_place(place):
                self.selecting.label(place)

        return {str(place + 1): partial(press, place) for place in range(9)}

    def show_choices(self) -> None:
        self.bar.show_choices()

    def _figure(self, session: Session) -> exports.File:
        dark = self.shell.theme == "dark"
        return exports.figure_png(
            session, self.scatter.projection, mode=self.scatter.color.value, threshold=self.desk.threshold, dark=dark
        )
