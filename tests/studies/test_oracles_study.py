"""What the study of oracles says of its aims."""

import pandas as pd

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
    assert len(table) == 6
    missed = oracles.aims_table(frame(group=0.7, again=0.7, precision=0.5))
    assert missed[""].tolist() == ["missed"] * 5 + [""]
    gap = missed.set_index("aim").loc["asked again: mean ARI less that of clean links"]
    assert (gap["at least"], round(gap["reached"], 4)) == (-0.02, -0.09)
    assert not len(oracles.aims_table(frame().iloc[:1]))
