"""Rules select by ordinary conditions, name what was mistyped, and run nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cclab.datasets.rules import MOST_LETTERS, RuleError, is_rule, select

COLUMNS = {
    "petal length (cm)": np.array([1.4, 5.1, 6.0, np.nan]),
    "petal width": np.array([1, 2, 3, 4]),
    "species": pd.Series(["setosa", "virginica", None, "versicolor"], dtype="category"),
    "note": np.array(["ok", "not ok", None, "Ok"], dtype=object),
    "seen": pd.Series(pd.to_datetime(["2024-01-01", "2024-06-01", None, "2025-01-01"])),
    "rare": np.array([True, False, False, True]),
    "count": pd.Series([1, None, 3, 4], dtype="Int64"),
    "class": np.array(["y", "y", "x", "y"], dtype=object),
}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("petal_length > 5", [1, 2]),
        ("class == 'x' and 'class' != species", [2]),
        ('petal_length > 5 and species == "virginica"', [1]),
        ("`petal length (cm)` < 2 or `petal width` >= 4", [0, 3]),
        ("1 < petal_width <= 3", [1, 2]),
        ("petal_width * 2 - 1 == 5", [2]),
        ("petal_width ** 2 % 2 == 0", [1, 3]),
        ('species in ["setosa", "versicolor"]', [0, 3]),
        ('species not in ("setosa",)', [1, 2, 3]),
        ('"ok" in note', [0, 1]),
        ("rare", [0, 3]),
        ("not rare and petal_width != 2", [2]),
        ('species != "setosa"', [1, 2, 3]),
        ("petal_length is None", [3]),
        ("species is not None", [0, 1, 3]),
        ('seen >= "2024-06-01"', [1, 3]),
        ('seen < "01.06.2024"', [0]),  # with points the day comes first
        ('seen == "1.6.2024"', [1]),
        ('seen > "13/05/2024"', [1, 3]),
        ("count > 1", [2, 3]),
        ("petal_width in []", []),
        ("not (petal_length < 5)", [1, 2, 3]),  # a missing value is below nothing
        ("petal_width > -2 and +petal_width < 3", [0, 1]),
        ('"a" < species', [0, 1, 3]),
    ],
)
def test_a_rule_selects(rule, expected):
    assert np.flatnonzero(select(rule, COLUMNS)).tolist() == expected


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("petal_lenght > 5", "did you mean petal_length_cm"),
        ("class > 5", "“class” is a text and"),
        ("petal_length > 1.234,5", "numbers are written with a point"),
        ("note == 05843", "a code that begins with 0 is a text: “05843” in quotes"),
        ('seen > "05/06/2024"', "could be read in two ways; write the date as 2024-12-31"),
        ("petal > 5", "could be petal_length_cm or petal_width"),
        (r'"\d" in speces', "did you mean species"),
        ("speces == 'setosa'", "did you mean species"),
        ("petal_width = 5", "write =="),
        ("petal_width >", "can't be read"),
        ("petal_width", "no rule"),
        ("petal_width and rare", "neither true nor false"),
        ("species > 5", "is a text and"),
        ("petal_width == '2'", "without quotes"),
        ("species + 1 > 2", "no number"),
        ("'a' * 1000000000 == species", "no number"),
        ("seen > 'soon'", "no date"),
        ("petal_width is 5", "write =="),
        ("petal_width < None", "missing value"),
        ("3 in species", "'column in"),
        ("", "empty"),
        ("x" * (MOST_LETTERS + 1), "letters"),
        (" and ".join(["rare"] * 205), "parts"),
        ("b'x' == species", "neither a number nor a text"),
        ("(" * 300 + "rare" + ")" * 300, "can't be read"),
    ],
)
def test_what_can_not_be_read_is_named(rule, words):
    with pytest.raises(RuleError, match=words.replace("(", r"\(")):
        select(rule, COLUMNS)


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('true')",
        "note.__class__ == 5",
        "petal_width @ petal_width > 3",
        "(lambda: 5) == 5",
        "petal_width[0] > 1",
        "[x for x in note] == 5",
        "f'{note}' == 'ok'",
        "(y := 5) > 3",
        "{1: 2} == 5",
        "rare if rare else rare",
        "rare & rare",
        "~rare",
        "petal_width > 3; rare",
        "import os",
        "@petal_width > 3",
        "print > 3 or print()",
    ],
)
def test_code_is_refused_before_any_value_is_looked_at(code):
    class Untouched(dict):
        def __getitem__(self, name):
            raise AssertionError(f"{name} was looked at")

    with pytest.raises(RuleError):
        select(code, Untouched(COLUMNS))


def test_numbers_that_grow_without_end_do_not():
    assert not select("petal_width > 9 ** 9 ** 9 ** 9", COLUMNS).any()
    assert not select(f"petal_width > {'9' * 400}", COLUMNS).any()


def test_ordinary_words_are_no_rule():
    assert [is_rule(words) for words in ("setosa", "late again", "x > 5", "a == 'b'", "rock and roll")] == [
        *(False, False, True, True, False)
    ]


@given(st.text(max_size=60))
def test_any_words_select_or_are_answered_in_words(words):
    try:
        found = select(words, COLUMNS)
    except RuleError:
        return
    assert found.shape == (4,)
    assert found.dtype == bool
