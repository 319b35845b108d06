"""A talk on a page: the one loop of `cclab.oracles` asks in the session on the desk, and never holds up the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from cclab.oracles import Answer, Oracle
from cclab.queries.base import Asked, Query
from cclab.session.asking import SessionTalk
from cclab.session.threads import in_thread
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.run import Pace, run

Look = Callable[[], Awaitable[Sequence[Query]]]


class DeskTalk(SessionTalk):
    """Proposals and steps are worked out in the session's worker thread, answers of programs in one of their own.

    Parameters
    ----------
    desk : Desk
    look : coroutine function
        Gives the next questions.
    hear : callable, optional
        Takes a query and an answer; default: the session does.
    pace : coroutine function, optional
        Awaited after each run: see `Stepper`.
    """

    def __init__(
        self,
        desk: Desk,
        look: Look,
        *,
        hear: Callable[[Query, Answer], object] | None = None,
        pace: Pace | None = None,
    ) -> None:
        super().__init__(desk.session, "")
        self.desk = desk
        self._look = look
        self._hear = hear
        self._pace = pace

    async def propose(self, n: int, asked: Asked) -> Sequence[Query]:
        """What is found for the session, unless another one is on the desk by now."""
        found = await self._look() if self.desk.session is self.session else ()
        return found[:n] if self.desk.session is self.session else ()

    async def put(self, oracle: Oracle, queries: Sequence[Query]) -> Sequence[Answer]:
        """What the oracle says, in a thread unless it is quick."""
        if oracle.name == "truth":
            return oracle.answers(queries, self.session.data)
        return await in_thread(oracle.answers, queries, self.session.data)

    def hear(self, query: Query, answer: Answer, oracle: Oracle) -> None:
        """Answer, or set aside; what goes wrong is told."""
        if self._hear is not None:
            self._hear(query, answer)
        else:
            self.desk.attempt(super().hear, query, answer, oracle)

    async def work(self, steps: int | None, heard: bool) -> bool:
        """Let the solver go on; whether it did not fail."""
        could = True if steps == 0 else await run(self.desk, steps)
        if self._pace is not None:
            await self._pace()
        return could and self.desk.session is self.session
