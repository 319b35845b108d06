"""Every column of the data can be looked at, and coloured by."""

import numpy as np
import pandas as pd
import pytest

from cclab import FCM, Session, load_dataset
from cclab.core import Hard
from cclab.datasets import Dataset
from cclab.datasets.rules import select
from cclab.export.files import figure_png
from cclab.looks.column_encoding import encode_categories, encode_column, encode_dates, encode_numbers
from cclab.looks.palette import RAMP, hex_color
from cclab.looks.profiles import profile
from cclab.looks.projections import project, two_columns
from cclab.looks.sample_columns import SampleColumns, to_own_units, years


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    meta = pd.DataFrame(
        {
            "kind": ["a", "b", None, "a"] * 10,
            "note": [f"text {i}" for i in range(40)],
            "seen": pd.to_datetime(["2024-01-01"] * 39 + [None]),
            "lat": rng.uniform(40, 50, 40),
            "Longitude": rng.uniform(-5, 5, 40),
        }
    )
    return Dataset("mixed", rng.normal(size=(40, 2)), ("u", "v"), target=np.arange(40) % 2, meta=meta)


def test_columns_know_their_kinds(data):
    columns = SampleColumns(data)
    assert list(columns) == ["u", "v", "kind", "note", "seen", "lat", "Longitude", "class"]
    kinds = {name: columns.kind(name) for name in columns}
    assert kinds == {"u": "number", "v": "number", "kind": "category", "note": "text", "seen": "date",
                     "lat": "number", "Longitude": "number", "class": "category"}  # fmt: skip
    assert columns.map_columns() == ("Longitude", "lat")
    assert columns.searched() == ["kind", "note", "seen", "class"]
    assert [columns.words(name, 2) for name in ("kind", "note", "seen", "class")] == ["", "text 2", "2024-01-01", "0"]


def test_scaled_features_and_dates_are_shown_and_found_in_the_units_of_their_table():
    frame = pd.DataFrame(
        {
            "sold": [f"{1000 * (i + 1)},50 €" for i in range(12)],
            "day": pd.date_range("2024-01-01", periods=12),
            "size": np.r_[np.nan, np.arange(11.0)],
        }
    )
    roles = {"sold": "feature", "day": "feature", "size": "feature"}
    data = load_dataset(frame, roles=roles, scale="standardise", missing="median")
    columns = SampleColumns(data)
    assert abs(data.X[:, 0].mean()) < 1e-9
    assert select("sold > 10000 and day > '2024-01-10'", columns).tolist() == [False] * 10 + [True] * 2
    assert [columns.words(name, 11) for name in ("sold", "day", "size")] == ["12,000", "2024-01-12", "10"]
    assert (columns.words("size", 0), columns.kind("day")) == ("", "date")
    about = {f.name: f for f in profile(data, Hard(np.arange(12) // 6), 1).features}
    assert (round(about["sold"].mean, 1), round(about["sold"].others, 1)) == (9500.5, 3500.5)
    assert about["sold"].effect > 1  # in standard deviations, whatever the units


@pytest.mark.parametrize(
    ("n", "vehicles", "kind"), [(20_000, 400, "category"), (2_000, 400, "text"), (60, 25, "category")]
)
def test_many_different_words_are_categories_where_each_is_there_often(n, vehicles, kind):
    meta = pd.DataFrame({"vehicle": [f"veh-{i % vehicles}" for i in range(n)]})
    assert SampleColumns(Dataset("drives", np.zeros((n, 1)), meta=meta)).kind("vehicle") == kind


def test_what_was_filled_in_is_still_missing_to_a_person():
    frame = pd.DataFrame({"size": np.r_[np.nan, np.arange(11.0)], "sold": np.arange(12.0)})
    columns = SampleColumns(load_dataset(frame, missing="median"))
    assert select("size is None", columns).tolist() == [True] + [False] * 11
    assert [columns.words("size", sample) for sample in (0, 1)] == ["", "0"]


@pytest.mark.parametrize("scale", ["none", "standardise", "robust", "log"])
def test_centres_are_told_in_the_units_of_the_table(scale):
    sold = np.r_[np.arange(10.0), np.nan, np.arange(1000.0, 1010)]
    data = load_dataset(pd.DataFrame({"sold": sold, "size": np.arange(21.0)}), scale=scale, missing="median")
    assert np.allclose(to_own_units(data, 0, data.X[[0, 3, 20], 0]), [0, 3, 1009])


def test_centres_lie_among_their_samples_on_axes_in_the_units_of_the_table():
    frame = pd.DataFrame({"sold": np.r_[np.arange(10.0), np.arange(1000.0, 1010)], "size": np.arange(20.0)})
    data = load_dataset(frame, scale="standardise")
    shown = project(data, two_columns("sold", "size"))
    assert shown.xy[:, 0].max() == 1009
    centres = np.array([data.X[:10].mean(axis=0), data.X[10:].mean(axis=0)])
    assert np.abs(shown.place(centres) - [[4.5, 4.5], [1004.5, 14.5]]).max() <= 0.5
    assert project(data, "0 1").x_label == "sold (standardised)"


def test_a_session_adds_its_clusters_by_number_or_name():
    session = Session("iris", FCM(n_clusters=3, random_state=0))
    session.run()
    columns = SampleColumns(session.data, session.current)
    assert set(columns["cluster"]) == {1, 2, 3}
    session.name(0, "first")
    named = SampleColumns(session.data, session.current)
    assert set(named["cluster"]) == {"first", "2", "3"}
    assert "ambiguity" in named


def test_categories_have_hues_and_what_is_missing_is_hollow(data):
    encoding = encode_column(SampleColumns(data), "kind")
    assert [(sign.name, sign.count, sign.shape) for sign in encoding.legend] == [
        ("a", 20, "circle"), ("b", 10, "circle"), ("missing", 10, "outlier")]  # fmt: skip
    assert encoding.palette[encoding.color[0]] == "--cc-c1"
    assert len(set(encoding.color[[0, 1, 2]])) == 3


def test_of_many_categories_the_rest_is_grey():
    encoding = encode_categories([str(i) for i in range(30)] + ["x"] * 5)
    assert encoding.legend[0].name == "x"
    assert encoding.legend[-1].name == "12 others"
    assert encoding.palette[encoding.color[29]] == "--cc-all"


def test_numbers_lie_on_a_ramp_with_a_bar():
    encoding = encode_numbers(np.array([0.0, 5.0, 10.0, np.nan]), "age")
    assert (encoding.bar.name, encoding.bar.low, encoding.bar.high) == ("age", "0", "10")
    assert encoding.color.tolist() == [0, 16, 31, 32]
    assert encoding.legend[0].name == "missing"


@pytest.mark.parametrize(
    ("last", "ends"),
    [("2025-10-26", ("2025-03-01", "2025-10-26")), ("2025-03-01 18:30", ("2025-03-01 00:00", "2025-03-01 18:30"))],
)
def test_dates_lie_on_a_ramp_between_days_or_minutes(last, ends):
    bar = encode_dates(years(pd.Series(pd.to_datetime(["2025-03-01", None, last], format="mixed")))).bar
    assert (bar.low, bar.high) == ends


def test_a_value_far_from_all_others_does_not_flatten_the_ramp():
    encoding = encode_numbers(np.append(np.linspace(0, 1, 999), 1e9))
    assert len(np.unique(encoding.color)) > 20
    assert encoding.bar.high.startswith("≥")


@pytest.mark.parametrize("values", [np.full(3, np.nan), np.zeros(3)])
def test_columns_with_nothing_to_tell_have_a_look(values):
    assert len(encode_numbers(values).color) == 3
    assert len(encode_dates(values + 2000).color) == 3


def test_the_ramp_grows_lighter_step_by_step():
    light = [sum(int(hex_color(name)[i : i + 2], 16) * w for i, w in ((1, 0.3), (3, 0.6), (5, 0.1))) for name in RAMP]
    assert (np.diff(light) > 0).all()


def test_a_column_that_is_none_or_has_a_text_for_each_is_refused(data):
    with pytest.raises(ValueError, match="no column"):
        encode_column(SampleColumns(data), "nothing")
    with pytest.raises(ValueError, match="can be searched"):
        encode_column(SampleColumns(data), "note")


@pytest.mark.parametrize("name", ["kind", "u", "lat"])
def test_figures_have_the_colours_too(data, name):
    session = Session(data, FCM(n_clusters=2, random_state=0))
    file = figure_png(session, project(data, "0 1"), mode=f"column {name}", dpi=40)
    assert file.data.startswith(b"\x89PNG")


def test_digits_can_be_coloured_by_their_class():
    digits = load_dataset("digits")
    assert len(encode_column(SampleColumns(digits), "class").legend) == 10
