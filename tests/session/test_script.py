"""Scripts that a session writes give the same labels when they are run alone."""

import contextlib
import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cclab import FCM, SFCM, ConstraintSet, COPKMeans, Session, load_dataset
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
