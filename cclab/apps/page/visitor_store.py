"""Where sessions are kept between visits, and the list of them.

Below the state folder lies ``APP/VISITOR/SLOT/ID/``: a visitor is known by 128 random bits that only their browser
has, a slot is one place where the app is used (the page itself, or a cell of a notebook), and each session has a folder
of its own, which belongs to one page at a time. Notebooks run as the person whose files these are, so theirs lie
together, under the name ``notebooks``, where Python finds them before any browser has said a word.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from cclab.apps.page.kept_sessions import DELETED, OPENED, TROUBLE, Entry, drop, entries_in, folders_in, locked, purge
from cclab.datasets import limits
from cclab.session import InUse, Session, copy_session
from cclab.session.storage.journal import JOURNAL

Progress = Callable[[int, int], None]

_VISITOR = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[a-z0-9_]+")
NOTEBOOKS = "notebooks"
#: The slots of a dashboard's own page; all others are called by what was asked for.
PAGES = ("page", "ask_me")
# Slots that hold no sessions for the list of a page: the game's own, and what an earlier version kept beside another.
_APART = ("ask_me", "second")
# Beside all sessions of a visitor: what was dropped while they were away.
DROPPED = "dropped.txt"


def state_folder() -> Path:
    """The folder for what is kept: CCLAB_STATE, or the place where this system has such things."""
    if named := os.environ.get("CCLAB_STATE"):
        return Path(named)
    if sys.platform == "emscripten":
        # JupyterLite keeps this folder with the notebooks, in the browser; all others are gone with the page.
        return Path("/drive/.cclab")
    return platformdirs.user_state_path("cclab", appauthor=False)


def slot_of(*call: Any) -> str:
    """A name for the place where an app is used: by its call, and by the notebook and its cell where there is one."""
    notebook = os.environ.get("JPY_SESSION_NAME", "") if cell_id() else ""
    return hashlib.sha256(repr((notebook, cell_id(), *call)).encode()).hexdigest()[:16]


def cell_id() -> str:
    """The id of the notebook's cell that runs now; empty elsewhere, and where many visitors share a notebook."""
    if is_served():
        return ""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return str(parent.get("metadata", {}).get("cellId", ""))


def is_served() -> bool:
    """Whether this process serves a page of Voilà to a visitor."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


class GivenUp(Exception):
    """Whoever wanted a session opened has changed their mind."""


class VisitorStore:
    """Keeps the sessions of one visitor, and knows which of them belong to one place.

    Parameters
    ----------
    app : str
    visitor : str
        32 hexadecimal digits, as the browser keeps them.
    slot : str
    open_journal : callable
        ``open_journal(folder, progress=...)`` opens the session whose journal is in a folder.
    """

    def __init__(
        self,
        app: str,
        visitor: str,
        slot: str = "page",
        open_journal: Callable[..., Session] = Session.open,
    ) -> None:
        for name, pattern in ((visitor, _VISITOR), (app, _NAME), (slot, _NAME)):
            if not pattern.fullmatch(name):
                raise ValueError(f"{name!r} is no name that sessions are kept under")
        self._set(state_folder() / app / visitor, slot, open_journal)

    @classmethod
    def of_notebooks(cls, app: str, slot: str, open_journal: Callable[..., Session] = Session.open) -> VisitorStore:
        """The store for the notebooks of the person who runs this process."""
        store = cls.__new__(cls)
        store._set(state_folder() / app / NOTEBOOKS, slot, open_journal)
        return store

    def _set(self, home: Path, slot: str, open_journal: Callable[..., Session]) -> None:
        self._home, self._slot = home, slot
        self._open_journal = open_journal
        #: Where else the visitor has sessions, to be listed too.
        self.beside: list[VisitorStore] = []

    # ------------------------------------------------------------------ looking

    def entries(self) -> list[Entry]:
        """All sessions for the list of this place, the one that was seen last first."""
        found = [entry for entry in entries_in(self._home) if self._lists(entry)]
        for other in self.beside:
            found += other.entries()
        return sorted(found, key=lambda entry: entry.seen, reverse=True)

    def _lists(self, entry: Entry) -> bool:
        return entry.slot == self._slot if self._slot in _APART else entry.slot not in _APART

    def of_this_place(self) -> list[Entry]:
        """The sessions that were opened at this very place, the one that was seen last first."""
        return [entry for entry in self.entries() if entry.folder.parent == self._home / self._slot]

    def find(self, id_: str) -> Entry | None:
        """The listed session with this id."""
        return next((entry for entry in self.entries() if entry.id == id_), None)

    # ------------------------------------------------------------------ keeping

    def open(self, entry: Entry, progress: Progress | None = None) -> Session:
        """Open a session; it belongs to this page from now on.

        Parameters
        ----------
        entry : Entry
        progress : callable, optional
            Called with how much is done and how much there is to do; it may raise `GivenUp`.

        Raises
        ------
        InUse
            It is open elsewhere.
        """
        try:
            session = self._open_journal(entry.folder, progress=progress)
        except (InUse, GivenUp):
            raise
        except Exception as error:
            with suppress(OSError):  # so that it is not tidied away: someone may mend it
                (entry.folder / TROUBLE).write_text(str(error), encoding="utf-8")
            raise
        with suppress(OSError):  # on a full disk it is open all the same
            (entry.folder / TROUBLE).unlink(missing_ok=True)
            (entry.folder / OPENED).touch()
        return session

    def keep(self, session: Session, *, here: bool = True) -> Entry:
        """Keep this session from now on, in a folder of its own.

        Parameters
        ----------
        session : Session
        here : bool
            Whether this place finds it again by itself; else it is in the list only.
        """
        folder = self._new_folder(here)
        try:
            session.keep(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        entry = Entry.at(folder)
        assert entry is not None
        return entry

    def copy(self, entry: Entry) -> Entry:
        """A copy of a session, which may be open elsewhere."""
        folder = self._new_folder(entry.slot == self._slot)
        copy_session(entry.folder, folder)
        copied = Entry.at(folder)
        assert copied is not None
        return copied

    def _new_folder(self, here: bool = True) -> Path:
        slot = self._home / (self._slot if here else "opened")
        slot.mkdir(parents=True, exist_ok=True)
        self._home.parent.chmod(0o700)  # no one else on this machine reads what a visitor has said
        self._home.parent.parent.chmod(0o700)
        return slot / secrets.token_hex(8)

    # ------------------------------------------------------------------ deleting

    def delete(self, entry: Entry) -> None:
        """Delete a session; `restore` brings it back for ten minutes.

        Raises
        ------
        InUse
            It is open somewhere.
        """
        with locked(entry.folder):
            (entry.folder / DELETED).touch()

    def restore(self, entry: Entry) -> None:
        """Bring a session back that was deleted."""
        (entry.folder / DELETED).unlink(missing_ok=True)

    def discard(self, entry: Entry) -> None:
        """Delete a session for good, unless it is in use."""
        with suppress(OSError), locked(entry.folder):
            shutil.rmtree(entry.folder, ignore_errors=True)
        if not (entry.folder / JOURNAL).exists():
            shutil.rmtree(entry.folder, ignore_errors=True)  # the lock too

    def tidy(self) -> list[Entry]:
        """Drop what is over the visitor's quota, and what was deleted for good; gives what was dropped."""
        purge(self._home)
        return drop(
            list(entries_in(self._home)),
            limits.MOST_KEPT_SESSIONS,
            limits.MOST_KEPT_BYTES,
            time.time() - 86400 * limits.MOST_KEPT_DAYS,
        )

    def dropped_meanwhile(self) -> str:
        """What was dropped of the visitor's while they were away, in words; told once."""
        note = self._home / DROPPED
        with suppress(OSError):
            names = note.read_text(encoding="utf-8").splitlines()
            note.unlink()
            return ", ".join(names)
        return ""


class FolderStore(VisitorStore):
    """Keeps one session in a folder that someone has named, and those that are opened beside it below ``recent``.

    Parameters
    ----------
    folder : path
    open_journal : callable
    """

    def __init__(self, folder: str | Path, open_journal: Callable[..., Session] = Session.open) -> None:
        self._folder = Path(folder)
        self._set(self._folder, "recent", open_journal)

    def entries(self) -> list[Entry]:
        first = Entry.at(self._folder)
        found = [*([] if first is None else [first]), *entries_in(self._home)]
        return sorted(found, key=lambda entry: entry.seen, reverse=True)

    def of_this_place(self) -> list[Entry]:
        first = Entry.at(self._folder)
        return [] if first is None else [first]

    def _new_folder(self, here: bool = True) -> Path:
        if here and Entry.at(self._folder) is None:
            return self._folder
        (self._folder / "recent").mkdir(parents=True, exist_ok=True)
        return self._folder / "recent" / secrets.token_hex(8)

    def tidy(self) -> list[Entry]:
        """Nothing: the folder is its owner's."""
        purge(self._home)
        return []


def tidy_all(app: str) -> None:
    """Drop what is over the quota of all visitors of an app together; each is told at the next visit."""
    home = state_folder() / app
    everything = [entry for visitor in folders_in(home) for entry in entries_in(visitor)]
    for entry in drop(everything, None, limits.MOST_KEPT_BYTES_IN_ALL, 0):
        words = f"{entry.name} ({time.strftime('%d %B %Y', time.localtime(entry.seen))})"
        with suppress(OSError), (entry.folder.parents[1] / DROPPED).open("a", encoding="utf-8") as note:
            note.write(words + "\n")
