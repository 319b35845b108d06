"""A kept session opens at its last state, and what was done before is done again only when someone goes there."""

import json
import shutil
import warnings

import numpy as np
import pytest

from cclab import CFCM, FCM, ConstrainedKMeans, COPKMeans, Problem, Session
from cclab.core.registry import solvers, strategies
from cclab.datasets import Dataset
from cclab.session import about, outcome
from cclab.session.storage.states import pack_state, unpack_state

TRUTH = np.arange(90) % 3
DATA = Dataset(
    "clouds",
    np.array([[0, 0], [4, 0], [2, 4]])[TRUTH] + np.random.default_rng(0).normal(size=(90, 2)),
    target=TRUTH,
    target_names=("a", "b", "c"),
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def kept(tmp_path):
    """A folder with a session of many verbs, and how it was left."""
    session = Session(DATA, CFCM(3, tol=0), journal=tmp_path / "kept")
    session.step(5)
    session.constrain(must_link=[[0, 3]])
    session.step(4)
    session.rewind(2)
    session.switch(FCM(4))
    session.step(3)
    session.undo()
    session.propose("Random", 2)
    session.answer(session.pending[0], "different")
    session.switch(COPKMeans(3))
    session.step(2)
    session.close()
    return tmp_path / "kept", session


@pytest.fixture
def calls(monkeypatch):
    """How often a solver or a strategy is asked for anything."""
    made = []
    for cls in (CFCM, FCM, COPKMeans, strategies.get("Random")):
        for name in ("start", "step", "propose"):
            if name in vars(cls):
                work = getattr(cls, name)
                monkeypatch.setattr(
                    cls, name, lambda *args, _work=work, **options: made.append(_work) or _work(*args, **options)
                )
    return made


def assert_same(one, other):
    assert one.position == other.position
    assert [s.summary for s in one.snapshots] == [s.summary for s in other.snapshots]
    assert [s.converged for s in one.snapshots] == [s.converged for s in other.snapshots]
    assert (one.pending, one.asked, one.rejected) == (other.pending, other.asked, other.rejected)
    assert one.constraints.to_json() == other.constraints.to_json()
    np.testing.assert_array_equal(one.labels, other.labels)


def test_opening_does_nothing_again(kept, calls):
    folder, session = kept
    again = Session.open(folder)
    assert_same(again, session)
    assert repr(again) == repr(session)
    assert calls == []
    assert again.differences == ()


def test_everything_on_the_way_is_there_when_someone_goes_there(kept):
    folder, session = kept
    again = Session.open(folder, read_only=True)
    while session.can_undo:
        session.undo()
        again.undo()
        assert_same(again, session)
    while session.can_redo:
        session.redo()
        again.redo()
        assert_same(again, session)
    for position in (0, 1, 2):
        np.testing.assert_array_equal(session.rewind(position).labels(), again.rewind(position).labels())
    assert again.differences == ()


def test_verbs_after_the_checkpoint_are_done_again(kept, calls):
    folder, session = kept
    checkpoint = (folder / "checkpoint.npz").read_bytes()
    session.step(3)
    session.constrain(cannot_link=[[0, 1]])
    session.close()
    (folder / "checkpoint.npz").write_bytes(checkpoint)
    calls.clear()
    again = Session.open(folder)
    assert_same(again, session)
    assert len(calls) == 3


@pytest.mark.parametrize("harm", ["missing", "cut", "other labels", "another session's", "of no known class", "bomb"])
def test_without_a_checkpoint_that_fits_the_way_is_done_again(kept, tmp_path, harm):
    folder, session = kept
    path = folder / "checkpoint.npz"
    with np.load(path) as file:
        arrays = dict(file)
    structure = json.loads(arrays["about"].tobytes())
    match harm:
        case "missing":
            path.unlink()
        case "cut":
            path.write_bytes(path.read_bytes()[:-100])
        case "other labels":
            name = structure["state"]["fields"]["labels"]["array"]
            np.savez(path, **arrays | {name: (arrays[name] + 1) % 3})
        case "another session's":
            other = Session(DATA, "FCM", journal=tmp_path / "other")
            other.step()
            other.close()
            shutil.copy(tmp_path / "other" / "checkpoint.npz", path)
        case "of no known class":
            structure["state"]["class"] = "os.system"
            np.savez(path, **arrays | {"about": np.frombuffer(json.dumps(structure).encode(), dtype=np.uint8)})
        case "bomb":
            np.savez_compressed(path, **arrays | {"more": np.zeros(2**28, dtype=np.uint8)})
    told = []
    again = Session.open(folder, progress=lambda done, total: told.append((done, total)))
    assert_same(again, session)
    assert told == [(1, 3), (2, 3), (3, 3)]  # the last start and two steps
    again.close()
    assert Session.open(folder, progress=lambda *_: pytest.fail("there is a checkpoint again")).position == 9


def test_giving_up_changes_nothing(kept):
    folder, _ = kept
    (folder / "checkpoint.npz").unlink()
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-9])  # a last line that was cut short
    before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def give_up(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Session.open(folder, progress=give_up)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert not about(folder).in_use


def test_posed_problems_that_are_not_looked_at_are_not_posed_again(tmp_path):
    posed = []

    def poser(recipe):
        posed.append(recipe["scale"])
        return Problem(DATA.X * recipe["scale"], seed=1), ConstrainedKMeans(3)

    session = Session(DATA, FCM(3), poser=poser, journal=tmp_path)
    for scale in (1.0, 2.0, 3.0):
        session.pose({"scale": scale})
        session.run()
    session.undo()
    session.pose({"scale": 4.0})
    session.close()
    posed.clear()
    again = Session.open(tmp_path, poser_of=lambda data: poser)
    assert_same(again, session)
    assert posed == [4.0]
    again.undo()
    again.undo()
    assert again.problem.X.max() == pytest.approx(2 * DATA.X.max())
    assert posed == [4.0, 2.0]


class TestDifferences:
    def test_a_replay_that_differs_says_so_with_both_versions(self, kept, monkeypatch):
        folder, session = kept
        (folder / "checkpoint.npz").unlink()
        then = dict(outcome.versions())
        monkeypatch.setattr("cclab.session.snapshot.versions", lambda: then | {"numpy": "99.0"})
        step = COPKMeans.step

        def changed(self, problem, state):
            after = step(self, problem, state)
            return type(after)(
                iteration=after.iteration, objective=2 * after.objective, centers=after.centers, labels=state.labels
            )

        monkeypatch.setattr(COPKMeans, "step", changed)
        again = Session.open(folder)
        first = again.differences[0]
        assert (first.verb, first.what) == ("step", "objective")
        assert again.commands[first.command]["verb"] == "step"
        assert first.now == pytest.approx(2 * first.was)
        assert f"It was first done with numpy {then['numpy']}; now it is numpy 99.0." in str(first)
        np.testing.assert_allclose(again.current.summary.objective, session.current.summary.objective)

    def test_other_labels_with_the_same_objective(self, kept, monkeypatch):
        folder, _ = kept
        (folder / "checkpoint.npz").unlink()
        monkeypatch.setattr("cclab.session.snapshot.digest_of", lambda labels: "others")
        (difference,) = Session.open(folder).differences
        assert difference.what == "labels"
        assert "gives other labels. The versions are the same: another machine, or a solver" in str(difference)

    def test_rounding_is_no_difference(self, kept, tmp_path):
        document = kept[1].to_json()
        for record in document["commands"]:
            if "objective" in record.get("result", {}):
                record["result"]["objective"] *= 1 + 1e-12
        assert Session.from_json(document).differences == ()

    def test_versions_are_written_where_they_change(self, kept, monkeypatch):
        folder, _ = kept
        now = dict(outcome.versions())
        assert set(now) == {"Python", "cclab", "numpy", "scipy", "scikit-learn"}
        monkeypatch.setattr("cclab.session.storage.stored.versions", lambda: now | {"scipy": "99.0"})
        again = Session.open(folder)
        again.step(2)
        again.close()
        header, *records = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
        assert header["versions"] == now
        assert [record.get("versions", {}).get("scipy") for record in records[-3:]] == [None, "99.0", None]


@pytest.mark.parametrize("name", solvers.names())
def test_every_solver_s_state_is_kept_and_goes_on_as_if_nothing_had_been(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = Session(DATA, name, journal=tmp_path)
        session.step()
        session.constrain(must_link=[[0, 3]], cannot_link=[[0, 1]], labels={5: 2})
        session.step(2)
    structure, arrays = pack_state(session.state, session.problem.X)
    json.dumps(structure)
    assert not any(np.shares_memory(array, session.problem.X) for array in arrays.values())
    read = unpack_state(structure, {key: array.copy() for key, array in arrays.items()}, session.problem.X)
    assert type(read) is type(session.state)
    session.close()
    again = Session.open(tmp_path, progress=lambda *_: pytest.fail("there is a checkpoint"))
    for one in (session, again):
        one.close()
        one.keep(tmp_path / str(id(one)))
        one.step(2)
        one.close()
    np.testing.assert_array_equal(session.labels, again.labels)
    np.testing.assert_allclose(again.state.objective, session.state.objective, rtol=1e-9)


class TestAbout:
    def test_a_folder_without_opening_it(self, kept):
        folder, session = kept
        told = about(folder)
        assert (told.data, told.n_samples, told.n_features, told.solver) == ("clouds", 90, 2, "COPKMeans")
        assert told.n_statements == len(session.constraints) == 1
        assert told.n_steps == 6
        assert told.written_at == pytest.approx(session.saved_at, abs=2)
        assert told.n_bytes == sum(file.stat().st_size for file in folder.iterdir())
        assert not told.in_use
        session.step()
        assert about(folder).in_use

    def test_without_a_note_from_what_is_there(self, kept):
        folder, _ = kept
        noted = about(folder)
        (folder / "about.json").write_bytes(b"")
        seen = about(folder)
        for name in ("data", "n_samples", "n_features", "solver"):
            assert getattr(seen, name) == getattr(noted, name)

    def test_what_is_no_session_is_said(self, tmp_path, kept):
        with pytest.raises(ValueError, match="there is no session in"):
            about(tmp_path)
        (kept[0] / "about.json").write_text('{"data": "x"}')
        with pytest.raises(ValueError, match="can't be read: 'n_samples' is missing"):
            about(kept[0])
