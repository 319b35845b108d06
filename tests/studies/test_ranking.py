import numpy as np
import pandas as pd
import pytest

from cclab.studies.ranking import Ranking, critical_difference, difference_diagram, not_told_apart


def frame(scores, error=None):
    """Trials of methods on data sets: {method: [score on each data set]}; those that failed have no score."""
    rows = [
        {"dataset": f"d{d}", "method": method, "trial": t, "ari": value, "error": None if value == value else "failed"}
        for method, values in scores.items()
        for d, value in enumerate(values)
        for t in range(2)
    ]
    return pd.DataFrame(rows)


def test_the_best_comes_first_and_ties_share_a_rank():
    ranking = Ranking.of(frame({"low": [0.1, 0.2, 0.3], "high": [0.9, 0.8, 0.7], "tied": [0.9, 0.5, 0.7]}), "ari")
    assert ranking.ranks.to_dict() == pytest.approx({"high": 4 / 3, "tied": 5 / 3, "low": 3.0})
    assert list(ranking.scores.index) == ["high", "tied", "low"]
    assert ranking.table()["mean"].tolist() == pytest.approx([0.8, 0.7, 0.2])


def test_what_failed_counts_as_nothing_and_is_counted():
    ranking = Ranking.of(frame({"a": [0.5, np.nan, 0.4], "b": [0.4, 0.3, 0.5]}), "ari")
    assert ranking.scores.loc["a"].tolist() == [0.5, 0.0, 0.4]
    table = ranking.table(pd.Series({"a": 2}))
    assert table.set_index("method")["failed"].to_dict() == {"a": 2, "b": 0}


def test_data_sets_of_which_nothing_is_said_are_left_out():
    told = frame({"a": [0.5, 0.1], "b": [0.4, 0.2]})
    told.loc[told["dataset"] == "d1", "ari"] = np.nan
    assert list(Ranking.of(told, "ari").scores.columns) == ["d0"]


def test_methods_that_differ_for_sure_are_told_apart():
    rng = np.random.default_rng(0)
    scores = {name: base + 0.01 * rng.random(20) for name, base in {"a": 0.9, "b": 0.5, "c": 0.1}.items()}
    ranking = Ranking.of(frame(scores), "ari")
    assert ranking.p < 1e-6
    assert not_told_apart(ranking.ranks, ranking.difference) == []
    assert "0 of 2 others" in ranking.summary()


def test_the_critical_difference_of_the_published_example():
    """Five methods on 30 data sets, and the table of Nemenyi's quantiles: 2.728 for five."""
    assert critical_difference(5, 30) == pytest.approx(2.728 * np.sqrt(5 * 6 / (6 * 30)), abs=1e-3)


def test_the_picture_names_every_method():
    names = [f"method {i}" for i in range(7)]
    ranking = Ranking.of(frame({name: [0.1 * i, 0.05 * i, 0.2] for i, name in enumerate(names)}), "ari")
    texts = [text.get_text() for text in difference_diagram(ranking, "Title").axes[0].texts]
    assert all(any(name in text for text in texts) for name in names)
