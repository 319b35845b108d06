"""The fixture that tests with the papers' data lean on: skip at home, fail in CI."""

import pytest


@pytest.mark.parametrize("named", [None, "", "/no/such/folder"])
@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_no_folder_skips_at_home_and_fails_in_ci(request, monkeypatch, named, ci, outcome):
    monkeypatch.setenv("CI", ci)
    if named is None:
        monkeypatch.delenv("CCLAB_DATA", raising=False)
    else:
        monkeypatch.setenv("CCLAB_DATA", named)
    with pytest.raises(outcome, match="CCLAB_DATA names no folder"):
        request.getfixturevalue("data_folder")


def test_folder_is_given(request, monkeypatch, tmp_path):
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    assert request.getfixturevalue("data_folder") == tmp_path
