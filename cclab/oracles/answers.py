"""What an oracle says, `Answer`, and who says it, `Oracle`; and how answers of programs are read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from cclab.queries.base import Query

#: The verdict of an oracle that does not know.
UNSURE = "unsure"

#: What may be answered to a question of each kind, for a person.
VERDICTS = {
    "pair": "'same' or 'different'",
    "triplet": "'b' or 'c'",
    "group": "a list of the samples that do not belong",
    "label": "the number of a cluster, from 0",
    "name": "a word",
}
_SPELLINGS = {
    "pair": dict.fromkeys(("same", "yes", "true"), "same") | dict.fromkeys(("different", "no", "false"), "different"),
    "triplet": {"b": "b", "first": "b", "c": "c", "second": "c"},
}
_DONT_KNOW = {"unsure", "unknown", "don't know", "dont know", "none", ""}


class Nonsense(ValueError):
    """An answer that is none."""


@dataclass(frozen=True)
class Answer:
    """What an oracle says to a question. A value.

    Attributes
    ----------
    verdict : str, int or tuple of int
        About a pair "same" or "different"; about a triplet "b" or "c", whichever is closer to the first sample; about a
        group the samples that do not belong; about a label a cluster, from 0; about a name a word. Or "unsure".
    confidence : float in [0, 1]
        The probability that the verdict is right, as the oracle sees it.
    note : str
        Why, in words.

    Examples
    --------
    >>> Answer("same", 0.9).is_sure
    True
    """

    verdict: str | int | tuple[int, ...]
    confidence: float = 1.0
    note: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.confidence, Real) or not 0 <= self.confidence <= 1:
            raise Nonsense(f"a confidence is a number from 0 to 1, got {self.confidence!r:.40}")
        object.__setattr__(self, "confidence", float(self.confidence))

    @property
    def is_sure(self) -> bool:
        """Whether anything was said."""
        return self.verdict != UNSURE

    @classmethod
    def unsure(cls, note: str = "") -> Answer:
        """Don't know."""
        return cls(UNSURE, 0.0, note)


class Oracle(ABC):
    """Who answers: the truth, a person, a program, a panel of them. A subclass gives `answer`.

    Attributes
    ----------
    name : str
        What statements that come of its answers have as their source.
    batch : int
        How many questions it likes to be asked at once.
    """

    name: str = "oracle"
    batch: int = 1

    @abstractmethod
    def answer(self, query: Query, data: Any = None) -> Answer:
        """What it says to a question about samples of `data` (a `Dataset`, or anything that has an ``X``)."""

    def answers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """What it says to each of the questions, in order."""
        return [self.answer(query, data) for query in queries]

    @property
    def exhausted(self) -> str:
        """Why it answers nothing any more, in words; "" while it does."""
        return ""


def read_answer(query: Query, said: Any) -> Answer:
    """What a program has said, as an answer to this question.

    Parameters
    ----------
    query : Query
    said : Answer, str, bool, int, list, tuple, dict or None
        A verdict; or ``(verdict, confidence)``; or a mapping with ``verdict`` and perhaps ``confidence`` and ``note``,
        also as JSON; None is "unsure". Case and a full stop don't count.

    Raises
    ------
    Nonsense
        With what would have been an answer.

    Examples
    --------
    >>> read_answer(Query.pair(3, 8, "", 0), ("Same.", 0.8))
    Answer(verdict='same', confidence=0.8, note='')
    >>> read_answer(Query.pair(3, 8, "", 0), "perhaps")
    Traceback (most recent call last):
    cclab.oracles.answers.Nonsense: 'perhaps' is no answer to a question about a pair: it is answered by 'same' or \
'different', or by 'unsure'
    """
    if isinstance(said, str) and said.lstrip().startswith("{"):
        try:
            said = json.loads(said)
        except ValueError:
            raise Nonsense(f"{said!r:.60} begins like JSON and is none") from None
    confidence, note = 1.0, ""
    if isinstance(said, Answer):
        said, confidence, note = said.verdict, said.confidence, said.note
    elif isinstance(said, Mapping):
        if "verdict" not in said:
            raise Nonsense(f"an answer has a 'verdict', got {', '.join(map(str, said)) or 'nothing':.60}")
        confidence, note = said.get("confidence", 1.0), str(said.get("note", ""))
        said = said["verdict"]
    elif isinstance(said, tuple) and len(said) in (2, 3) and _is_confidence(said[1]):
        confidence, note = said[1], str(said[2]) if len(said) == 3 else ""
        said = said[0]
    verdict = _verdict(query, said)
    return Answer.unsure(note) if verdict == UNSURE else Answer(verdict, confidence, note)


def checked_verdict(query: Query, verdict: Any) -> str | int | tuple[int, ...]:
    """A verdict in its plain form, or an error that says what would be one."""
    return _verdict(query, verdict)


def _is_confidence(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral | bool)


def _verdict(query: Query, said: Any) -> str | int | tuple[int, ...]:
    word = " ".join(said.strip().rstrip(".!").split()) if isinstance(said, str) else said
    if said is None or (isinstance(word, str) and word.lower() in _DONT_KNOW):
        return UNSURE
    match query.kind:
        case "pair" | "triplet":
            if query.kind == "pair" and isinstance(word, bool):
                return "same" if word else "different"
            if isinstance(word, str) and word.lower() in _SPELLINGS[query.kind]:
                return _SPELLINGS[query.kind][word.lower()]
        case "label":
            if isinstance(word, str) and word.isdecimal():
                return int(word)
            if isinstance(word, Integral) and not isinstance(word, bool) and int(word) >= 0:
                return int(word)
        case "name":
            if isinstance(word, str):
                return word
        case "group":
            if isinstance(word, list | tuple | set | frozenset) or hasattr(word, "tolist"):
                outside = [int(i) if isinstance(i, Integral) else i for i in word]
                strange = [i for i in outside if i not in query.samples]
                if strange:
                    raise Nonsense(f"{strange[0]!r:.40} is none of the samples {', '.join(map(str, query.samples))}")
                return tuple(sorted({int(i) for i in outside}))
    usual = VERDICTS.get(query.kind, "what its strategy says")
    raise Nonsense(
        f"{said!r:.60} is no answer to a question about a {query.kind}: it is answered by {usual}, or by 'unsure'"
    )
