"""Sessions that are kept in folders: what each is about, and which go when there are too many."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from cclab.session import About, about, in_use
from cclab.session.storage.journal import JOURNAL
from cclab.session.storage.lock import FolderLock

# Files beside a journal: when it was opened last, that it is deleted, why it could not be opened.
OPENED, DELETED, TROUBLE = "opened", "deleted", "trouble.txt"
_ID = re.compile(r"[0-9a-f]{16}")
#: What was deleted can be brought back for so long.
REGRET_SECONDS = 600


@dataclass(frozen=True)
class Entry:
    """A session that is kept.

    Attributes
    ----------
    folder : Path
    seen : float
        When it was last opened or written to, in seconds since the epoch.
    """

    folder: Path
    seen: float = field(compare=False)

    @classmethod
    def at(cls, folder: Path) -> Entry | None:
        """The session in a folder; None where there is none, or not a whole one."""
        try:
            seen = (folder / JOURNAL).stat().st_mtime
        except OSError:
            return None
        if (folder / DELETED).exists():
            return None
        with suppress(OSError):
            seen = max(seen, (folder / OPENED).stat().st_mtime)
        return cls(folder, seen)

    @property
    def id(self) -> str:
        """What tells it from the others in a list."""
        return self.folder.name

    @property
    def slot(self) -> str:
        """The place where it was used; see `slot_of`."""
        return self.folder.parent.name

    @property
    def is_there(self) -> bool:
        """Whether it is kept still."""
        return Entry.at(self.folder) is not None

    @property
    def in_use(self) -> bool:
        """Whether it is open, here or elsewhere."""
        return in_use(self.folder)

    @property
    def trouble(self) -> str:
        """Why it could not be opened when that was tried last; empty where nothing is known against it."""
        with suppress(OSError):
            return (self.folder / TROUBLE).read_text(encoding="utf-8")
        return ""

    @cached_property
    def about(self) -> About | None:
        """What it is about; None where that can't be read."""
        try:
            return about(self.folder)
        except (OSError, ValueError):
            return None

    @property
    def name(self) -> str:
        """What its data are called."""
        return "A session" if self.about is None else self.about.data

    @cached_property
    def n_bytes(self) -> int:
        """What it takes on the disk."""
        return _bytes_in(self.folder)


def drop(entries: list[Entry], most: int | None, most_bytes: int, long_ago: float) -> list[Entry]:
    """Drop the sessions that were not seen for longest until the others are within the limits.

    None that is in use is dropped, and none that could not be opened: someone may mend it.
    """
    entries = sorted(entries, key=lambda entry: entry.seen)
    count, total = len(entries), sum(entry.n_bytes for entry in entries)
    dropped = []
    for entry in entries:
        if (most is None or count <= most) and total <= most_bytes and entry.seen >= long_ago:
            break
        if entry.trouble:
            continue
        entry.about  # noqa: B018 (told of when it is gone)
        try:
            with locked(entry.folder):
                shutil.rmtree(entry.folder, ignore_errors=True)
        except OSError:  # in use, or gone already
            continue
        shutil.rmtree(entry.folder, ignore_errors=True)  # the lock too
        dropped.append(entry)
        count, total = count - 1, total - entry.n_bytes
    return dropped


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, so that no one opens what is about to go."""
    lock = FolderLock(folder)
    lock.acquire()
    try:
        yield
    finally:
        lock.release()


def entries_in(home: Path) -> Iterator[Entry]:
    """All whole sessions of one visitor."""
    for slot in folders_in(home):
        for folder in folders_in(slot):
            entry = Entry.at(folder) if _ID.fullmatch(folder.name) else None
            if entry is not None:
                yield entry


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder; none where there is no such folder."""
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []


def purge(home: Path) -> None:
    """Remove what was deleted a while ago, and copies that were never finished."""
    long_ago = time.time() - REGRET_SECONDS
    for mark in [*home.glob(f"*/*/{DELETED}"), *home.glob(f"*/*.new/{JOURNAL}")]:
        with suppress(OSError):
            if mark.stat().st_mtime < long_ago:
                shutil.rmtree(mark.parent, ignore_errors=True)


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total
