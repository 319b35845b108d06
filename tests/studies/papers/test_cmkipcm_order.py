import numpy as np
import pandas as pd

from cclab.studies.papers.cmkipcm_order import PUBLISHED, STUDY, agreement, order


def trials(means, deviation=0.01):
    rng = np.random.default_rng(0)
    knowledge = {"random": ("CMKIPCM", "150 pairs"), "active": ("CMKIPCM", "150 by overlap")}
    rows = []
    for name, mean in means.items():
        method, known = knowledge.get(name, (name, "nothing"))
        for t in range(8):
            rows.append({"dataset": "Iris", "method": method, "knowledge": known, "trial": t, "ari": mean})
            rows[-1]["ari"] += deviation * rng.normal()
    return pd.DataFrame(rows)


def test_the_order_is_told_by_paired_tests():
    assert order(trials({"K-means": 0.5, "AHC": 0.2, "random": 0.9})) == "AHC < K-means < random"
    alike = trials({"random": 0.9, "active": 0.5})
    alike["ari"] = [0.5, 0.7, 0.5, 0.7, 0.5, 0.7, 0.5, 0.7, 0.71, 0.5, 0.7, 0.5, 0.7, 0.5, 0.7, 0.5]
    assert order(alike) == "random ~ active"


def test_points_on_the_way_of_a_learning_curve_take_no_part():
    curve = trials({"K-means": 0.5, "active": 0.9})
    on_the_way = curve[curve["method"] == "CMKIPCM"].assign(knowledge="25 by overlap", ari=0.1)
    assert STUDY.orders(pd.concat([curve, on_the_way]))["found"].tolist() == ["K-means < active"]


def test_pairs_that_the_paper_tells_apart_are_counted():
    assert agreement("a < b < c", "a < b ~ c") == (2, 2)
    assert agreement("c < b < a", "a < b ~ c") == (0, 2)
    assert agreement("b < a ~ c", "a < b ~ c") == (1, 2)


def test_every_data_set_has_its_published_order():
    assert {cell.data.label for cell in STUDY.cells} == set(PUBLISHED)
    words = [{word for word in line.split() if word not in "<~"} for line in PUBLISHED.values()]
    assert all(found == {"AHC", "K-means", "Xiang", "MPCKMeans", "random", "active"} for found in words)
