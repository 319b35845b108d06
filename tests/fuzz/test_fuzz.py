"""A little of what `make fuzz` tries, so that every run of the tests reads broken files and kills processes."""

import os
import signal
import time

import pytest

from tests.fuzz import Attempt, Case, _workers, files, kills
from tests.fuzz._workers import tried


@pytest.mark.parametrize("kinds", [("table", "constraints", "recipe", "folder"), ("picture",), ("session", "journal")])
def test_broken_files_are_read_or_refused_in_words(kinds):
    cases = list(tried(files.attempts(80, seed=7, kinds=kinds)))
    assert [case for case in cases if case.fault] == []
    assert {"read", "refused"} <= {case.outcome for case in cases}


def test_killed_processes_lose_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = [attempt.work(*attempt.given) for attempt in kills.attempts(8, seed=7)]
    assert [case for case in cases if case.fault] == []
    assert len(cases) == 8


def test_a_case_that_ends_its_worker_is_told_by_name_and_the_others_go_on():
    ends = {2: signal.SIGSEGV, 4: signal.SIGXCPU}
    attempts = [Attempt(f"case {number}", _die_or_live, (number, ends.get(number))) for number in range(6)]
    cases = {case.name: case for case in tried(attempts)}
    assert {name: case.outcome for name, case in cases.items()} == {
        **{f"case {number}": "lived" for number in (0, 1, 3, 5)},
        "case 2": "killed its worker",
        "case 4": "hung",
    }
    assert "SIGSEGV" in cases["case 2"].fault
    assert "of the processor" in cases["case 4"].fault


def test_a_case_that_waits_for_ever_is_told_by_name(monkeypatch):
    monkeypatch.setattr(_workers, "SECONDS", 1)
    (case,) = tried([Attempt("asleep", time.sleep, (600,))])
    assert case.name == "asleep"
    assert case.fault == "not done after 1 s"


def _die_or_live(number: int, by: signal.Signals | None) -> Case:
    if by is not None:
        os.kill(os.getpid(), by)
    return Case(f"case {number}", "lived")
