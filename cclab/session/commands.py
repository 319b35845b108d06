"""What each verb does: a command is prepared first, with no effect, and then committed.

A command that was done before, and is read with what it led to, is not done again: its snapshot tells what was written,
and the state is replayed when someone asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from cclab.core import Problem, Solver, Statement
from cclab.core.constraints.statement import to_json
from cclab.core.registry import solvers, strategies
from cclab.datasets import Dataset
from cclab.queries.base import Query, Strategy
from cclab.session.history import Dialogue, History, Moment
from cclab.session.origin import Origin, Setting
from cclab.session.outcome import Written
from cclab.session.renumbering import warn_of_new_numbers
from cclab.session.script import call, changes_line
from cclab.session.snapshot import How, Snapshot
from cclab.session.statements import Change, changed
from cclab.session.storage.serialize import pack_estimator, unpack_estimator

COMMANDS: dict[str, type[Command]] = {}


@dataclass(frozen=True)
class Command:
    """What a person, or a run, wants done; a value whose fields are ready for JSON.

    Attributes
    ----------
    verb : str
    said : bool
        What a person says is on the disk before it takes effect; what can be made again is there soon after.
    tells : bool
        Whether it is written what it led to.
    run : int or None
        Commands of the same run are undone as one.
    """

    verb: ClassVar[str]
    said: ClassVar[bool] = True
    tells: ClassVar[bool] = False

    run: int | None = field(default=None, kw_only=True)

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "verb" in cls.__dict__:
            COMMANDS[cls.verb] = cls

    def to_json(self) -> dict[str, Any]:
        """As it is written to the journal."""
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"verb": self.verb, **{name: value for name, value in named.items() if value is not None}}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`, or an error that says what is missing or not known here."""
        given = {name: value for name, value in written.items() if name != "verb"}
        needed = {f.name: f.default is MISSING for f in fields(cls)}
        for name in given.keys() - needed:
            raise ValueError(f"{cls.verb!r} has no {name!r:.40}; it was written by another version")
        for name in (name for name, is_needed in needed.items() if is_needed and name not in given):
            raise KeyError(name)
        return cls(**given)

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        """All that can fail about doing it at a moment, with no effect yet: the moment that it leads to.

        What was `written` when it was done before is not done again.
        """
        return moment

    def warn(self, before: Snapshot, after: Snapshot) -> None:
        """Warn of what is odd about it, once it is prepared."""

    def commit(self, moment: Moment, history: History) -> None:
        """Let what was prepared take effect."""
        history.commit(self, moment)

    def result(self, moment: Moment) -> dict[str, Any]:
        """What is written of the moment that it led to."""
        raise NotImplementedError

    def as_code(self, n_samples: int) -> str:
        """A line of a script that does the same."""
        raise ValueError(f"a session with the verb {self.verb!r} can't be written as a script; save it as a file")


def read_command(record: Mapping[str, Any], *, first: bool) -> Command:
    """The command that a record tells of."""
    verb = str(record.get("verb"))
    if first and verb != Open.verb:
        raise ValueError("a session begins with 'open'")
    if verb not in COMMANDS or (verb == Open.verb and not first):
        raise ValueError(f"unknown verb {verb!r}")
    return COMMANDS[verb].from_json({name: v for name, v in record.items() if name not in ("result", "versions")})


# ---------------------------------------------------------------------- those that lead to a snapshot


@dataclass(frozen=True)
class Leading(Command):
    """A command that leads to a new snapshot.

    Attributes
    ----------
    how : {"start", "step", "rebase"}
        How its state comes from the one before.
    begins_anew : bool
        Whether the problem and the solver do not depend on those before.
    poses : bool
        Whether they are posed from a recipe.
    """

    tells = True
    how: ClassVar[How] = "start"
    begins_anew: ClassVar[bool] = False
    poses: ClassVar[bool] = False

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        return replace(moment, snapshot=Snapshot(history.origin, self, moment.snapshot, written))

    def setting(self, before: Setting | None, here: Snapshot) -> Setting:
        """The problem and the solver after it, at the snapshot it leads to."""
        assert before is not None
        return before

    def recipe_after(self, before: Any, origin: Origin) -> Any:
        """The recipe after it."""
        return before

    def result(self, moment: Moment) -> dict[str, Any]:
        return moment.snapshot.outcome.to_json()


@dataclass(frozen=True)
class Open(Leading):
    """Begin: the one that no other comes before."""

    verb = "open"
    begins_anew = True
    solver: dict[str, Any]
    seed: int

    def prepare(self, moment: Moment | None, history: History, written: Written | None = None) -> Moment:
        return Moment(Snapshot(history.origin, self, None, written))

    def setting(self, before: Setting | None, here: Snapshot) -> Setting:
        data = here.origin.data
        problem = (
            Problem(data.X, sample_weight=data.sample_weight, seed=self.seed)
            if isinstance(data, Dataset)
            else data.begin()[0]
        )
        return checked_setting(problem, unpack_estimator(self.solver, solvers))

    def as_code(self, n_samples: int) -> str:
        return f"session = Session(data, {call(self.solver)}, seed={self.seed})"


@dataclass(frozen=True)
class Step(Leading):
    """One step of the solver."""

    verb = "step"
    how = "step"
    said = False

    def as_code(self, n_samples: int) -> str:
        return "session.step()"


@dataclass(frozen=True)
class Restart(Leading):
    """Start anew from another random start."""

    verb = "restart"
    restart: int

    def as_code(self, n_samples: int) -> str:
        return "session.restart()"


@dataclass(frozen=True)
class Switch(Leading):
    """Start anew with another solver."""

    verb = "switch"
    solver: dict[str, Any]

    @classmethod
    def to(cls, solver: Solver | str) -> Switch:
        """The command that takes this solver."""
        return cls(packed(solver, solvers))

    def setting(self, before: Setting | None, here: Snapshot) -> Setting:
        assert before is not None
        return checked_setting(before[0], unpack_estimator(self.solver, solvers))

    def warn(self, before: Snapshot, after: Snapshot) -> None:
        after.solver.warn(after.problem)

    def as_code(self, n_samples: int) -> str:
        return f"session.switch({call(self.solver)})"


def checked_setting(problem: Problem, solver: Solver) -> Setting:
    """Both, where the solver can work on the problem."""
    solver.check(problem)
    return problem, solver


class Stating(Leading):
    """A command that states something, or forgets it; the solver goes on from where it is."""

    how = "rebase"
    statements: list[Change]

    def setting(self, before: Setting | None, here: Snapshot) -> Setting:
        assert before is not None
        problem, solver = before
        return problem.with_constraints(changed(problem.constraints, self.statements)), solver

    def warn(self, before: Snapshot, after: Snapshot) -> None:
        after.solver.warn(after.problem)
        warn_of_new_numbers(before, after.problem)

    def as_code(self, n_samples: int) -> str:
        return changes_line(self.statements, n_samples)


@dataclass(frozen=True)
class Constrain(Stating):
    """State something, or forget it."""

    verb = "constrain"
    statements: list[Change]


@dataclass(frozen=True)
class Answer(Stating):
    """Answer a question: "same" or "different" about a pair, a cluster about one sample."""

    verb = "answer"
    samples: list[int]
    answer: str | int
    weight: float

    @classmethod
    def to(cls, query: Query, answer: Any, weight: float) -> Answer:
        """The answer to a question, or an error that says what would be one."""
        if query.kind == "pair":
            if answer not in ("same", "different"):
                raise ValueError(f"a question about a pair is answered by 'same' or 'different', got {answer!r}")
            answer = str(answer)
        elif isinstance(answer, bool) or not isinstance(answer, int | np.integer) or answer < 0:
            raise ValueError(f"a question about a label is answered by a cluster number from 0, got {answer!r}")
        else:
            answer = int(answer)
        return cls(list(query.samples), answer, float(weight))

    @property
    def statements(self) -> list[Change]:  # type: ignore[override]
        """What the answer states."""
        if self.answer in ("same", "different"):
            said = Statement("must" if self.answer == "same" else "cannot", tuple(self.samples))
        else:
            said = Statement("label", (self.samples[0],), clusters=(int(self.answer),))
        return [*to_json([replace(said, weight=self.weight, source="query")])]

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        dialogue = settled(moment.dialogue, tuple(self.samples))
        return replace(super().prepare(moment, history, written), dialogue=dialogue)


# ---------------------------------------------------------------------- those that move about


@dataclass(frozen=True)
class Rewind(Command):
    """Go to any snapshot of the timeline."""

    verb = "rewind"
    said = False
    to: int

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        n = len(history.snapshots)
        if not isinstance(self.to, int) or not 0 <= self.to < n:
            raise ValueError(f"there are snapshots 0 to {n - 1}, not {self.to}")
        return replace(moment, snapshot=history.snapshots[self.to])

    def commit(self, moment: Moment, history: History) -> None:
        history.rewind(self.to)


@dataclass(frozen=True)
class Undo(Command):
    """Take the last verb back."""

    verb = "undo"

    def commit(self, moment: Moment, history: History) -> None:
        history.undo()


@dataclass(frozen=True)
class Redo(Command):
    """Do again what was taken back last."""

    verb = "redo"

    def commit(self, moment: Moment, history: History) -> None:
        history.redo()


# ---------------------------------------------------------------------- those of the dialogue


@dataclass(frozen=True)
class Propose(Command):
    """Let a strategy put `n` questions."""

    verb = "propose"
    said = False
    tells = True
    strategy: dict[str, Any]
    n: int

    @classmethod
    def by(cls, strategy: Strategy | str, n: int) -> Propose:
        """The command that lets this strategy ask."""
        return cls(packed(strategy, strategies), int(n))

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        if written is not None:
            queries = tuple(read_query(*query) for query in written.result["queries"])
        else:
            if not isinstance(self.n, int) or self.n < 1:
                raise ValueError(f"ask for at least one question, got n={self.n}")
            here, strategy = moment.snapshot, unpack_estimator(self.strategy, strategies)
            queries = tuple(strategy.propose(here.problem, here.state, self.n, asked=moment.dialogue.asked))
        return replace(moment, dialogue=replace(moment.dialogue, pending=queries))

    def commit(self, moment: Moment, history: History) -> None:
        history.dialogue = moment.dialogue

    def result(self, moment: Moment) -> dict[str, Any]:
        return {"queries": [[q.kind, list(q.samples), q.reason, q.score] for q in moment.dialogue.pending]}


@dataclass(frozen=True)
class Reject(Command):
    """Set a question aside."""

    verb = "reject"
    samples: list[int]

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        samples = tuple(self.samples)
        dialogue = settled(moment.dialogue, samples)
        return replace(moment, dialogue=replace(dialogue, rejected=dialogue.rejected | {samples}))


def settled(dialogue: Dialogue, samples: tuple[int, ...]) -> Dialogue:
    """The dialogue, once a question is settled."""
    pending = tuple(q for q in dialogue.pending if q.samples != samples)
    return Dialogue(pending, dialogue.asked | {samples}, dialogue.rejected - {samples})


def read_query(kind: str, samples: list[int], reason: str, score: float, again: bool = False) -> Query:
    """A question as it was written."""
    if min(samples) < 0:
        raise ValueError(f"a question is about sample {min(samples)}")
    return Query.of(kind, samples, str(reason), score, again)


def packed(estimator: Any, registry: Any) -> dict[str, Any]:
    """A solver or a strategy, or the name of one, ready for JSON."""
    return pack_estimator(registry.get(estimator)() if isinstance(estimator, str) else estimator)
