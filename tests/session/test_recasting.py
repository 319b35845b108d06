"""Columns used otherwise: undone, kept, in the script, and nothing that was stated is lost."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from cclab import FCM, COPKMeans, Session, load_dataset
from cclab.session.storage.serialize import pack_dataset, unpack_dataset


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc"))
    frame.loc[15:, "a"] += 8
    frame.loc[[2, 5], "c"] = np.nan
    frame["kind"] = ["u", "v"] * 15
    return frame


@pytest.fixture
def session(table):
    return Session(load_dataset(table, roles={"c": "ignored"}), COPKMeans(n_clusters=2))


def test_statements_follow_their_rows(session):
    session.constrain(must_link=[[4, 6]], cannot_link=[[4, 20]])
    session.set_columns(roles={"c": "feature"})
    assert session.data.n_samples == 28
    pairs = session.constraints.to_frame()[["i", "j"]].to_numpy(dtype=int)
    assert session.data.rows.positions[pairs].tolist() == [[4, 6], [4, 20]]
    session.set_columns(roles={"c": "ignored"})
    assert session.constraints.to_frame()[["i", "j"]].values.tolist() == [[4, 6], [4, 20]]


def test_a_statement_about_a_row_that_is_left_out_is_told_and_comes_back(session):
    session.constrain(must_link=[[2, 3]])
    with pytest.warns(UserWarning, match="1 statement about rows that are left out"):
        session.set_columns(roles={"c": "feature"})
    assert len(session.constraints) == 0
    session.undo()
    assert len(session.constraints) == 1


def test_undo_and_redo_bring_the_data_with_them(session):
    session.step()
    session.set_columns(scale="standardise")
    assert session.data.X.std(axis=0) == pytest.approx([1, 1])
    session.undo()
    assert session.data is session.first_data
    assert session.problem.n_features == 2
    session.redo()
    assert session.data.plan.scale == {"a": "standardise", "b": "standardise"}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_it_is_kept_and_found_again(session, tmp_path):
    session.constrain(must_link=[[0, 1]])
    session.set_columns(roles={"c": "feature", "kind": "class"}, missing="median", scale={"a": "robust"})
    session.run()
    session.save(tmp_path / "it.json")
    found = Session.load(tmp_path / "it.json")
    assert found.data.plan == session.data.plan
    assert found.labels.tolist() == session.labels.tolist()
    assert found.data.target_names == ("u", "v")
    found.undo()
    assert found.undo().problem.n_features == 2
    journalled = Session(session.first_data, FCM(n_clusters=2), journal=tmp_path / "kept")
    journalled.set_columns(roles={"kind": "feature"})
    journalled.close()
    again = Session.open(tmp_path / "kept")
    assert again.data.feature_names == ("a", "b", "kind=u", "kind=v")
    assert not again.differences


@pytest.mark.parametrize("first", ["file", "frame", "name"])
def test_the_script_does_the_same(first, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.to_csv("mine.csv", index=False)
    with warnings.catch_warnings(action="ignore"):
        data = {"file": "mine.csv", "frame": table, "name": "iris"}[first]
        session = Session(load_dataset(data), FCM(n_clusters=2))
        session.set_columns(roles={session.data.feature_names[0]: "ignored"})
        session.set_columns(scale="robust")
        session.run()
        made = {}
        exec(session.to_code().replace("print(", "found = (", 1), made)
    assert made["found"] == session.labels.tolist()
    assert "set_columns(scale=" in session.to_code()


def test_questions_about_other_samples_are_dropped(session):
    session.run()
    assert session.propose("UncertaintyQueries")
    session.set_columns(roles={"c": "feature"})
    assert session.pending == ()
    session.rewind(0)
    assert session.pending == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"roles": {"d": "feature"}}, "no column 'd'"),
        ({"roles": {"a": "feeture"}}, "can't have the role"),
        ({"roles": dict.fromkeys(["a", "b"], "ignored")}, "no numeric column to cluster by"),
        ({"scale": "sqrt"}, "scale='sqrt'"),
        ({"scale": {"a": "log"}}, "needs x > -1"),
        ({"n_components": -1}, "n_components"),
        ({"scale": "none"}, "used like that already"),
    ],
)
def test_what_can_t_be_done_is_said_and_nothing_is_lost(session, changes, words):
    session.step()
    with pytest.raises(ValueError, match=words):
        session.set_columns(**changes)
    assert (session.position, session.data.n_features) == (1, 2)


def test_vectors_and_matrices_are_kept_so_that_a_reduction_can_be_undone():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"text": [f"some words of number {i}" for i in range(20)]})
    frame["v"] = list(rng.normal(size=(20, 210)).astype(np.float32))
    for data in (load_dataset(frame), load_dataset(frame[["text"]], vectors=rng.normal(size=(20, 210)))):
        assert data.n_features < 50
        found = unpack_dataset(json.loads(json.dumps(pack_dataset(data))), "here")
        assert found.with_columns(n_components=0).X.shape == (20, 210)
        np.testing.assert_array_equal(found.with_columns(n_components=0).X, data.with_columns(n_components=0).X)
