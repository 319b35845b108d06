import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from cclab import ECM, FCM, PCKMeans, Session, load_dataset
from cclab.core import Problem
from cclab.export.applying import apply

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

N = 20_000


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    rng = np.random.default_rng(0)
    truth = rng.choice(3, N, p=[0.7, 0.25, 0.05])
    X = np.array([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]])[truth] + rng.normal(size=(N, 2))
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "kind": np.array(["a", "b", "c"])[truth]})
    frame.loc[13, "x"] = np.nan
    path = tmp_path_factory.mktemp("big") / "big.parquet"
    frame.to_parquet(path, row_group_size=3000)
    return path, frame


def test_samples_stand_for_all_rows(big):
    path, frame = big
    data = load_dataset(path, coreset=2000)
    assert 1800 < data.n_samples < 2200
    assert data.sample_weight.sum() == pytest.approx(N - 1)
    assert data.feature_names == ("x", "y")
    assert data.target_names == ("a", "b", "c")
    assert data.coreset.n_rows == N
    # Each sample is called by its row in the file, and is that row.
    rows = data.coreset.rows[data.rows.positions]
    assert data.sample_names == tuple(map(str, rows))
    np.testing.assert_array_equal(data.X, frame.loc[rows, ["x", "y"]])
    assert 13 not in rows
    assert any("stand for 19,999 rows" in note for note in data.notes)
    # Sums over the samples are about those over all rows.
    mean = np.average(data.X, axis=0, weights=data.sample_weight)
    spread = frame[["x", "y"]].std()
    assert (np.abs(mean - frame[["x", "y"]].mean()) < 0.05 * spread).all()
    assert Problem(data.X, sample_weight=data.sample_weight).spread == pytest.approx(
        Problem(frame[["x", "y"]].dropna()).spread, rel=0.03
    )


def test_the_same_seed_draws_the_same_whatever_the_pieces(big, monkeypatch):
    path, _ = big
    once = load_dataset(path, coreset=500, seed=3)
    monkeypatch.setattr("cclab.datasets.parquet_rows.AT_A_TIME", 5000)
    again = load_dataset(path, coreset=500, seed=3)
    np.testing.assert_array_equal(once.coreset.rows, again.coreset.rows)
    np.testing.assert_allclose(once.coreset.weights, again.coreset.weights, rtol=1e-9)
    assert again.fingerprint == load_dataset(path, coreset=500, seed=3).fingerprint
    assert once.fingerprint != load_dataset(path, coreset=500, seed=4).fingerprint


def test_rows_that_are_named_are_in_it(big):
    named = [19_999, 5, 7, 7]
    data = load_dataset(path := big[0], coreset=200, keep=named)
    samples = data.by("id").find([str(row) for row in named], "samples")
    assert data.sample_weight[samples].tolist() == [1.0] * 4
    assert data.sample_weight.sum() == pytest.approx(N - 1)
    with pytest.raises(ValueError, match="names sample 20000"):
        load_dataset(path, coreset=200, keep=[N])
    with pytest.raises(ValueError, match=r"keep: row 13 of big.parquet has no value in column 'x'"):
        load_dataset(path, coreset=200, keep=[13])
    assert "13" in load_dataset(path, coreset=200, keep=[13], missing="median").sample_names


def test_rows_with_gaps_that_are_filled_in_are_stood_for(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.lognormal(size=N), "y": rng.normal(size=N), "day": pd.Timestamp("2024-05-01")})
    frame.loc[rng.random(N) < 0.3, "x"] = np.nan
    frame.loc[5, "x"] = np.inf
    frame.to_parquet(path := tmp_path / "gaps.parquet", row_group_size=3000)
    data = load_dataset(path, coreset=3000, missing="median")
    assert data.sample_weight.sum() == pytest.approx(N - 1)
    rows = data.coreset.rows[data.rows.positions]
    gaps = frame["x"].isna().to_numpy()[rows]
    assert data.sample_weight[gaps].sum() == pytest.approx(frame["x"].isna().sum(), rel=0.1)
    # Rows far out are drawn more often; the median is that of all rows nevertheless.
    (filled,) = set(data.X[gaps, 0])
    assert filled == pytest.approx(frame["x"].median(), rel=0.05)
    assert any("column 'day' is no feature" in note for note in data.notes)
    session = Session(data, FCM(2, random_state=0))
    session.run()
    with pytest.warns(UserWarning, match="1 row of 20,000 lacks"):  # infinity is no gap
        apply(session, path, tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")["cluster"]
    assert told[rows].tolist() == (1 + session.partition.labels()).tolist()


def test_truth_values_may_be_missing_in_any_part_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("cclab.datasets.parquet_rows.AT_A_TIME", 5000)
    frame = pd.DataFrame({"x": np.arange(N) % 97.0, "flag": np.arange(N) % 3 == 0}).astype({"flag": "boolean"})
    frame.loc[12_000, "flag"] = None
    frame.to_parquet(tmp_path / "flags.parquet")
    data = load_dataset(tmp_path / "flags.parquet", coreset=1000)
    assert data.feature_names == ("x", "flag")
    assert data.sample_weight.sum() == pytest.approx(N - 1)


def test_columns_are_scaled_as_all_rows_would_be(big):
    path, frame = big
    data = load_dataset(path, coreset=3000, scale="standardise")
    whole = load_dataset(frame.dropna().reset_index(drop=True), scale="standardise")
    rows = data.coreset.rows[data.rows.positions]
    np.testing.assert_allclose(data.X, whole.X[rows - (rows > 13)], rtol=0.05, atol=0.05)
    assert data.with_columns(scale="none").sample_weight.sum() == pytest.approx(N - 1)
    assert data.subset([0, 1, 2]).sample_weight.tolist() == data.sample_weight[:3].tolist()


@pytest.mark.parametrize("cls", [FCM, ECM, PCKMeans])
def test_a_fit_is_about_that_of_all_rows(big, cls):
    path, frame = big
    whole = frame[["x", "y"]].dropna().to_numpy()
    data = load_dataset(path, coreset=4000)
    start = [[0, 0], [6, 1], [2, 7]]
    part = cls(3, init=start).fit(data.X, sample_weight=data.sample_weight)
    full = cls(3, init=start).fit(whole)
    off = np.linalg.norm(part.centers_ - full.centers_, axis=1)
    assert off.max() < 0.05 * Problem(whole).spread
    assert adjusted_rand_score(part.predict(whole), full.labels_) > 0.97


def test_a_session_on_a_coreset_is_saved_and_applied_to_all(big, tmp_path):
    path, frame = big
    data = load_dataset(path, coreset=1000, keep=[1, 2])
    session = Session(data, ECM(3, random_state=0))
    assert session.current.problem.sample_weight is not None
    session.run()
    assert session.to_frame()["stands_for"].tolist() == data.sample_weight.tolist()
    session.save(tmp_path / "session.json")
    again = Session.load(tmp_path / "session.json")
    assert again.data.fingerprint == data.fingerprint
    np.testing.assert_array_equal(again.current.problem.sample_weight, data.sample_weight)
    with pytest.warns(UserWarning, match="1 row of 20,000 lacks a value"):
        assert apply(again, path, tmp_path / "out.parquet") == N
    told = pd.read_parquet(tmp_path / "out.parquet")
    assert told["cluster"].isna().to_numpy().nonzero()[0].tolist() == [13]
    known = told["cluster"].notna()
    assert adjusted_rand_score(frame["kind"][known], told["cluster"][known]) > 0.9


def test_what_no_coreset_can_be_drawn_from_is_said(big, tmp_path):
    with pytest.raises(ValueError, match="whole number from 100"):
        load_dataset(big[0], coreset=3)
    with pytest.raises(ValueError, match="drawn from a Parquet file"):
        load_dataset(tmp_path / "big.csv", coreset=1000)
    with pytest.raises(ValueError, match="by its path"):
        load_dataset(np.zeros((5, 2)), coreset=1000)
    pd.DataFrame({"word": ["a", "b", "c"]}).to_parquet(tmp_path / "words.parquet")
    with pytest.raises(ValueError, match=r"no numeric column|no column of numbers"):
        load_dataset(tmp_path / "words.parquet", coreset=1000)
    pd.DataFrame({"x": [1.0, 2.0]}).iloc[:0].to_parquet(tmp_path / "empty.parquet")
    with pytest.raises(ValueError, match=r"empty.parquet has no rows"):
        load_dataset(tmp_path / "empty.parquet", coreset=1000)
    parquet.write_table(pa.table([pa.array([1.0, 2.0])] * 2, names=["x", "x"]), tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match=r"twice.parquet has 2 columns 'x'"):
        load_dataset(tmp_path / "twice.parquet", coreset=1000)
