"""The verbs of a session that are about questions and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cclab.oracles.answers import Answer, Oracle, checked_verdict
from cclab.oracles.loop import is_settled
from cclab.oracles.meaning import confidence_for, replaced
from cclab.queries.base import Asked, Query, Strategy
from cclab.session import commands
from cclab.session.replies import Put, Reply, answer_in, names_given
from cclab.session.snapshot import Snapshot
from cclab.session.storage.stored import StoredSession


class AskingSession(StoredSession):
    """A session in which questions are put and answered: `Session` adds the other verbs."""

    @property
    def pending(self) -> tuple[Query, ...]:
        """Questions that wait for an answer."""
        return self._history.dialogue.pending

    @property
    def asked(self) -> Asked:
        """Samples of all questions that were answered or set aside."""
        return self._history.dialogue.asked

    @property
    def rejected(self) -> Asked:
        """Samples of the questions that were set aside."""
        return self._history.dialogue.rejected

    @property
    def named(self) -> dict[str, int]:
        """The first sample of each name that was given in answer to a question."""
        return names_given(self._history.standing)

    def propose(self, strategy: Strategy | str = "UncertaintyQueries", n: int = 1) -> tuple[Query, ...]:
        """Let a strategy put `n` questions; they wait in `pending`."""
        self._do(commands.Propose.by(strategy, n))
        return self.pending

    async def apropose(self, strategy: Strategy | str = "UncertaintyQueries", n: int = 1) -> tuple[Query, ...]:
        """As `propose`, worked out in a thread for questions; dropped if anything was said or done meanwhile."""
        await self._runner.once(commands.Propose.by(strategy, n), asking=True)
        return self.pending

    def put(self, *queries: Query) -> tuple[Query, ...]:
        """Put these questions, in place of those that waited: what `suspects` or `review` want looked at."""
        self._do(Put.of(queries))
        return self.pending

    def answer(self, query: Query, answer: Any, *, weight: float = 1.0, source: str = "query") -> Snapshot:
        """Answer a question: what it means is stated, and replaces an earlier answer where it is asked again.

        Parameters
        ----------
        query : Query
        answer : str, int, list of int or Answer
            "same" or "different" about a pair, a cluster (from 0) about a label, "b" or "c" about a triplet, the
            samples that don't belong about a group, a word about a name; or what an oracle has said, with its
            confidence.
        weight : float
            How certain the answer is, above 0 and at most 1; an `Answer` has a confidence in its place.
        source : str
            Who says it.
        """
        said = answer if isinstance(answer, Answer) else None
        if said is not None and not said.is_sure:
            return self.reject(query)
        plain = query.kind in ("pair", "label") and source == "query"
        if plain and (said is None or said.confidence == 1) and not (query.again and replaced(self._known, query)):
            return self._do(commands.Answer.to(query, answer if said is None else said.verdict, weight))
        if said is None:
            said = Answer(checked_verdict(query, answer), confidence_for(query, weight))
            if not said.is_sure:
                return self.reject(query)
        return self.reply([(query, said)], source=source)

    def reply(self, heard: Sequence[tuple[Query, Answer]], *, source: str = "query") -> Snapshot:
        """State what many answers mean, all at once; undone as one. Those that are unsure are left out."""
        sure = [(query, answer) for query, answer in heard if answer.is_sure]
        return self._do(Reply.to(sure, self._known, self.named, source)) if sure else self.current

    def reject(self, query: Query) -> Snapshot:
        """Set a question aside: don't know. It is not asked again."""
        return self._do(commands.Reject(list(query.samples)))

    def said(self, query: Query) -> Answer | None:
        """The last answer to a question, as far as it stands; None where it was not answered, or that was undone."""
        return answer_in(self._history.standing, query)

    @property
    def _known(self) -> Any:
        return self.current.problem.constraints


class SessionTalk:
    """A talk in a session: the one loop (`cclab.oracles.Loop`) asks here, and all of it can be undone.

    Parameters
    ----------
    session : Session
    strategy : Strategy or str
    """

    def __init__(self, session: Any, strategy: Strategy | str) -> None:
        self.session = session
        self.strategy = strategy

    async def propose(self, n: int, asked: Asked) -> Sequence[Query]:
        """The session remembers what was asked in it."""
        return self.session.propose(self.strategy, n)

    async def put(self, oracle: Oracle, queries: Sequence[Query]) -> Sequence[Answer]:
        """What the oracle says."""
        return oracle.answers(queries, self.session.data)

    def is_settled(self, query: Query) -> bool:
        """Whether the answer follows from what is known by now."""
        return is_settled(query, self.session.constraints)

    def hear(self, query: Query, answer: Answer, oracle: Oracle) -> None:
        """Answer, or set aside."""
        self.session.answer(query, answer, source="query" if oracle.name == "truth" else oracle.name)

    async def work(self, steps: int | None, heard: bool) -> bool:
        """Let the solver go on."""
        if steps != 0:
            self.session.run(steps)
        return True
