"""The last state beside the journal, so that opening a session shows it without doing everything again.

A checkpoint is only ever a short cut: whatever is missing, stale or damaged in it, the journal has it all.
"""

from __future__ import annotations

import io
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from cclab.core import State
from cclab.datasets.unpacking import load_npz
from cclab.session.snapshot import Snapshot
from cclab.session.storage.disk import write_whole
from cclab.session.storage.journal import CHECKPOINT, Journal, Mark
from cclab.session.storage.states import CantSerialize, pack_state, unpack_state

log = logging.getLogger(__name__)

_FORMAT = {"format": "cclab checkpoint", "schema": 1}


@dataclass(frozen=True)
class Checkpoint:
    """A snapshot, and where the journal ended when it was the current one."""

    snapshot: Snapshot
    mark: Mark


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write the state of a snapshot; a solver's state that can't be written is left to be replayed."""
    snapshot = checkpoint.snapshot
    try:
        structure, arrays = pack_state(snapshot.state, snapshot.problem.X)
    except CantSerialize as error:
        log.info("no checkpoint: %s", error)
        return
    about = json.dumps({**_FORMAT, "mark": asdict(checkpoint.mark), "state": structure}).encode()
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, about=np.frombuffer(about, dtype=np.uint8), **arrays)
    write_whole(folder / CHECKPOINT, buffer.getvalue(), sync=False)


def recall_state(journal: Journal, snapshots: list[Snapshot]) -> Snapshot | None:
    """Give one of a session's snapshots the state that is kept beside the journal, if it is right in every respect.

    Parameters
    ----------
    journal : Journal
    snapshots : list of Snapshot
        The current one after each command.

    Returns
    -------
    Snapshot or None
        The one that was given it.
    """
    path = journal.folder / CHECKPOINT
    if not path.exists():
        return None
    try:
        with path.open("rb") as stream:
            arrays = load_npz(stream)
        about = json.loads(arrays.pop("about").tobytes())
        mark = Mark(**about["mark"])
        if any(about[key] != value for key, value in _FORMAT.items()) or not journal.begins_with(mark):
            raise ValueError("it belongs to another journal")
        snapshot = snapshots[mark.lines - 2]  # the first line is the header
        state = unpack_state(about["state"], arrays, snapshot.problem.X)
        if not isinstance(state, State) or not snapshot.remember(state):
            raise ValueError("it is not the state that the journal tells of")
        return snapshot
    except Exception as error:  # the file may hold anything; the journal has it all
        log.info("the checkpoint in %s is not used: %s", path, error)
        return None
