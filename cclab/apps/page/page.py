"""What all pages have in common: a desk, a shell, a session that is found again, files in and out."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import ipywidgets as widgets
import pandas as pd

from cclab.apps.page.cover import Cover
from cclab.apps.page.handles import Handles
from cclab.apps.page.loading import (
    ENDINGS,
    GIVEN,
    MAX_BYTES,
    named_sets,
    read_constraints,
    read_file,
    read_given,
    session_on,
    solver_for,
    suiting_solver,
)
from cclab.apps.page.opening import covered
from cclab.apps.page.recent import RecentSheet, recent_button
from cclab.apps.page.starting import Starter
from cclab.apps.page.visit import Visit
from cclab.apps.page.visitor_store import PAGES, FolderStore, VisitorStore, cell_id, is_served
from cclab.core import ConstraintSet
from cclab.core.words import counted
from cclab.datasets import Dataset, load_dataset
from cclab.export import files as exports
from cclab.session import Moment, Session
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks, is_looping
from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.close import close_all
from cclab.widgets.kit.layout import app
from cclab.widgets.kit.memory import give_back
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Fix, Notice, in_words, sentence
from cclab.widgets.model.view import View
from cclab.widgets.model.wrapping import wrapped_like

log = logging.getLogger(__name__)
V = TypeVar("V", bound=View)
# Verbs that go about among the snapshots, and replace none.
_MOVES = ("undo", "redo", "rewind")
#: So many notes about data are told at once; all of them are in ``session.data.notes``.
MOST_NOTES = 5


class Page(Handles):
    """A page around one desk. A subclass makes its views and calls `show`.

    Parameters
    ----------
    name : str
        Under which the visitor's sessions are kept.
    title : str
        For screen readers.
    session : Session
    slot : str
        The place where the page is used (see `cclab.apps.page.visitor_store`).
    journal : path, optional
        Keep the session there, whoever the visitor is; one that is there already is opened.

    Attributes
    ----------
    desk : Desk
    shell : Shell
    visit : Visit
        Which session is here, and where the others are.
    widget : ipywidgets.Widget
    """

    widget: widgets.Widget
    #: What puts a session on a desk, and what opens a journal: an app may have its own.
    desk_on: Callable[[Session], Desk] = Desk
    open_journal: Callable[..., Session] = staticmethod(Session.open)

    def __init__(
        self, name: str, title: str, session: Session, *, slot: str = "page", journal: str | Path | None = None
    ) -> None:
        self.name, self.slot = name, slot
        self._tasks = Tasks()
        self._views: list[View] = []
        self._when_shown: list[Callable[[], object]] = []
        self.shell = Shell(app=name, slot=slot, label=title, accept=ENDINGS, max_bytes=MAX_BYTES)
        self.cover = Cover(self.shell)
        self.visit = Visit(self)
        self.recent = RecentSheet(
            self.shell,
            store=lambda: self.visit.store,
            current=lambda: self.visit.entry,
            on_open=self.visit.open,
        )
        if journal is not None:
            session = self.visit.begin(FolderStore(journal, self.open_journal), session, any_data=slot in PAGES)
        elif cell_id():
            session = self.visit.begin(VisitorStore.of_notebooks(name, slot, self.open_journal), session, any_data=True)
        elif is_served():
            self.cover.show("Opening", busy=True)  # no one works on what may be taken away in a moment
        self.desk = self.desk_on(session)
        self.starter = Starter(self.desk)
        self._n_later = 0
        self._n_differences = 0
        self.desk.changed.connect(self._count_later)
        self.desk.changed.connect(self._tell_differences)
        self.desk.told.connect(self._told)
        session.on_failure = self._view_failed
        self.shell.on_file(lambda file, content: self.start(self._take_file(file, content)))
        self.shell.on_file(self.import_constraints, "constraints")
        if journal is None:
            self.shell.observe(lambda change: self.start(self.visit.meet(change["new"])), "visitor")
        if is_looping():
            self.start(self.visit.keep_heeding())

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start work that must not hold up the page."""
        self._tasks.start(work)

    # ------------------------------------------------------------------ making the page

    def add(self, view: V) -> V:
        """Keep a view, to be closed with the page."""
        self._views.append(view)
        return view

    def show(self, *children: widgets.Widget, height: int | None = None) -> None:
        """Make the page of these parts."""
        self.widget = app(self.shell, *children, self.recent.widget, self.cover.widget, page=height is None)
        if height is not None:
            self.widget.layout.height = f"{height}px"
        for act in self._when_shown:
            act()

    def when_shown(self, act: Callable[[], object]) -> None:
        """Do something as soon as the page is made."""
        self._when_shown.append(act)

    def recent_button(self) -> widgets.Button:
        """What opens the list of sessions."""
        return recent_button(self.recent.toggle)

    def bind_keys(
        self,
        *views: View,
        own: Mapping[str, Callable[[], object]],
        floating: Sequence[Any],
        otherwise: Callable[[], object] = lambda: None,
    ) -> None:
        """Bind the keys of views and the page's own; Escape closes what floats, the first that is open.

        Parameters
        ----------
        *views : View
        own : mapping from str to callable
        floating : sequence
            What has `is_open` and `hide`, from the top.
        otherwise : callable
            What Escape does with nothing open.
        """

        def escape() -> None:
            opened = next((each for each in (self.recent, *floating) if each.is_open), None)
            (otherwise if opened is None else opened.hide)()

        for keys in (*(view.keys for view in views), own, {"Escape": escape}):
            for name, act in keys.items():
                self.shell.bind(name, act)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """Free all views, here and in the browser; the session's journal stays."""
        self.starter.close()
        self._tasks.cancel()
        self.visit.close()
        self.desk.told.disconnect(self._told, missing_ok=True)
        self.desk.changed.disconnect(self._count_later, missing_ok=True)
        self.desk.changed.disconnect(self._tell_differences, missing_ok=True)
        for view in self._views:
            view.close()
        close_all(self.widget)
        self.desk.session.close()

    # ------------------------------------------------------------------ telling

    def _told(self, notice: Notice) -> None:
        if notice.kind == "info":
            self.shell.say(notice.words)

    def _view_failed(self, error: Exception) -> None:
        self.shell.say(f"A part of the page could not be drawn: {in_words(error)}", alert=True)

    def _count_later(self, old: Moment | None, new: Moment) -> None:
        """Say when a step or a statement has taken the place of steps that came later."""
        session, dropped = self.desk.session, self._n_later
        self._n_later = len(session.snapshots) - 1 - session.position
        if old is None or old.snapshot is new.snapshot or not dropped or self._n_later:
            return
        if session.commands[-1]["verb"] in _MOVES:
            return
        said = "1 later step was dropped" if dropped == 1 else f"{dropped:,} later steps were dropped"
        self.shell.say(said, action="Undo", on_action=self.undo)

    def _tell_differences(self, old: Moment | None, new: Moment) -> None:
        """Say when something that was done again led elsewhere than when it was first done."""
        differences = self.desk.session.differences
        if differences and (old is None or len(differences) > self._n_differences):
            self.desk.tell(Notice("warning", str(differences[0])))
        self._n_differences = len(differences)

    def undo(self) -> None:
        """Take the last verb back."""
        self.desk.session.pause()
        self.desk.attempt(self.desk.session.undo)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.desk.session.pause()
        self.desk.attempt(self.desk.session.redo)

    # ------------------------------------------------------------------ which session is here

    def put_on_desk(self, session: Session) -> None:
        """Show another session; the visit sees to where both are kept."""
        session.on_failure = self._view_failed
        self.desk.open(session)

    def open_session(self, session: Session, *, here: bool = False) -> None:
        """Put another session on the page, and keep it from now on; the one before is in the list.

        Parameters
        ----------
        session : Session
        here : bool
            Whether it is about the same samples, so that this cell of a notebook opens it next time.
        """
        self.visit.change_to(session, here=here)

    def kept(self) -> None:
        """The session on the page has a new folder: `visit.entry` says which."""

    def opened(self) -> None:
        """A session out of a folder was put on the page."""

    def show_choices(self) -> None:
        """Let the page say what is open, where someone chose what can't be opened."""

    def offers(self, data: Dataset) -> bool:
        """Whether one click on this page brings these data back."""
        return data.name in self.data_names

    @property
    def data_names(self) -> tuple[str, ...]:
        """The data that the page offers by name; it opens no others by name."""
        return named_sets()

    # ------------------------------------------------------------------ opening

    def open_data(self, name: str) -> None:
        """Open a data set by name, one of those that are offered: a name from a file is never taken for a path."""
        self.start(self._open_with(lambda: load_dataset(self._offered(name))))

    def _offered(self, name: str) -> str:
        if name not in self.data_names:
            raise ValueError(f"{name!r:.80} is none of the data sets that are offered here; open it as a file")
        return name

    def open_given(self) -> None:
        """Open the file that the command line named, if it named one."""
        if given := os.environ.get(GIVEN):
            path = Path(given)
            self.start(self._open_with(partial(read_given, path, self.desk.session.data), path.name, tells=True))

    def _take_file(self, name: str, content: bytes) -> Coroutine[Any, Any, None]:
        return self._open_with(partial(read_file, name, content, self.desk.session.data), name, tells=True)

    async def _open_with(
        self, read: Callable[..., Dataset | Session | pd.DataFrame], name: str = "", *, tells: bool = False
    ) -> None:
        """Read in a thread, then put it on the desk; what goes wrong is told, and nothing is lost.

        Parameters
        ----------
        read : callable
        name : str
            Of the file, if it is one.
        tells : bool
            Whether `read` takes the `Stages` that it tells how far it is.
        """
        self.desk.session.pause()
        try:
            async with covered(self.cover, name) as stages:
                stages.begin("Reading it")
                found = await in_thread(read, *([stages] if tells else []))
                del read  # and a large file with it, while a solver starts
                give_back()
                if isinstance(found, Dataset):
                    stages.begin(f"{found.n_samples:,} samples of {found.n_features:,} features: starting the solver")
                    found = await in_thread(self._started_on, found)
            if isinstance(found, pd.DataFrame):
                self._take_constraints(found)
                return
        except Exception as error:
            log.info("can't be opened", exc_info=True)
            self.desk.tell_of(error, sentence(in_words(error)))
            self.show_choices()
            return
        self.open_session(found)
        give_back()
        self.tell_of_data(*found.data.notes)

    def tell_of_data(self, *notes: str, fix: Fix | None = None) -> None:
        """Say what was done to the data as they were read, and what would help."""
        if notes:  # a table of thousands of columns has something to say of each: what concerns all of it comes first
            ordered = sorted(notes, key=lambda note: note.startswith("column "))
            more = [f"and {len(notes) - MOST_NOTES:,} more"] if len(notes) > MOST_NOTES else []
            self.desk.tell(Notice("warning", " ".join(map(sentence, [*ordered[:MOST_NOTES], *more])), fix))

    def _started_on(self, data: Dataset) -> Session:
        """A new session on these data, with the solver that is in use where it suits them."""
        name = type(self.desk.session.solver).__name__
        return session_on(data, solver_for(data, suiting_solver(data, name)))

    def import_constraints(self, name: str, content: bytes) -> None:
        """Take the statements of a file in place of those that are there; any other file is refused."""
        frame = self.desk.attempt(read_constraints, name, content)
        if frame is not None:
            self.desk.attempt(self._take_constraints, frame)

    def _take_constraints(self, frame: pd.DataFrame) -> None:
        session = self.desk.session
        known, before = ConstraintSet.from_frame(frame, by=session.data), len(session.constraints)
        if self.desk.attempt(session.constrain, constraints=known) is None:
            return
        said = f"{counted(len(known), 'statement')} in place of {before:,}"
        self.shell.say(said, action="Undo" if before else "", on_action=self.undo)

    def switch_solver(self, name: str) -> None:
        """Start anew with another solver, with as many clusters as now."""
        session = self.desk.session
        n_clusters = getattr(session.solver, "n_clusters", None)
        solver = self.desk.attempt(solver_for, session.data, name, n_clusters)
        if solver is not None:
            self.starter.start(wrapped_like(session.solver, solver))

    # ------------------------------------------------------------------ exporting

    def save(self) -> None:
        """Let the browser save the session as a file."""
        self.download(exports.session_json)

    def download(self, make: Callable[[Session], exports.File]) -> None:
        """Let the browser save a file."""
        give_back()  # what steps have left: a large table takes room
        file = self.desk.attempt(make, self.desk.session)
        if file is not None:
            self.shell.download(file.name, file.data, file.media_type)
            del file
            give_back()
