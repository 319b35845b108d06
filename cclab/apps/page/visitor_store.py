"""Where sessions are kept between visits: found again by an id that only the visitor's browser knows.

Below the state folder lies ``APP/VISITOR/SLOT/KEPT/``: a visitor has 128 random bits, a slot is one place where the app
is used (the page itself, or a cell of a notebook), and each opening writes to a folder of its own. An older page that
is still open goes on in its own, so no two ever write to the same journal; the one written to last is found again.
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
from pathlib import Path
from typing import Any

from cclab.session import Session
from cclab.session.journal import DATA, JOURNAL

_VISITOR = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[a-z0-9_]+")
#: So many folders a slot has at most, and so long an untouched visitor is remembered.
MOST_KEPT = 4
DAYS = 90


def state_folder() -> Path:
    """The folder for what is kept: CCLAB_STATE, or the place where this system has such things."""
    if named := os.environ.get("CCLAB_STATE"):
        return Path(named)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData/Local")) / "cclab"
    if sys.platform == "darwin":
        return home / "Library/Application Support/cclab"
    return Path(os.environ.get("XDG_STATE_HOME", home / ".local/state")) / "cclab"


def slot_of(*call: Any) -> str:
    """A name for the place where an app is used: by its call, and by the notebook's cell where there is one."""
    return hashlib.sha256(repr((_cell_id(), *call)).encode()).hexdigest()[:16]


def _cell_id() -> str:
    """The id of the notebook's cell that runs now; empty elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return str(parent.get("metadata", {}).get("cellId", ""))


class Keeper:
    """Keeps the sessions of one visitor at one place.

    Parameters
    ----------
    app : str
    visitor : str
        32 hexadecimal digits, as the browser keeps them.
    slot : str
    open_journal : callable
        Opens the session whose journal is in a folder.
    """

    def __init__(
        self,
        app: str,
        visitor: str,
        slot: str = "page",
        open_journal: Callable[[Path], Session] = Session.open,
    ) -> None:
        for name, pattern in ((visitor, _VISITOR), (app, _NAME), (slot, _NAME)):
            if not pattern.fullmatch(name):
                raise ValueError(f"{name!r} is no name that sessions are kept under")
        self._visitors = state_folder() / app
        self._folder = self._visitors / visitor / slot
        self._own = self._folder / secrets.token_hex(8)
        self._open_journal = open_journal

    def found(self) -> Path | None:
        """The journal that was written to last, or None."""
        kept = self._kept()
        return kept[0] if kept else None

    def _kept(self) -> list[Path]:
        """All complete journals, the last one first."""
        folders = [path.parent for path in self._folder.glob(f"*/{JOURNAL}") if (path.parent / DATA).exists()]
        return sorted(folders, key=lambda folder: (folder / JOURNAL).stat().st_mtime_ns, reverse=True)

    def open(self) -> Session | None:
        """The session that was left here last, going on in a folder of its own; None where there is none."""
        found = self.found()
        if found is None:
            return None
        self._make()
        self._own.mkdir(exist_ok=True)
        shutil.copy(found / DATA, self._own)
        shutil.copy(found / JOURNAL, self._own)
        session = self._open_journal(self._own)
        self._tidy()
        return session

    def keep(self, session: Session) -> None:
        """Keep this session from now on."""
        self._make()
        self._own = self._folder / secrets.token_hex(8)
        session.keep(self._own)
        self._tidy()

    def _make(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._visitors.chmod(0o700)  # no one else on this machine reads what a visitor has said
        self._visitors.parent.chmod(0o700)

    def _tidy(self) -> None:
        """Remove older journals of this slot, and visitors who have not come for long."""
        for folder in self._kept()[MOST_KEPT:]:
            shutil.rmtree(folder, ignore_errors=True)
        long_ago = time.time() - DAYS * 86400
        for visitor in self._visitors.iterdir():
            if visitor.stat().st_mtime < long_ago and visitor != self._folder.parent:
                shutil.rmtree(visitor, ignore_errors=True)
        os.utime(self._folder.parent)
