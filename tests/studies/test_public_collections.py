"""Published links made again, and collections in a folder."""

import json

import numpy as np
import pytest

from cclab.studies import get_study
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
    with pytest.raises(ValueError, match=r"twelve_constraints_bad.json has no links.*99"):
        links_from_file(folder / "twelve_constraints_bad.json", 12)
    (folder / "thirteen.csv").write_text("a,b\n1,2\n")
    (folder / "thirteen_constraints_x.json").write_text("{}")
    data = own_collections()[0].parts[0][0]
    with pytest.raises(ValueError, match="no column 'class'"):
        data.load()


def test_means_stand_beside_the_published_ones():
    study = get_study("public")
    frame = study.run(only=["COPKMeans", "3: n 500, k 2"], out=None)
    table = means(frame, pccc_3())
    first = table[table["level"] == "5 %"].set_index("method")
    assert first.loc["COPKMeans", "ari"] > 0.95
    assert first.loc["published: PCCC", "ari"] == 0.666
    assert "PCCC 3" in study.report(frame)
