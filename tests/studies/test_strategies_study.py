"""The declarations on strategies and on the number of clusters."""

import numpy as np
import pandas as pd
import pytest

from cclab.core.registry import strategies
from cclab.studies.cluster_numbers import gaussians
from cclab.studies.knowledge import Asked
from cclab.studies.oracles import STUDY as ORACLES
from cclab.studies.strategies import STUDY, shelf_table


def test_every_strategy_of_the_shelf_takes_part_and_meets_random_questions():
    asked = {type(cell.knowledge.strategy).__name__ for cell in STUDY.cells}
    asked |= {type(cell.knowledge.strategy).__name__ for cell in ORACLES.cells if isinstance(cell.knowledge, Asked)}
    assert set(strategies.names()) <= asked
    for data, method in {cell.key[:2] for cell in STUDY.cells}:
        drawn_by = [cell.knowledge.drawn_by for cell in STUDY.cells if cell.key[:2] == (data, method)]
        assert "Random" in drawn_by


def test_the_table_says_who_is_better_than_random_and_who_is_worse():
    trials = np.arange(8)
    means = {"Random": 0.5, "Good": 0.8, "Bad": 0.3, "Same": 0.5}
    noise = 0.001 * np.random.default_rng(0).standard_normal((4, 8))
    noise[3] = noise[0]
    rows = [
        {"dataset": "d", "method": "m", "drawn_by": name, "trial": trial, "ari_area": mean + noise[k, trial]}
        for k, (name, mean) in enumerate(means.items())
        for trial in trials
    ]
    rows += [{"dataset": "d", "method": "n", "drawn_by": "Random", "trial": trial, "ari_area": 0.7} for trial in trials]
    table = shelf_table(pd.DataFrame(rows)).set_index("method")
    assert table.loc["m", list(means)].tolist() == ["0.50", "0.80+", "0.30-", "0.50"]
    assert table.loc["n", list(means)].tolist() == ["0.70", "", "", ""]


@pytest.mark.parametrize("n_features", [2, 50])
def test_centres_are_as_far_apart_as_said(n_features):
    data = gaussians(4, 4, 50.0, n_features, seed=0)
    means = np.array([data.X[data.target == c].mean(axis=0) for c in range(4)])
    away = np.linalg.norm(means[:, None] - means, axis=2) + 1e9 * np.eye(4)
    np.testing.assert_allclose(away.min(axis=1), 50.0, rtol=0.05)
