"""Sessions that earlier versions wrote open for ever, as they were left."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from cclab import Session
from cclab.apps.painter.painter import open_journal, read_file

SAMPLES = Path(__file__).parent / "samples"
EXPECTED = sorted(SAMPLES.glob("*/*.expected.json"))
TABLES = [path for path in EXPECTED if not path.name.startswith("painting")]
PAINTINGS = [path for path in EXPECTED if path.name.startswith("painting")]


def name_of(path):
    return f"{path.parent.name}-{path.name.removesuffix('.expected.json')}"


def assert_as_left(session, expected):
    left = json.loads(expected.read_text())
    assert session.data.name == left["data"]
    assert type(session.solver).__name__ == left["solver"]
    assert (session.position, len(session.snapshots)) == (left["position"], left["snapshots"])
    assert len(session.constraints) == left["statements"]
    assert [list(query.samples) for query in session.pending] == left["pending"]
    assert session.current.summary.objective == pytest.approx(left["objective"], rel=1e-9)
    np.testing.assert_array_equal(session.current.labels(), left["labels"])


@pytest.mark.parametrize("expected", TABLES, ids=name_of)
def test_a_session_file_opens_as_it_was_left(expected):
    assert_as_left(Session.load(expected.with_name(expected.name.replace(".expected", ""))), expected)


@pytest.mark.parametrize("expected", TABLES, ids=name_of)
def test_a_journal_opens_as_it_was_left_and_goes_on(expected, tmp_path):
    folder = shutil.copytree(expected.with_name(expected.name.removesuffix(".expected.json")), tmp_path / "journal")
    session = Session.open(folder)
    assert_as_left(session, expected)
    session.step()
    session.close()
    assert Session.open(folder).position == session.position


@pytest.mark.parametrize("expected", [path for path in EXPECTED if path.parent.name != "schema1"], ids=name_of)
def test_a_journal_with_a_checkpoint_opens_with_nothing_done_again(expected, tmp_path):
    folder = shutil.copytree(expected.with_name(expected.name.removesuffix(".expected.json")), tmp_path / "journal")
    session = Session.open(folder, progress=lambda *_: pytest.fail("there is a checkpoint"))
    assert_as_left(session, expected)


def test_samples_tell_nothing_of_the_machine_that_made_them():
    for file in SAMPLES.rglob("*"):
        if file.is_file():
            assert not re.search(rb"/(home|root|Users|tmp|work)/", file.read_bytes()), file


@pytest.mark.parametrize("expected", PAINTINGS, ids=name_of)
def test_a_painting_opens_as_it_was_left(expected):
    file = expected.with_name(expected.name.replace(".expected", ""))
    session = read_file(file.name, file.read_bytes())
    assert_as_left(session, expected)


@pytest.mark.parametrize("expected", PAINTINGS, ids=name_of)
def test_a_painting_s_journal_opens_as_it_was_left(expected, tmp_path):
    folder = shutil.copytree(expected.with_name(expected.name.removesuffix(".expected.json")), tmp_path / "journal")
    assert_as_left(open_journal(folder), expected)
