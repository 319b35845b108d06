"""Numbers and dates as people write them."""

import numpy as np
import pandas as pd
import pytest

from cclab.datasets import load_dataset
from cclab.datasets.columns.localised import read_column


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.234,50 €", "7,25 €"], [1234.5, 7.25]),
        (["1 234,5", "2\u202f345,7"], [1234.5, 2345.7]),
        (["$1,234.50", "($5.00)", "-$2"], [1234.5, -5, -2]),
        (["CHF 12.50", "CHF 1'000.00"], [12.5, 1000]),
        (["12 %", "3,5 %"], [12, 3.5]),
        (["1e3", "2.5E-2"], [1000, 0.025]),
        (["−4,5", "1,0"], [-4.5, 1]),
        (["72 m²", "1.085,5 m²", "k.A."], [72, 1085.5, np.nan]),
        (["-3 °C", "21.5 °C"], [-3, 21.5]),
        (["50km/h", "120 km/h"], [50, 120]),
        (["1,5", "k.A.", None], [1.5, np.nan, np.nan]),
        (["1.060,10-", "7,25", "3,00- €"], [-1060.1, 7.25, -3]),  # as accounts have it
        (["1,234", "56"], [1234, 56]),  # both readings are possible: the American one, and it is noted
    ],
)
def test_numbers(cells, numbers):
    np.testing.assert_array_equal(read_column(pd.Series(cells)).values, numbers)


def test_what_could_be_read_in_two_ways_is_read_as_the_columns_beside_it():
    assert read_column(pd.Series(["1.234", "12.345"]), ",").values.tolist() == [1234, 12345]
    assert read_column(pd.Series(["1,234", "5"]), ",").values.tolist() == [1.234, 5]
    frame = pd.DataFrame({"a": ["1,5", "2,5", "3,5"], "b": ["1.234", "2.345", "3.456"]})
    assert load_dataset(frame).X[0].tolist() == [1.5, 1234]


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["31.12.2020", "03.04.2021"], "2020-12-31"),
        (["13/04/2021", "03/04/2021"], "2021-04-13"),
        (["03/14/2021", "03/04/2021"], "2021-03-14"),
        (["1.2.24 10:30", "13.2.24 11:00"], "2024-02-01 10:30"),
        (["2021-01-02T10:00:00Z", "2021-02-01T10:00:00Z"], "2021-01-02 10:00"),
        (["2024/01/02", "2024/02/20"], "2024-01-02"),
    ],
)
def test_dates(cells, first):
    assert read_column(pd.Series(cells)).values[0] == pd.Timestamp(first)


def test_dates_that_could_be_read_in_two_ways_follow_the_file_and_are_noted():
    for sign, month in ((",", 4), (None, 3)):
        read = read_column(pd.Series(["03/04/2021", "05/06/2021"]), sign)
        assert read.values[0].month == month
        assert "two ways" in read.notes[0]


@pytest.mark.parametrize(
    "cells",
    [
        ["12 kg", "3 m"],
        ["1. floor", "2. floor"],
        ["007 Bond", "008 Bond"],
        ["01067", "80331"],  # postcodes: their zeros would be lost
        ["192.168.0.1", "10.0.0.1"],
        ["a1", "b2"],
        ["2-", "1", "3-"],  # marks at school
        ["1", "2", "many", "few"],
        ["30.02.2020", "01.01.2020"],
        ["13/13/2020", "01/01/2020"],
        ["", "-"],
        [None, None],
    ],
)
def test_what_is_neither_stays_text(cells):
    assert read_column(pd.Series(cells, dtype=object)) is None


def test_a_rare_word_among_numbers_is_a_missing_value_and_is_told():
    read = read_column(pd.Series(["1.5"] * 40 + ["broken"]))
    assert np.isnan(read.values.iloc[-1])
    assert "1 cell among its numbers that are none ('broken')" in read.notes[0]
