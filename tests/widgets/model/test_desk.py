"""The desk tells views of moments, and each of them once."""

import asyncio

import pytest

from cclab import FCM, Session
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.run import run
from cclab.widgets.timeline.status import Status
from tests.widgets.sessions import blobs, desk_on


@pytest.fixture
def desk() -> Desk:
    return desk_on()


def listened(desk: Desk) -> list:
    """All that the desk tells from now on."""
    heard: list = []
    desk.changed.connect(lambda old, new: heard.append((old, new)))
    return heard


def test_each_moment_follows_on_the_one_before(desk):
    before, heard = desk.moment, listened(desk)
    desk.session.step(2)
    desk.session.propose()
    assert [old for old, _ in heard] == [before, *(new for _, new in heard[:-1])]
    assert [new.snapshot.position for _, new in heard] == [1, 2, 2]
    (old, new), snapshot = heard[-1], desk.session.current
    assert old.snapshot is new.snapshot is snapshot
    assert (len(old.dialogue.pending), len(new.dialogue.pending)) == (0, 1)


def test_a_run_is_told_of_when_it_begins_and_when_it_ends(desk):
    heard = listened(desk)
    asyncio.run(run(desk, 3))
    first, last = heard[0], heard[-1]
    for (old, new), running in ((first, True), (last, False)):
        assert old.snapshot is new.snapshot
        assert (old.running, new.running) == (not running, running)
    assert [new.snapshot.position for _, new in heard] == [0, 1, 2, 3, 3]


def test_nothing_is_told_twice(desk):
    desk.session.run()
    heard = listened(desk)
    desk.catch_up()
    asyncio.run(run(desk, 0))
    assert heard == []


def test_views_of_another_session_begin_from_nothing(desk):
    heard, other = listened(desk), Session(blobs(30), FCM(2))
    desk.session.step()
    desk.open(other)
    other.step()
    assert heard[1] == (None, heard[2][0])
    assert heard[2][1] == desk.moment == other.moment


def test_the_status_line_says_when_a_session_is_kept_from_now_on(desk, tmp_path):
    view = Status(desk)
    assert view.saved.value == ""
    desk.session.keep(tmp_path / "session")
    desk.kept.emit()
    assert "saved" in view.saved.value
    desk.session.close()
