"""`Session`: what a person and a solver have done together, kept step by step."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from psygnal import Signal
from sklearn.utils import check_random_state

from cclab.core import ConstraintSet, Solver
from cclab.core.registry import solvers, strategies
from cclab.datasets import Dataset, load_dataset
from cclab.queries.base import Query, Strategy
from cclab.session.code import to_code
from cclab.session.files import from_document, read_document, to_document, write_document
from cclab.session.journal import Journal
from cclab.session.packing import pack_estimator, unpack_estimator
from cclab.session.record import Record
from cclab.session.running import Pace, Runner, aside
from cclab.session.snapshot import Snapshot
from cclab.session.statements import pack_statements
from cclab.session.verbs import Command, Poser, TakeOver, Verbs

log = logging.getLogger(__name__)


class Session(Record):
    """Data, knowledge and a solver, with every step kept: it can be watched, rewound, changed and replayed.

    Parameters
    ----------
    data : Dataset, name, DataFrame, path or array
        Anything that `load_dataset` takes.
    solver : Solver or str
        An estimator, or the name of one.
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

    changed = Signal(object, object)

    def __init__(
        self,
        data: Any,
        solver: Solver | str = "FCM",
        *,
        seed: int | None = None,
        journal: str | Path | None = None,
        max_bytes: int = 256 * 2**20,
        poser: Poser | None = None,
    ) -> None:
        super().__init__(data if isinstance(data, Dataset) else load_dataset(data), max_bytes)
        self.failures: list[Exception] = []
        self.on_failure: Callable[[Exception], None] | None = None
        self._verbs = Verbs(self._timeline, poser)
        self._runner = Runner(lambda: self.current, self._take_step)
        self._journal: Journal | None = None
        self._run = 0
        solver = solvers.get(solver)() if isinstance(solver, str) else solver
        seed = _seed_of(solver) if seed is None else int(seed)
        command = {"verb": "open", "solver": pack_estimator(solver), "seed": seed}
        self._verbs.open(self.data, command)
        self._commands.append(command)
        if journal is not None:
            self.keep(journal)

    def keep(self, folder: str | Path) -> None:
        """Keep a journal in `folder` from now on, in place of what is there; what was done so far goes first."""
        journal = Journal(folder)
        journal.begin(self.data, self._commands)
        self.close()
        self._journal = journal

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
        """
        statements = pack_statements(
            must_link=must_link,
            cannot_link=cannot_link,
            group=group,
            separation=separation,
            labels=labels,
            forget=forget,
            constraints=constraints,
            weight=weight,
            source=source,
        )
        if not statements:
            raise ValueError("nothing was stated; give must_link, cannot_link, group, separation, labels or forget")
        return self._commit({"verb": "constrain", "statements": statements})

    def step(self, n: int = 1) -> Snapshot:
        """Make `n` steps."""
        if n < 1:
            raise ValueError(f"make at least one step, got n={n}")
        for _ in range(n):
            self._commit({"verb": "step"})
        return self.current

    def run(self, max_steps: int | None = None, *, progress: Callable[[int, int], None] | None = None) -> Snapshot:
        """Step until the solver has converged, or `max_steps` (default: the solver's `max_iter`); undone as one."""
        limit = self._step_limit(max_steps)
        run = self.new_run()
        for done in range(limit):
            self._commit({"verb": "step", "run": run})
            if progress is not None:
                progress(done + 1, limit)
            if self.converged:
                break
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
            await self._runner.run(self._step_limit(max_steps), {"verb": "step", "run": run}, pace)
        return self.current

    @property
    def running(self) -> bool:
        """Whether `arun` is under way."""
        return self._runner.running

    def pause(self) -> None:
        """End `arun` at once; the step in flight is dropped."""
        self._runner.pause()

    def restart(self) -> Snapshot:
        """Start anew from the next random start, with the same knowledge."""
        return self._commit({"verb": "restart", "restart": self.state.restart + 1})

    def switch(self, solver: Solver | str) -> Snapshot:
        """Start anew with another solver, or with other parameters."""
        solver = solvers.get(solver)() if isinstance(solver, str) else solver
        return self._commit({"verb": "switch", "solver": pack_estimator(solver)})

    def pose(self, recipe: Mapping[str, Any], *, run: int | None = None) -> Snapshot:
        """Start anew on the problem that the session's poser makes from a recipe.

        Parameters
        ----------
        recipe : mapping
            Ready for JSON.
        run : int, optional
            A number that `new_run` gave: verbs of the same run are undone as one.
        """
        return self._commit(self._pose_command(recipe, run))

    async def apose(self, recipe: Mapping[str, Any], *, run: int | None = None) -> Snapshot | None:
        """As `pose`, worked out in the worker thread; dropped (None) if another snapshot was gone to meanwhile."""
        command, before = self._pose_command(recipe, run), self.current
        take_over = await aside(self._verbs.work_out, command)
        if self.current is not before:
            return None
        self._take(command, take_over)
        return self.current

    def _pose_command(self, recipe: Mapping[str, Any], run: int | None) -> Command:
        if self._verbs.poser is None:
            raise ValueError("this session was made without a poser, so its problem can't be posed anew")
        about = {} if run is None else {"run": run}
        return {"verb": "pose", "recipe": dict(recipe), **about}

    def rewind(self, position: int) -> Snapshot:
        """Go to any snapshot of the timeline, back or forth; the next verb goes on from there."""
        return self._commit({"verb": "rewind", "to": int(position)})

    def undo(self) -> Snapshot:
        """Take the last verb back (a run as a whole); nothing happens where there is none."""
        return self._commit({"verb": "undo"}) if self.can_undo else self.current

    def redo(self) -> Snapshot:
        """Do again what was taken back last."""
        return self._commit({"verb": "redo"}) if self.can_redo else self.current

    def propose(self, strategy: Strategy | str = "UncertaintyQueries", n: int = 1) -> tuple[Query, ...]:
        """Let a strategy put `n` questions; they wait in `pending`."""
        self._commit(_proposal(strategy, n))
        return self.pending

    async def apropose(self, strategy: Strategy | str = "UncertaintyQueries", n: int = 1) -> tuple[Query, ...]:
        """As `propose`, worked out in the worker thread; dropped if anything was said or done meanwhile."""
        command, before, dialogue = _proposal(strategy, n), self.current, self._timeline.dialogue
        take_over = await aside(self._verbs.work_out, command)
        if self.current is before and self._timeline.dialogue is dialogue:
            self._take(command, take_over)
        return self.pending

    def answer(self, query: Query, answer: str | int, *, weight: float = 1.0) -> Snapshot:
        """Answer a question: "same" or "different" about a pair, a cluster (from 0) about one sample."""
        answer = _checked_answer(query, answer)
        return self._commit(
            {"verb": "answer", "samples": list(query.samples), "answer": answer, "weight": float(weight)}
        )

    def reject(self, query: Query) -> Snapshot:
        """Set a question aside: don't know. It is not asked again."""
        return self._commit({"verb": "reject", "samples": list(query.samples)})

    # ------------------------------------------------------------------ doing: a verb is a command, done or replayed

    def _commit(self, command: Command) -> Snapshot:
        """Carry out a command."""
        self._take(command, self._verbs.work_out(command))
        return self.current

    def _take(self, command: Command, take_over: TakeOver) -> None:
        """Write a command that was worked out to the journal, take it over, tell all who watch."""
        before = self.current
        if self._journal is not None:
            self._journal.write(command)
        self._remember(command)
        take_over()
        self.changed.emit(before, self.current)

    def _take_step(self, command: Command, snapshot: Snapshot) -> None:
        timeline = self._timeline
        self._take(command, lambda: timeline.commit(snapshot, timeline.dialogue, command["run"]))

    def _remember(self, command: Command) -> None:
        self._commands.append(command)
        self._run = max(self._run, command.get("run", 0))

    def _step_limit(self, max_steps: int | None) -> int:
        return self.solver.max_iter if max_steps is None else max_steps  # type: ignore[attr-defined]

    def new_run(self) -> int:
        """A number for verbs that are to be undone as one."""
        return self._run + 1

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

    # ------------------------------------------------------------------ keeping

    @property
    def saved_at(self) -> float | None:
        """When the last verb was written to the journal, in seconds since the epoch; None where there is no journal."""
        return None if self._journal is None else self._journal.written_at

    def to_code(self) -> str:
        """A short script that, run alone, gives the same labels."""
        return to_code(self)

    def to_json(self) -> dict[str, Any]:
        """The whole session as a JSON-ready dictionary."""
        return to_document(self.data, list(self._commands))

    def save(self, path: str | Path) -> Path:
        """Write the session to one JSON file."""
        path = Path(path)
        write_document(self.to_json(), path)
        return path

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Session:
        """Read a session that `save` wrote, and replay it to where it was."""
        path = Path(path)
        document = read_document(path)
        return cls.from_json(document, where=str(path), **options)

    @classmethod
    def from_json(cls, document: Any, *, where: str = "this document", **options: Any) -> Session:
        """The inverse of `to_json`."""
        data, commands = from_document(document, where)
        return cls._replayed(data, commands, lambda place: f"{where}: command {place}", **options)

    @classmethod
    def open(cls, folder: str | Path, **options: Any) -> Session:
        """Open the session whose journal is in `folder`, as it was left, and go on writing there."""
        journal = Journal(folder)
        data, commands = journal.read()
        session = cls._replayed(data, commands, journal.place_of, **options)
        session._journal = journal
        return session

    @classmethod
    def _replayed(
        cls, data: Dataset, commands: list[Command], place_of: Callable[[int], str], **options: Any
    ) -> Session:
        """Do all commands again."""
        place = 0
        try:
            if not commands or commands[0].get("verb") != "open":
                raise ValueError("a session begins with 'open'")
            first = commands[0]
            session = cls(data, unpack_estimator(first["solver"], solvers), seed=first["seed"], **options)
            for place, command in enumerate(commands[1:], 1):  # noqa: B007 (the error names the place)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # they were given when it was first done
                    take_over = session._verbs.work_out(command)
                session._remember(command)
                take_over()
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{place_of(place)} can't be replayed: {what}") from None
        return session

    def close(self) -> None:
        """Let go of the journal file."""
        if self._journal is not None:
            self._journal.close()


def _proposal(strategy: Strategy | str, n: int) -> Command:
    if n < 1:
        raise ValueError(f"ask for at least one question, got n={n}")
    strategy = strategies.get(strategy)() if isinstance(strategy, str) else strategy
    return {"verb": "propose", "strategy": pack_estimator(strategy), "n": int(n)}


def _seed_of(solver: Solver) -> int:
    """The seed that `fit` would draw, so that a session retraces a fit."""
    random_state = getattr(solver, "random_state", None)
    return 0 if random_state is None else int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _checked_answer(query: Query, answer: Any) -> str | int:
    """The answer, ready for JSON, or an error that says what would be one."""
    if query.kind == "pair":
        if answer not in ("same", "different"):
            raise ValueError(f"a question about a pair is answered by 'same' or 'different', got {answer!r}")
        return str(answer)
    if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or answer < 0:
        raise ValueError(f"a question about a label is answered by a cluster number from 0, got {answer!r}")
    return int(answer)
