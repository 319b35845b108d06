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
    with pytest.warns(UserWarning, match="2 rows of 90 lack a value"):
        apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")
    assert told["cluster"].isna().to_numpy().nonzero()[0].tolist() == [7, 8]


def test_ids_stay_beside_their_rows_whatever_index_was_written(session, frame, tmp_path):
    whole = tmp_path / "whole.parquet"
    frame.to_parquet(whole)
    apply(session, whole, tmp_path / "out.parquet")
    clusters = pd.read_parquet(tmp_path / "out.parquet")["cluster"]
    parts = {"range": frame.iloc[5:40], "chosen": frame[frame["size"] > 22], "named": frame.set_index(["who", "size"])}
    for part in parts.values():
        part.to_parquet(whole)
        apply(session, whole, tmp_path / "out.parquet")
        told = pd.read_parquet(tmp_path / "out.parquet")
        rows = frame.set_index("who").index.get_indexer(told["who"])
        assert told["who"].tolist() == part.reset_index()["who"].tolist()
        assert told["cluster"].tolist() == clusters.iloc[rows].tolist()


def test_words_with_any_letters_are_told(frame, tmp_path):
    frame["kind"] = frame["kind"].map({"tame": "tame=at home", "wild": "wild"})
    data = load_dataset(frame[["size", "kind"]], roles={"kind": "feature"})
    session = Session(data, FCM(2, random_state=0))
    session.run()
    frame.to_parquet(tmp_path / "big.parquet")
    apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")
    assert told["cluster"].tolist() == (1 + session.partition.labels()).tolist()


@pytest.mark.parametrize(
    ("column", "change", "words"),
    [
        ("size", lambda x: x.astype(str) + " cm", "column 'size' holds '.* cm', where the session has numbers"),
        ("size", lambda x: pd.Timestamp(0) + pd.to_timedelta(x, unit="D"), "column 'size' .* has numbers"),
        ("when", lambda x: x.astype("int64"), "column 'when' holds '.*', where the session has dates"),
        ("when", lambda x: x.dt.strftime("%d.%m.%Y"), "column 'when' holds '.*', where the session has dates"),
        ("kind", lambda x: x == "tame", "column 'kind' holds 'False', where the session has words"),
    ],
)
def test_a_column_that_holds_something_else_is_refused(session, frame, tmp_path, column, change, words):
    frame[column] = change(frame[column])
    frame.to_parquet(tmp_path / "big.parquet")
    with pytest.raises(ValueError, match=f"big.parquet: {words}"):
        apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_numbers_and_dates_may_be_written_as_texts(session, frame, tmp_path):
    own = session.partition.labels() + 1
    frame["size"] = frame["size"].map(repr)
    frame["when"] = frame["when"].dt.strftime("%Y-%m-%d")
    frame.loc[3, "size"] = "n/a"
    frame.to_parquet(tmp_path / "big.parquet")
    with pytest.warns(UserWarning, match="1 row of 90 lacks a value"):
        apply(session, tmp_path / "big.parquet", tmp_path / "out.parquet")
    told = pd.read_parquet(tmp_path / "out.parquet")["cluster"]
    assert told.isna().to_numpy().nonzero()[0].tolist() == [3]
    assert told.drop(3).tolist() == np.delete(own, 3).tolist()


def test_nothing_that_is_read_is_written_over(session, frame, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    session.save("session.json")
    session.save("session.parquet")
    frame.to_parquet("big.parquet")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for given, words in {
        ("session.json", "big.parquet", "big.parquet"): "big.parquet is what is read",
        ("session.parquet", "big.parquet", "session.parquet"): "session.parquet is what is read",
        ("session.json", "big.parquet", "labels.csv"): "let its name end in .parquet",
        ("session.json", "big.parquet", "none/labels.parquet"): "there is no folder 'none'",
        ("none.json", "big.parquet", "labels.parquet"): "there is no session 'none.json'",
    }.items():
        assert main(["apply", *given[:2], "--out", given[2]]) == 1
        assert words in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_stop_in_the_middle_leaves_nothing_behind(session, frame, tmp_path, monkeypatch, capsys):
    session.save(tmp_path / "session.json")
    frame.to_parquet(tmp_path / "big.parquet")
    monkeypatch.setattr("cclab.datasets.parquet_rows.AT_A_TIME", 25)
    believe, calls = ECM.believe, []

    def stop(self, X, state):
        calls.append(len(X))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return believe(self, X, state)

    monkeypatch.setattr(ECM, "believe", stop)
    given = [str(tmp_path / name) for name in ("session.json", "big.parquet", "out.parquet")]
    assert main(["apply", *given[:2], "--out", given[2]]) == 130
    assert "Stopped; nothing was written" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"session.json", "big.parquet"}


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
