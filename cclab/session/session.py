"""`Session`: what a person and a solver have done together, kept step by step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from cclab.core import ConstraintSet, Partition, Problem, Solver, State
from cclab.core.constraints.naming import Finder
from cclab.core.problem import checked_seed, drawn_seed
from cclab.core.registry import solvers
from cclab.datasets import Dataset, load_dataset
from cclab.session import commands
from cclab.session.asking import AskingSession
from cclab.session.cluster_verbs import ClusterVerbs
from cclab.session.frame import table_with_belief
from cclab.session.origin import Poser
from cclab.session.outcome import Difference, versions
from cclab.session.posing import PosingSession
from cclab.session.recasting import Recasting
from cclab.session.script import to_code
from cclab.session.snapshot import Snapshot
from cclab.session.statements import pack_changes
from cclab.session.storage.serialize import pack_estimator
from cclab.session.storage.stored import MAX_BYTES
from cclab.session.subject import is_subject
from cclab.session.worker import Pace

log = logging.getLogger(__name__)


class Session(AskingSession, ClusterVerbs, PosingSession, Recasting):
    """Data, knowledge and a solver, with every step kept: it can be watched, rewound, changed and replayed.

    Parameters
    ----------
    data : Dataset, name, DataFrame, path or array; or Painting
        Anything that `load_dataset` takes, or a picture to paint on (see `paint`).
    solver : Solver or str, optional
        An estimator, or the name of one. Default: "FCM"; on a picture, one cluster of everything.
    seed : int, optional
        Where randomness comes from. Default: what `fit` would draw from the solver's `random_state`, or 0.
    journal : path, optional
        A folder; each verb is written there before it takes effect, and `Session.open` finds it again.
    max_bytes : int
        How much memory the states may take; older ones are then replayed on demand.
    poser : callable, optional
        Makes ``(problem, solver)`` from a JSON-ready recipe, for the verb `pose`.

    Attributes
    ----------
    changed : psygnal.Signal
        Emitted with the snapshots before and after each verb. `watch` connects to it safely.
    failures : list of Exception
        What went wrong in those who watch; it never stops the session.

    Examples
    --------
    >>> session = Session("iris", "FCM")
    >>> session.step(3).summary.iteration
    3
    >>> _ = session.constrain(must_link=[[0, 1]])   # FCM has no use for links, and warns
    >>> session.undo().summary.iteration, session.can_redo
    (3, True)
    """

    def __init__(
        self,
        data: Any,
        solver: Solver | str | None = None,
        *,
        seed: int | None = None,
        journal: str | Path | None = None,
        max_bytes: int = MAX_BYTES,
        poser: Poser | None = None,
    ) -> None:
        data = data if isinstance(data, Dataset) or is_subject(data) else load_dataset(data)
        self._set_up(data, max_bytes, poser)
        if solver is None:
            solver = data.begin()[1] if is_subject(data) else "FCM"
        solver = solvers.get(solver)() if isinstance(solver, str) else solver
        if seed is None and (random_state := getattr(solver, "random_state", None)) is not None:
            seed = drawn_seed(random_state)  # as `fit` would, so that a session retraces a fit
        opening = commands.Open(pack_estimator(solver), checked_seed(0 if seed is None else seed))
        self._take(opening, opening.prepare(None, self._history), versions())
        if journal is not None:
            self.keep(journal)

    # ------------------------------------------------------------------ looking

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """All snapshots in order, those after the current one included."""
        return tuple(self._history.snapshots)

    @property
    def position(self) -> int:
        """Where the current snapshot is on the timeline."""
        return self._history.position

    @property
    def problem(self) -> Problem:
        """Data and all that is known now."""
        return self.current.problem

    @property
    def constraints(self) -> ConstraintSet:
        """All that is known now."""
        return self.current.problem.constraints

    @property
    def solver(self) -> Solver:
        """The solver that is used now."""
        return self.current.solver

    @property
    def state(self) -> State:
        """Where the solver is now."""
        return self.current.state

    @property
    def partition(self) -> Partition:
        """The belief now, the clusters numbered as in `labels`."""
        return self.current.belief

    @property
    def labels(self) -> NDArray[np.int64]:
        """(n,) the most likely cluster of each sample, now, by the same number as after `fit`."""
        return self.current.labels()

    @property
    def standing(self) -> tuple[commands.Command, ...]:
        """The commands whose effect is there, in order: none that was undone, rewound or replaced by another."""
        return tuple(self._history.standing)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Where a verb that was done again led elsewhere than when it was first done: by other versions, say."""
        return tuple(self._history.origin.differences)

    @property
    def can_undo(self) -> bool:
        """Whether there is a verb to undo."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is a verb to redo."""
        return self._history.can_redo

    @property
    def converged(self) -> bool:
        """Whether the solver has converged."""
        return self.current.converged

    def to_frame(self) -> pd.DataFrame:
        """The original table, in its order and with its index, and what is believed of each row now.

        Returns
        -------
        DataFrame
            The columns of the table (of an array: its features), then ``cluster`` (from 0, as `labels`; a nullable
            integer), ``cluster_name`` where clusters have names, ``ambiguity``, ``outlier``, and the belief by cluster.
            Rows that were dropped because a value was missing have empty cells. A new column whose name the table has
            already is called ``cclab_cluster`` and so on. A table that was too large to be kept in a session file is
            replaced, once that is opened again, by its index and its ids.

        Examples
        --------
        >>> import warnings
        >>> import pandas as pd
        >>> from cclab import FCM, Session
        >>> birds = pd.DataFrame({"weight": [5.0, None, 9.1, 5.2]}, index=["ann", "bob", "cy", "di"])
        >>> with warnings.catch_warnings(action="ignore"):   # one row is dropped
        ...     session = Session(birds, FCM(n_clusters=2))
        >>> session.to_frame()[["weight", "cluster"]]
             weight  cluster
        ann     5.0        1
        bob     NaN     <NA>
        cy      9.1        0
        di      5.2        1
        """
        return table_with_belief(self.data, self.partition, self.cluster_names)

    def scores(self) -> dict[str, float]:
        """Scores of the current labels, against the truth where the data have one."""
        return self.current.scores(self.data.target)

    def __repr__(self) -> str:
        return (
            f"<Session on {self.data.name} with {type(self.solver).__name__}: snapshot {self.position + 1} of "
            f"{len(self.snapshots)}, iteration {self.current.summary.iteration}, {len(self.constraints)} statements>"
        )

    # ------------------------------------------------------------------ verbs

    def constrain(
        self,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        group: ArrayLike | None = None,
        separation: tuple[ArrayLike, ArrayLike] | None = None,
        labels: ArrayLike | Mapping[int, Any] | None = None,
        forget: int | list[int] | None = None,
        constraints: ConstraintSet | None = None,
        weight: float = 1.0,
        source: str = "code",
        by: Finder | None = None,
    ) -> Snapshot:
        """State something, or forget it; the solver goes on from where it is.

        Parameters
        ----------
        must_link, cannot_link : (m, 2) arrays of int
        group : (g,) array of int
            Samples that all belong together.
        separation : two arrays of int
            Samples of the one stay apart from samples of the other.
        labels : mapping or array
            See `ConstraintSet.with_labels`.
        forget : int or list of int
            Ids of statements.
        constraints : ConstraintSet
            In place of all that was known before.
        by : Dataset, optional
            Samples are named by id or index label; see `ConstraintSet.with_must_link`. Usually ``session.data``.
        """
        stated: dict[str, Any] = {"must_link": must_link, "cannot_link": cannot_link, "group": group}
        stated |= {"separation": separation, "labels": labels}
        if all(value is None for value in (*stated.values(), forget, constraints)):
            raise ValueError("nothing was stated; give must_link, cannot_link, group, separation, labels or forget")
        stated |= {"weight": weight, "source": source, "by": by}
        changes = pack_changes(self.constraints.n_samples, constraints=constraints, forget=forget, **stated)
        return self._do(commands.Constrain(changes))

    def step(self, n: int = 1) -> Snapshot:
        """Make `n` steps."""
        if n < 1:
            raise ValueError(f"make at least one step, got n={n}")
        for _ in range(n):
            self._do(commands.Step())
        return self.current

    def run(self, max_steps: int | None = None, *, progress: Callable[[int, int], None] | None = None) -> Snapshot:
        """Step until the solver has converged, or `max_steps` (default: the solver's `max_iter`); undone as one."""
        limit = self._step_limit(max_steps)
        run = self.new_run()
        for done in range(limit):
            self._do(commands.Step(run=run))
            if progress is not None:
                progress(done + 1, limit)
            if self.converged:
                break
        self._at_rest()
        return self.current

    async def astep(self) -> Snapshot:
        """One step, worked out in the worker thread; the loop goes on meanwhile."""
        return await self.arun(1)

    async def arun(self, max_steps: int | None = None, *, pace: Pace | None = None, run: int | None = None) -> Snapshot:
        """As `run`, each step worked out in one worker thread and taken over on the loop's own.

        Parameters
        ----------
        max_steps : int, optional
        pace : coroutine function, optional
            Awaited after each step: whoever draws says here when the next one may come.
        run : int, optional
            Go on with this run (see `new_run`): all of it is undone as one.

        Notes
        -----
        `pause` ends it at once; the step in flight is dropped. What a person states meanwhile is taken in, and a step
        that was begun before it is dropped too. A second run while one is under way does nothing.
        """
        if not self.running:
            run = self.new_run() if run is None else run
            await self._runner.run(self._step_limit(max_steps), commands.Step(run=run), pace)
            self._at_rest()
        return self.current

    @property
    def running(self) -> bool:
        """Whether `arun` is under way."""
        return self._runner.running

    def pause(self) -> None:
        """End what is under way at once (`arun`, `aswitch`, `apose`); the step in flight is dropped."""
        self._runner.pause()

    def restart(self) -> Snapshot:
        """Start anew from the next random start, with the same knowledge."""
        return self._do(commands.Restart(self.state.restart + 1))

    def switch(self, solver: Solver | str) -> Snapshot:
        """Start anew with another solver, or with other parameters."""
        return self._do(commands.Switch.to(solver))

    async def aswitch(self, solver: Solver | str) -> Snapshot | None:
        """As `switch`, worked out in the worker thread; None where it was dropped: paused, or gone elsewhere meanwhile.

        It does not warn of knowledge that the solver has no use for; `Solver.warn` does.
        """
        return self.current if await self._runner.once(commands.Switch.to(solver)) else None

    def rewind(self, position: int) -> Snapshot:
        """Go to any snapshot of the timeline, back or forth; the next verb goes on from there."""
        return self._do(commands.Rewind(int(position)))

    def undo(self) -> Snapshot:
        """Take the last verb back (a run as a whole); nothing happens where there is none."""
        return self._do(commands.Undo()) if self.can_undo else self.current

    def redo(self) -> Snapshot:
        """Do again what was taken back last."""
        return self._do(commands.Redo()) if self.can_redo else self.current

    def _step_limit(self, max_steps: int | None) -> int:
        return self.solver.max_iter if max_steps is None else max_steps

    # ------------------------------------------------------------------ telling

    def watch(self, callback: Callable[[Snapshot, Snapshot], None]) -> Callable[[], None]:
        """Call `callback(old, new)` after each verb; what it raises is logged and kept, and stops nothing.

        Returns
        -------
        callable
            Call it to stop watching.
        """

        def safely(old: Snapshot, new: Snapshot) -> None:
            try:
                callback(old, new)
            except Exception as error:  # a broken view must not stop the session
                log.exception("a view failed")
                self.failures.append(error)
                if self.on_failure is not None:
                    self.on_failure(error)

        self.changed.connect(safely)
        return lambda: self.changed.disconnect(safely, missing_ok=True)

    def to_code(self) -> str:
        """A short script that, run alone, gives the same labels."""
        return to_code(self)
