"""A session's way to the disk: each verb before it takes effect, all else when there is time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from typing import Any

from cclab.session.snapshot import Snapshot
from cclab.session.storage.about import write_about
from cclab.session.storage.checkpoint import Checkpoint, write_checkpoint
from cclab.session.storage.journal import Journal
from cclab.session.subject import Data
from cclab.session.threads import Timer, after, when_there_is_time

log = logging.getLogger(__name__)

#: In seconds: steps are on the disk after the one, and while someone works the checkpoint is no older than the other.
SYNC_AFTER, CHECKPOINT_AFTER = 1.0, 3.0


class Writer:
    """Writes a journal, and a checkpoint beside it.

    Parameters
    ----------
    journal : Journal
    data : Dataset or Subject
    current : Snapshot
        Where the session is.
    checkpointed : bool
        Whether a checkpoint has its state already.
    """

    def __init__(self, journal: Journal, data: Data, current: Snapshot, checkpointed: bool) -> None:
        self.journal = journal
        self._data = data
        self._latest = Checkpoint(current, journal.mark)
        self._written = current if checkpointed else None
        self._written_at = time.monotonic()
        self._writing = threading.Lock()
        self._timer: Timer | None = None
        if not checkpointed:
            self._set_timer()

    def write(self, record: Mapping[str, Any], *, sync: bool) -> None:
        """Write a command that is about to take effect; with `sync`, so that a power cut would not lose it."""
        self.journal.write(record, sync=sync)

    def now_at(self, snapshot: Snapshot) -> None:
        """It has: this is the current snapshot."""
        self._latest = Checkpoint(snapshot, self.journal.mark)
        self._set_timer()

    def rest(self) -> None:
        """No one waits for anything now."""
        when_there_is_time(self._write_checkpoint)

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = after(SYNC_AFTER, self._in_time)
            if self._timer is None:
                self._sync()

    def _in_time(self) -> None:
        self._timer = None
        self._sync()
        if time.monotonic() - self._written_at >= CHECKPOINT_AFTER:
            self.rest()
        elif self._latest.snapshot is not self._written:
            self._set_timer()

    def _sync(self) -> None:
        try:
            self.journal.sync()
        except OSError:
            log.exception("the journal can't be synced")

    def _write_checkpoint(self) -> None:
        with self._writing:
            latest = self._latest
            if latest.snapshot is self._written or not latest.snapshot.kept or not self.journal.lock.held:
                return
            try:
                self.journal.sync()
                write_checkpoint(self.journal.folder, latest)
                write_about(self.journal.folder, self._data, latest.snapshot)
            except OSError:  # a full disk, say: the journal has it all
                log.info("no checkpoint was written", exc_info=True)
            self._written, self._written_at = latest.snapshot, time.monotonic()

    def close(self) -> None:
        """Write what is left to write, and let go of the folder."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._write_checkpoint()
        self.journal.close()
