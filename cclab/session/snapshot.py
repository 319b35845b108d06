"""One moment of a session."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import Gauge, Partition, Problem, Solver, State, scores

How = Literal["start", "step", "rebase"]


@dataclass(frozen=True)
class Summary:
    """The little of a state that stays at hand when the state itself is dropped."""

    iteration: int
    objective: float
    terms: dict[str, float]
    gauges: tuple[Gauge, ...]
    notes: tuple[str, ...]


class Snapshot:
    """A problem, a solver and the state it has reached. Never changes, once made.

    The state may be dropped to save memory; it is then replayed from the nearest earlier one that was kept, exactly.

    Attributes
    ----------
    problem : Problem
    solver : Solver
    how : {"start", "step", "rebase"}
        How the state comes from the previous one.
    previous : Snapshot or None
    command : dict
        The verb that led here, ready for JSON.
    position : int
        Its place on the way from the first snapshot.
    summary : Summary
    """

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        how: How,
        previous: Snapshot | None,
        command: dict[str, Any],
        state: State,
    ) -> None:
        self.problem = problem
        self.solver = solver
        self.how = how
        self.previous = previous
        self.command = command
        self.position: int = 0 if previous is None else previous.position + 1
        self.summary = Summary(state.iteration, state.objective, dict(state.terms), state.gauges(), state.notes)
        self._restart = state.restart
        self._state: State | None = state
        self._thinned = False
        self._scores: dict[str, float] | None = None

    @property
    def state(self) -> State:
        """Where the solver stands."""
        missing = []
        snapshot: Snapshot | None = self
        while snapshot is not None and snapshot._state is None:
            missing.append(snapshot)
            snapshot = None if snapshot.how == "start" else snapshot.previous
        state = None if snapshot is None else snapshot._state
        for snapshot in reversed(missing):
            state = snapshot._replay(state)
        if missing:
            self._state = state
        assert state is not None
        return state

    def _replay(self, before: State | None) -> State:
        problem = self.solver.adapt(self.problem)
        if self.how == "start":
            return self.solver.start(problem, self._restart)
        assert before is not None
        assert self.previous is not None
        if self.how == "step":
            return self.solver.step(problem, before)
        return self.solver.rebase(self.solver.adapt(self.previous.problem), problem, before)

    def drop_state(self) -> None:
        """Free the state's memory from now on; it is replayed when it is asked for, and kept only while looked at."""
        self._thinned = True
        self._state = None

    def rest(self) -> None:
        """Nobody looks here any more: let go of all that can be derived again."""
        if self._thinned:
            self._state = None
        elif self._state is not None:
            self._state.forget()

    @property
    def kept(self) -> bool:
        """Whether the state is at hand."""
        return self._state is not None

    @cached_property
    def n_bytes(self) -> int:
        """Memory that the state itself holds (not the samples it refers to)."""
        return _own_bytes(self.state, self.problem.X)

    @property
    def partition(self) -> Partition:
        return self.state.partition

    def labels(self) -> NDArray[np.int64]:
        return self.partition.labels()

    @cached_property
    def converged(self) -> bool:
        """Whether another step would change nothing that matters."""
        if self.solver.max_iter == 0:  # type: ignore[attr-defined]
            return True  # it is to stay where it starts
        if self.how != "step" or self.previous is None:
            return False
        return bool(self.solver.converged(self.previous.state, self.state))

    def scores(self, truth: NDArray | None) -> dict[str, float]:
        """Scores of the labels here; the truth of a session is always the same, so they are worked out once."""
        if self._scores is None:
            self._scores = scores(truth, self.labels(), self.problem.constraints)
        return self._scores

    @property
    def known_scores(self) -> dict[str, float] | None:
        """The scores, where they were worked out already."""
        return self._scores

    def __repr__(self) -> str:
        s = self.summary
        return f"<Snapshot {self.position}: {self.how}, iteration {s.iteration}, objective {s.objective:.6g}>"


def _own_bytes(value: Any, shared: Any) -> int:
    """Bytes of all arrays inside `value`, without those that are a view of `shared`."""
    if isinstance(value, np.ndarray):
        return 0 if isinstance(shared, np.ndarray) and np.may_share_memory(value, shared) else value.nbytes
    if value is shared:
        return 0
    if sparse.issparse(value):
        return sum(getattr(value, name).nbytes for name in ("data", "indices", "indptr") if hasattr(value, name))
    if isinstance(value, dict):
        return sum(_own_bytes(v, shared) for v in value.values())
    if isinstance(value, tuple | list):
        return sum(_own_bytes(v, shared) for v in value)
    if isinstance(value, State):
        return sum(_own_bytes(v, shared) for name, v in value.__dict__.items() if name != "partition")
    return 0
