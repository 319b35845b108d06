"""Which session is on a page, where it is kept, and what becomes of the others: none is ever a click away from loss."""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakSet

from cclab.apps.page.kept_sessions import Entry
from cclab.apps.page.recent import described, named, told_dropped
from cclab.apps.page.visitor_store import PAGES, FolderStore, GivenUp, Progress, VisitorStore, is_served, tidy_all
from cclab.session import InUse, Session, ask_for
from cclab.session.storage.lock import WANTED
from cclab.session.threads import in_thread
from cclab.widgets.model.notices import Notice, in_words, sentence

if TYPE_CHECKING:
    from cclab.apps.page.page import Page

log = logging.getLogger(__name__)

# How often a page looks whether another one wants its session, and how long that one waits to be heard.
_LOOK_SECONDS = 0.5
_PATIENCE_SECONDS = 10.0
_SHOW_SECONDS = 0.1
# Verbs after which nothing is there that a person has said or done.
_IDLE = {"open", "propose"}

# All visits of this process: one gets a session from another without waiting for the loop.
_visits: WeakSet[Visit] = WeakSet()


class Visit:
    """Opens and keeps the session of a page, and changes it for another.

    Parameters
    ----------
    page : Page

    Attributes
    ----------
    store : VisitorStore or None
        None until it is known who the visitor is.
    entry : Entry or None
        The session on the page, as it is kept.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.store: VisitorStore | None = None
        self.entry: Entry | None = None
        self._begun = False
        self._opening: object | None = None
        _visits.add(self)

    # ------------------------------------------------------------------ beginning

    def begin(self, store: VisitorStore, session: Session, *, any_data: bool) -> Session:
        """The session to show first, where Python itself knows the place: the one that was left there, or this new one.

        Parameters
        ----------
        store : VisitorStore
        session : Session
        any_data : bool
            Whether no data were named, so that whatever was left is meant.

        Raises
        ------
        ValueError
            A folder that was named holds a session on other data, or one that can't be opened.
        """
        self.store, self._begun = store, True
        named_folder = isinstance(store, FolderStore)
        for entry in store.of_this_place():
            try:
                self._get(entry)
                found = store.open(entry)
            except InUse:
                self._warn("is open elsewhere, in another notebook or program")
                self._page.when_shown(partial(self._ask_about, entry))
                return session
            except Exception as error:
                if named_folder:
                    raise
                log.info("a kept session can't be opened", exc_info=True)
                self._warn(f"can't be opened ({in_words(error)})")
                continue
            if named_folder and not any_data and found.data.fingerprint != session.data.fingerprint:
                found.close()
                raise ValueError(
                    f"{entry.folder} holds a session on other data: {found.data.name}, {found.data.n_samples:,} "
                    "samples. Name another folder for these, or leave the data out to open what is there"
                )
            self._stand_at(entry)
            return found
        try:
            self._stand_at(store.keep(session))
        except OSError as error:
            if named_folder:
                raise
            self._page.when_shown(partial(self._tell_not_kept, error))
        return session

    def _warn(self, what: str) -> None:
        """Tell whoever runs the next cell that its labels are those of a new session."""
        warnings.warn(f"the session that was left here {what}: this is a new one, with nothing stated", stacklevel=6)

    async def meet(self, visitor: str) -> None:
        """The browser has said who it is: go on with the session that was left, or keep this one."""
        page, shell = self._page, self._page.shell
        try:
            store = VisitorStore(page.name, visitor, page.slot, page.open_journal)
        except ValueError as error:
            self._start_here()
            self._tell(sentence(in_words(error)))
            return
        if self.store is not None:  # this is a notebook; earlier versions kept its sessions for the browser
            self.store.beside = [store]
            return
        self.store = store
        if shell.wanted == "given":
            self._start_here()
            page.open_given()
            return
        wanted = store.find(shell.wanted) if shell.wanted else None
        left = [entry for entry in store.of_this_place() if entry != wanted]
        if wanted is None and left and not is_served() and page.slot not in PAGES:
            # Cells that follow have run already: what they show must not change behind their back.
            self._start_here()
            self._offer(f"A session was left here: {described(left[0])}", "Open it", left[0])
            return
        if wanted is not None or left:
            await self._restore([*([wanted] if wanted is not None else []), *left], insist=shell.returning)
        else:
            self._start_here()
        if wanted is not None and left and not shell.returning and self.entry == wanted:
            self._offer(f"{named(left[0].name)} is in Recent", "Back", left[0])
        if dropped := store.dropped_meanwhile():
            self._tell(f"To make room on this server, sessions that you did not use for long had to go: {dropped}.")
        await in_thread(tidy_all, page.name)

    async def _restore(self, entries: Sequence[Entry], *, insist: bool) -> None:
        """Open the first of these that can be opened, and tell of the others; if there is none, begin anew."""
        trouble = ""
        for entry in entries:
            try:
                await self._open(entry, insist=insist)
            except Exception as error:
                log.info("a kept session can't be opened", exc_info=True)
                trouble = trouble or in_words(error)
                continue
            if trouble and self.entry == entry:
                self._tell(f"Your last session can't be opened, so this is the one before it: {trouble}")
            return
        self._start_here()
        self._tell(f"Your last session can't be opened, so this is a new one: {trouble}")

    def _start_here(self) -> None:
        """Go on with what is on the desk."""
        self._begun = True
        self._page.cover.hide()
        self._say(self._keep(self._page.desk.session, here=True))

    # ------------------------------------------------------------------ keeping

    def _keep(self, session: Session, *, here: bool) -> str:
        """Keep a session in a folder of its own; what had to go for it is given back, in words."""
        if self.store is None:
            self._stand_at(None)
            return ""
        dropped = ""
        try:
            self._stand_at(self.store.keep(session, here=here))
        except OSError as error:
            self._stand_at(None)
            self._tell_not_kept(error)
        else:
            self._page.kept()
            dropped = told_dropped(self.store.tidy())
        self._page.desk.kept.emit()
        return dropped

    def _tell_not_kept(self, error: OSError) -> None:
        self._tell(f"The session can't be kept on disk: {in_words(error)}. Save it as a file.")

    def _stand_at(self, entry: Entry | None) -> None:
        self.entry = entry
        self._page.shell.place = "" if entry is None else entry.id

    def _tell(self, words: str) -> None:
        self._page.desk.tell(Notice("warning", words))

    def _say(self, words: str) -> None:
        if words:
            self._page.shell.say(words)

    # ------------------------------------------------------------------ changing

    def change_to(self, session: Session, *, here: bool = False, keep_left: bool = False) -> None:
        """Put another session on the page and keep it; the one that was there can be gone back to.

        Parameters
        ----------
        session : Session
        here : bool
            Whether this place finds it again by itself, as it would the one that is left.
        keep_left : bool
            Whether the one that is left is kept though nothing was done with it.
        """
        gone, left = self._page.desk.session, self.entry
        self._page.put_on_desk(session)
        gone.close()
        dropped = self._keep(session, here=here or self._page.slot in PAGES)
        name = named(gone.data.name)
        if self._has_no_work(gone) and not keep_left:
            self._discard(left)
            self._say(dropped)
        elif left is not None and left.is_there:
            self._offer(". ".join(filter(None, [f"{name} is in Recent", dropped])), "Back", left)
        else:
            words = ". ".join(filter(None, [f"{name} was put aside", dropped]))
            self._page.shell.say(words, action="Back", on_action=lambda: self.change_to(gone))

    def open(self, entry: Entry, *, insist: bool = False) -> None:
        """Put a session of the list on the page."""
        self._page.start(self.open_listed(entry, insist=insist))

    async def open_listed(self, entry: Entry, *, insist: bool = False) -> None:
        """Put a session of the list on the page; where that can't be done it is told, and the page stays as it is."""
        gone, left = self._page.desk.session, self.entry
        try:
            await self._open(entry, insist=insist)
        except Exception as error:
            log.info("a kept session can't be opened", exc_info=True)
            if self._begun:
                self._page.cover.hide()
            else:
                self._start_here()
            self._page.desk.tell_of(error, f"{named(entry.name)} can't be opened: {in_words(error)}")
            return
        if self.entry == entry and left is not None and left != entry and not self._has_no_work(gone):
            self._offer(f"{named(left.name)} is in Recent", "Back", left)

    async def _open(self, entry: Entry, *, insist: bool) -> None:
        """Put a kept session on the page, unless that is cancelled; if it is open elsewhere, ask what to do."""
        assert self.store is not None
        page, store = self._page, self.store
        page.desk.session.pause()
        self._opening = opening = object()
        page.cover.show(
            f"Opening {named(entry.name)}", described(entry), [("Cancel", lambda: self._cancel(entry))], busy=True
        )
        try:
            session = await self._opened(store, entry, opening, insist=insist)
        except (GivenUp, InUse) as error:
            if self._opening is opening:
                self._ask_about(entry, waited=insist and isinstance(error, InUse))
            return
        if self._opening is not opening:
            session.close()
            return
        self._opening = None
        gone, left = page.desk.session, self.entry
        page.put_on_desk(session)
        gone.close()
        self._stand_at(entry)
        self._begun = True
        page.cover.hide()
        page.opened()
        if left != entry and self._has_no_work(gone):
            self._discard(left)

    def _progress_of(self, opening: object, entry: Entry) -> Progress:
        """What tells, in the thread in which a session is opened, how far that is.

        It ends it when it is cancelled, or when another page asks for the session: that of a reload, say.
        """
        loop, told = asyncio.get_running_loop(), 0.0

        def progress(done: int, total: int) -> None:
            nonlocal told
            if self._opening is not opening or (entry.folder / WANTED).exists():
                raise GivenUp
            if time.monotonic() - told > _SHOW_SECONDS:
                told = time.monotonic()
                loop.call_soon_threadsafe(self._page.cover.advance, done, total)

        return progress

    async def _opened(self, store: VisitorStore, entry: Entry, opening: object, *, insist: bool) -> Session:
        """Open a session in a thread; who insists asks whoever has it to let it go, and waits a while."""
        progress = self._progress_of(opening, entry)
        until = time.monotonic() + (_PATIENCE_SECONDS if insist else 0)
        while True:
            if insist:
                self._get(entry)
            try:
                return await in_thread(store.open, entry, progress)
            except InUse:
                if time.monotonic() >= until:
                    raise
            if self._opening is not opening:
                raise GivenUp
            ask_for(entry.folder)
            await asyncio.sleep(_LOOK_SECONDS / 2)

    def _cancel(self, entry: Entry) -> None:
        """Open it no more; it stays in the list."""
        self._opening = None
        if self._begun:
            self._page.cover.hide()
        else:
            self._start_here()
        # Whoever still has it was asked for it before: this opening, which ends in its thread, or the page before.
        self._offer(f"{named(entry.name)} is in Recent", "Open it", entry, insist=True)

    def _has_no_work(self, session: Session) -> bool:
        """Whether one click would bring all of a session back: nothing was done, and its data are offered by name."""
        return {command["verb"] for command in session.commands} <= _IDLE and self._page.offers(session.data)

    def _discard(self, entry: Entry | None) -> None:
        if entry is not None and self.store is not None:
            self.store.discard(entry)

    def _offer(self, words: str, name: str, entry: Entry, *, insist: bool = False) -> None:
        self._page.shell.say(words, action=name, on_action=lambda: self.open(entry, insist=insist))

    # ------------------------------------------------------------------ two pages, one session

    def _ask_about(self, entry: Entry, *, waited: bool = False) -> None:
        """A session is open elsewhere: ask what to do."""
        title = "The other tab does not answer" if waited else "This session is open in another tab"
        choices: list[tuple[str, Callable[[], object]]] = [
            ("Take over", lambda: self._page.start(self.open_listed(entry, insist=True))),
            ("Work on a copy", lambda: self._page.start(self._copy(entry))),
        ]
        if not self._begun:
            choices.append(("Start a new session", self._start_here))
        elif self.entry != entry:
            choices.append(("Stay here", self._page.cover.hide))
        self._page.cover.show(title, described(entry), choices, opaque=not self._begun)

    async def _copy(self, entry: Entry) -> None:
        assert self.store is not None
        try:
            copied = await in_thread(self.store.copy, entry)
        except OSError as error:
            self._page.shell.say(f"It can’t be copied: {in_words(error)}", alert=True)
            return
        await self.open_listed(copied)

    def heed(self) -> None:
        """Let the session go where another page has asked for it."""
        if self._page.desk.session.wanted_elsewhere:
            self.let_go()

    async def keep_heeding(self) -> None:
        """Do so until the page is closed."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self.heed()

    def let_go(self) -> None:
        """Give the session to whoever asks for it; nothing can be stated here any more."""
        session, entry = self._page.desk.session, self.entry
        session.pause()
        session.close()
        self._page.shell.place = ""  # a reload asks before it takes over again
        if entry is None:
            return
        choices = [
            ("Take back", lambda: self._page.start(self.open_listed(entry, insist=True))),
            ("Work on a copy", lambda: self._page.start(self._copy(entry))),
        ]
        title, words = "This session goes on in another tab", "Everything that was stated here is there too."
        self._page.cover.show(title, words, choices, opaque=False)

    def _get(self, entry: Entry) -> None:
        """Where another page of this process has a session open, it lets it go at once: a cell was run again."""
        for other in list(_visits):
            if other is not self and other.entry == entry:
                other.let_go()

    def close(self) -> None:
        """Forget the visit when its page is closed."""
        _visits.discard(self)
