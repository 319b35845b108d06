"""All snapshots in order, with undo, redo, what was asked, and a cap on memory."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cclab.core import ConstraintSet
from cclab.queries.base import Asked, Query
from cclab.session.cluster_names import NO_NAMES, ClusterNames
from cclab.session.origin import Origin
from cclab.session.snapshot import Snapshot

if TYPE_CHECKING:
    from cclab.session.commands import Command


@dataclass(frozen=True)
class Dialogue:
    """The questions that are open, all that were put before, and those of them that were set aside."""

    pending: tuple[Query, ...] = ()
    asked: Asked = frozenset()
    rejected: Asked = frozenset()


@dataclass(frozen=True)
class Moment:
    """Where a session is: the snapshot, what was asked, whether the solver runs, and what clusters are called."""

    snapshot: Snapshot
    dialogue: Dialogue = Dialogue()
    running: bool = False
    names: ClusterNames = NO_NAMES

    @property
    def constraints(self) -> ConstraintSet:
        """What is known."""
        return self.snapshot.problem.constraints

    def following(self, base: Moment, now: Moment) -> Moment | None:
        """What was prepared from `base`, to come after `now`; None where it builds on what is no more."""
        if base.snapshot is not now.snapshot:
            return None
        if self.dialogue is base.dialogue:
            return replace(self, dialogue=now.dialogue, names=now.names)
        return replace(self, names=now.names) if base.dialogue is now.dialogue else None


#: Which snapshot, what was asked, what clusters are called.
Place = tuple[int, Dialogue, ClusterNames]


@dataclass
class _Change:
    """What one undoable command (or a run of them) did: it cut `removed` off, put `added` in its place, moved on."""

    commands: list[Command]
    start: int
    removed: list[Snapshot]
    added: list[Snapshot]
    before: Place
    after: Place


class History:
    """Snapshots in order and the place we are at. A new snapshot replaces all that came after that place.

    Parameters
    ----------
    origin : Origin
    max_bytes : int
        How much memory the states may take; beyond it older ones are thinned out, and replayed on demand.
    """

    def __init__(self, origin: Origin, max_bytes: int) -> None:
        self.origin = origin
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
        """The snapshot that is shown."""
        return self.snapshots[self.position]

    @property
    def place(self) -> Place:
        """All that undo goes back to."""
        return self.position, self.dialogue, self.origin.names

    @place.setter
    def place(self, place: Place) -> None:
        self.position, self.dialogue, self.origin.names = place

    @property
    def standing(self) -> list[Command]:
        """The commands whose effect is there, in order: none that was undone, rewound or replaced by another."""
        stand: list[tuple[int, Command]] = []
        for change in self._undo:
            if change.added:
                stand = [(place, command) for place, command in stand if place < change.start]
                stand += enumerate(change.commands, change.start)
            else:  # it made no snapshot, so that going elsewhere leaves it as it is
                stand += [(-1, command) for command in change.commands]
        return [command for place, command in stand if place <= self.position]

    def commit(self, command: Command, moment: Moment) -> None:
        """Go on to the moment that a command leads to; commands of the same run are undone as one."""
        self._redo.clear()
        added = [] if self.snapshots and moment.snapshot is self.current else [moment.snapshot]
        start, run = self.position + 1, command.run
        last = self._undo[-1] if self._undo else None
        goes_on = last is not None and last.after[0] == self.position and last.commands[-1].run == run
        if run is not None and goes_on and added and start == len(self.snapshots):
            assert last is not None
            last.commands.append(command)
            last.added += added
            self.snapshots += added
            self.place = last.after = start, moment.dialogue, moment.names
        else:
            removed = self.snapshots[start:] if added else []
            after = self.position + len(added), moment.dialogue, moment.names
            change = _Change([command], start, removed, added, self.place, after)
            self._apply(change)
            self._undo.append(change)
        if added and moment.snapshot.kept:
            self._bytes += moment.snapshot.n_bytes
            self._thin_out()
        self._leave_behind()

    def rewind(self, position: int) -> None:
        """Go to another snapshot; questions about samples that have other numbers there are dropped."""
        before = self.current
        self.position = position
        if before.columns_changed != self.current.columns_changed:
            self.dialogue = Dialogue()
        self._moved()

    def _apply(self, change: _Change) -> None:
        if change.added:
            self.snapshots[change.start :] = change.added
        self.place = change.after

    def undo(self) -> None:
        """Take the last change back, if there is one."""
        if not self.can_undo:
            return
        change = self._undo.pop()
        if change.added:
            self.snapshots[change.start :] = change.removed
        self.place = change.before
        self._redo.append(change)
        self._moved()

    def redo(self) -> None:
        """Make the last change that was taken back again, if there is one."""
        if not self._redo:
            return
        change = self._redo.pop()
        self._apply(change)
        self._undo.append(change)
        self._moved()

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        # The first change is the start of the session itself.
        return len(self._undo) > 1

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to redo."""
        return bool(self._redo)

    def _moved(self) -> None:
        """Count memory anew where states were replayed for who looked where we were."""
        if self.origin.replayed:
            self.origin.replayed = False
            self._bytes = sum(s.n_bytes for s in self.all_snapshots() if s.kept)
        self._thin_out()
        self._leave_behind()

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
        kept = [s for s in self.all_snapshots() if s.kept]
        self._bytes = sum(s.n_bytes for s in kept)
        while self._bytes > self.max_bytes and (droppable := kept[1:-2:2]):
            for snapshot in droppable:
                snapshot.drop_state()
                self._bytes -= snapshot.n_bytes
            kept = [s for s in kept if s.kept]

    def all_snapshots(self) -> list[Snapshot]:
        """Those on the timeline and those that undo or redo would bring back."""
        detached = [s for c in self._undo for s in c.removed] + [s for c in self._redo for s in c.added]
        return [*detached, *self.snapshots]
