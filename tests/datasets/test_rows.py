"""Samples know which row of the original table they are, and are found by what a person calls them."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cclab.datasets import Dataset, DroppedRows, load_dataset

BIRDS = pd.DataFrame(
    {"weight": [5.0, np.nan, 9.0, 14.0, np.inf], "length": [20.0, 21.0, np.nan, 22.0, 23.0], "fat": range(5)},
    index=["ann", "bob", "cy", "di", "ed"],
)


@pytest.fixture
def birds():
    with pytest.warns(DroppedRows):
        return load_dataset(BIRDS.drop(columns="length"))


# ---------------------------------------------------------------------------------------------- dropped rows


def test_python_warns_of_dropped_rows_with_their_counts():
    with pytest.warns(DroppedRows, match="2 rows with missing values dropped") as warned:
        load_dataset(BIRDS)
    (warning,) = warned
    assert warning.message.counts == {"missing": 2, "infinite": 1}
    assert warning.message.rows.tolist() == [1, 2, 4]
    assert warning.filename == __file__


def test_the_column_that_costs_most_rows_is_named():
    frame = pd.DataFrame({"x": np.arange(200.0), "income": np.where(np.arange(200) % 5 < 3, np.nan, 1.0)})
    with pytest.warns(DroppedRows, match=r"120 rows .* column 'income' lacks most \(120 of 200\)"):
        load_dataset(frame, roles={"income": "feature"})
    data = load_dataset(frame)  # by itself a column that lacks most of its values costs no rows
    assert (data.n_samples, data.feature_names) == (200, ("x",))
    assert "column 'income' is left out: it lacks 60% of its values" in data.notes[0]


def test_a_whole_table_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_dataset(BIRDS[["fat"]])


# ---------------------------------------------------------------------------------------------- identity


def test_each_sample_knows_its_row_label_and_id(birds):
    assert birds.rows.positions.tolist() == [0, 2, 3]
    assert birds.rows.dropped.tolist() == [1, 4]
    assert birds.rows.n_rows == 5
    assert birds.index.tolist() == ["ann", "cy", "di"]
    assert birds.sample_names == ("ann", "cy", "di")
    assert birds.rows.ids == ("ann", "bob", "cy", "di", "ed")


def test_the_table_is_held_not_copied_and_columns_added_later_stay_out():
    frame = pd.DataFrame({"x": np.arange(1000.0)})
    data = load_dataset(frame)
    assert np.shares_memory(data.table["x"].to_numpy(), frame["x"].to_numpy())
    frame["y"] = 1
    assert data.table.columns.tolist() == ["x"]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.standardized(),
        lambda data: data.with_target(list("aba")),
        lambda data: dataclasses.replace(data, name="other"),
        lambda data: data.standardized().with_target(None),
        lambda data: dataclasses.replace(data, X=data.X[:, :1], feature_names=("w",)),
    ],
)
def test_identity_survives(birds, change):
    changed = change(birds)
    assert changed.index.tolist() == ["ann", "cy", "di"]
    pd.testing.assert_frame_equal(changed.table, BIRDS.drop(columns="length"))


def test_a_subset_knows_its_rows(birds):
    some = birds.with_target(list("aba")).subset([2, 0])
    assert some.index.tolist() == ["di", "ann"]
    assert some.sample_names == ("di", "ann")
    assert some.target.tolist() == [0, 0]
    assert some.rows.find(["di"], "it").tolist() == [0]
    assert birds.subset([True, False, True]).index.tolist() == ["ann", "di"]
    assert load_dataset("digits").subset([5]).images.shape == (1, 8, 8)
    assert Dataset("s", sparse.csr_array(np.eye(3))).subset([1, 2]).X.toarray().tolist() == [[0, 1, 0], [0, 0, 1]]


def test_samples_taken_without_their_rows_are_refused_in_words(birds):
    with pytest.raises(ValueError, match="2 samples, but the rows of 3; use `subset`"):
        dataclasses.replace(birds, X=birds.X[:2], sample_names=None)


def test_an_array_is_its_own_table():
    data = Dataset("a", [[0.0], [2.0]])
    assert data.index.tolist() == [0, 1]
    assert data.standardized().table["x1"].tolist() == [0.0, 2.0]
    assert dataclasses.replace(data, X=[[1.0], [2.0], [3.0]]).index.tolist() == [0, 1, 2]


def test_names_that_are_changed_are_the_ids(birds):
    renamed = dataclasses.replace(birds, sample_names=("x", "y", "z"))
    assert renamed.rows.ids == ("x", "bob", "y", "z", "ed")
    assert renamed.rows.find(["y"], "it").tolist() == [1]


def test_another_index_is_another_fingerprint():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    plain, shifted = load_dataset(frame), load_dataset(frame.set_axis([1, 2, 3]))
    assert plain.fingerprint != shifted.fingerprint
    assert plain.fingerprint == Dataset("d", frame.to_numpy(), ("x",)).fingerprint


# ---------------------------------------------------------------------------------------------- finding


def test_samples_are_found_by_id_index_row_and_position(birds):
    assert birds.find(["di", "ann"]).tolist() == [2, 0]
    assert birds.by("row").find([3, 0], "it").tolist() == [2, 0]
    assert birds.by("index").find(["di"], "it").tolist() == [2]
    assert birds.by("position").find([2], "it").tolist() == [2]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("bob", "'bob' is row 1 of the table .from 0., which is no sample"),
        ("zoe", "names sample 'zoe', but there is none of that name; ids are such as 'ann'"),
        (3, "names sample 3, but there is none"),
        (["ann"], "names sample"),
        (True, "names sample True, but there is none"),
        (10**400, "names sample 1000"),
        (float("nan"), "names sample nan"),
    ],
)
def test_what_names_no_sample_is_refused_by_name(birds, entry, words):
    with pytest.raises(ValueError, match=f"it.* {words}|it: {words}"):
        birds.find([entry], "it")


def test_numbers_that_could_be_rows_or_samples_are_refused():
    with pytest.warns(DroppedRows):
        data = load_dataset(pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0]}))
    assert data.find([0]).tolist() == [0]  # sample 0 is row 0
    with pytest.raises(ValueError, match=r"2 could be the index label 2 \(row 2 .*\) or sample 2 \(row 3 "):
        data.find([2])
    assert data.by("index").find([2], "it").tolist() == [1]


def test_numbers_that_could_be_ids_or_samples_are_refused():
    data = load_dataset(pd.DataFrame({"id": [1, 2, 3], "x": [1.0, 2.0, 5.0]}))
    with pytest.raises(ValueError, match=r"by=data.by\('id' or 'index' or 'position'\)"):
        data.find([1])
    assert data.find(["1", "3"]).tolist() == [0, 2]
    assert data.by("id").find([1, 3.0, "2"], "it").tolist() == [0, 2, 1]


def test_labels_that_two_rows_have_are_refused():
    data = load_dataset(pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=["a", "b", "a"]))
    assert data.find(["b"]).tolist() == [1]
    with pytest.raises(ValueError, match=r"the index label 'a' is that of more than one row \(rows 0, 2, from 0\)"):
        data.find(["a"])


def test_tuples_are_labels_of_an_index_of_two_levels():
    index = pd.MultiIndex.from_tuples([("n", 1), ("n", 2), ("s", 1)])
    data = load_dataset(pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=index))
    assert data.find([("s", 1)]).tolist() == [2]


def test_ways_to_name_are_checked(birds):
    with pytest.raises(ValueError, match="'id', 'index', 'row', 'position', not by 'name'"):
        birds.by("name")
