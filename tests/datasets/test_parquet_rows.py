from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from cclab import CECM, FCM
from cclab.datasets import ParquetRows, write_beliefs
from cclab.datasets.parquet_rows import parquet_frames, write_frames

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr("cclab.datasets.parquet_rows.AT_A_TIME", 30)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["x", "y", "z"])
    frame.loc[::2, "x"] += 8
    frame["name"] = "somebody"
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=70)
    return tmp_path / "big.parquet", frame


def test_rows_are_read_group_by_group(table):
    path, frame = table
    rows = ParquetRows(path)
    assert rows.shape == (200, 3)
    assert max(map(len, rows.chunks())) <= 30
    np.testing.assert_array_equal(np.concatenate(list(rows.chunks())), frame[["x", "y", "z"]])
    np.testing.assert_array_equal(rows[[199, 0, 71]], frame.loc[[199, 0, 71], ["x", "y", "z"]])
    assert ParquetRows(path, ["z", "x"]).feature_names == ("z", "x")


def test_what_was_read_is_let_go(tmp_path):
    path = tmp_path / "big.parquet"
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(1 << 20, 2)), columns=["x", "y"])
    frame.to_parquet(path, row_group_size=1 << 16)
    before = pa.total_allocated_bytes()
    held = max(pa.total_allocated_bytes() - before for _ in ParquetRows(path).chunks())
    assert held < path.stat().st_size / 3


def test_a_file_is_fitted_and_its_masses_written(table, tmp_path):
    path, frame = table
    X = frame[["x", "y"]].to_numpy()
    links = {"must_link": [[0, 1]], "cannot_link": [[2, 4]]}
    here = CECM(2, init=X[:2]).fit(X, **links)
    rows = ParquetRows(path, ["x", "y"])
    there = CECM(2, init=X[:2]).fit(rows, **links)
    np.testing.assert_allclose(there.centers_, here.centers_, rtol=1e-8)
    seen = []
    out = tmp_path / "masses.parquet"
    n = write_beliefs(out, there.beliefs(rows, fitted=True), len(rows), lambda done, of: seen.append((done, of)))
    assert (n, seen[-1]) == (200, (200, 200))
    assert len(seen) > 3
    written = pd.read_parquet(out)
    pd.testing.assert_frame_equal(written, here.partition_.to_frame(), rtol=1e-6, check_index_type=False)


def test_single_precision_stays_so(tmp_path):
    path = tmp_path / "f.parquet"
    pd.DataFrame({"x": np.arange(5, dtype=np.float32)}).to_parquet(path)
    assert next(ParquetRows(path).chunks()).dtype == np.float32


def test_what_can_not_be_read_is_said(table, tmp_path):
    path, frame = table
    with pytest.raises(ValueError, match=r"big.parquet has no column 'xx'; did you mean x"):
        ParquetRows(path, ["xx"])
    with pytest.raises(ValueError, match=r"column 'name' holds .* no numbers"):
        ParquetRows(path, ["name"])
    with pytest.raises(FileNotFoundError, match="there is no file"):
        ParquetRows(tmp_path / "none.parquet")
    with pytest.raises(IsADirectoryError, match="is a folder; give one Parquet file"):
        ParquetRows(tmp_path)
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="damaged"):
        ParquetRows(tmp_path / "cut.parquet")
    (tmp_path / "table.csv").write_text("x,y\n1,2\n")
    with pytest.raises(ValueError, match=r"table.csv is no Parquet file; write the table as one first"):
        ParquetRows(tmp_path / "table.csv")
    frame.loc[120, "y"] = None
    frame.to_parquet(path)
    with pytest.raises(ValueError, match="NaN in row 120, column 'y'"):
        FCM(2).fit(ParquetRows(path))


def test_columns_are_told_by_their_names(table):
    path, frame = table
    fcm = FCM(2, init=[[0, 0, 0], [8, 0, 0]]).fit(ParquetRows(path))
    assert fcm.feature_names_in_.tolist() == ["x", "y", "z"]
    frame[["z", "name", "y", "x"]].to_parquet(path)
    with pytest.raises(ValueError, match=r"X has the columns z, y, x, but the fit had x, y, z"):
        fcm.predict(ParquetRows(path))
    np.testing.assert_array_equal(fcm.predict(ParquetRows(path, fcm.feature_names_in_)), fcm.labels_)
    for asked in (["x", "x"], ["y", "x", "y"]):
        with pytest.raises(ValueError, match="more than once"):
            ParquetRows(path, asked)
    twice = pa.table([pa.array([1.0, 2.0])] * 2, names=["a", "a"])
    parquet.write_table(twice, path)
    with pytest.raises(ValueError, match=r"big.parquet has 2 columns 'a'"):
        ParquetRows(path)


def test_the_index_of_a_frame_is_no_feature(table):
    path, frame = table
    some = frame[frame["x"] > 0]
    some.to_parquet(path)  # the numbers of the rows that are left come along
    assert ParquetRows(path).feature_names == ("x", "y", "z")
    read = pd.concat(parquet_frames(path), ignore_index=True)
    pd.testing.assert_frame_equal(read, some.reset_index(drop=True))
    frame.set_index("y").to_parquet(path)
    assert ParquetRows(path).feature_names == ("x", "z")
    assert ParquetRows(path, ["y"]).feature_names == ("y",)


def test_days_and_decimals_of_databases_are_read(tmp_path):
    path = tmp_path / "sales.parquet"
    days = [date(2024, 5, 1), None, date(2024, 5, 3)]
    prices = pa.array([Decimal("1.50"), None, Decimal("2.25")])
    codes = pa.array([2**60 + 1, None, 2**60 + 3])
    parquet.write_table(pa.table({"day": days, "price": prices, "code": codes}), path)
    assert ParquetRows(path).feature_names == ("price", "code")
    np.testing.assert_array_equal(ParquetRows(path, ["price"])[[0, 1, 2]].ravel(), [1.5, np.nan, 2.25])
    (frame,) = parquet_frames(path, as_stored=["code"])
    assert frame["day"].dtype.kind == "M"
    assert frame["price"].dtype == float
    assert frame["code"].tolist()[::2] == [2**60 + 1, 2**60 + 3]


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    def frames():
        yield pd.DataFrame({"label": [1]})
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_frames(tmp_path / "out.parquet", frames())
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="nothing to write"):
        write_frames(tmp_path / "out.parquet", [])
