"""The oracle that is a person: code puts questions on a page, and waits for what is said there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from cclab.oracles import Answer, Oracle
from cclab.queries.base import Query
from cclab.widgets.model.desk import Desk


class Person(Oracle):
    """Whoever sits at a page: questions are put on its query card, and what they say there is the answer.

    The page states each answer by itself, where it is seen and can be undone. A person takes their time, so an answer
    is awaited: in a notebook by ``task = asyncio.create_task(person.aanswers(queries))``, since the page hears nothing
    while a cell is busy.

    Parameters
    ----------
    desk : Desk
        Of the page, such as ``workbench(...).desk``.
    """

    name = "query"

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def answer(self, query: Query, data: Any = None) -> Answer:
        """Nobody can click while Python waits: an error that says what to do in place of it."""
        raise RuntimeError("a person answers in their own time: await person.aanswers([query]) in place of this")

    def answers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """As `answer`."""
        return [self.answer(query, data) for query in queries]

    async def aanswers(self, queries: Sequence[Query], data: Any = None) -> list[Answer]:
        """What the person says to each; "unsure" where they don't know, or went on to another session."""
        return [await self._said(query) for query in queries]

    async def _said(self, query: Query) -> Answer:
        session, over = self.desk.session, asyncio.Event()
        loop = asyncio.get_running_loop()

        def put() -> None:
            if not over.is_set() and query not in session.pending:
                session.put(query, *(other for other in session.pending if other.samples != query.samples))

        def look(_old: object, _new: object) -> None:
            if self.desk.session is not session or (query.samples in session.asked and query not in session.pending):
                over.set()
            elif query not in session.pending:  # the page has found a question of its own meanwhile
                loop.call_soon(put)

        put()
        self.desk.changed.connect(look)
        try:
            await over.wait()
        finally:
            over.set()
            self.desk.changed.disconnect(look)
        return session.said(query) or Answer.unsure("the question was left unanswered")
