"""What can be seen of a session."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Partition, Problem, Solver, State
from cclab.datasets import Dataset
from cclab.queries.base import Query
from cclab.session.snapshot import Snapshot
from cclab.session.timeline import Timeline
from cclab.session.verbs import Command


class Record:
    """The data, all snapshots and all commands of a session, to look at; `Session` adds what can be done.

    Parameters
    ----------
    data : Dataset
    max_bytes : int
        How much memory the states may take.
    """

    def __init__(self, data: Dataset, max_bytes: int) -> None:
        self.data = data
        self._timeline = Timeline(max_bytes)
        self._commands: list[Command] = []

    @property
    def current(self) -> Snapshot:
        """The snapshot we are at."""
        return self._timeline.current

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """All snapshots on the timeline, those after the current one included."""
        return tuple(self._timeline.snapshots)

    @property
    def position(self) -> int:
        return self._timeline.position

    @property
    def problem(self) -> Problem:
        return self.current.problem

    @property
    def constraints(self) -> ConstraintSet:
        return self.current.problem.constraints

    @property
    def solver(self) -> Solver:
        return self.current.solver

    @property
    def state(self) -> State:
        return self.current.state

    @property
    def partition(self) -> Partition:
        return self.current.partition

    @property
    def labels(self) -> NDArray[np.int64]:
        """(n,) the most likely cluster of each sample, now."""
        return self.current.labels()

    @property
    def pending(self) -> tuple[Query, ...]:
        """Questions that wait for an answer."""
        return self._timeline.dialogue.pending

    @property
    def asked(self) -> frozenset[tuple[int, ...]]:
        """Samples of all questions that were answered or set aside."""
        return self._timeline.dialogue.asked

    @property
    def rejected(self) -> frozenset[tuple[int, ...]]:
        """Samples of the questions that were set aside."""
        return self._timeline.dialogue.rejected

    @property
    def commands(self) -> tuple[Command, ...]:
        """All verbs so far, those that were taken back included."""
        return tuple(self._commands)

    @property
    def can_undo(self) -> bool:
        return self._timeline.can_undo

    @property
    def can_redo(self) -> bool:
        return self._timeline.can_redo

    @property
    def converged(self) -> bool:
        return self.current.converged

    def scores(self) -> dict[str, float]:
        """Scores of the current labels, against the truth where the data have one."""
        return self.current.scores(self.data.target)

    def __repr__(self) -> str:
        return (
            f"<Session on {self.data.name} with {type(self.solver).__name__}: snapshot {self.position + 1} of "
            f"{len(self.snapshots)}, iteration {self.current.summary.iteration}, {len(self.constraints)} statements>"
        )
