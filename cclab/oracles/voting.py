"""`Panel`: several oracles are asked; votes and agreement become the confidence."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.oracles.answers import Answer, Oracle
from cclab.oracles.dawid_skene import Consensus, consensus
from cclab.oracles.guarded import Guarded
from cclab.queries.base import Query

#: Nobody is surer than this.
SUREST = 0.999


@dataclass
class _Ballot:
    """All votes on questions of one kind: a row for each question, of a group for each of its samples."""

    categories: list[Hashable] = field(default_factory=list)
    rows: dict[Hashable, list[int]] = field(default_factory=dict)

    def number(self, category: Hashable) -> int:
        if category not in self.categories:
            self.categories.append(category)
        return self.categories.index(category)


class Panel(Oracle):
    """Several oracles, each asked every question. Who is reliable is found from how they agree (Dawid and Skene).

    All votes so far count, so confidences become better the more is asked; `answers` looks at all its questions at
    once. A member that is unsure, or fails, does not vote. Where all are unsure, so is the panel.

    Parameters
    ----------
    members : sequence of Oracle, or mapping from names to oracles
    name : str

    Attributes
    ----------
    members : dict of str to Oracle

    Examples
    --------
    >>> from cclab.oracles import Truth
    >>> target = np.array([0, 0, 1, 1])
    >>> panel = Panel({"ann": Truth(target), "bob": Truth(target), "cy": Truth(1 - target[[0, 2, 1, 3]])})
    >>> panel.answer(Query.pair(0, 1, "", 0)).verdict
    'same'
    """

    def __init__(self, members: Sequence[Oracle] | Mapping[str, Oracle], *, name: str = "panel") -> None:
        named = members if isinstance(members, Mapping) else _named(members)
        if not named:
            raise ValueError("a panel needs at least one member")
        for label, member in named.items():
            if not isinstance(member, Oracle):
                raise TypeError(f"member {label} is no Oracle but {type(member).__name__}; wrap it in Function(...)")
        self.members = dict(named)
        self.name = name
        self.batch = max(member.batch for member in self.members.values())
        self._ballots: dict[str, _Ballot] = {}

    @property
    def exhausted(self) -> str:
        """Why nobody answers any more."""
        reasons = [member.exhausted for member in self.members.values()]
        return "; ".join(reasons) if all(reasons) else ""

    def answer(self, query: Query, data: Any = None) -> Answer:
        """What the members agree on."""
        return self.answers([query], data)[0]

    def answers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """What the members agree on, question by question, by all votes there are."""
        members = [Guarded(member, name) for name, member in self.members.items()]
        votes = [member.answers(queries, data) for member in members]
        if not any(votes) and all(member.failure for member in members):
            raise RuntimeError("; ".join(member.failure for member in members))
        for member, given in zip(members, votes):
            given += [Answer.unsure(member.failure)] * (len(queries) - len(given))
        for query, said in zip(queries, zip(*votes)):
            self._count(query, said)
        posteriors = {kind: self._posterior(kind) for kind in {query.kind for query in queries}}
        return [self._judged(query, said, posteriors[query.kind]) for query, said in zip(queries, zip(*votes))]

    def _posterior(self, kind: str) -> dict[Hashable, NDArray[np.float64]]:
        return dict(zip(self._ballots[kind].rows, self.consensus(kind).posterior))

    def consensus(self, kind: str = "pair") -> Consensus:
        """Who is reliable about questions of a kind, by all votes there are."""
        ballot = self._ballots.get(kind, _Ballot())
        rows = np.array(list(ballot.rows.values()), dtype=np.int64).reshape(-1, len(self.members))
        return consensus(rows, max(len(ballot.categories), 2))

    @property
    def reliability(self) -> dict[str, float]:
        """How often each member is right, over all kinds of questions; .75 of those who have not voted."""
        counts, right = 1e-9, np.zeros(len(self.members))
        for kind, ballot in self._ballots.items():
            right = right + len(ballot.rows) * self.consensus(kind).reliability
            counts += len(ballot.rows)
        known = right / counts if counts > 1 else np.full(len(self.members), 0.75)
        return dict(zip(self.members, known.round(4).tolist()))

    # ------------------------------------------------------------------ votes

    def _count(self, query: Query, said: Sequence[Answer]) -> None:
        ballot = self._ballots.setdefault(query.kind, _Ballot(list(_FIXED.get(query.kind, ()))))
        for item in _items(query):
            ballot.rows[item] = [ballot.number(_vote(query, item, answer)) if answer.is_sure else -1 for answer in said]

    def _judged(self, query: Query, said: Sequence[Answer], posterior: Mapping[Hashable, NDArray]) -> Answer:
        voting = [(name, answer) for name, answer in zip(self.members, said) if answer.is_sure]
        if not voting:
            notes = [f"{name}: {answer.note}" for name, answer in zip(self.members, said) if answer.note]
            return Answer.unsure("; ".join(notes) or "nobody knows")
        rows = [posterior[item] for item in _items(query)]
        best = [self._ballots[query.kind].categories[int(row.argmax())] for row in rows]
        sure = float(min(np.mean([row.max() for row in rows]), SUREST))
        verdict: Any = best[0]
        if query.kind == "group":
            verdict = tuple(i for i, outside in zip(query.samples, best) if outside)
        agree = [name for name, answer in voting if answer.verdict == verdict]
        note = f"{len(agree)} of {len(voting)} agree"
        against = [name for name, _ in voting if name not in agree]
        return Answer(verdict, sure, note + (f"; not {', '.join(against)}" if against else ""))


_FIXED: dict[str, tuple[Hashable, ...]] = {
    "pair": ("same", "different"),
    "triplet": ("b", "c"),
    "group": (False, True),
}


def _items(query: Query) -> list[Hashable]:
    return [(query.samples, i) for i in query.samples] if query.kind == "group" else [query.samples]


def _vote(query: Query, item: Any, answer: Answer) -> Hashable:
    if query.kind == "group":
        assert isinstance(answer.verdict, tuple)
        return item[1] in answer.verdict
    return answer.verdict


def _named(members: Sequence[Oracle]) -> dict[str, Oracle]:
    """Members by their names; those of the same name are counted."""
    named: dict[str, Oracle] = {}
    for member in members:
        name = base = getattr(member, "name", type(member).__name__)
        number = 1
        while name in named:
            number += 1
            name = f"{base} {number}"
        named[name] = member
    return named
