"""`Guarded`: an oracle that fails says so in words, and what it has said is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cclab.oracles.answers import Answer, Oracle, read_answer
from cclab.queries.base import Query


class Guarded(Oracle):
    """Any oracle, asked so that nothing it raises or leaves out ends more than its answers.

    Parameters
    ----------
    oracle : Oracle
    name : str, optional
        What it is called here; default: its own name.

    Attributes
    ----------
    failure : str
        What went wrong, in words; "" as long as nothing has.
    """

    def __init__(self, oracle: Oracle, name: str = "") -> None:
        self.oracle = oracle
        self.name = name or oracle.name
        self.batch = oracle.batch
        self.failure = ""

    @property
    def exhausted(self) -> str:
        """That it has failed, or what the oracle says of itself."""
        return self.failure or self.oracle.exhausted

    def answer(self, query: Query, data: Any = None) -> Answer:
        """As the oracle says; unsure, with the reason as the note, where it fails."""
        return next(iter(self.answers([query], data)), Answer.unsure(self.failure))

    def answers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """As the oracle says, up to where it fails."""
        given: list[Answer] = []
        try:
            for query, said in zip(queries, self._said(queries, data)):
                given.append(read_answer(query, said))
        except Exception as error:
            self.failure = f"{self.name} failed: {type(error).__name__}: {error}"[:300]
        else:
            if len(given) < len(queries):
                self.failure = f"{self.name} failed: it gave {len(given)} answers to {len(queries)} questions"
        return given

    def _said(self, queries: Sequence[Query], data: Any) -> Iterable[Any]:
        if type(self.oracle).answers is Oracle.answers:  # then each answer can be kept before the next is asked for
            return (self.oracle.answer(query, data) for query in queries)
        return self.oracle.answers(queries, data)
