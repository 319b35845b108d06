import numpy as np
import pandas as pd
import pytest

from cclab.studies import reach, unseen


def rows(**figures):
    """A frame of two trials on one set: (method, knowledge) to ARI, the same for all samples and for free ones."""
    made = [
        {"dataset": "a", "method": method, "knowledge": knowledge, "trial": trial, "ari": ari, "ari_free": ari}
        for (method, knowledge), ari in figures["of"].items()
        for trial in range(2)
    ]
    return pd.DataFrame(made).assign(
        error=None, open=1.0, count=lambda f: f["knowledge"].str.extract(r"(\d+)").astype(int)
    )


def test_leads_are_those_over_the_closest_other_in_the_same_runs():
    frame = rows(of={("LinkedMixture", "50 pairs"): 0.6, ("ITML", "50 pairs"): 0.5, ("CFCM", "50 pairs"): 0.7})
    table = unseen.against_goals(frame).set_index("what")
    line = table.loc["ahead of CFCM, all samples, 50 pairs"]
    assert line["figure"] == pytest.approx(-0.1)
    assert line["reached"] == "no"


def test_what_wrong_links_cost_is_held_against_the_same_draws():
    wrong = "100 pairs, 10 % wrong"
    frame = rows(of={("LinkedMixture", "100 pairs"): 0.7, ("LinkedMixture", wrong): 0.66})
    table = unseen.against_goals(frame).set_index("what")
    line = table.loc[f"lost by wrong links, all samples, {wrong}"]
    assert line["figure"] == pytest.approx(0.04)
    assert line["reached"] == "yes"


def test_gain_and_harm_stand_beside_what_was_aimed_at():
    frame = rows(of={("PCKMeans", "50 pairs"): 0.5, ("PCKMeans, reach", "50 pairs"): 0.55})
    table = reach.against_goals(reach.gains(frame))
    assert table.loc[0, "gain"] == pytest.approx(0.05)
    assert table.loc[0, ["goal", "harmed", "reached"]].tolist() == [0.04, 0.0, "yes"]
    worse = rows(of={("PCKMeans", "50 pairs"): 0.5, ("PCKMeans, reach", "50 pairs"): 0.4})
    assert reach.against_goals(reach.gains(worse)).loc[0, ["harmed", "reached"]].tolist() == [1.0, "no"]


def test_curves_have_a_line_for_each_method():
    pytest.importorskip("matplotlib")
    frame = rows(
        of={("PCKMeans", f"{n} pairs"): 0.5 + n / 1000 for n in (25, 50)} | {("LinkedMixture", "25 pairs"): 0.6}
    )
    axes = reach.free_curves(frame).axes[0]
    assert {line.get_label() for line in axes.lines} == {"PCKMeans", "LinkedMixture"}
    assert np.allclose(axes.lines[0].get_ydata(), [0.525, 0.55])
