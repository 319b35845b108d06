"""Tables as data sets: which columns become what, and the notes that say so."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from cclab.datasets import load_dataset


def notes(data):
    return "; ".join(data.notes)


def table(**columns):
    return pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [4, 3, 2, 1]} | columns)


def test_numeric_columns_are_features():
    data = load_dataset(table(flag=[True, False, True, True]), name="mine")
    assert data.name == "mine"
    assert data.feature_names == ("x", "y", "flag")
    assert data.X[0].tolist() == [1.0, 4.0, 1.0]
    assert data.target is None
    assert data.notes == ()


@pytest.mark.parametrize(
    ("column", "values", "reason"),
    [
        ("remark", ["aa", "bb", "bb", "3"], "text (e.g. 'aa' at row 0)"),
        ("size", ["1", "2", "2", "x"], "text (e.g. 'x' at row 3)"),
        ("size", pd.Categorical([1, 2, 2, 1]), "2 different words; it is kept as a group"),
        ("day", pd.to_datetime(["2024-01-01"] * 4), "dates"),
        ("day", ["2024-01-01", "2024-01-02", "2024-01-02", None], "dates"),
        ("day", ["1.2.2024", "2.2.2024", "2.2.2024", "3.2.2024"], "dates"),
        ("took", pd.to_timedelta([1, 2, 3, 3], unit="s"), "durations"),
        ("z", [1j, 2j, 2j, 0], "complex numbers"),
        ("nothing", [np.nan] * 4, "empty"),
    ],
)
def test_other_columns_are_dropped_with_the_reason(column, values, reason):
    data = load_dataset(table(**{column: values}, last=[0.1, 0.2, 0.3, 0.4]))
    assert data.feature_names == ("x", "y", "last")
    assert f"column {column!r} is no feature: {reason}" in notes(data)


@pytest.mark.parametrize("column", ["id", "ID", "sample_id", "PassengerId", "Unnamed: 0", "index"])
def test_identifiers_are_no_features_and_name_the_samples(column):
    data = load_dataset(table(**{column: [7, 3, 9, 1]}))
    assert data.feature_names == ("x", "y")
    assert data.sample_names == ("7", "3", "9", "1")
    assert f"column {column!r} is no feature: an identifier" in notes(data)


@pytest.mark.parametrize(("column", "values"), [("width", [7, 3, 9, 1]), ("id", [1, 1, 2, 3]), ("humid", [1, 2, 3, 4])])
def test_other_whole_numbers_are_features(column, values):
    assert load_dataset(table(**{column: values})).feature_names == ("x", "y", column)


def test_distinct_words_name_the_samples_and_so_does_an_index():
    data = load_dataset(table(who=["ann", "bob", "cy", "di"], last=[1, 2, 2, 1]))
    assert data.sample_names == ("ann", "bob", "cy", "di")
    assert load_dataset(table().set_axis(list("pqrs"))).sample_names == ("p", "q", "r", "s")


def test_an_identifier_names_the_samples_before_any_other_column():
    data = load_dataset(table(day=pd.date_range("2024-01-01", periods=4), id=[7, 3, 9, 1]))
    assert data.sample_names == ("7", "3", "9", "1")
    assert "column 'day' is no feature: dates" in notes(data)


def test_constant_columns_stay_and_are_noted():
    data = load_dataset(table(k=[5, 5, 5, 5]))
    assert data.feature_names == ("x", "y", "k")
    assert "column 'k' is constant" in notes(data)


def test_rows_with_missing_and_infinite_values_go_with_a_note():
    frame = pd.DataFrame({"x": np.arange(20.0), "who": [f"s{i}" for i in range(20)], "label": list("ab") * 10})
    frame.loc[[1, 3, 5, 7, 9, 11], "x"] = np.nan
    frame.loc[4, "x"] = -np.inf
    data = load_dataset(frame)
    assert data.n_samples == 13
    assert "6 rows with missing values dropped (from 0: 1, 3, 5, 7, 9, ...)" in notes(data)
    assert "1 row with infinite values dropped (from 0: 4)" in notes(data)
    assert data.sample_names[:3] == ("s0", "s2", "s6")
    assert data.target.tolist() == [i % 2 for i in (0, 2, 6, 8, 10, *range(12, 20))]


def test_nullable_columns():
    data = load_dataset(table(n=pd.array([1, None, 3, 4], dtype="Int64")))
    assert data.X[:, 2].tolist() == [1, 3, 4]


def test_numbers_kept_as_objects_are_numbers():
    data = load_dataset(pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5]}, dtype=object))
    assert data.feature_names == ("a", "b")


def test_target_by_name_of_the_column():
    data = load_dataset(table(kind=["u", "v", "v", "w"], more=[1, 2, 3, 5]), target="kind")
    assert data.target.tolist() == [0, 1, 1, 2]
    assert data.target_names == ("u", "v", "w")
    assert data.feature_names == ("x", "y", "more")


@pytest.mark.parametrize("column", ["label", "Class", "TARGET"])
def test_target_by_its_telling_name(column):
    data = load_dataset(table(**{column: [2, 10, 2, 10], "more": [1, 2, 3, 5]}))
    assert data.target_names == ("2", "10")
    assert f"column {column!r} taken as the truth, by its name" in notes(data)


def test_target_as_the_last_column_of_few_words():
    data = load_dataset(table(species=["u", "v", "v", "u"]))
    assert data.target.tolist() == [0, 1, 1, 0]
    assert "column 'species' taken as the truth: the last one" in notes(data)


@pytest.mark.parametrize(
    "words",
    [
        ["u", "v", "w", "z"],
        ["u", "u", "u", "u"],
        ["2024-01-01", "2024-01-02"] * 2,
        ["u", "v", None, "u"],  # a truth has no holes
    ],
)
def test_a_last_column_of_other_words_is_no_target(words):
    assert load_dataset(table(remark=words)).target is None


def test_a_continuous_column_called_target_is_a_feature():
    frame = pd.DataFrame({"x": np.arange(80.0), "target": np.linspace(0, 1, 80)})
    data = load_dataset(frame)
    assert data.target is None
    assert "column 'target' has 80 distinct values: not taken as the truth" in notes(data)
    assert load_dataset(frame, target="target").n_classes == 80


def test_a_missing_label_is_no_class_and_the_row_stays():
    data = load_dataset(table(label=["u", None, "v", "u"]))
    assert data.target.tolist() == [0, -1, 1, 0]
    assert "1 row without 'label': target -1" in notes(data)


def test_a_wrong_target_brings_close_names():
    with pytest.raises(ValueError, match=r"no column 'speces'.*'species'.*x, y, species"):
        load_dataset(table(species=list("uvvu")), target="speces")
    with pytest.raises(ValueError, match="must be the name of a column"):
        load_dataset(table(), target=[0, 1, 1, 0])
    twice = pd.DataFrame([[1, 2, "a"], [3, 4, "b"]], columns=["x", "k", "k"])
    with pytest.raises(ValueError, match="2 columns called 'k'"):
        load_dataset(twice, target="k")


def test_columns_of_the_same_name_are_all_kept():
    data = load_dataset(pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"]))
    assert data.X.tolist() == [[1, 2], [3, 4]]


def test_the_table_given_is_not_changed():
    frame = table(label=list("uvvu"))
    before = frame.copy(deep=True)
    load_dataset(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"x": [1.0]}), "one row"),
        (pd.DataFrame({"x": []}), "no rows"),
        (pd.DataFrame(index=range(3)), "no numeric column"),
        (pd.DataFrame({"w": ["a", "b"]}), "no numeric column"),
        (pd.DataFrame({"x": [1, 2], "y": [np.nan, np.inf]}), "column 'y' lacks most"),
        (pd.DataFrame({"w": [[1], [2]]}), "no numeric column"),
    ],
)
def test_tables_that_cannot_be_clustered(frame, message):
    with pytest.raises(ValueError, match=message):
        load_dataset(frame)


def test_values_that_can_t_be_squared_are_told_with_their_file(tmp_path):
    path = tmp_path / "lengths.csv"
    path.write_text("length,width\n1,2\n1e308,3\n4,5\n")
    with pytest.raises(ValueError, match=r"lengths\.csv: column 'length' holds 1e\+308"):
        load_dataset(path)


def test_days_and_decimals_as_databases_write_them_are_dates_and_numbers():
    days = [date(2024, 5, 1), date(2024, 5, 2), None, date(2024, 5, 9)]
    prices = [Decimal("1.5"), Decimal("2.5"), Decimal("3.0"), Decimal("4.25")]
    data = load_dataset(pd.DataFrame({"day": days, "price": prices}), roles={"day": "feature"})
    assert data.feature_names == ("day", "price")
    np.testing.assert_array_equal(data.X, [[0, 1.5], [1, 2.5], [8, 4.25]])
