"""Data sets as JSON: what is beside the features comes back with them."""

import json

import numpy as np
import pandas as pd
import pytest

from cclab.datasets import Dataset, limits, load_dataset
from cclab.session.storage import origins
from cclab.session.storage.serialize import pack_dataset, unpack_dataset


def again(data):
    return unpack_dataset(json.loads(json.dumps(pack_dataset(data))), "here")


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "size": [1.0, 2.0, 9.0],
            "said": ["one fine day in May", None, "and now for something else"],
            "kind": pd.Categorical(["a", "b", "a"]),
            "when": pd.to_datetime(["2020-01-01", "2021-05-05", None]),
            "n": pd.array([1, None, 3], dtype="Int64"),
        }
    )


def test_what_is_beside_the_features_comes_back(table):
    data = Dataset("d", table[["size"]], meta=table.drop(columns="size"), text_column="said")
    found = again(data)
    pd.testing.assert_frame_equal(found.meta, data.meta)
    assert found.text_column == "said"
    assert found.fingerprint == data.fingerprint


def test_columns_of_a_table_that_is_kept_are_not_kept_twice(table):
    data = load_dataset(table.drop(columns="n"))
    packed = pack_dataset(data)
    assert packed["meta"] == {"of_table": ["said", "kind", "when"]}
    pd.testing.assert_frame_equal(again(data).meta, data.meta)
    assert again(data).fingerprint == data.fingerprint


def test_texts_are_kept_even_of_a_table_that_is_not(table, monkeypatch):
    monkeypatch.setattr(origins, "MOST_TABLE_BYTES", 10)
    data = load_dataset(table.drop(columns="n"))
    found = again(data)
    assert found.table is None
    assert found.text(0) == "one fine day in May"


def test_what_is_too_large_beside_the_features_is_left_out(table, monkeypatch):
    monkeypatch.setattr(origins, "MOST_META_BYTES", 10)
    found = again(Dataset("d", table[["size"]], meta=table[["said"]], text_column="said"))
    assert (found.meta.shape, found.text_column) == ((3, 0), None)
    assert limits.MOST_META_BYTES > 10


def test_coloured_pictures_come_back():
    images = np.arange(2 * 2 * 2 * 3, dtype=np.uint8).reshape(2, 2, 2, 3)
    found = again(Dataset("d", [[0.0], [1.0]], images=images))
    assert found.images.dtype == np.uint8
    assert found.picture(1).tolist() == images[1].tolist()


@pytest.mark.parametrize(
    "meta",
    [
        {"of_table": ["said"]},
        {"columns": [{"name": "a", "values": ["x"], "dtype": "str"}]},
        {"columns": [{"name": "a", "values": 5, "dtype": "str"}]},
        {"columns": [{}]},
        {},
    ],
)
def test_damaged_columns_are_refused_in_words(meta):
    packed = pack_dataset(Dataset("d", [[0.0], [1.0]]))
    with pytest.raises(ValueError, match="the data in here are damaged"):
        unpack_dataset(packed | {"meta": meta}, "here")
