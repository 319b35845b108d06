"""What is on the disk after a kill, a power cut, a full disk."""

import errno
import json
import os
import threading
import time
from contextlib import suppress

import numpy as np
import pytest

from cclab import FCM, COPKMeans, Session
from cclab.datasets import Dataset
from cclab.session import copy_session
from cclab.session.storage import disk, journal
from cclab.session.storage import writer as writing
from cclab.session.threads import has_threads

DATA = Dataset("clouds", np.random.default_rng(0).normal(size=(60, 2)))

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def synced(monkeypatch, tmp_path):
    """The length of the journal whenever it was synced."""
    lengths = []
    fsync, path = os.fsync, tmp_path / "journal.jsonl"

    def noted(descriptor):
        fsync(descriptor)
        if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
            lengths.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(journal.os, "fsync", noted)
    return lengths


class TestPowerCut:
    def test_what_a_person_says_is_on_the_disk_before_it_takes_effect(self, tmp_path, synced):
        session = Session(DATA, COPKMeans(3), journal=tmp_path)
        session.propose("Random", 2)
        path = tmp_path / "journal.jsonl"
        for verb in (
            lambda: session.constrain(must_link=[[0, 1]]),
            lambda: session.answer(session.pending[0], "same"),
            lambda: session.reject(session.pending[0]),
            lambda: session.undo(),
            lambda: session.redo(),
            lambda: session.restart(),
            lambda: session.switch("FCM"),
        ):
            synced.clear()
            verb()
            assert synced == [path.stat().st_size]

    def test_steps_are_on_the_disk_soon_and_with_the_next_statement(self, tmp_path, synced, monkeypatch):
        monkeypatch.setattr(writing, "SYNC_AFTER", 0.05)
        session = Session(DATA, COPKMeans(3), journal=tmp_path)
        path = tmp_path / "journal.jsonl"
        synced.clear()
        session.step(3)
        deadline = time.monotonic() + 20
        while path.stat().st_size not in synced and time.monotonic() < deadline:
            time.sleep(0.02)
        assert path.stat().st_size in synced
        # Without threads nothing could do it later, so that each step is synced at once.
        assert len(synced) < 3 or not has_threads()
        monkeypatch.setattr(writing, "SYNC_AFTER", 1e6)
        session.step(2)
        session.constrain(must_link=[[0, 1]])
        assert synced[-1] == path.stat().st_size
        session.step()
        session.close()
        assert path.stat().st_size in synced

    def test_files_are_whole_before_they_have_their_name_and_names_are_synced_too(self, tmp_path, monkeypatch):
        events = []
        fsync, replace = os.fsync, disk.Path.replace

        def note(event):
            if threading.current_thread() is threading.main_thread():
                events.append(event)

        monkeypatch.setattr(
            os, "fsync", lambda fd: note(os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))) or fsync(fd)
        )
        monkeypatch.setattr(disk.Path, "replace", lambda self, to: note(f"> {to.name}") or replace(self, to))
        Session(DATA, "FCM", journal=tmp_path / "kept")
        assert events[:3] == ["data.json.new", "> data.json", "kept"]
        assert events[3:6] == ["journal.jsonl.new", "> journal.jsonl", "kept"]


def test_a_verb_that_was_interrupted_leaves_no_line(tmp_path, monkeypatch):
    session = Session(DATA, COPKMeans(3), journal=tmp_path)

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(journal.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.constrain(must_link=[[0, 1]])
    monkeypatch.undo()
    session.constrain(must_link=[[2, 3]])
    session.close()
    assert len(Session.open(tmp_path).constraints) == len(session.constraints) == 1


class TestFullDisk:
    def test_a_statement_that_can_t_be_synced_is_not_made(self, tmp_path, monkeypatch):
        session = Session(DATA, COPKMeans(3), journal=tmp_path)
        before = (tmp_path / "journal.jsonl").read_bytes()

        def full(descriptor):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(journal.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            session.constrain(must_link=[[0, 1]])
        assert len(session.constraints) == 0
        assert (tmp_path / "journal.jsonl").read_bytes() == before
        monkeypatch.undo()
        session.constrain(must_link=[[0, 1]])
        session.close()
        assert len(Session.open(tmp_path).constraints) == 1

    def test_a_copy_is_whole_or_not_there(self, tmp_path, monkeypatch):
        session = Session(DATA, COPKMeans(3), journal=tmp_path / "kept")
        session.step(2)
        write, calls = disk.write_whole, []

        def full(path, content, **options):
            calls.append(path)
            if len(calls) == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
            write(path, content, **options)

        monkeypatch.setattr(journal, "write_whole", full)
        with pytest.raises(OSError, match="No space left"):
            copy_session(tmp_path / "kept", tmp_path / "copy")
        assert [path.name for path in tmp_path.iterdir()] == ["kept"]
        monkeypatch.undo()
        copy_session(tmp_path / "kept", tmp_path / "copy")  # though it is open
        assert Session.open(tmp_path / "copy").position == 2

    def test_no_room_for_a_checkpoint_stops_nothing(self, tmp_path, monkeypatch):
        session = Session(DATA, COPKMeans(3), journal=tmp_path)
        session.step(2)

        def full(*args, **options):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("cclab.session.storage.checkpoint.write_whole", full)
        session.close()
        assert Session.open(tmp_path).position == 2


class TestKill:
    def test_at_any_point_of_keeping_over_another_session_one_of_the_two_is_there(self, tmp_path, monkeypatch):
        """Every call to the system is a point: the process ends before it, and after half of a write."""
        points = 0
        while True:
            folder = tmp_path / str(points)
            first = Session(DATA, FCM(3), journal=folder)
            first.step(2)
            first.close()
            other = Session(Dataset("line", np.arange(8.0)[:, None]), FCM(2))
            killed = _kill_at(monkeypatch, points)
            with suppress(KeyboardInterrupt):
                other.keep(folder)
            monkeypatch.undo()
            if not killed:
                break
            if other._writer is not None:
                other._writer.journal.lock.release()  # as the system does
            found = Session.open(folder)
            assert (found.data.name, found.position) in {("clouds", 2), ("line", 0)}
            found.step()
            found.close()
            assert Session.open(folder).position == found.position
            points += 1
        assert points > 10

    def test_a_journal_that_is_cut_anywhere_opens_at_the_last_whole_line(self, tmp_path):
        session = Session(DATA, COPKMeans(3), journal=tmp_path / "kept")
        session.step(2)
        session.constrain(must_link=[[0, 1]])
        session.close()
        path = tmp_path / "kept" / "journal.jsonl"
        content = path.read_bytes()
        second = content.index(b"\n", content.index(b"\n") + 1) + 1
        for length in np.linspace(second, len(content), 25).astype(int):
            path.write_bytes(content[:length])
            again = Session.open(tmp_path / "kept")
            assert len(again.commands) == content[:length].count(b"\n") - 1
            again.step()
            again.close()
            assert Session.open(tmp_path / "kept", read_only=True).position == again.position


def _kill_at(monkeypatch, point):
    """End the process, as far as it can be told, at the call to the system with this number."""
    calls, killed = iter(range(10**6)), []

    def deadly(work):
        def call(*args, **options):
            # Other threads may write for sessions of other tests.
            if threading.current_thread() is threading.main_thread() and (killed or next(calls) == point):
                killed.append(point)
                raise KeyboardInterrupt
            return work(*args, **options)

        return call

    for name in ("fsync", "open", "close"):
        monkeypatch.setattr(disk.os, name, deadly(getattr(os, name)))
    for name in ("open", "replace", "unlink", "mkdir"):
        monkeypatch.setattr(disk.Path, name, deadly(getattr(disk.Path, name)))
    return killed


def test_a_journal_of_an_earlier_version_is_brought_up_to_date_in_one_go(tmp_path):
    session = Session(DATA, COPKMeans(3), journal=tmp_path)
    session.step(2)
    session.close()
    path = tmp_path / "journal.jsonl"
    _, *records = map(json.loads, path.read_text().splitlines())
    old = [{"format": "cclab journal", "schema": 1}, *({k: v for k, v in r.items() if k != "result"} for r in records)]
    path.write_text("".join(json.dumps(line) + "\n" for line in old))
    (tmp_path / "checkpoint.npz").unlink()
    told = []
    Session.open(tmp_path, progress=lambda done, total: told.append(done)).close()
    assert told == [1, 2]
    again = Session.open(tmp_path, progress=lambda *_: pytest.fail("it is up to date"))
    assert again.position == 2
    assert json.loads(path.read_text().splitlines()[0])["schema"] == 3
