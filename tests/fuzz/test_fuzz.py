"""A little of what `make fuzz` tries, so that every run of the tests reads broken files and kills processes."""

import pytest

from tests.fuzz import files, kills


@pytest.mark.parametrize("kinds", [("table", "constraints", "recipe", "folder"), ("picture",), ("session", "journal")])
def test_broken_files_are_read_or_refused_in_words(kinds):
    cases = list(files.fuzz(80, seed=7, kinds=kinds))
    assert [case for case in cases if case.fault] == []
    assert {"read", "refused"} <= {case.outcome for case in cases}


def test_killed_processes_lose_nothing():
    cases = list(kills.fuzz(8, seed=7))
    assert [case for case in cases if case.fault] == []
    assert len(cases) == 8
