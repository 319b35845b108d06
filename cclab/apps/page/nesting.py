"""Clustering again what is selected: a session on the subset takes the page, and gives it back with what it found."""

from __future__ import annotations

import io
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from cclab.apps.page.kept_sessions import Entry
from cclab.core.words import counted
from cclab.session import Moment, Session
from cclab.session.storage.disk import write_whole
from cclab.widgets.kit.html import join, tag
from cclab.widgets.kit.layout import button, row, show, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice
from cclab.widgets.model.view import View

if TYPE_CHECKING:
    from cclab.apps.page.page import Page

log = logging.getLogger(__name__)

# In the folder of a nested session: its samples, by their places in the session that the name of the file says.
_FILE = "nested-in-{}.npy"
_NAMED = re.compile(r"nested-in-([0-9a-f]{16})\.npy")


@dataclass(frozen=True, eq=False)
class Outer:
    """The session that a nested one was made from, and the samples of it that the nested one has.

    Attributes
    ----------
    samples : array of int
    entry : Entry or None
        Where it is kept, if it is kept.
    session : Session or None
        The session itself, where it is not kept.
    """

    samples: NDArray[np.int64]
    entry: Entry | None
    session: Session | None = None

    @property
    def is_there(self) -> bool:
        """Whether one can go back to it."""
        return self.session is not None or (self.entry is not None and self.entry.is_there)

    @property
    def n_samples(self) -> int | None:
        """How many samples it has, if that is known without opening it."""
        if self.session is not None:
            return self.session.data.n_samples
        about = None if self.entry is None else self.entry.about
        return None if about is None else about.n_samples


class Nesting(View):
    """Goes into a selection, and back; what was found there is stated where it came from.

    The way back is kept beside the nested session, so that it is there after a reload too.

    Parameters
    ----------
    desk : Desk
    page : Page

    Attributes
    ----------
    outer : Outer or None
        What the session on the page was made from.
    """

    def __init__(self, desk: Desk, page: Page) -> None:
        super().__init__(desk)
        self._page = page
        self.outer: Outer | None = None
        self.words = text()
        self.take_button = button(
            "Back with its clusters",
            self.take_back,
            hint="State what was found here where it came from",
            look="outlined",
        )
        self.back_button = button("Back", self.back, hint="Back, and leave what was found here")
        self.widget = row(self.words, self.take_button, self.back_button, css="cc-nested cc-hidden")
        self._inside: WeakKeyDictionary[Session, Outer] = WeakKeyDictionary()
        self.find()

    def go_in(self) -> None:
        """Cluster again what is selected."""
        desk, samples = self.desk, self.desk.selection
        if not len(samples):
            desk.tell(Notice("info", "Select some samples first"))
            return
        session, entry = desk.session, self._page.visit.entry
        inner = desk.attempt(session.nested, samples)
        if inner is not None:
            outer = self._inside[inner] = Outer(samples, entry, session if entry is None else None)
            self._page.visit.change_to(inner, here=True, keep_left=True)
            self._note(outer)

    def back(self) -> None:
        """Go back to where the samples came from."""
        self._page.start(self._go_back(take=False))

    def take_back(self) -> None:
        """Go back, and state the clusters that were found here: groups of sure samples, kept apart."""
        self._page.start(self._go_back(take=True))

    async def _go_back(self, *, take: bool) -> None:
        outer, inner, visit = self.outer, self.desk.session, self._page.visit
        if outer is None:
            return
        if outer.entry is not None and outer.entry.is_there:
            await visit.open_listed(outer.entry)
            if visit.entry != outer.entry:  # it could not be opened, which was told
                return
        elif outer.session is not None:
            visit.change_to(outer.session, here=True)
        else:
            self.desk.tell(Notice("warning", "The session that these samples came from is no longer kept."))
            return
        if take and self.desk.attempt(self.desk.session.take_back, inner, outer.samples) is not None:
            self.desk.select(outer.samples)

    def _note(self, outer: Outer) -> None:
        """Keep the way back beside the session that is now on the page."""
        here, entry = self._page.visit.entry, outer.entry
        if here is not None and entry is not None:
            packed = io.BytesIO()
            np.save(packed, np.asarray(outer.samples, dtype=np.int64))
            try:
                write_whole(here.folder / _FILE.format(entry.id), packed.getvalue(), sync=False)
            except OSError:  # a full disk: the way back lasts as long as the page
                log.info("the way back can't be kept", exc_info=True)
        self.find()

    def find(self) -> None:
        """See whether the session on the page was made from another, and offer the way back."""
        session, visit = self.desk.session, self._page.visit
        found = self._inside.get(session)
        if found is None and visit.entry is not None and visit.store is not None:
            found = self._kept_in(visit.entry.folder, session.data.n_samples)
        self.outer = found if found is not None and found.is_there else None
        show(self.widget, self.outer is not None)
        if self.outer is not None:
            of_all = "" if self.outer.n_samples is None else f" of {self.outer.n_samples:,}"
            self.words.value = tag("span", join(tag("b", counted(len(self.outer.samples), "sample")), of_all, " again"))

    def _kept_in(self, folder: Path, n_samples: int) -> Outer | None:
        """The way back that is kept in a folder; None where there is none, or what is there is damaged."""
        for path in folder.glob(_FILE.format("*")):
            named, store = _NAMED.fullmatch(path.name), self._page.visit.store
            entry = None if named is None or store is None else store.find(named[1])
            try:
                samples = np.load(path, allow_pickle=False)
            except (OSError, ValueError, EOFError):
                continue
            if entry is not None and samples.dtype == np.int64 and samples.shape == (n_samples,):
                return Outer(samples, entry)
        return None

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:  # another session; where that is kept the page says in a moment
            self.outer = None
            if self._page.visit.store is None:
                self.find()
