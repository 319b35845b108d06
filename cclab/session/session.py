"""`Session`: what a person and a solver have done together, kept step by step."""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from psygnal import Signal
from sklearn.utils import check_random_state

from cclab.core import ConstraintSet, Partition, Problem, Solver, State
from cclab.core.registry import solvers, strategies
from cclab.datasets import Dataset, load_dataset
from cclab.queries.base import Query, Strategy
from cclab.session.code import to_code
from cclab.session.journal import SCHEMA, Journal, check_schema
from cclab.session.packing import pack_dataset, pack_estimator, unpack_dataset, unpack_estimator
from cclab.session.snapshot import How, Snapshot
from cclab.session.statements import pack_statements, state_all
from cclab.session.timeline import Dialogue, Timeline

log = logging.getLogger(__name__)

Command = dict[str, Any]
TakeOver = Callable[[], Any]
Poser = Callable[[Mapping[str, Any]], tuple[Problem, Solver]]

SESSION_FORMAT = "cclab session"


class Session:
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
        max_bytes: int = 512 * 2**20,
        poser: Poser | None = None,
    ) -> None:
        self.data: Dataset = data if isinstance(data, Dataset) else load_dataset(data)
        self.failures: list[Exception] = []
        self.on_failure: Callable[[Exception], None] | None = None
        self._poser = poser
        self._timeline = Timeline(max_bytes)
        self._journal: Journal | None = None
        self._run = 0
        self._pause: asyncio.Event | None = None
        solver = solvers.get(solver)() if isinstance(solver, str) else solver
        seed = _seed_of(solver) if seed is None else int(seed)
        command = {"verb": "open", "solver": pack_estimator(solver), "seed": seed}
        self._do_open(command)
        if journal is not None:
            self.keep(journal)

    def keep(self, folder: str | Path) -> None:
        """Keep a journal in `folder` from now on, in place of what is there; what was done so far goes first."""
        self._journal = Journal(folder)
        self._journal.begin(self.data)
        for command in self._commands:
            self._journal.write(command)

    # ------------------------------------------------------------------ looking

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
    def saved_at(self) -> float | None:
        """When the last verb was written to the journal, in seconds since the epoch; None where there is no journal."""
        return None if self._journal is None else self._journal.written_at

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
        run = self._new_run()
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

    async def arun(
        self, max_steps: int | None = None, *, pace: Callable[[], Awaitable[None]] | None = None
    ) -> Snapshot:
        """As `run`, each step worked out in one worker thread and taken over on the loop's own.

        Parameters
        ----------
        max_steps : int, optional
        pace : coroutine function, optional
            Awaited after each step: whoever draws says here when the next one may come.

        Notes
        -----
        `pause` ends it at once; the step in flight is dropped. What a person states meanwhile is taken in, and a step
        that was begun before it is dropped too. A second run while one is under way does nothing.
        """
        if self.running:
            return self.current
        limit, run = self._step_limit(max_steps), self._new_run()
        self._pause = asyncio.Event()
        try:
            done = 0
            while done < limit and not self._pause.is_set():
                base, command = self.current, {"verb": "step", "run": run}
                work = asyncio.get_running_loop().run_in_executor(_worker(), self.stepped, base, command)
                pause: asyncio.Future[Any] = asyncio.ensure_future(self._pause.wait())
                await asyncio.wait([work, pause], return_when=asyncio.FIRST_COMPLETED)
                pause.cancel()
                if self._pause.is_set():
                    work.add_done_callback(_drop)
                    break
                snapshot = work.result()
                if self.current is not base:
                    continue
                self._record(command)
                self._timeline.commit(snapshot, self._timeline.dialogue, run)
                self._tell(base)
                done += 1
                if self.converged:
                    break
                if pace is not None:
                    await pace()
        finally:
            self._pause = None
        return self.current

    @property
    def running(self) -> bool:
        """Whether `arun` is under way."""
        return self._pause is not None

    def pause(self) -> None:
        """End `arun` at once; the step in flight is dropped."""
        if self._pause is not None:
            self._pause.set()

    def restart(self) -> Snapshot:
        """Start anew from the next random start, with the same knowledge."""
        return self._commit({"verb": "restart", "restart": self.state.restart + 1})

    def switch(self, solver: Solver | str) -> Snapshot:
        """Start anew with another solver, or with other parameters."""
        solver = solvers.get(solver)() if isinstance(solver, str) else solver
        return self._commit({"verb": "switch", "solver": pack_estimator(solver)})

    def pose(self, recipe: Mapping[str, Any]) -> Snapshot:
        """Start anew on the problem that the session's poser makes from a recipe."""
        if self._poser is None:
            raise ValueError("this session was made without a poser, so its problem can't be posed anew")
        return self._commit({"verb": "pose", "recipe": dict(recipe)})

    def rewind(self, position: int) -> Snapshot:
        """Go to any snapshot of the timeline, back or forth; the next verb goes on from there."""
        if not 0 <= position < len(self._timeline.snapshots):
            raise ValueError(f"there are snapshots 0 to {len(self._timeline.snapshots) - 1}, not {position}")
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
        take_over = await asyncio.get_running_loop().run_in_executor(_worker(), self._work_out, command)
        if self.current is before and self._timeline.dialogue is dialogue:
            self._record(command)
            take_over()
            self._tell(before)
        return self.pending

    def answer(self, query: Query, answer: str | int, *, weight: float = 1.0) -> Snapshot:
        """Answer a question: "same" or "different" about a pair, a cluster (from 0) about one sample."""
        _check_answer(query, answer)
        return self._commit(
            {"verb": "answer", "samples": list(query.samples), "answer": answer, "weight": float(weight)}
        )

    def reject(self, query: Query) -> Snapshot:
        """Set a question aside: don't know. It is not asked again."""
        return self._commit({"verb": "reject", "samples": list(query.samples)})

    # ------------------------------------------------------------------ doing: a verb is a command, done or replayed

    def _commit(self, command: Command) -> Snapshot:
        """Carry out a command: work it out, write it to the journal, take it over, tell all who watch."""
        before = self.current
        take_over = self._work_out(command)
        self._record(command)
        take_over()
        self._tell(before)
        return self.current

    def _record(self, command: Command) -> None:
        if self._journal is not None:
            self._journal.write(command)
        self._commands.append(command)

    def _work_out(self, command: Command) -> TakeOver:
        """All that can fail about a command, with no effect yet; calling the result takes it over."""
        work = getattr(self, f"_do_{command.get('verb')}", None)
        if work is None or command["verb"] == "open":
            raise ValueError(f"unknown verb {command.get('verb')!r}")
        return work(command)

    def _do_open(self, command: Command) -> None:
        solver = unpack_estimator(command["solver"], solvers)
        self._commands: list[Command] = [command]
        problem = Problem(self.data.X, seed=command["seed"])
        solver.check(problem)
        self._timeline.commit(self._started(problem, solver, command), Dialogue())

    def _started(self, problem: Problem, solver: Solver, command: Command, restart: int = 0) -> Snapshot:
        state = solver.start(solver.adapt(problem), restart)
        previous = self.current if self._timeline.snapshots else None
        return Snapshot(problem, solver, "start", previous, command, state)

    def _taking(self, snapshot: Snapshot | None, dialogue: Dialogue | None = None, run: Any = None) -> TakeOver:
        dialogue = self._timeline.dialogue if dialogue is None else dialogue
        return lambda: self._timeline.commit(snapshot, dialogue, run)

    def _do_step(self, command: Command) -> TakeOver:
        return self._taking(self.stepped(self.current, command), run=command.get("run"))

    @staticmethod
    def stepped(base: Snapshot, command: Command) -> Snapshot:
        """The snapshot one step after `base`. Pure, so it can be worked out in any thread."""
        state = base.solver.step(base.solver.adapt(base.problem), base.state)
        return Snapshot(base.problem, base.solver, "step", base, command, state)

    def _do_constrain(self, command: Command) -> TakeOver:
        return self._taking(self._rebased(state_all(self.constraints, command["statements"]), command))

    def _rebased(self, constraints: ConstraintSet, command: Command) -> Snapshot:
        base = self.current
        problem = base.problem.with_constraints(constraints)
        base.solver.warn(problem)
        state = base.solver.rebase(base.solver.adapt(base.problem), base.solver.adapt(problem), base.state)
        how: How = "rebase"
        return Snapshot(problem, base.solver, how, base, command, state)

    def _do_restart(self, command: Command) -> TakeOver:
        return self._taking(self._started(self.problem, self.solver, command, command["restart"]))

    def _do_switch(self, command: Command) -> TakeOver:
        solver = unpack_estimator(command["solver"], solvers)
        solver.check(self.problem)
        solver.warn(self.problem)
        return self._taking(self._started(self.problem, solver, command))

    def _do_pose(self, command: Command) -> TakeOver:
        if self._poser is None:
            raise ValueError("this session poses problems of its own; open it in the app that made it")
        problem, solver = self._poser(command["recipe"])
        solver.check(problem)
        return self._taking(self._started(problem, solver, command))

    def _do_rewind(self, command: Command) -> TakeOver:
        return lambda: setattr(self._timeline, "position", command["to"])

    def _do_undo(self, command: Command) -> TakeOver:
        return self._timeline.undo

    def _do_redo(self, command: Command) -> TakeOver:
        return self._timeline.redo

    def _do_propose(self, command: Command) -> TakeOver:
        strategy = unpack_estimator(command["strategy"], strategies)
        queries = strategy.propose(self.problem, self.state, command["n"], asked=self.asked)
        dialogue = replace(self._timeline.dialogue, pending=tuple(queries))
        return lambda: setattr(self._timeline, "dialogue", dialogue)

    def _do_answer(self, command: Command) -> TakeOver:
        samples, answer = tuple(command["samples"]), command["answer"]
        about = {"weight": command["weight"], "source": "query"}
        known = self.constraints
        if answer == "same":
            known = known.with_must_link([samples], **about)
        elif answer == "different":
            known = known.with_cannot_link([samples], **about)
        else:
            known = known.with_labels({samples[0]: answer}, **about)
        return self._taking(self._rebased(known, command), self._settled(samples))

    def _do_reject(self, command: Command) -> TakeOver:
        samples = tuple(command["samples"])
        dialogue = self._settled(samples)
        return self._taking(None, replace(dialogue, rejected=dialogue.rejected | {samples}))

    def _settled(self, samples: tuple[int, ...]) -> Dialogue:
        dialogue = self._timeline.dialogue
        pending = tuple(q for q in dialogue.pending if q.samples != samples)
        return Dialogue(pending, dialogue.asked | {samples}, dialogue.rejected - {samples})

    def _step_limit(self, max_steps: int | None) -> int:
        return self.solver.max_iter if max_steps is None else max_steps  # type: ignore[attr-defined]

    def _new_run(self) -> int:
        self._run = max([self._run, *(c.get("run", 0) for c in self._commands[-1:])]) + 1
        return self._run

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

    def _tell(self, before: Snapshot) -> None:
        self.changed.emit(before, self.current)

    # ------------------------------------------------------------------ keeping

    def to_code(self) -> str:
        """A short script that, run alone, gives the same labels."""
        return to_code(self)

    def to_json(self) -> dict[str, Any]:
        """The whole session as a JSON-ready dictionary."""
        return {
            "format": SESSION_FORMAT,
            "schema": SCHEMA,
            "data": pack_dataset(self.data),
            "commands": list(self._commands),
        }

    def save(self, path: str | Path) -> Path:
        """Write the session to one JSON file."""
        path = Path(path)
        aside = path.with_name(path.name + ".new")
        aside.write_text(json.dumps(self.to_json()), encoding="utf-8")
        aside.replace(path)
        return path

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Session:
        """Read a session that `save` wrote, and replay it to where it was."""
        path = Path(path)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            raise ValueError(f"{path}{where}: this is no session file ({error})") from None
        return cls.from_json(document, where=str(path), **options)

    @classmethod
    def from_json(cls, document: Any, *, where: str = "this document", **options: Any) -> Session:
        """The inverse of `to_json`."""
        check_schema(document, SESSION_FORMAT, where)
        if not isinstance(document.get("commands"), list) or "data" not in document:
            raise ValueError(f"{where} is damaged: it has no data or no commands")
        return cls._replayed(unpack_dataset(document["data"], where), document["commands"], where, **options)

    @classmethod
    def open(cls, folder: str | Path, **options: Any) -> Session:
        """Open the session whose journal is in `folder`, as it was left, and go on writing there."""
        journal = Journal(folder)
        data, commands = journal.read()
        session = cls._replayed(data, commands, str(folder), **options)
        session._journal = journal
        return session

    @classmethod
    def _replayed(cls, data: Dataset, commands: list[Command], where: str, **options: Any) -> Session:
        """Do all commands again."""
        done = 0
        try:
            first = commands[0]
            if first.get("verb") != "open":
                raise ValueError("it does not begin with 'open'")
            session = cls(data, unpack_estimator(first["solver"], solvers), seed=first["seed"], **options)
            for command in commands[1:]:
                done += 1
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # they were given when it was first done
                    take_over = session._work_out(command)
                session._commands.append(command)
                take_over()
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"{where}: command {done} can't be replayed: {error}") from None
        return session

    def close(self) -> None:
        """Let go of the journal file."""
        if self._journal is not None:
            self._journal.close()


@cache
def _worker() -> Executor:
    """One thread for all sessions of a process: steps never run side by side."""
    return ThreadPoolExecutor(1, thread_name_prefix="cclab-step")


def _proposal(strategy: Strategy | str, n: int) -> Command:
    strategy = strategies.get(strategy)() if isinstance(strategy, str) else strategy
    return {"verb": "propose", "strategy": pack_estimator(strategy), "n": int(n)}


def _drop(work: asyncio.Future) -> None:
    """Let a step end unseen, without a word about what it raised."""
    if not work.cancelled():
        work.exception()


def _seed_of(solver: Solver) -> int:
    """The seed that `fit` would draw, so that a session retraces a fit."""
    random_state = getattr(solver, "random_state", None)
    return 0 if random_state is None else int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _check_answer(query: Query, answer: Any) -> None:
    if query.kind == "pair" and answer not in ("same", "different"):
        raise ValueError(f"a question about a pair is answered by 'same' or 'different', got {answer!r}")
    if query.kind == "label" and (isinstance(answer, bool) or not isinstance(answer, int | np.integer) or answer < 0):
        raise ValueError(f"a question about a label is answered by a cluster number from 0, got {answer!r}")
