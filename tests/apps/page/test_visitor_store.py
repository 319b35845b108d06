"""Sessions that are kept between visits: listed, opened by one at a time, dropped in order, never in use."""

import errno
import os
import threading
import time

import pytest

from cclab import Session
from cclab.apps.page.visitor_store import FolderStore, VisitorStore, tidy_all
from cclab.datasets import limits
from cclab.session import InUse
from tests.apps.visitor import OTHER, VISITOR


@pytest.fixture
def store():
    return VisitorStore("workbench", VISITOR)


def left(store, data="iris", steps=0, seen=None):
    """A session that was kept and closed, a while ago where `seen` says so."""
    session = Session(data, "FCM")
    entry = store.keep(session)
    if steps:
        session.step(steps)
    session.close()
    if seen is not None:
        os.utime(entry.folder / "journal.jsonl", (time.time() - seen, time.time() - seen))
    return entry


def test_sessions_are_listed_with_what_they_are_about(store):
    left(store, "wine", seen=100)
    left(store, "iris", steps=3)
    first, second = store.entries()
    assert (first.name, first.about.solver, first.about.n_statements, first.about.n_steps) == ("iris", "FCM", 0, 3)
    assert second.name == "wine"
    assert first.n_bytes > 1000
    assert not first.in_use


def test_one_that_was_opened_counts_as_seen(store):
    older, newer = left(store, seen=100), left(store, seen=50)
    assert store.of_this_place() == [newer, older]
    store.open(older).close()
    assert store.of_this_place() == [older, newer]


def test_another_visitor_is_told_nothing(store):
    entry = left(store)
    other = VisitorStore("workbench", OTHER)
    assert other.entries() == []
    assert other.find(entry.id) is None


def test_no_one_else_on_the_machine_reads_what_is_kept(store):
    folders = left(store).folder.parents
    assert any(folder.stat().st_mode & 0o077 == 0 for folder in folders[:4])


@pytest.mark.parametrize("wanted", ["..", "../page", "", "no such"])
def test_only_ids_of_the_list_are_found(store, wanted):
    left(store)
    assert store.find(wanted) is None


def test_six_that_open_the_newest_at_once_get_it_or_a_word(store):
    entry = left(store)
    outcomes, gate = [], threading.Barrier(6)

    def visit():
        gate.wait()
        try:
            outcomes.append(VisitorStore("workbench", VISITOR).open(entry))
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


def test_what_could_not_be_opened_says_why_until_it_can(store):
    entry = left(store)
    whole = (entry.folder / "journal.jsonl").read_text()
    (entry.folder / "journal.jsonl").write_text('{"format": "cclab journal", "schema": 1}\n{"verb": "sing"}\n')
    with pytest.raises(ValueError, match="line"):
        store.open(entry)
    assert entry.trouble
    (entry.folder / "journal.jsonl").write_text(whole)
    store.open(entry).close()
    assert entry.trouble == ""


# ---------------------------------------------------------------------- quotas


def test_the_oldest_go_first_and_are_named(store, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT_SESSIONS", 2)
    left(store, "wine", seen=300)
    left(store, "iris", seen=200)
    left(store, "blobs", seen=100)
    assert [entry.name for entry in store.tidy()] == ["wine"]
    assert [entry.name for entry in store.entries()] == ["blobs", "iris"]


def test_a_session_in_use_is_never_dropped(store, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT_SESSIONS", 1)
    session = Session("iris", "FCM")
    entry = store.keep(session)
    for _ in range(5):
        left(store, "wine")
    assert len(store.tidy()) == 5
    session.step()
    session.close()
    assert Session.open(entry.folder).position == 1


def test_what_could_not_be_opened_is_never_dropped(store, monkeypatch):
    monkeypatch.setattr(limits, "MOST_KEPT_SESSIONS", 0)
    entry = left(store)
    (entry.folder / "trouble.txt").write_text("damaged")
    assert store.tidy() == []
    assert store.entries() == [entry]


def test_bytes_count_too(store, monkeypatch):
    older, newer = left(store, seen=100), left(store)
    monkeypatch.setattr(limits, "MOST_KEPT_BYTES", older.n_bytes + newer.n_bytes - 1)
    assert store.tidy() == [older]


def test_sessions_of_long_ago_go(store):
    old = left(store, seen=(limits.MOST_KEPT_DAYS + 1) * 86400)
    new = left(store)
    assert store.tidy() == [old]
    assert store.entries() == [new]


def test_what_goes_for_the_sake_of_all_is_told_at_the_next_visit(store, monkeypatch):
    other = VisitorStore("workbench", OTHER)
    left(other, "wine", seen=100)
    entry = left(store, "iris")
    monkeypatch.setattr(limits, "MOST_KEPT_BYTES_IN_ALL", entry.n_bytes)
    tidy_all("workbench")
    assert store.entries() == [entry]
    assert store.dropped_meanwhile() == ""
    assert other.dropped_meanwhile().startswith("wine (")
    assert other.dropped_meanwhile() == ""


# ---------------------------------------------------------------------- copying and deleting


def test_a_copy_goes_its_own_way(store):
    session = Session("iris", "FCM")
    entry = store.keep(session)
    session.step(2)
    copied = store.copy(entry)
    mine = store.open(copied)
    mine.step()
    session.step(4)
    assert (mine.position, session.position) == (3, 6)
    mine.close()
    session.close()


def test_a_copy_on_a_full_disk_leaves_nothing_and_harms_nothing(store, monkeypatch):
    entry = left(store, steps=2)

    def full(path, content, **_):
        path.write_bytes(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("cclab.session.storage.journal.write_whole", full)
    with pytest.raises(OSError, match="No space"):
        store.copy(entry)
    monkeypatch.undo()
    assert store.entries() == [entry]
    assert Session.open(entry.folder).position == 2


def test_keeping_on_a_full_disk_leaves_nothing(store, monkeypatch):
    def full(self, folder):
        folder.mkdir(parents=True)
        (folder / "journal.jsonl").write_text("{")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Session, "keep", full)
    with pytest.raises(OSError, match="No space"):
        store.keep(Session("iris", "FCM"))
    assert store.entries() == []


def test_a_deleted_session_can_be_brought_back(store):
    entry = left(store, steps=1)
    store.delete(entry)
    assert store.entries() == []
    store.restore(entry)
    assert store.entries() == [entry]
    assert store.open(entry).position == 1


def test_a_deleted_session_is_gone_after_a_while(store, monkeypatch):
    entry = left(store)
    store.delete(entry)
    store.tidy()
    assert entry.folder.exists()
    monkeypatch.setattr("cclab.apps.page.kept_sessions.REGRET_SECONDS", -1)
    store.tidy()
    assert not entry.folder.exists()


def test_a_session_in_use_is_not_deleted(store):
    session = Session("iris", "FCM")
    entry = store.keep(session)
    with pytest.raises(InUse):
        store.delete(entry)
    assert store.entries() == [entry]
    session.close()


# ---------------------------------------------------------------------- folders of one's own


def test_a_folder_that_was_named_keeps_one_session_and_lists_those_beside_it(tmp_path):
    store = FolderStore(tmp_path / "mine")
    first, second = Session("iris", "FCM"), Session("wine", "FCM")
    assert store.keep(first).folder == tmp_path / "mine"
    assert store.keep(second).folder.parent == tmp_path / "mine" / "recent"
    assert {entry.name for entry in store.entries()} == {"iris", "wine"}
    assert [entry.name for entry in store.of_this_place()] == ["iris"]
    first.close()
    second.close()
