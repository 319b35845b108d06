"""Answers of every kind are stated, replaced, undone, kept in files and written as scripts."""

import numpy as np
import pytest

from cclab import CFCM, Session
from cclab.datasets import load_dataset
from cclab.oracles import Answer, Loop, Truth
from cclab.queries.base import Query
from cclab.session.asking import SessionTalk

IRIS = load_dataset("iris")
GROUP = Query.group([0, 1, 2, 60, 61, 110], "which?", 1)
TRIPLET = Query.triplet(60, 110, 0, "closer?", 1)


@pytest.fixture
def session():
    return Session("iris", CFCM(3))


def told(session):
    frame = session.constraints.to_frame()
    return list(zip(frame.kind, frame.weight.round(3), frame.source))


def test_each_kind_is_answered_and_undone(session):
    session.put(GROUP, TRIPLET)
    session.answer(GROUP, [60, 61, 110])
    assert told(session) == [("group", 1, "query"), ("separation", 1, "query")]
    assert session.pending == (TRIPLET,)
    session.answer(TRIPLET, "c")
    assert len(session.constraints) == 4
    session.answer(Query.name(3, "", 0), "setosa")
    session.answer(Query.name(70, "", 0), "versicolor")
    assert session.named == {"setosa": 3, "versicolor": 70}
    assert told(session)[2][0] == "cannot" or ("cannot", 1, "query") in told(session)
    for _ in range(4):
        session.undo()
    assert len(session.constraints) == 0
    assert session.pending == (GROUP, TRIPLET)


def test_confidence_becomes_weight_and_the_source_is_kept(session):
    session.answer(Query.pair(0, 1, "", 0), Answer("same", 0.9, "alike"), source="rules")
    assert told(session) == [("must", 0.64, "rules")]
    assert session.standing[-1].replies[0]["note"] == "alike"
    session.answer(Query.pair(0, 2, "", 0), Answer.unsure())
    assert session.rejected == {(0, 2)}
    assert len(session.constraints) == 1


def test_a_plain_answer_is_written_as_ever(session):
    session.answer(Query.pair(0, 1, "", 0), "same")
    session.answer(Query.pair(0, 2, "", 0), Answer("same"))
    assert [command.verb for command in session.standing[1:]] == ["answer", "answer"]


def test_an_answer_to_what_is_asked_again_replaces_the_first(session):
    pair = Query.pair(0, 1, "", 0)
    session.answer(pair, "different")
    session.put(Query("pair", (0, 1), "Asked again.", 1, again=True))
    session.answer(session.pending[0], "same")
    assert told(session) == [("must", 1, "query")]
    session.undo()
    assert told(session) == [("cannot", 1, "query")]


def test_many_answers_are_one_verb(session):
    heard = [(Query.pair(0, i, "", 0), Answer("same", 0.95)) for i in range(1, 9)]
    session.reply([*heard, (Query.pair(0, 70, "", 0), Answer.unsure())], source="model")
    assert len(session.constraints) == 8
    assert len(session.snapshots) == 2
    session.undo()
    assert len(session.constraints) == 0
    assert session.reply([], source="model") is session.current


def test_a_file_and_a_script_give_the_same(session, tmp_path):
    session.answer(GROUP, Answer((60, 61, 110), 0.9), source="ann")
    session.reply([(Query.pair(0, i, "", 0), Answer("same", c)) for i, c in ((3, 0.9), (4, 0.8))], source="bob")
    session.put(Query("group", GROUP.samples, "again", 1.0, again=True), TRIPLET)
    session.answer(session.pending[0], [60, 61, 110])
    session.run(5)
    again = Session.from_json(session.to_json())
    assert told(again) == told(session)
    assert again.pending == session.pending == (TRIPLET,)
    np.testing.assert_array_equal(again.labels, session.labels)
    made = {}
    exec(session.to_code(), made)
    assert told(made["session"]) == told(session)
    np.testing.assert_array_equal(made["session"].labels, session.labels)


@pytest.mark.parametrize(
    ("query", "answer", "words"),
    [
        (GROUP, [5], "5 is none of the samples"),
        (TRIPLET, "same", "answered by 'b' or 'c'"),
        (Query.pair(0, 1, "", 0), "perhaps", "answered by 'same' or 'different', got 'perhaps'"),
    ],
)
def test_what_is_no_answer_changes_nothing(session, query, answer, words):
    with pytest.raises(ValueError, match=words):
        session.answer(query, answer)
    assert len(session.snapshots) == 1


def test_questions_about_samples_that_are_not_there_are_refused(session):
    with pytest.raises(ValueError, match="about sample 150, but samples run from 0 to 149"):
        session.put(Query.pair(0, 150, "", 0))


async def test_the_loop_asks_in_a_session_and_all_of_it_can_be_undone(session):
    talk = SessionTalk(session, "UncertaintyQueries")
    loop = Loop(6, per_round=2, steps_per_round=1)
    counts = [count async for count, _ in loop.rounds(talk, Truth(IRIS.target))]
    assert counts == [2, 4, 6]
    assert session.constraints.satisfaction(IRIS.target).rate == 1
    assert len(session.asked) == 6
    while session.can_undo:
        session.undo()
    assert len(session.constraints) == 0
