"""Code asks the person at a page."""

import asyncio

import pytest

from cclab.oracles import Answer
from cclab.queries.base import Query
from cclab.widgets.queries.card import Queries
from cclab.widgets.queries.person import Person
from tests.widgets.sessions import desk_on

PAIR, OTHER, GROUP = Query.pair(0, 3, "", 1), Query.pair(1, 2, "", 1), Query.group([0, 3, 6, 1], "", 1)


async def until(wanted):
    async with asyncio.timeout(20):
        while not wanted():
            await asyncio.sleep(0.01)


async def test_what_is_said_on_the_page_is_the_answer():
    desk = desk_on("COPKMeans")
    card = Queries(desk, step_after=False)
    asked = asyncio.create_task(Person(desk).aanswers([PAIR, OTHER, GROUP]))
    await until(lambda: card.query == PAIR)
    card.answer("same")
    await until(lambda: card.query == OTHER)
    card.reject()
    await until(lambda: card.query == GROUP)
    card.mark(1)
    card.confirm()
    answers = await asked
    assert answers == [Answer("same"), Answer.unsure(), Answer((1,))]
    assert desk.session.constraints.to_frame().kind.tolist() == ["must", "group", "separation"]  # stated once
    desk.session.undo()
    assert desk.session.said(GROUP) is None
    assert desk.session.said(PAIR) == Answer("same")


async def test_a_question_comes_back_until_it_is_answered_or_another_session_is_opened():
    desk = desk_on("COPKMeans")
    asked = asyncio.create_task(Person(desk).aanswers([PAIR]))
    await until(lambda: PAIR in desk.session.pending)
    desk.session.put(OTHER)
    await until(lambda: desk.session.pending == (PAIR, OTHER))
    desk.open(desk_on("COPKMeans").session)
    assert await asked == [Answer.unsure("the question was left unanswered")]


def test_nobody_can_click_while_python_waits():
    with pytest.raises(RuntimeError, match="in their own time: await"):
        Person(desk_on("COPKMeans")).answers([PAIR])
