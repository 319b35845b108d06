"""A text, an expression or a rule finds samples; others that are like these are found too."""

import time

import numpy as np
import pytest
from scipy import sparse

from cclab.datasets import searching
from cclab.datasets.searching import find, more_like

NOTES = {"note": np.array(["Paid late", "late, AGAIN", None, "a > b"], object), "days": np.array([3, 9, 0, 1])}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("late", [0, 1]),
        ("PAID", [0]),
        ("/^late/", [1]),
        ("/AGAIN|paid/i", [0, 1]),
        ("days > 2", [0, 1]),
        ('"a > b"', [3]),
        ("9", [1]),
        ("nothing of it", []),
        ("ann@example.org", []),  # neither code nor a rule
    ],
)
def test_words_find_samples(words, expected):
    assert np.flatnonzero(find(words, NOTES)).tolist() == expected


def test_a_text_that_looks_like_a_call_is_found_where_it_stands():
    assert find("Oslo (NO)", {"town": ["Oslo (NO)", "Bergen (NO)"]}).tolist() == [True, False]


def test_only_the_columns_asked_for_are_looked_at():
    assert not find("9", NOTES, ["note"]).any()


@pytest.mark.parametrize(
    ("words", "said"), [("", "write what"), ("/(/", "no regular expression"), ("dais > 2", "did you mean days"),
                        ("__import__('os').remove('x')", "a rule has no call in it"),
                        ("/" + "a" * 400 + "/", "letters")]
)  # fmt: skip
def test_what_can_not_be_looked_for_is_named(words, said):
    with pytest.raises(ValueError, match=said):
        find(words, NOTES)


def test_a_catastrophic_expression_ends_in_words(monkeypatch):
    monkeypatch.setattr(searching, "MOST_SECONDS", 0.2)
    texts = {"note": np.array([f"{'a' * 40}!{i}" for i in range(50)], object)}
    began = time.monotonic()
    with pytest.raises(ValueError, match="repetitions inside repetitions"):
        find("/(a|aa)+(b|a)*$/", texts | {"note": np.array(["a" * 5000 + "!"] * 3, object)})
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_more_like_these_are_the_nearest_others(kind):
    X = np.random.default_rng(0).normal(size=(400, 3))
    found = more_like(kind(X), [3, 70], 12)
    distance = np.linalg.norm(X[:, None] - X[[3, 70]], axis=2).min(axis=1)
    distance[[3, 70]] = np.inf
    assert found.tolist() == np.argsort(distance, kind="stable")[:12].tolist()
    assert len(more_like(X, np.arange(390))) == 10
    assert len(more_like(X, np.arange(300), 50)) == 50


def test_more_like_nothing_and_more_like_all_are_refused():
    with pytest.raises(ValueError, match="select some"):
        more_like(np.zeros((3, 1)), [])
    with pytest.raises(ValueError, match="no others"):
        more_like(np.zeros((3, 1)), [0, 1, 2])


def test_signs_in_a_text_and_columns_of_truth_values():
    columns = {"note": ["the box <again>", "no", "yes"], "verified": np.array([True, False, True])}
    assert find("<again>", columns, ["note"]).tolist() == [True, False, False]
    assert find("verified", columns, ["note"]).tolist() == [True, False, True]
    assert find("not verified", columns, ["note"]).tolist() == [False, True, False]
    assert not find("verify", columns, ["note"]).any()
    with pytest.raises(ValueError, match="can't be read"):
        find("<never>", columns, ["note"])
