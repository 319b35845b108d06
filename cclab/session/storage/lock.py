"""A folder that holds a session belongs to one process at a time.

The lock is the system's own: it goes when its process ends, however that ends.
"""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

LOCK, WANTED = "journal.lock", "journal.wanted"
# Who only looks whether a folder is in use holds the lock for a moment: the next one waits that long.
_PATIENCE = 0.2


class InUse(OSError):
    """The session in a folder is open elsewhere."""


class FolderLock:
    """The right to write to the session in a folder.

    Parameters
    ----------
    folder : path
        It exists already.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        # Sessions are opened in one thread and closed in another.
        self._lock = FileLock(self.folder / LOCK, thread_local=False)

    def acquire(self) -> None:
        """Take the lock, or raise `InUse`; whoever asked for the folder before has been heard by that."""
        try:
            self._lock.acquire(timeout=_PATIENCE, poll_interval=_PATIENCE / 10)
        except Timeout:
            raise InUse(
                f"the session in {self.folder} is open elsewhere, in another tab or program; close it there, or work "
                "on a copy"
            ) from None
        (self.folder / WANTED).unlink(missing_ok=True)

    def release(self) -> None:
        """Let others have the folder."""
        self._lock.release()

    @property
    def held(self) -> bool:
        """Whether this process has the folder."""
        return self._lock.is_locked

    @property
    def wanted(self) -> bool:
        """Whether someone has asked for the folder since the lock was taken."""
        return self.held and (self.folder / WANTED).exists()


def in_use(folder: str | Path) -> bool:
    """Whether the session in a folder is open, in this process or in another."""
    path = Path(folder) / LOCK
    if not path.exists():
        return False
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return True
    except OSError:  # a folder that can't be written to is one that no one writes to
        return False
    lock.release()
    return False


def ask_for(folder: str | Path) -> None:
    """Ask whoever has the session in a folder open to let it go; `Session.wanted_elsewhere` tells them."""
    (Path(folder) / WANTED).touch()
