"""All snapshots in order, with undo, redo, and a cap on memory."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from cclab.queries.base import Asked, Query
from cclab.session.snapshot import Snapshot


@dataclass(frozen=True)
class Dialogue:
    """The questions that are open, all that were put before, and those of them that were set aside."""

    pending: tuple[Query, ...] = ()
    asked: Asked = frozenset()
    rejected: Asked = frozenset()


@dataclass
class _Change:
    """What one undoable verb did: it cut `removed` off, put `added` in its place, and moved on."""

    start: int
    removed: list[Snapshot]
    added: list[Snapshot]
    position_before: int
    position_after: int
    dialogue_before: Dialogue
    dialogue_after: Dialogue
    run: Any = None


class Timeline:
    """Snapshots in order and the place we are at. A new snapshot replaces all that came after that place.

    Parameters
    ----------
    max_bytes : int
        How much memory the states may take; beyond it older ones are thinned out, and replayed on demand.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.snapshots: list[Snapshot] = []
        self.position = -1
        self.dialogue = Dialogue()
        self._undo: list[_Change] = []
        self._redo: list[_Change] = []
        self._bytes = 0
        # The last two that were current: those a view compares.
        self._recent: deque[Snapshot] = deque()

    @property
    def current(self) -> Snapshot:
        return self.snapshots[self.position]

    def commit(self, snapshot: Snapshot | None, dialogue: Dialogue, run: Any = None) -> None:
        """Put a snapshot (or only a change of dialogue) after the current place.

        Changes with the same `run` (not None) are undone as one.
        """
        self._redo.clear()
        last = self._undo[-1] if self._undo else None
        goes_on = last is not None and last.run == run and last.position_after == self.position
        if run is not None and goes_on and snapshot is not None and self.position == len(self.snapshots) - 1:
            assert last is not None
            last.added.append(snapshot)
            self.snapshots.append(snapshot)
            self.position += 1
            last.position_after, last.dialogue_after = self.position, dialogue
        else:
            start = self.position + 1
            change = _Change(
                start=start,
                removed=self.snapshots[start:] if snapshot is not None else [],
                added=[] if snapshot is None else [snapshot],
                position_before=self.position,
                position_after=self.position + (snapshot is not None),
                dialogue_before=self.dialogue,
                dialogue_after=dialogue,
                run=run,
            )
            self._apply(change)
            self._undo.append(change)
        self.dialogue = dialogue
        if snapshot is not None:
            self._bytes += snapshot.n_bytes
            self._thin_out()
        self._leave_behind()

    def rewind(self, position: int) -> None:
        """Go to another snapshot."""
        self.position = position
        self._leave_behind()

    def _apply(self, change: _Change) -> None:
        if change.added:
            self.snapshots[change.start :] = change.added
        self.position, self.dialogue = change.position_after, change.dialogue_after

    def undo(self) -> bool:
        """Take the last change back; False where there is none."""
        if not self.can_undo:
            return False
        change = self._undo.pop()
        if change.added:
            self.snapshots[change.start :] = change.removed
        self.position, self.dialogue = change.position_before, change.dialogue_before
        self._redo.append(change)
        self._leave_behind()
        return True

    def redo(self) -> bool:
        """Make the last change that was taken back again; False where there is none."""
        if not self._redo:
            return False
        change = self._redo.pop()
        self._apply(change)
        self._undo.append(change)
        self._leave_behind()
        return True

    @property
    def can_undo(self) -> bool:
        # The first change is the start of the session itself.
        return len(self._undo) > 1

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def _leave_behind(self) -> None:
        """Free what only the looking at a snapshot has made, once it is neither the current one nor the one before."""
        self._recent.append(self.current)
        while len(self._recent) > 2:
            left = self._recent.popleft()
            for snapshot in (left, left.previous):
                if snapshot is not None and snapshot not in self._recent:
                    snapshot.rest()

    def _thin_out(self) -> None:
        """Over the cap, drop every second of the older states."""
        if self._bytes <= self.max_bytes:
            return
        kept = [s for s in self._all_snapshots() if s.kept]
        self._bytes = sum(s.n_bytes for s in kept)
        while self._bytes > self.max_bytes and (droppable := kept[1:-2:2]):
            for snapshot in droppable:
                snapshot.drop_state()
                self._bytes -= snapshot.n_bytes
            kept = [s for s in kept if s.kept]

    def _all_snapshots(self) -> list[Snapshot]:
        """Those on the timeline and those that undo or redo would bring back."""
        put_aside = [s for c in self._undo for s in c.removed] + [s for c in self._redo for s in c.added]
        return [*put_aside, *self.snapshots]
