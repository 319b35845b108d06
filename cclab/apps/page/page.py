"""What all pages have in common: a desk, a shell, a session that is found again, files in and out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import ipywidgets as widgets
import pandas as pd

from cclab.apps import exports
from cclab.apps.keeping import Keeper
from cclab.apps.opening import ENDINGS, MAX_BYTES, read_file, session_on, solver_for, suiting_solver
from cclab.core import ConstraintSet
from cclab.datasets import Dataset, load_dataset
from cclab.session import Session
from cclab.session.journal import JOURNAL
from cclab.widgets.desk import Desk, View, in_words, sentence
from cclab.widgets.freeing import close_all
from cclab.widgets.layout import app
from cclab.widgets.shell import Shell
from cclab.widgets.tasks import Tasks

log = logging.getLogger(__name__)
V = TypeVar("V", bound=View)


class Page:
    """A page around one desk. A subclass makes its views and calls `show`.

    Parameters
    ----------
    name : str
        Under which the visitor's sessions are kept.
    title : str
        For screen readers.
    session : Session
    slot : str
        The place where the page is used (see `cclab.apps.keeping`).
    journal : path, optional
        Keep the session there, whoever the visitor is; one that is there already is opened.

    Attributes
    ----------
    desk : Desk
    shell : Shell
    widget : ipywidgets.Widget
    """

    widget: widgets.Widget
    #: What puts a session on a desk, and what opens a journal: an app may have its own.
    desk_on: Callable[[Session], Desk] = Desk
    open_journal: Callable[[Path], Session] = staticmethod(Session.open)

    def __init__(
        self, name: str, title: str, session: Session, *, slot: str = "page", journal: str | Path | None = None
    ) -> None:
        self._name, self._slot = name, slot
        self._keeper: Keeper | None = None
        self._tasks = Tasks()
        self._views: list[View] = []
        if journal is not None:
            session = self._kept_at(Path(journal), session)
        self.desk = self.desk_on(session)
        self.shell = Shell(app=name, label=title, accept=ENDINGS, max_bytes=MAX_BYTES)
        self.desk.told.connect(self._told)
        session.on_failure = self._view_failed
        self.shell.on_file(lambda file, content: self._tasks.start(self._take_file(file, content)))
        if journal is None:
            self.shell.observe(lambda change: self._tasks.start(self._meet(change["new"])), "visitor")

    def add(self, view: V) -> V:
        """Keep a view, to be closed with the page."""
        self._views.append(view)
        return view

    def show(self, *children: widgets.Widget, height: int | None = None) -> None:
        """Make the page of these parts."""
        self.widget = app(self.shell, *children, page=height is None)
        if height is not None:
            self.widget.layout.height = f"{height}px"

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
            opened = next((each for each in floating if each.is_open), None)
            (otherwise if opened is None else opened.hide)()

        for keys in (*(view.keys for view in views), own, {"Escape": escape}):
            for name, act in keys.items():
                self.shell.bind(name, act)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """Free all views, here and in the browser; the session's journal stays."""
        self.desk.session.pause()
        self._tasks.cancel()
        self.desk.told.disconnect(self._told, missing_ok=True)
        for view in self._views:
            view.close()
        close_all(self.widget)
        self.desk.session.close()

    # ------------------------------------------------------------------ telling

    def _told(self, kind: str, words: str) -> None:
        if kind == "info" and words:
            self.shell.say(words)

    def _view_failed(self, error: Exception) -> None:
        self.shell.say(f"A part of the page could not be drawn: {in_words(error)}", alert=True)

    # ------------------------------------------------------------------ keeping

    async def _meet(self, visitor: str) -> None:
        """The browser has said who it is: go on with the session that was left, or keep this one."""
        try:
            self._keeper = Keeper(self._name, visitor, self._slot, self.open_journal)
            if self._keeper.found() is None:
                self._keep(self.desk.session)
                return
            self.shell.say("Opening your session")
            session = await asyncio.to_thread(self._keeper.open)
        except Exception as error:
            log.info("the visitor's session can't be opened", exc_info=True)
            self.desk.tell("warning", f"Your last session can't be opened, so this is a new one: {in_words(error)}")
            self._keep(self.desk.session)
            return
        if session is not None:
            self._take(session)

    def _keep(self, session: Session) -> None:
        if self._keeper is None:
            return
        try:
            self._keeper.keep(session)
        except OSError as error:
            self.desk.tell("warning", f"The session can't be kept on disk: {in_words(error)}. Save it as a file.")
        self.desk.changed.emit(session.current, session.current)

    def _kept_at(self, folder: Path, session: Session) -> Session:
        """The session whose journal is in `folder`, or this one, which is then kept there."""
        if (folder / JOURNAL).exists():
            return self.open_journal(folder)
        session.keep(folder)
        return session

    def _take(self, session: Session) -> None:
        """Put a session that has its journal on the desk."""
        gone = self.desk.session
        session.on_failure = self._view_failed
        self.desk.open(session)
        gone.close()

    def open_session(self, session: Session) -> None:
        """Put another session on the desk, and keep it from now on."""
        self._take(session)
        self._keep(session)

    # ------------------------------------------------------------------ opening

    def open_data(self, name: str) -> None:
        """Open a data set by name."""
        self._tasks.start(self._open_with(lambda: load_dataset(name)))

    async def _take_file(self, name: str, content: bytes) -> None:
        await self._open_with(lambda: read_file(name, content))

    async def _open_with(self, read: Callable[[], Dataset | Session | pd.DataFrame]) -> None:
        """Read aside, then put it on the desk; what goes wrong is told, and nothing is lost."""
        self.desk.session.pause()
        try:
            found = await asyncio.to_thread(read)
            if isinstance(found, pd.DataFrame):
                self._import_constraints(found)
                return
            session = found if isinstance(found, Session) else await asyncio.to_thread(self._started_on, found)
        except Exception as error:
            log.info("can't be opened", exc_info=True)
            self.desk.tell("bad", sentence(in_words(error)))
            self.desk.changed.emit(self.desk.session.current, self.desk.session.current)
            return
        self.open_session(session)
        self.tell_of_data(*session.data.notes)

    def tell_of_data(self, *notes: str) -> None:
        """Say what was done to the data as they were read."""
        if notes:
            self.desk.tell("warning", " ".join(map(sentence, notes)))

    def _started_on(self, data: Dataset) -> Session:
        """A new session on these data, with the solver that is in use where it suits them."""
        name = type(self.desk.session.solver).__name__
        return session_on(data, solver_for(data, suiting_solver(data, name)))

    def _import_constraints(self, frame: pd.DataFrame) -> None:
        session = self.desk.session
        known = ConstraintSet.from_frame(frame, session.data.n_samples)
        said = f"{len(known):,} statement{'s' if len(known) != 1 else ''} in place of {len(session.constraints):,}"
        if self.desk.attempt(session.constrain, constraints=known) is not None:
            self.desk.tell("info", said)

    def switch_solver(self, name: str) -> None:
        """Start anew with another solver, with as many clusters as now."""
        session = self.desk.session
        session.pause()
        n_clusters = getattr(session.solver, "n_clusters", None)
        self.desk.attempt(lambda: session.switch(solver_for(session.data, name, n_clusters)))

    # ------------------------------------------------------------------ exporting

    def save(self) -> None:
        """Let the browser save the session as a file."""
        self.download(exports.session_json)

    def download(self, make: Callable[[Session], exports.File]) -> None:
        """Let the browser save a file."""
        file = self.desk.attempt(make, self.desk.session)
        if file is not None:
            self.shell.download(file.name, file.data, file.media_type)
