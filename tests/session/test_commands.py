"""Commands as values, what stands of them, and what a step costs."""

import asyncio
import gc
import json
import weakref
from pathlib import Path

import numpy as np
import pytest

from cclab import FCM, COPKMeans, Session
from cclab.algorithms.fuzzy.fcm import FCMState
from cclab.datasets import Dataset
from cclab.queries.base import Query
from cclab.session.commands import COMMANDS, Reject, Step, read_command

SAMPLES = sorted(Path(__file__).parent.glob("samples/*/*/journal.jsonl"))


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    return Dataset("clouds", np.array([[0, 0], [4, 0], [2, 4]])[np.arange(90) % 3] + rng.normal(size=(90, 2)))


def verbs(session):
    return [command.verb for command in session.standing]


def test_what_was_read_is_written_as_it_was():
    told = set()
    for path in SAMPLES:
        _, *records = map(json.loads, path.read_text().splitlines())
        for place, record in enumerate(records):
            plain = {name: value for name, value in record.items() if name not in ("result", "versions")}
            assert read_command(record, first=place == 0).to_json() == plain
            told.add(plain["verb"])
    assert told == set(COMMANDS)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"verb": "dance"}, "unknown verb 'dance'"),
        ({"verb": "step", "colour": "red"}, "'step' has no 'colour'; it was written by another version"),
        ({"verb": "answer", "samples": [0, 1], "answer": "same"}, "'weight' is missing"),
    ],
)
def test_a_command_that_is_not_known_here_is_told_of_and_the_file_stays(record, words, blobs, tmp_path):
    Session(blobs, "FCM", journal=tmp_path).close()
    journal = tmp_path / "journal.jsonl"
    content = journal.read_bytes() + json.dumps(record).encode() + b"\n"
    journal.write_bytes(content)
    with pytest.raises(ValueError, match=f"line 3 can't be replayed: {words}"):
        Session.open(tmp_path)
    assert journal.read_bytes() == content


class TestStanding:
    def test_what_was_undone_does_not_stand_and_what_was_done_again_does(self, blobs):
        session = Session(blobs, COPKMeans(3, tol=0))
        session.step()
        session.constrain(must_link=[[0, 3]])
        session.undo()
        assert verbs(session) == ["open", "step"]
        session.redo()
        assert verbs(session) == ["open", "step", "constrain"]

    def test_a_run_falls_as_one(self, blobs):
        session = Session(blobs, FCM(3, tol=0))
        session.run(3)
        assert verbs(session) == ["open", "step", "step", "step"]
        session.undo()
        assert verbs(session) == ["open"]

    def test_who_goes_back_stands_on_what_led_there_and_what_is_replaced_is_gone(self, blobs):
        session = Session(blobs, COPKMeans(3, tol=0))
        session.step(2)
        session.constrain(must_link=[[0, 3]])
        session.rewind(1)
        assert verbs(session) == ["open", "step"]
        session.constrain(cannot_link=[[0, 1]])
        assert session.standing[-1].statements[0]["kind"] == "cannot_link"
        assert verbs(session) == ["open", "step", "constrain"]

    def test_a_question_that_was_set_aside_stays_so_wherever_one_goes(self, blobs):
        session = Session(blobs, COPKMeans(3, tol=0))
        session.step()
        session.reject(Query.pair(0, 1, "", 1.0))
        session.rewind(0)
        assert session.rejected == {(0, 1)}
        assert session.standing[-1] == Reject([0, 1])

    def test_the_same_after_opening(self, blobs, tmp_path):
        session = Session(blobs, COPKMeans(3, tol=0), journal=tmp_path)
        session.run(2)
        session.constrain(must_link=[[0, 3]])
        session.undo()
        session.step()
        session.close()
        assert Session.open(tmp_path).standing == session.standing


class TestWhatAStepCosts:
    @pytest.fixture
    def made(self, monkeypatch):
        made, whole = [], FCMState._partition
        monkeypatch.setattr(FCMState, "_partition", lambda state: made.append(state.iteration) or whole(state))
        return made

    def test_nobody_looks_so_no_labels_are_made(self, blobs, made):
        session = Session(blobs, FCM(3, tol=0))
        session.step(5)
        assert made == []
        assert all(len(record["result"]["labels"]) == 16 for record in session.commands)
        assert sorted(made) == [0, 1, 2, 3, 4, 5]

    def test_the_journal_has_them_with_each_step(self, blobs, made, tmp_path):
        Session(blobs, FCM(3, tol=0), journal=tmp_path).step(2)
        assert sorted(set(made)) == [0, 1, 2]

    def test_what_is_saved_is_the_same_whenever_labels_are_made(self, blobs, tmp_path):
        kept, late = Session(blobs, FCM(3, tol=0), journal=tmp_path), Session(blobs, FCM(3, tol=0), max_bytes=0)
        for session in (kept, late):
            session.step(6)
            session.undo()
            session.undo()
            session.step()
        assert late.commands == kept.commands

    def test_what_can_t_be_gone_back_to_is_let_go(self, blobs):
        session = Session(blobs, FCM(3, tol=0))
        session.step(3)
        gone = weakref.ref(session.current)
        session.undo()
        session.step()
        session.step(3)
        gc.collect()
        assert gone() is None
        assert len(session.commands) == 9


async def test_a_question_set_aside_during_a_run_costs_no_step(blobs, monkeypatch):
    session, begun, prepare = Session(blobs, FCM(3, tol=0)), [], Step.prepare

    def noted(command, moment, history):
        begun.append(moment.snapshot.position)
        return prepare(command, moment, history)

    async def pace():
        await asyncio.sleep(0.05)
        session.reject(Query.pair(session.position, 80, "", 1.0))

    monkeypatch.setattr(Step, "prepare", noted)
    await session.arun(3, pace=pace)
    assert begun == [0, 1, 2]
    assert session.rejected == {(1, 80), (2, 80)}


async def test_questions_are_dropped_where_others_were_put_meanwhile(blobs):
    session = Session(blobs, FCM(3, tol=0))
    asking = asyncio.ensure_future(session.apropose("Random", 2))
    await asyncio.sleep(0)
    session.reject(Query.pair(0, 1, "", 1.0))
    assert await asking == ()
    assert session.asked == {(0, 1)}
