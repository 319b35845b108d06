"""Sessions that are kept between visits: listed, opened by one at a time, dropped in order, never in use."""

import errno
import os
import threading
import time

import pytest

from cclab import Session
from cclab.apps.page.visitor_store import FolderKeeper, Keeper, tidy_all
from cclab.datasets import limits
from cclab.session import InUse
from tests.apps.visitor import OTHER, VISITOR


@pytest.fixture
def keeper():
    return Keeper("workbench", VISITOR)


def left(keeper, data="iris", steps=0, seen=None):
    """A session that was kept and closed, a while ago where `seen` says so."""
    session = Session(data, "FCM")
    entry = keeper.keep(session)
    if steps:
        session.step(steps)
    session.close()
    if seen is not None:
        os.utime(entry.folder / "journal.jsonl", (time.time() - seen, time.time() - seen))
    return entry


def test_sessions_are_listed_with_what_they_are_about(keeper):
    left(keeper, "wine", seen=100)
    left(keeper, "iris", steps=3)
    first, second = keeper.entries()
    assert (first.name, first.about.solver, first.about.n_statements, first.about.n_steps) == ("iris", "FCM", 0, 3)
    assert second.name == "wine"
    assert first.n_bytes > 1000
    assert not first.in_use


def test_one_that_was_opened_counts_as_seen(keeper):
    older, newer = left(keeper, seen=100), left(keeper, seen=50)
    assert keeper.of_this_place() == [newer, older]
    keeper.open(older).close()
    assert keeper.of_this_place() == [older, newer]


def test_another_visitor_is_told_nothing(keeper):
    entry = left(keeper)
    other = Keeper("workbench", OTHER)
    assert other.entries() == []
    assert other.find(entry.id) is None


def test_no_one_else_on_the_machine_reads_what_is_kept(keeper):
    folders = left(keeper).folder.parents
    assert any(folder.stat().st_mode & 0o077 == 0 for folder in folders[:4])


@pytest.mark.parametrize("wanted", ["..", "../page", "", "no such"])
def test_only_ids_of_the_list_are_found(keeper, wanted):
    left(keeper)
    assert keeper.find(wanted) is None


def test_six_that_open_the_newest_at_once_get_it_or_a_word(keeper):
    entry = left(keeper)
    outcomes, gate = [], threading.Barrier(6)

    def visit():
        gate.wait()
        try:
            outcomes.append(Keeper("workbench", VISITOR).open(entry))
        except Exception as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=visit) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    opened = [outcome for outcome in outcomes if isinstance(outcome, Session)]
    assert len(opened) == 1
    assert [outcome for outcome in outcomes if outcome not in opened] == [InUse] * 5
    opened[0].close()


def test_what_could_not_be_opened_says_why_until_it_can(keeper):
    entry = left(keeper)
    whole = (entry.folder / "journal.jsonl").read_text()
    (entry.folder / "journal.jsonl").write_text('{"format": "cclab journal", "schema": 1}\n{"verb": "sing"}\n')
    with pytest.raises(ValueError, match="line"):
        keeper.open(entry)
    assert entry.trouble
    (entry.folder / "journal.jsonl").write_text(whole)
    keeper.open(entry).close()
    assert entry.trouble == ""


# ---------------------------------------------------------------------- quotas


def test_the_oldest_go_first_and_are_named(keeper, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT_SESSIONS", 2)
    left(keeper, "wine", seen=300)
    left(keeper, "iris", seen=200)
    left(keeper, "blobs", seen=100)
    assert [entry.name for entry in keeper.tidy()] == ["wine"]
    assert [entry.name for entry in keeper.entries()] == ["blobs", "iris"]


def test_a_session_in_use_is_never_dropped(keeper, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT_SESSIONS", 1)
    session = Session("iris", "FCM")
    entry = keeper.keep(session)
    for _ in range(5):
        left(keeper, "wine")
    assert len(keeper.tidy()) == 5
    session.step()
    session.close()
    assert Session.open(entry.folder).position == 1


def test_what_could_not_be_opened_is_never_dropped(keeper, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT_SESSIONS", 0)
    entry = left(keeper)
    (entry.folder / "trouble.txt").write_text("damaged")
    assert keeper.tidy() == []
    assert keeper.entries() == [entry]


def test_bytes_count_too(keeper, monkeypatch):
    older, newer = left(keeper, seen=100), left(keeper)
    monkeypatch.setattr(limits, "MOST_KEPT_BYTES", older.n_bytes + newer.n_bytes - 1)
    assert keeper.tidy() == [older]


def test_sessions_of_long_ago_go(keeper):
    old = left(keeper, seen=(limits.MOST_KEPT_DAYS + 1) * 86400)
    new = left(keeper)
    assert keeper.tidy() == [old]
    assert keeper.entries() == [new]


def test_what_goes_for_the_sake_of_all_is_told_at_the_next_visit(keeper, monkeypatch):
    other = Keeper("workbench", OTHER)
    left(other, "wine", seen=100)
    entry = left(keeper, "iris")
    monkeypatch.setattr(limits, "MOST_KEPT_BYTES_IN_ALL", entry.n_bytes)
    tidy_all("workbench")
    assert keeper.entries() == [entry]
    assert keeper.dropped_meanwhile() == ""
    assert other.dropped_meanwhile().startswith("wine (")
    assert other.dropped_meanwhile() == ""


# ---------------------------------------------------------------------- copying and deleting


def test_a_copy_goes_its_own_way(keeper):
    session = Session("iris", "FCM")
    entry = keeper.keep(session)
    session.step(2)
    copied = keeper.copy(entry)
    mine = keeper.open(copied)
    mine.step()
    session.step(4)
    assert (mine.position, session.position) == (3, 6)
    mine.close()
    session.close()


def test_a_copy_on_a_full_disk_leaves_nothing_and_harms_nothing(keeper, monkeypatch):
    entry = left(keeper, steps=2)

    def full(path, content, **_):
        path.write_bytes(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("cclab.session.storage.journal.write_whole", full)
    with pytest.raises(OSError, match="No space"):
        keeper.copy(entry)
    monkeypatch.undo()
    assert keeper.entries() == [entry]
    assert Session.open(entry.folder).position == 2


def test_keeping_on_a_full_disk_leaves_nothing(keeper, monkeypatch):
    def full(self, folder):
        folder.mkdir(parents=True)
        (folder / "journal.jsonl").write_text("{")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Session, "keep", full)
    with pytest.raises(OSError, match="No space"):
        keeper.keep(Session("iris", "FCM"))
    assert keeper.entries() == []


def test_a_deleted_session_can_be_brought_back(keeper):
    entry = left(keeper, steps=1)
    keeper.delete(entry)
    assert keeper.entries() == []
    keeper.restore(entry)
    assert keeper.entries() == [entry]
    assert keeper.open(entry).position == 1


def test_a_deleted_session_is_gone_after_a_while(keeper, monkeypatch):
    entry = left(keeper)
    keeper.delete(entry)
    keeper.tidy()
    assert entry.folder.exists()
    monkeypatch.setattr("cclab.apps.page.kept_sessions.REGRET_SECONDS", -1)
    keeper.tidy()
    assert not entry.folder.exists()


def test_a_session_in_use_is_not_deleted(keeper):
    session = Session("iris", "FCM")
    entry = keeper.keep(session)
    with pytest.raises(InUse):
        keeper.delete(entry)
    assert keeper.entries() == [entry]
    session.close()


# ---------------------------------------------------------------------- folders of one's own


def test_a_folder_that_was_named_keeps_one_session_and_lists_those_beside_it(tmp_path):
    keeper = FolderKeeper(tmp_path / "mine")
    first, second = Session("iris", "FCM"), Session("wine", "FCM")
    assert keeper.keep(first).folder == tmp_path / "mine"
    assert keeper.keep(second).folder.parent == tmp_path / "mine" / "recent"
    assert {entry.name for entry in keeper.entries()} == {"iris", "wine"}
    assert [entry.name for entry in keeper.of_this_place()] == ["iris"]
    first.close()
    second.close()
