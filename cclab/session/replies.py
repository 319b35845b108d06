"""Commands of the dialogue with oracles: answers of any kind and number, and questions that are put by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cclab.core import ConstraintSet
from cclab.core.constraints.statement import argument, from_json, runs, to_json
from cclab.oracles.answers import Answer, checked_verdict
from cclab.oracles.meaning import confidence_for, replaced, statements
from cclab.queries.base import Query
from cclab.session.commands import Answer as Said
from cclab.session.commands import Command, Reject, Stating, read_query, settled
from cclab.session.history import History, Moment
from cclab.session.outcome import Written
from cclab.session.statements import Change

Heard = Sequence[tuple[Query, Answer]]


@dataclass(frozen=True)
class Reply(Stating):
    """Answer questions of any kind, all at once: stated, undone and replayed as one.

    Attributes
    ----------
    replies : list of dict
        What was asked and answered: ``kind, samples, verdict, confidence, note, source``.
    statements : list of dict
        What that meant when it was said: a later version may weigh answers otherwise.
    """

    verb = "reply"
    replies: list[dict[str, Any]]
    statements: list[Change]

    @classmethod
    def to(cls, heard: Heard, known: ConstraintSet, named: dict[str, int], source: str) -> Reply:
        """What answers mean, given what is known and which names were given before."""
        gone: list[int] = []
        made, replies = [], []
        named = dict(named)
        for query, answer in heard:
            if query.again:
                gone += replaced(known, query)
            made += statements(query, answer, source=source, named=named)
            if query.kind == "name" and answer.is_sure:
                named.setdefault(str(answer.verdict), query.samples[0])
            verdict = list(answer.verdict) if isinstance(answer.verdict, tuple) else answer.verdict
            replies.append(
                {
                    "kind": query.kind,
                    "samples": list(query.samples),
                    "verdict": verdict,
                    "confidence": answer.confidence,
                    "note": answer.note,
                    "source": source,
                }
            )
        changes: list[Change] = [{"kind": "forget", "ids": sorted(set(gone))}] if gone else []
        return cls(replies, [*changes, *to_json(made)])

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        dialogue = moment.dialogue
        for reply in self.replies:
            dialogue = settled(dialogue, tuple(reply["samples"]))
        return replace(super().prepare(moment, history, written), dialogue=dialogue)

    def as_code(self, n_samples: int) -> str:
        """All of it in one call, so that the solver hears it at once too."""
        known = "session.constraints"
        for change in self.statements:
            if change["kind"] == "forget":
                known += f".without({change['ids']})"
        for run in runs(from_json([c for c in self.statements if c["kind"] != "forget"], n_samples)):
            name, value = argument(run)
            given = ", ".join(map(repr, value)) if name == "separation" else repr(value)
            weights = [statement.weight for statement in run]
            weight = weights[0] if len(set(weights)) == 1 else weights
            known += f".with_{name}({given}, weight={weight}, source={run[0].source!r})"
        return f"session.constrain(constraints={known})"


@dataclass(frozen=True)
class Put(Command):
    """Put these questions: what a person should look at again, or what an oracle was unsure of."""

    verb = "put"
    said = False
    queries: list[list[Any]]

    @classmethod
    def of(cls, queries: Iterable[Query]) -> Put:
        """The command that puts these questions."""
        return cls([[q.kind, list(q.samples), q.reason, float(q.score), q.again] for q in queries])

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        queries = tuple(read_query(*query) for query in self.queries)
        if written is None:  # else those that are still open are checked in the end: no problem is posed for others
            n = moment.constraints.n_samples
            beyond = [sample for query in queries for sample in query.samples if sample >= n]
            if beyond:
                raise ValueError(f"a question is about sample {beyond[0]}, but samples run from 0 to {n - 1}")
        return replace(moment, dialogue=replace(moment.dialogue, pending=queries))

    def commit(self, moment: Moment, history: History) -> None:
        history.dialogue = moment.dialogue


def names_given(commands: Iterable[Command]) -> dict[str, int]:
    """The first sample of each name that was given in answer to a question."""
    named: dict[str, int] = {}
    for command in commands:
        for reply in command.replies if isinstance(command, Reply) else ():
            if reply["kind"] == "name":
                named.setdefault(str(reply["verdict"]), int(reply["samples"][0]))
    return named


def answer_in(commands: Sequence[Command], query: Query) -> Answer | None:
    """The last answer to a question among commands; unsure where it was set aside."""
    for command in reversed(commands):
        match command:
            case Said(samples, verdict, weight) if tuple(samples) == query.samples:
                return Answer(verdict, confidence_for(query, weight))
            case Reject(samples) if tuple(samples) == query.samples:
                return Answer.unsure()
            case Reply(replies):
                for reply in replies:
                    if tuple(reply["samples"]) == query.samples and reply["kind"] == query.kind:
                        return Answer(checked_verdict(query, reply["verdict"]), reply["confidence"], reply["note"])
    return None
