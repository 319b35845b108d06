"""What the study of oracles says of its aims."""

import pandas as pd
from sklearn.decomposition import PCA

from cclab import Problem
from cclab.datasets import load_dataset
from cclab.studies import oracles


def frame(group=0.9, again=0.78, precision=0.7):
    kinds = {"pairs": 0.8, "triplets": 0.7, "groups": group}
    rows = [
        {"dataset": "iris", "method": "CFCM", "drawn_by": kind, "count": count, "ari": 0.5 if not count else height}
        for kind, height in kinds.items()
        for count in (0, 1, 10, 40)
    ]
    checked = {"dataset": "iris", "method": "PCKMeans" + oracles.CHECKED, "drawn_by": "WrongPairs", "ari": again}
    return pd.DataFrame([*rows, checked | {"clean": 0.79, "wrong": 0.6, "precision": precision}])


def test_what_was_aimed_at_stands_beside_what_was_reached():
    table = oracles.aims_table(frame())
    assert table[""].eq("").all()
    assert len(table) == 7
    missed = oracles.aims_table(frame(group=0.7, again=0.7, precision=0.5))
    assert missed[""].tolist() == ["missed"] * 6 + [""]
    gap = missed.set_index("aim").loc["asked again: mean ARI less that of clean links"]
    assert (gap["at least"], round(gap["reached"], 4)) == (-0.02, -0.09)
    assert not len(oracles.aims_table(frame().iloc[:1]))


def test_a_row_whose_centres_coincide_is_shown_and_not_aimed_at():
    collapsed = frame(group=0.7).assign(dataset="digits")
    reached = oracles.aims_table(pd.concat([frame(), collapsed])).set_index("aim")["reached"]
    assert reached["the same in each row"] < 0 < reached["the same in each row whose solver tells its clusters apart"]


def test_data_have_as_many_features_as_leave_all_centres_apart():
    assert oracles.told_apart("iris").n_features == 4, "as they are"
    digits = oracles.told_apart("digits")
    assert digits.n_features == 4
    assert not oracles._coincide(Problem(digits.X, seed=0), 10)
    eight = PCA(8, svd_solver="full").fit_transform(load_dataset("digits").X)
    assert oracles._coincide(Problem(eight, seed=0), 10)
