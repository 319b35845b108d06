"""The original table comes back with its clusters, whatever was dropped, and from a reopened session too."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cclab import ECM, FCM, Session, load_dataset
from cclab.datasets import DroppedRows
from cclab.session.storage import origins

pytestmark = pytest.mark.filterwarnings("ignore::cclab.datasets.DroppedRows")


def table(**columns):
    x = np.r_[np.linspace(0, 1, 10), np.linspace(10, 11, 10)]
    frame = pd.DataFrame({"x": x, "word": list("ab") * 10, "day": pd.date_range("2024-01-01", periods=20)} | columns)
    frame.loc[[2, 15], "x"] = np.nan
    return frame


def reopened(session):
    return Session.from_json(json.loads(json.dumps(session.to_json())))


INDEXES = {
    "default": pd.RangeIndex(20),
    "words": pd.Index([f"s{i}" for i in range(20)], name="who"),
    "numbers": pd.Index(np.arange(20)[::-1] * 3),
    "duplicates": pd.Index([i // 2 for i in range(20)]),
    "dates": pd.date_range("2020-02-01", periods=20, tz="Europe/Paris"),
    "two levels": pd.MultiIndex.from_product([["n", "s"], range(10)], names=["side", "no"]),
}


@pytest.mark.parametrize("again", [lambda session: session, reopened], ids=["open", "reopened"])
@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_the_table_comes_back_in_its_order_with_its_index(index, again):
    original = table().set_axis(index)
    session = Session(load_dataset(original).standardized(), FCM(2))
    session.run()
    frame = again(session).to_frame()
    pd.testing.assert_frame_equal(frame[["x", "word", "day"]], original, check_freq=False)
    assert frame["cluster"].dtype == "Int64"
    assert np.flatnonzero(frame["cluster"].isna()).tolist() == [2, 15]
    assert frame["outlier"].isna().sum() == 2
    clusters = frame["cluster"].dropna().to_numpy(int)
    np.testing.assert_array_equal(clusters, session.labels)
    degrees = frame[["cluster_0", "cluster_1"]].dropna().to_numpy()
    np.testing.assert_array_equal(degrees, session.partition.degrees)
    assert len(set(clusters[:9])) == len(set(clusters[9:])) == 1


def test_columns_that_are_called_alike_are_kept():
    original = table(cluster=1, ambiguity="much")
    frame = Session(original, FCM(2)).to_frame()
    assert frame["cluster"].tolist() == [1] * 20
    assert frame["ambiguity"].tolist() == ["much"] * 20
    assert frame["cclab_cluster"].isna().sum() == 2
    assert {"cclab_ambiguity", "cluster_0"} <= set(frame.columns)


def test_any_column_comes_back_from_a_file():
    original = table(
        maybe=pd.array([None, *range(19)], dtype="Int64"),
        kind=pd.Categorical(list("pq") * 10),
        mixed=[1, "a", None, 2.5] * 5,
        late=pd.date_range("2024-01-01", periods=20, tz="UTC"),
        flag=[True, False] * 10,
    )
    frame = reopened(Session(original, FCM(2))).to_frame()
    pd.testing.assert_frame_equal(frame[list(original.columns)], original, check_freq=False)


def test_arrays_and_named_sets_give_their_features():
    iris = load_dataset("iris")
    frame = Session(iris.standardized(), FCM(3)).to_frame()
    np.testing.assert_array_equal(frame[list(iris.feature_names)], iris.X)
    assert frame["cluster"].notna().all()
    texts = Session(sparse.random(20, 6, 0.5, random_state=0, format="csr"), "COPKMeans").to_frame()
    assert texts.columns[0] == "cluster"


def test_of_a_large_table_a_file_keeps_index_and_ids(monkeypatch):
    monkeypatch.setattr(origins, "MOST_TABLE_BYTES", 100)
    session = Session(load_dataset(table(id=range(100, 120))).standardized(), FCM(2))
    frame = reopened(session).to_frame()
    assert frame.columns[:2].tolist() == ["id", "cluster"]
    assert frame["id"].tolist() == [str(i) for i in range(100, 120)]
    assert frame["cluster"].isna().sum() == 2
    assert reopened(session).data.by("id").find(["103"], "it").tolist() == [2]


def test_focal_sets_are_among_the_degrees():
    frame = Session(table(), ECM(2)).to_frame()
    assert {"mass_empty", "mass_0_1", "pignistic_0"} <= set(frame.columns)


def test_a_journal_keeps_rows(tmp_path):
    session = Session(table(), FCM(2), journal=tmp_path)
    session.step()
    session.close()
    pd.testing.assert_frame_equal(Session.open(tmp_path).to_frame(), session.to_frame(), check_freq=False)


def test_statements_are_made_by_name():
    session = Session(table().set_axis([f"s{i}" for i in range(20)]), "COPKMeans")
    session.constrain(must_link=[["s1", "s3"]], labels={"s19": 1}, by=session.data)
    session.constrain(group=["s0", "s4"], separation=(["s5"], ["s16", "s17"]), by=session.data)
    named = session.constraints.to_frame()
    session.undo()
    session.undo()
    session.constrain(must_link=[[1, 2]], labels={17: 1})
    session.constrain(group=[0, 3], separation=([4], [14, 15]))
    assert named.equals(session.constraints.to_frame())
    with pytest.raises(ValueError, match="must_link: 's2' is row 2 of the table"):
        session.constrain(must_link=[["s1", "s2"]], by=session.data)


def test_subsets_leave_the_rest_of_the_table_empty():
    data = load_dataset(table()).subset([0, 1, 10, 11])
    assert Session(data, FCM(2)).to_frame()["cluster"].notna().sum() == 4
    twice = Session(load_dataset(table()).subset([0, 0, 10, 11]), FCM(2))
    with pytest.raises(ValueError, match="same row"):
        twice.to_frame()


def test_python_warns_where_the_session_is_made():
    with pytest.warns(DroppedRows) as warned:
        Session(table(), FCM(2))
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ({"n_rows": 10**15}, "rows are more than"),
        ({"n_rows": "x"}, "not a whole number"),
        ({"n_rows": 19}, "index has 20|has not as many entries|positions|ids"),
        ({"ids": ["a"]}, "ids has 1 entries"),
        ({"positions": None}, "damaged"),
        ({"index": [{"name": None, "values": {}, "dtype": "str"}]}, "no list"),
        ({"table": [{"name": "x", "values": [1], "dtype": "float64"}]}, "as many entries"),
        ({"reading": {"file": "../../etc/passwd", "target": None, "fingerprint": "", "result": ""}}, "no plain name"),
        ({"reading": {"file": "a\\b.csv", "target": None, "fingerprint": "", "result": ""}}, "no plain name"),
        ({"reading": {"file": 3, "target": None, "fingerprint": "", "result": ""}}, "not said in words"),
        ({"reading": {"code": "import os"}}, "damaged"),
    ],
)
def test_damaged_rows_are_refused_in_words(damage, words):
    document = Session(table().set_axis([f"s{i}" for i in range(20)]), FCM(2)).to_json()
    document["data"]["rows"] |= damage
    with pytest.raises(ValueError, match=words):
        Session.from_json(document)
