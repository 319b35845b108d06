"""`review`: an oracle has answered in bulk; what is sure is stated, and the rest is for a person to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cclab.core import ConstraintSet, Statement
from cclab.core.words import counted
from cclab.oracles.answers import Answer
from cclab.oracles.meaning import statements
from cclab.queries.base import Query
from cclab.queries.consequences import Consequences

#: Answers that are less sure than this are for a person to look at.
SURE_ENOUGH = 0.75


@dataclass(frozen=True)
class Review:
    """What came of many answers.

    Attributes
    ----------
    stated : tuple of (Query, Answer)
        What can be stated.
    eye : tuple of Query
        What a person should look at, each with the reason.
    by : str
        Who answered.
    """

    stated: tuple[tuple[Query, Answer], ...]
    eye: tuple[Query, ...]
    by: str

    def __str__(self) -> str:
        total = len(self.stated) + len(self.eye)
        wants = (
            f"{len(self.eye)} {'wants' if len(self.eye) == 1 else 'want'} your eye"
            if self.eye
            else "none wants your eye"
        )
        return f"{counted(total, 'question')} answered by {self.by}; {wants}"


def review(
    queries: Sequence[Query],
    answers: Sequence[Answer],
    known: ConstraintSet,
    *,
    by: str = "oracle",
    sure_enough: float = SURE_ENOUGH,
) -> Review:
    """Tell answers that can be stated from those that are unsure, or contradict what is known or a surer answer.

    Parameters
    ----------
    queries : sequence of Query
    answers : sequence of Answer
        One to each of them.
    known : ConstraintSet
        What is known already.
    by : str
        Who answered.
    sure_enough : float
        Answers of less confidence are unsure.

    Examples
    --------
    >>> queries = [Query.pair(0, 1, "", 0), Query.pair(1, 2, "", 0), Query.pair(0, 2, "", 0)]
    >>> answers = [Answer("same"), Answer("same"), Answer("different", 0.9)]
    >>> found = review(queries, answers, ConstraintSet(3), by="rules")
    >>> print(found)
    3 questions answered by rules; 1 wants your eye
    >>> found.eye[0].reason
    'rules says different, 90 % sure, which contradicts what is known.'
    """
    if len(queries) != len(answers):
        raise ValueError(f"{len(queries)} questions, but {len(answers)} answers")
    follows = Consequences.of(known)
    stated: dict[int, tuple[Query, Answer]] = {}
    eye: dict[int, Query] = {}
    named: dict[str, int] = {}
    # The surest first: of two that contradict each other the surer one is stated.
    for at in sorted(range(len(queries)), key=lambda at: -answers[at].confidence):
        query, answer = queries[at], answers[at]
        said = _said(answer)
        if not answer.is_sure:
            why = f": {answer.note.rstrip('.')}" if answer.note else ""
            eye[at] = replace(query, reason=f"{by} does not know{why}.")
        elif answer.confidence < sure_enough:
            eye[at] = replace(query, reason=f"{by} says {said}, but is only {100 * answer.confidence:.0f} % sure.")
        else:
            made = statements(query, answer, source=by, named=named)
            if any(_contradicts(follows, statement) for statement in made):
                why = f"{by} says {said}, {100 * answer.confidence:.0f} % sure, which contradicts what is known."
                eye[at] = replace(query, reason=why, again=True)
                continue
            for statement in made:
                _hear(follows, statement)
            if query.kind == "name":
                named.setdefault(str(answer.verdict), query.samples[0])
            stated[at] = query, answer
    return Review(tuple(stated[at] for at in sorted(stated)), tuple(eye[at] for at in sorted(eye)), by)


def _said(answer: Answer) -> str:
    if isinstance(answer.verdict, tuple):
        return "all belong" if not answer.verdict else f"{', '.join(map(str, answer.verdict))} do not belong"
    return str(answer.verdict)


def _contradicts(follows: Consequences, said: Statement) -> bool:
    first, *rest = said.samples
    match said.kind:
        case "must" | "group":
            return any(follows.apart(i, j) for at, i in enumerate(said.samples) for j in said.samples[:at])
        case "cannot":
            return follows.together(first, rest[0])
        case "separation":
            return any(follows.together(i, j) for i in said.samples for j in said.others)
    return False


def _hear(follows: Consequences, said: Statement) -> None:
    match said.kind:
        case "must" | "group":
            follows.join(said.samples)
        case "cannot":
            follows.keep_apart(said.samples[:1], said.samples[1:])
        case "separation":
            follows.keep_apart(said.samples, said.others)
