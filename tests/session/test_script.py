"""Scripts that a session writes give the same labels when they are run alone."""

import contextlib
import io
import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cclab import FCM, SFCM, ConstraintSet, COPKMeans, Session, load_dataset
from cclab.core.registry import solvers
from cclab.queries.base import Query

X = np.random.default_rng(0).normal(size=(60, 2)) + np.array([[0, 0], [4, 0], [2, 4]])[np.arange(60) % 3]


def printed(script):
    """What a script prints, run alone."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(script, "script", "exec"), {})
    return json.loads(out.getvalue())


def degrees():
    table = np.full((60, 3), np.nan)
    table[4] = [0.2, 1.0, np.nan]
    return table


STATEMENTS = {
    "pairs": {"must_link": [[0, 1], [2, 5]], "cannot_link": [[0, 7]]},
    "many pairs": {"must_link": [[i, i + 3] for i in range(50)], "source": "a  long story, [told] 'twice' " * 4},
    "weights": {"must_link": [[0, 3], [1, 4]], "weight": [0.5, 0.25]},
    "group": {"group": range(0, 30, 3), "source": "lasso"},
    "separation": {"separation": (np.arange(3), [8, 9])},
    "cluster": {"labels": {3: 1, 7: {0, 2}, 9: {1: 0.5}}},
    "array": {"labels": np.where(np.arange(60) < 30, np.arange(60) % 3, -1)},
    "degrees": {"labels": degrees(), "source": "finance"},
    "all": {"constraints": ConstraintSet(60).with_group([0, 3, 6], shares=[1, 2, 3]).with_labels({1: 1})},
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("solver", ["COPKMeans", "SFCM"])
@pytest.mark.parametrize("said", STATEMENTS.values(), ids=STATEMENTS)
def test_every_statement(said, solver):
    session = Session(X, solver)
    session.step()
    session.constrain(**said)
    session.step()
    session.constrain(forget=int(session.constraints.ids[0]), group=[10, 13])
    session.restart()
    session.run()
    assert printed(session.to_code()) == session.labels.tolist()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_answers_and_switches():
    session = Session(X, COPKMeans(3, init=X[:3]))
    session.answer(Query.pair(0, 1, "", 1.0), "same", weight=0.5)
    session.answer(Query.pair(0, 5, "", 1.0), "different")
    session.switch(SFCM(3, label_weight=3.0, init=X[3:6]))
    session.answer(Query.label(7, "", 1.0), np.int64(2))
    session.run()
    assert printed(session.to_code()) == session.labels.tolist()


@pytest.mark.parametrize(
    "data",
    [
        X,
        pd.DataFrame(X, columns=["length", "width"]).assign(name="x"),
        b"a,b\n1,2\n3,4\n5,7\n8,9\n2,2\n",
        load_dataset("iris").standardized(),
        load_dataset("moons", seed=3),
    ],
    ids=["array", "frame", "upload", "standardized", "generated"],
)
def test_every_kind_of_data(data):
    session = Session(data, FCM(2, tol=float("inf")))
    session.run()
    script = session.to_code()
    assert "tol=float('inf')" in script
    assert printed(script) == session.labels.tolist()


def test_sparse_data():
    session = Session(sparse.random(40, 6, 0.4, random_state=0, format="csc"), COPKMeans(3))
    session.run()
    assert printed(session.to_code()) == session.labels.tolist()


def test_named_data_are_named():
    assert "load_dataset('iris').standardized()" in Session(load_dataset("iris").standardized(), "FCM").to_code()


# ---------------------------------------------------------------------------------------------- where data come from


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A file of a few thousand rows in the present folder, some of them dropped; gives its name."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(4000, 4)), columns=list("abcd"))
    frame.loc[::100, "b"] = np.nan
    frame.assign(group=np.where(frame["a"] > 0, "p", "q")).to_csv("large.csv", index=False)
    return "large.csv"


@pytest.mark.filterwarnings("ignore::cclab.datasets.DroppedRows")
@pytest.mark.parametrize("standardized", [False, True])
@pytest.mark.parametrize("reopened", [False, True])
def test_data_of_a_file_are_read_from_it(large, standardized, reopened):
    data = load_dataset(large, target="group")
    session = Session(data.standardized() if standardized else data, FCM(2))
    session.step(2)
    if reopened:
        session = Session.from_json(session.to_json())
    script = session.to_code()
    assert len(script) < 2000
    assert "load_dataset('large.csv', target='group', fingerprint=" in script
    assert printed(script) == session.labels.tolist()


@pytest.mark.filterwarnings("ignore::cclab.datasets.DroppedRows")
def test_a_file_that_was_changed_is_refused_by_the_script(large):
    script = Session(large, FCM(2)).to_code()
    pd.read_csv(large).assign(a=0.5).to_csv(large, index=False)
    with pytest.raises(ValueError, match="large holds other data than those that are asked for"):
        printed(script)


@pytest.mark.filterwarnings("ignore::cclab.datasets.DroppedRows")
@pytest.mark.parametrize(
    "change",
    [
        lambda data: replace(data, X=data.X * 2),
        lambda data: replace(data.standardized(), X=data.X * 2),
        lambda data: replace(data, X=data.X * 2).standardized(),
        lambda data: data.with_target(None),
        lambda data: data.subset(np.arange(3000)),
        lambda data: data.standardized().standardized(),
    ],
)
def test_data_that_a_file_does_not_give_are_written_out(large, change):
    session = Session(change(load_dataset(large)), FCM(2))
    session.step(2)
    script = session.to_code()
    assert "# The data" in script
    assert "load_dataset(" not in script
    assert printed(script) == session.labels.tolist()


def test_small_data_of_a_file_are_written_out_and_know_their_rows(tmp_path):
    with pytest.warns(UserWarning, match="1 row"):
        session = Session(load_dataset(b"x,y\n1,2\n,3\n5,6\n9,9\n", filename="small.csv"), FCM(2))
    script = session.to_code()
    assert "# The data (3 samples x 2 features) are written out here: they are small (from 'small.csv')." in script
    space = {}
    exec(compile(script, "script", "exec"), space)
    assert space["data"].rows.positions.tolist() == [0, 2, 3]


def test_a_script_says_with_what_it_was_written():
    first = Session("iris", "FCM").to_code().splitlines()[0]
    assert re.match(
        r"# Written by cclab \S+ with Python 3\.\S+, numpy \d\S+, scipy \d\S+, scikit-learn \d\S+, pandas \d", first
    )


# ---------------------------------------------------------------------------------------------- nothing is looked up


@pytest.fixture
def nothing_is_opened(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("something was looked up")

    monkeypatch.setattr("cclab.datasets.openml.fetch_openml", refuse)
    monkeypatch.setattr("cclab.datasets.load.read_table", refuse)


@pytest.mark.usefixtures("nothing_is_opened")
@pytest.mark.parametrize(
    "name",
    ["glass", "/etc/passwd", "./pyproject.toml", "http://127.0.0.1:1/x", "iris.csv", "iris", "a\n'''b", "glas" * 10**6],
    ids=lambda name: name[:20],
)
def test_what_data_are_called_is_never_looked_up(monkeypatch, name):
    monkeypatch.setenv("CCLAB_DATA", "")
    session = Session(replace(load_dataset(X), name=name), FCM(2))
    session.step()
    assert printed(session.to_code()) == session.labels.tolist()


def test_a_set_of_a_folder_is_named_with_its_fingerprint(monkeypatch, tmp_path):
    pd.DataFrame({"a": [1.0, 2.0, 9.0], "label": list("ppq")}).to_csv(tmp_path / "mine.csv", index=False)
    (tmp_path / "datasets.json").write_text(json.dumps({"datasets": [{"name": "mine", "file": "mine.csv"}]}))
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    session = Session("mine", FCM(2))
    script = session.to_code()
    assert f"load_dataset('mine', fingerprint='{session.data.fingerprint[:16]}')" in script
    assert printed(script) == session.labels.tolist()
    (tmp_path / "mine.csv").write_text("a,label\n1,p\n2,p\n8,q\n")
    with pytest.raises(ValueError, match="mine holds other data"):
        printed(script)
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path / "gone"))
    assert "unpack_dataset" in session.to_code()


def test_a_script_on_iris_gives_the_same_labels_wherever_data_lie(monkeypatch, tmp_path):
    session = Session("iris", FCM(3))
    session.run()
    script = session.to_code()
    for folder in ("", str(tmp_path)):
        monkeypatch.setenv("CCLAB_DATA", folder)
        (tmp_path / "datasets.json").write_text('{"datasets": [{"name": "iris", "file": "no.csv"}]}')
        assert printed(script) == session.labels.tolist()


# ---------------------------------------------------------------------------------------------- solvers of one's own


@pytest.fixture
def registry():
    known = solvers.names()
    yield
    for name in set(solvers.names()).difference(known):
        solvers.remove(name)


@pytest.mark.usefixtures("registry")
def test_a_solver_of_a_module_of_ones_own_is_imported_from_there(tmp_path, monkeypatch):
    (tmp_path / "my_solvers.py").write_text("from cclab import FCM\n\n\nclass MyFCM(FCM):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    import my_solvers

    session = Session("iris", my_solvers.MyFCM(3))
    session.step()
    script = session.to_code()
    assert "from my_solvers import MyFCM" in script
    assert printed(script) == session.labels.tolist()


@pytest.mark.usefixtures("registry")
def test_a_solver_that_no_script_can_import_is_refused_in_words():
    class Mine(FCM):
        pass

    with pytest.raises(ValueError, match=r"Mine is defined in a notebook or inside a function.* into a file"):
        Session("iris", Mine(3)).to_code()
