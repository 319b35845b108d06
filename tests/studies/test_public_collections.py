"""Published links made again, and collections in a folder."""

import json

import numpy as np
import pandas as pd
import pytest

from cclab import COPKMeans
from cclab.datasets.rows import DroppedRows
from cclab.studies import Cell, Method, Study, get_study, public
from cclab.studies.public import means
from cclab.studies.public_collections import (
    PublishedLevel,
    blobs,
    links_from_file,
    own_collections,
    pairs_of_level,
    pccc_2,
    pccc_3,
)
from cclab.studies.study import StaleResults


def test_the_collections_have_the_published_sizes():
    assert (len(pccc_2().parts), len(pccc_3().parts)) == (15, 24)
    assert [len(levels) for _, levels in (pccc_2().parts[0], pccc_3().parts[0])] == [10, 4]


@pytest.mark.parametrize(("n", "k", "must", "cannot"), [(500, 2, 147, 153), (500, 100, 4, 296), (1000, 20, 50, 1175)])
def test_links_are_those_that_were_published(n, k, must, cannot):
    data = blobs(n, k)
    known = PublishedLevel(0.05).draw(data, np.random.default_rng())
    assert int(known.pairs.must.sum()) == must
    assert int((~known.pairs.must).sum()) == cannot
    np.testing.assert_allclose(data.X.std(axis=0), 1)


def test_pairs_are_drawn_once_each():
    pairs = pairs_of_level(300, 0.15)
    assert len(np.unique(pairs, axis=0)) == len(pairs) == 45 * 44 // 2
    assert (pairs[:, 0] < pairs[:, 1]).all()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    mine = tmp_path / "collections" / "mine"
    mine.mkdir(parents=True)
    rows = ["a,b,class", *(f"{i % 2 * 9 + i / 10},{i},{'xy'[i % 2]}" for i in range(12))]
    (mine / "twelve.csv").write_text("\n".join(rows))
    (mine / "twelve_constraints_few.json").write_text(json.dumps({"ml": [[0, 2]], "cl": [[0, 1], [2, 3]]}))
    (mine / "twelve_constraints_table.csv").write_text("kind,i,j\nmust,0,4\n")
    monkeypatch.setenv("CCLAB_DATA", str(tmp_path))
    return mine


def test_a_folder_is_a_collection(folder):
    (collection,) = own_collections()
    ((data, links),) = collection.parts
    assert data.label == "mine: twelve"
    assert [one.label for one in links] == ["few", "table"]
    loaded = data.load()
    assert loaded.n_classes == 2
    few, table = (one.draw(loaded, np.random.default_rng()) for one in links)
    assert (few.pairs.must.sum(), (~few.pairs.must).sum(), len(table.pairs)) == (1, 2, 1)


def test_links_that_cannot_be_read_are_named(folder):
    (folder / "twelve_constraints_bad.json").write_text('{"ml": [[0, 99]]}')
    data = own_collections()[0].parts[0][0].load()
    with pytest.raises(ValueError, match=r"twelve_constraints_bad.json has no links.*99"):
        links_from_file(folder / "twelve_constraints_bad.json", data)
    (folder / "twelve_constraints_bad.json").write_text('{"must": [[0, 2]]}')
    with pytest.raises(ValueError, match=r"twelve_constraints_bad.json has no links.*neither 'ml' nor 'cl'"):
        links_from_file(folder / "twelve_constraints_bad.json", data)
    (folder / "thirteen.csv").write_text("a,b\n1,2\n")
    (folder / "thirteen_constraints_x.json").write_text("{}")
    data = own_collections()[0].parts[0][0]
    with pytest.raises(ValueError, match="no column 'class'"):
        data.load()


def test_a_folder_of_ones_own_is_run_and_run_again_where_its_files_change(folder):
    (collection,) = own_collections()
    study = Study(
        "mine",
        "mine",
        [Cell(data, Method("COP", COPKMeans), level) for data, levels in collection.parts for level in levels],
    )
    frame = study.run(1, out=folder)
    assert not frame["error"].any()
    assert frame["satisfied"].tolist() == [1, 1]
    seen = []
    study.run(1, out=folder, progress=lambda done, total: seen.append(done))
    assert seen == [2]
    (folder / "twelve_constraints_few.json").write_text(json.dumps({"ml": [[0, 2]], "cl": []}))
    with pytest.warns(StaleResults, match="1 of these trials from other code, or another declaration"):
        study.run(1, out=folder)


def test_links_keep_their_rows_where_others_are_left_out(folder):
    path = folder / "twelve.csv"
    lines = path.read_text().splitlines()
    lines[2] = ",1,y"  # row 1 has no value
    path.write_text("\n".join(lines))
    (folder / "twelve_constraints_named.csv").write_text("kind,i,j,by\nmust,0,4,row\n")
    ((data, links),) = own_collections()[0].parts
    with pytest.warns(DroppedRows):
        loaded = data.load()
    few, named, table = (one.draw(loaded, np.random.default_rng()) for one in links)
    assert few.to_frame()[["kind", "i", "j"]].to_numpy().tolist() == [["must", 0, 1], ["cannot", 1, 2]]
    for known in (named, table):
        assert known.to_frame()[["kind", "i", "j"]].to_numpy().tolist() == [["must", 0, 3]]


def test_files_that_take_no_part_are_named(folder):
    (folder / "lonely.csv").write_text("a,class\n1,x\n2,y\n")
    (folder / "other_constraints_few.json").write_text('{"ml": [[0, 1]]}')
    (folder / "twelve_constraints_few.csv").write_text("kind,i,j\nmust,0,4\n")
    (folder.parent / "nothing").mkdir()
    mine, nothing = own_collections()
    assert mine.left_out.startswith("collection mine: lonely.csv, other_constraints_few.json left out")
    assert nothing.left_out == "collection nothing is an empty folder"
    assert pccc_3().left_out == ""
    labels = [one.label for one in mine.parts[0][1]]
    assert labels == ["twelve_constraints_few.csv", "twelve_constraints_few.json", "table"]


def test_solvers_that_compare_all_samples_get_small_data_only(folder, monkeypatch):
    monkeypatch.setattr(public, "COLLECTIONS", own_collections())
    assert {cell.method.label for cell in public.cells()} >= set(public.ALL_PAIRS)
    monkeypatch.setattr(public, "MOST_FOR_ALL_PAIRS", 11)
    assert not {cell.method.label for cell in public.cells()} & set(public.ALL_PAIRS)


def test_means_stand_beside_the_published_ones():
    study = get_study("public")
    frame = study.run(only=["COPKMeans", "3: n 500, k 2"], out=None)
    table = means(frame, pccc_3())
    first = table[table["level"] == "5 %"].set_index("method")
    assert first.loc["COPKMeans", "ari"] > 0.95
    assert first.loc["published: PCCC", "ari"] == 0.666
    assert "PCCC 3" in study.report(frame)


def test_a_failure_counts_as_0_on_free_samples_too():
    name, other, linked = (data.label for data, _ in pccc_3().parts[:3])
    rows = [
        {"dataset": name, "method": "A", "ari": 0.8, "ari_free": 0.6, "error": None},
        {"dataset": other, "method": "A", "ari": 0.4, "ari_free": 0.2, "error": None},
        {"dataset": linked, "method": "A", "ari": 1.0, "ari_free": np.nan, "error": None},  # no sample is free
        {"dataset": name, "method": "B", "ari": 0.9, "ari_free": 0.9, "error": None},
        {"dataset": other, "method": "B", "ari": np.nan, "ari_free": np.nan, "error": "TooLong"},
        {"dataset": linked, "method": "B", "ari": np.nan, "ari_free": np.nan, "error": "TooLong"},
    ]
    frame = pd.DataFrame(rows).assign(knowledge="5 %", satisfied=1.0, seconds=1.0)
    table = means(frame, pccc_3()).set_index("method")
    assert table.loc["A", "ari_free"] == pytest.approx(0.4)
    assert table.loc["B", ["ari", "ari_free", "failed"]].tolist() == pytest.approx([0.3, 0.45, 2])
