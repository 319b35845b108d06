import numpy as np
import pandas as pd
import pytest

from cclab import CECM, ECM, FCM, SPCL, Session, load_dataset
from cclab.cli import main
from cclab.export.applying import apply

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(20, 1, 90), "price": rng.lognormal(size=90)})
    frame["when"] = pd.Timestamp("2024-05-01") + pd.to_timedelta(rng.integers(0, 9, 90), unit="D")
    frame["kind"] = np.where(np.arange(90) % 3, "tame", "wild")
    frame["who"] = [f"bird {i}" for i in range(90)]
    frame.loc[frame["kind"] == "wild", "size"] += 9
    return frame


@pytest.fixture
def session(frame):
    roles = {"kind": "feature", "when": "feature", "who": "id"}
    scale = {"size": "standardise", "price": "log", "when": "robust"}
    session = Session(load_dataset(frame, roles=roles, scale=scale), ECM(2, random_state=0))
    session.run()
    return session


def test_rows_of_the_session_are_told_as_the_page_tells_them(session, frame, tmp_path, monkeypatch):
    monkeypatch.setattr("cclab.datasets.parquet_rows.AT_A_TIME", 25)
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=40)
    seen = []
    n = apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet", lambda done, of: seen.append((done, of)))
    assert n == 90
    assert seen[-1] == (90, 90)
    told = pd.read_parquet(tmp_path / "out.parquet")
    assert told["who"].tolist() == frame["who"].tolist()
    own = session.partition.to_frame(first=1)
    pd.testing.assert_series_equal(told["cluster"].astype(int), own["label"].astype(int), check_names=False)
    for column in own.columns[1:]:
        np.testing.assert_allclose(told[column].astype(float), own[column].astype(float), atol=1e-7)


def test_missing_values_leave_empty_cells(session, frame, tmp_path):
    frame.loc[7, "size"] = None
    frame.loc[8, "price"] = -3.0  # has no logarithm
    frame.to_parquet(tmp_path / "big.parquet")
    apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")
    assert told["cluster"].isna().to_numpy().nonzero()[0].tolist() == [7, 8]


def test_samples_that_statements_name_keep_what_was_made_of_them(frame, tmp_path):
    session = Session(load_dataset(frame[["size", "price"]]), CECM(2, random_state=0))
    session.constrain(cannot_link=[[1, 2]], must_link=[[0, 1]])
    session.run()
    frame.to_parquet(tmp_path / "big.parquet")
    apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")
    own = session.partition.to_frame(first=1)
    for column in own.columns[1:]:
        np.testing.assert_allclose(told[column].astype(float), own[column].astype(float), atol=1e-7)


def test_from_the_terminal(session, frame, tmp_path, capsys):
    session.save(tmp_path / "session.json")
    frame.to_parquet(tmp_path / "big.parquet")
    given = [str(tmp_path / name) for name in ("session.json", "big.parquet", "out.parquet")]
    assert main(["apply", *given[:2], "--out", given[2]]) == 0
    assert "90 rows" in capsys.readouterr().out
    assert len(pd.read_parquet(given[2])) == 90
    frame.rename(columns={"price": "prize"}).to_parquet(tmp_path / "big.parquet")
    assert main(["apply", *given[:2], "--out", given[2]]) == 1
    assert "no column 'price'; did you mean prize" in capsys.readouterr().err
    assert main(["apply", given[0], str(tmp_path / "none.parquet"), "--out", given[2]]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_what_can_not_be_applied_is_said(frame, tmp_path):
    frame.to_parquet(tmp_path / "big.parquet")
    reduced = Session(load_dataset(frame[["size", "price"]], n_components=1), FCM(2, random_state=0))
    with pytest.raises(ValueError, match="feature 'PC 1' can't be made of a single column"):
        apply(reduced, tmp_path / "big.parquet", tmp_path / "out.parquet")
    spectral = Session(load_dataset(frame[["size", "price"]]), SPCL(2, random_state=0))
    with pytest.raises(ValueError, match="can't tell where new samples belong"):
        apply(spectral, tmp_path / "big.parquet", tmp_path / "out.parquet")
