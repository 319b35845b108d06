"""A folder belongs to one session at a time."""

import os
import subprocess
import sys
import textwrap

import pytest

from cclab import Session
from cclab.session import InUse, ask_for, in_use

HOLDER = textwrap.dedent(
    """
    import sys
    from cclab import Session
    session = Session.open(sys.argv[1])
    print("open", flush=True)
    sys.stdin.readline()
    """
)


@pytest.fixture
def kept(tmp_path):
    session = Session("iris", "FCM", journal=tmp_path / "kept")
    session.step(2)
    session.close()
    return tmp_path / "kept"


@pytest.fixture
def other_process(kept):
    command = [sys.executable, "-c", HOLDER, str(kept)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "open\n"
        yield process
        process.kill()


def test_the_second_of_two_processes_is_refused_and_a_kill_frees_the_folder(kept, other_process):
    before = (kept / "journal.jsonl").read_bytes()
    assert in_use(kept)
    with pytest.raises(InUse, match="is open elsewhere"):
        Session.open(kept)
    with pytest.raises(InUse, match="is open elsewhere"):
        Session("iris", "FCM").keep(kept)
    assert (kept / "journal.jsonl").read_bytes() == before
    other_process.kill()
    other_process.wait()
    assert not in_use(kept)
    assert Session.open(kept).position == 2


def test_two_sessions_of_one_process_too(kept):
    one = Session.open(kept)
    with pytest.raises(InUse):
        Session.open(kept)
    one.close()
    Session.open(kept).close()


def test_what_can_t_be_opened_is_not_held(kept):
    with (kept / "journal.jsonl").open("a") as file:
        file.write('{"verb": "fly"}\n')
    with pytest.raises(ValueError, match="unknown verb"):
        Session.open(kept)
    assert not in_use(kept)


def test_the_holder_hears_that_it_is_asked_for_and_the_next_holder_does_not(kept):
    one = Session.open(kept)
    assert not one.wanted_elsewhere
    ask_for(kept)
    assert one.wanted_elsewhere
    one.close()
    other = Session.open(kept)
    assert not one.wanted_elsewhere
    assert not other.wanted_elsewhere


def test_after_closing_a_session_goes_on_unless_another_did(kept):
    one = Session.open(kept)
    one.step()
    one.close()
    one.step()
    one.close()
    other = Session.open(kept)
    assert other.position == 4
    with pytest.raises(InUse, match="is open elsewhere"):
        one.step()
    other.step()
    other.close()
    with pytest.raises(InUse, match="has gone on elsewhere"):
        one.step()
    assert one.position == 4
    assert Session.open(kept).position == 5


def test_looking_at_a_session_that_is_open_elsewhere(kept, other_process, tmp_path):
    looked_at = Session.open(kept, read_only=True)
    looked_at.step()
    looked_at.keep(tmp_path / "copy")
    assert (looked_at.position, Session.open(kept, read_only=True).position) == (3, 2)


def test_a_folder_that_can_t_be_written_to_is_opened_and_left_alone(kept, monkeypatch):
    path = kept / "journal.jsonl"
    path.write_bytes(path.read_bytes()[:-4])
    left = {file.name: file.read_bytes() for file in kept.iterdir()}
    access = os.access
    # As root every file can be written to, so the system's answer is stood in for.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    with pytest.warns(UserWarning, match="can't be written to"):
        session = Session.open(kept)
    session.step()
    assert session.position == 2
    assert session.saved_at is None
    assert {file.name: file.read_bytes() for file in kept.iterdir()} == left


def test_a_folder_without_a_session_is_not_in_use(tmp_path):
    assert not in_use(tmp_path)
    assert list(tmp_path.iterdir()) == []
