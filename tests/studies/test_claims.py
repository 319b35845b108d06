import numpy as np
import pandas as pd
import pytest

from cclab import FCM
from cclab.queries import Random
from cclab.studies import Asked, Comparison, Data, Method, Printed, Study, grid
from cclab.studies.claims import Goal, paired_p


def frame(values, knowledge="nothing", measure="ari"):
    """Trials of methods on data sets: {(dataset, method): [value of each trial]}."""
    return pd.DataFrame(
        [
            {"dataset": d, "method": m, "knowledge": knowledge, "trial": t, measure: v, "error": None, "warnings": ""}
            for (d, m), trials in values.items()
            for t, v in enumerate(trials)
        ]
    ).assign(drawn_by="NoKnowledge", count=0)


def study(**more):
    methods = [Method("A", FCM), Method("B", FCM)]
    return Study("s", "S", grid([Data("iris"), Data("wine")], methods), show=["ari"], **more)


@pytest.mark.parametrize(
    ("goal", "value", "verdict"),
    [
        (Goal(), 0.9, "reached"),
        (Goal(), 0.899, "not reached"),
        (Goal(factor=0.97), 0.873, "reached"),
        (Goal(factor=0.97), 0.872, "not reached"),
        (Goal(margin=0.02), 0.88, "reached"),
        (Goal(margin=0.02), 0.8799, "not reached"),
        (Goal(at_most=True), 0.9, "reached"),
        (Goal(at_most=True), 0.91, "not reached"),
        (Goal(at_most=True, factor=0.5, margin=0.01), 0.46, "reached"),
        (Goal(), float("nan"), "not reached"),
    ],
)
def test_goals(goal, value, verdict):
    assert goal.verdict(value, 0.9) == verdict


def test_table_beside_printed_figures():
    figures = {("iris", "A", "nothing"): 0.8, ("iris", "B", "nothing"): 0.8}
    printed = study(printed=[Printed("ari", figures, margin=0.02, source="Table 1")])
    trials = frame({("iris", "A"): [0.75, 0.82], ("iris", "B"): [0.7, 0.8], ("wine", "A"): [0.1, 0.3]})
    table = printed.table(trials).set_index(["dataset", "method"])
    assert table.loc[("iris", "A"), "ari verdict"] == "reached"
    assert table.loc[("iris", "B"), "ari verdict"] == "not reached"
    assert table.loc[("iris", "A"), "ari"] == pytest.approx(0.785)
    assert table.loc[("iris", "A"), "± ari"] == pytest.approx(np.std([0.75, 0.82], ddof=1))
    assert table.loc[("iris", "A"), "ari wanted"] == pytest.approx(0.78)
    assert table.loc[("iris", "A"), "trials"] == 2
    assert pd.isna(table.loc[("wine", "A"), "ari verdict"])
    report = printed.report(trials)
    assert "Table 1: ari is reached when >= published - 0.02." in report
    assert "0.785 ± 0.049" in report


def test_median_in_place_of_mean():
    printed = study(printed=[Printed("ari", {("iris", "A", "nothing"): 1.0}, statistic="median")])
    table = printed.table(frame({("iris", "A"): [1.0, 1.0, 0.1]}))
    assert table["ari median verdict"].item() == "reached"
    assert table["ari"].item() == pytest.approx(0.7)


def test_missing_values_are_left_out():
    table = study().table(frame({("iris", "A"): [1.0, np.nan, 0.5]}))
    assert table["ari"].item() == 0.75


def test_an_unknown_measure_is_named_beside_the_known_ones():
    trials = frame({("iris", "A"): [0.5]})
    with pytest.raises(ValueError, match="no measure 'arri'; there are ari"):
        study(printed=[Printed("arri", {("iris", "A", "nothing"): 1.0})]).table(trials)
    with pytest.raises(ValueError, match="no measure 'arri'"):
        Comparison("arri", ("A", "nothing"), ("B", "nothing")).table(trials)


def test_points_of_a_curve_that_are_printed_are_in_the_table():
    curve = Study(
        "s",
        "S",
        grid(Data("iris"), Method("A", FCM), Asked(Random(), 6)),
        trials=1,
        printed=[Printed("ari", {("iris", "A", "{} by Random"): {2: 0.1, 6: 0.99}})],
    )
    table = curve.table(curve.run(out=None))
    assert table["knowledge"].tolist() == ["2 by Random", "6 by Random"]
    assert table["ari verdict"].tolist() == ["reached", "not reached"]


def test_comparison_pairs_trials_and_counts():
    rng = np.random.default_rng(0)
    base = rng.normal(0.5, 0.2, 20)
    trials = frame(
        {
            ("iris", "A"): base + 0.01 + rng.normal(0, 0.002, 20),  # far less than the spread between trials
            ("iris", "B"): base,
            ("wine", "A"): base,
            ("wine", "B"): base,
        }
    )
    comparison = Comparison("ari", ("A", "nothing"), ("B", "nothing"), margin=0.001)
    table = comparison.table(trials).set_index("dataset")
    assert table["outcome"].to_dict() == {"iris": "won", "wine": "tie"}
    assert table.loc["iris", "p"] < 1e-6
    assert table["verdict"].tolist() == ["reached", "reached"]
    assert comparison.summary(table, 2).startswith(
        "ari: A, nothing >= B, nothing - 0.001: reached, on 2 of 2 data sets (2 wanted); 1 won, 1 tied, 0 lost"
    )


def test_comparison_of_errors_turns_round():
    trials = frame({("iris", "A"): [0.1, 0.11, 0.1], ("iris", "B"): [0.3, 0.3, 0.32]}, measure="error_rate")
    comparison = Comparison("error_rate", ("A", "nothing"), ("B", "nothing"), factor=0.5, at_most=True)
    row = comparison.table(trials).iloc[0]
    assert (row["outcome"], row["verdict"]) == ("won", "reached")


def test_comparison_uses_only_trials_that_both_have():
    trials = frame({("iris", "A"): [0.1, 0.9, 0.2], ("iris", "B"): [0.1, np.nan, 0.2]})
    table = Comparison("ari", ("A", "nothing"), ("B", "nothing")).table(trials)
    assert table["trials"].item() == 2
    assert table["left"].item() == pytest.approx(0.15)


def test_needed_number_of_data_sets():
    trials = frame({("iris", "A"): [1, 1], ("iris", "B"): [0, 0], ("wine", "A"): [0, 0], ("wine", "B"): [1, 1]})
    sides = ("ari", ("A", "nothing"), ("B", "nothing"))
    assert ": not reached, on 1 of 2" in Comparison(*sides).summary(Comparison(*sides).table(trials), 2)
    one = Comparison(*sides, needed=1)
    assert ": reached, on 1 of 2 data sets (1 wanted)" in one.summary(one.table(trials), 2)


def test_a_claim_is_open_while_data_sets_that_were_not_run_could_decide_it():
    won = frame({("iris", "A"): [1, 1], ("iris", "B"): [0, 0]})
    lost = frame({("iris", "A"): [0, 0], ("iris", "B"): [1, 1]})
    both = Comparison("ari", ("A", "nothing"), ("B", "nothing"))
    assert both.verdict(both.table(won), 2) == "not decided"
    assert both.verdict(both.table(lost), 2) == "not reached"
    assert "not decided, on 1 of 1 data sets run, of 2 (2 wanted)" in study(comparisons=[both]).report(won)


def test_paired_p_of_equal_and_single_values():
    assert paired_p(np.ones(3), np.ones(3)) == 1
    assert paired_p(np.ones(3), np.zeros(3)) == 0
    assert np.isnan(paired_p(np.ones(1), np.zeros(1)))
