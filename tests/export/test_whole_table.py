"""The original table with clusters beside it, in every form that leaves."""

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cclab import FCM, COPKMeans, Session, load_dataset
from cclab.export import whole_table as whole_table_module
from cclab.export.whole_table import table_csv, table_excel, table_parquet, table_text, to_anndata, whole_table


@pytest.fixture
def session():
    table = pd.DataFrame(
        {
            "x": [0.0, 0.1, np.nan, 9.0, 9.2],
            "note": ["=1+1", "b", "c", "d", None],
            "v": list(np.arange(10.0).reshape(5, 2)),
            "when": pd.date_range("2024-01-01", periods=5, tz="UTC"),
        }
    )
    return Session(load_dataset(table, roles={"v": "ignored", "x": "feature"}), FCM(n_clusters=2))


@pytest.mark.parametrize(
    ("make", "read"),
    [(table_csv, pd.read_csv), (table_excel, pd.read_excel), (table_parquet, pd.read_parquet)],
)
def test_every_row_is_there_with_its_cluster_from_1(session, make, read):
    file = make(session)
    found = read(io.BytesIO(file.data))
    assert len(found) == 5
    assert found["note"].tolist()[:2] == ["=1+1", "b"]
    clusters = found["cluster"]
    assert clusters.isna().tolist() == [False, False, True, False, False]
    assert set(clusters.dropna()) == {1, 2}
    assert clusters[0] == clusters[1] != clusters[3]
    assert file.name.endswith(("-table.csv", "-table.xlsx", "-table.parquet"))


def test_the_clipboard_takes_tabs(session):
    assert table_text(session).splitlines()[0].split("\t")[:2] == ["x", "note"]


def test_whole_numbers_beside_holes_and_zones_of_time_are_written_as_they_were():
    times = pd.date_range("2024-01-01", periods=4, tz="Europe/Vienna")
    table = pd.DataFrame({"x": [0.5, 0.1, 9.0, 9.2], "days": [3, None, 4, 5], "when": times})
    session = Session(load_dataset(table, roles={"days": "ignored", "when": "ignored"}), FCM(n_clusters=2))
    lines = table_csv(session).data.decode().splitlines()
    assert lines[1].startswith("0.5,3,2024-01-01 00:00:00+01:00,")
    assert lines[2].startswith("0.1,,2024-01-02 00:00:00+01:00,")
    sheet = pd.read_excel(io.BytesIO(table_excel(session).data))
    assert sheet["when"].tolist() == times.tz_localize(None).tolist()


def test_names_and_taken_columns(session):
    frame = whole_table(Session(session.data.table.assign(cluster=0.5)[["x", "cluster"]], FCM(n_clusters=2)))
    assert {"cluster", "cclab_cluster"} <= set(frame.columns)


def test_cells_get_their_clusters_in_obs():
    rng = np.random.default_rng(0)
    names = [f"cell {i}" for i in range(6)]
    cells = SimpleNamespace(
        X=np.vstack([rng.normal(size=(3, 4)), 9 + rng.normal(size=(3, 4))]),
        obs=pd.DataFrame({"batch": list("aabbab")}, index=names),
        var=pd.DataFrame(index=list("wxyz")),
        obs_names=pd.Index(names),
        var_names=pd.Index(list("wxyz")),
        obsm={},
    )
    session = Session(load_dataset(cells), FCM(n_clusters=2))
    assert session.data.feature_names == ("w", "x", "y", "z")
    assert session.data.meta["batch"].tolist() == list("aabbab")
    session.run()
    to_anndata(session, cells)
    assert cells.obs["cclab_cluster"].tolist() == session.labels.tolist()
    cells.obs_names = pd.Index(["other"])
    with pytest.raises(ValueError, match="no cell 'cell 0'"):
        to_anndata(session, cells)


def test_a_table_that_excel_would_take_minutes_for_is_refused(session, monkeypatch):
    monkeypatch.setattr(whole_table_module, "_MOST_EXCEL_CELLS", 10)
    with pytest.raises(ValueError, match=r"an Excel sheet: \d+ cells are more than the 10"):
        table_excel(session)


def test_a_cell_that_excel_would_cut_off_is_named():
    frame = pd.DataFrame({"x": [0.0, 1.0, 9.0], "note": ["short", "a long one " * 4_000, "short"]})
    session = Session(load_dataset(frame), COPKMeans(n_clusters=2, random_state=0))
    with pytest.raises(ValueError, match="a cell of 44,000 characters, and an Excel sheet takes 32,767"):
        table_excel(session)
    assert pd.read_csv(io.BytesIO(table_csv(session).data))["note"].str.len().max() == 44_000
