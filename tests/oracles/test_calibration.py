"""Confidences are mended by a few checks."""

import numpy as np
import pytest

from cclab.oracles import Answer, Calibrated, Calibration, Oracle, calibration_error, reliability
from cclab.queries.base import Query


def boaster(n, seed):
    """Confidences of an oracle that is right less often than it says, and whether it was right."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.5, 0.98, n)
    log_odds = np.log(p / (1 - p))
    return 1 / (1 + np.exp(-2.5 * log_odds - 0.3)), rng.random(n) < p


@pytest.mark.parametrize("checks", [100, 500])
def test_one_that_boasts_is_believed_after_some_checks(checks):
    stated, right = boaster(1000, 0)
    assert calibration_error(stated, right) > 0.1
    mended = Calibration.of(*boaster(checks, 1))
    assert calibration_error(mended(stated), right) <= 0.05


def test_the_table_tells_confidence_from_frequency():
    stated, right = boaster(1000, 0)
    table = reliability(stated, right)
    assert table["n"].sum() == 1000
    assert (table["confidence"] > table["right"]).iloc[-3:].all()
    assert ((table["low"] <= table["confidence"]) & (table["confidence"] <= table["high"])).all()


def test_a_calibrated_oracle_answers_as_before():
    class Boasts(Oracle):
        name = "boasts"

        def answer(self, query, data=None):
            return Answer("same", 0.99) if query.samples[0] else Answer.unsure("no idea")

    oracle = Calibrated(Boasts(), Calibration.of(*boaster(200, 1)))
    unsure, sure = oracle.answers([Query.pair(0, 1, "", 0), Query.pair(1, 2, "", 0)])
    assert (oracle.name, sure.verdict, unsure.is_sure) == ("boasts", "same", False)
    assert 0.6 < sure.confidence < 0.95


def test_too_few_checks_and_what_is_no_confidence():
    with pytest.raises(ValueError, match="3 checked answers are too few"):
        Calibration.of([0.5] * 3, [True] * 3)
    with pytest.raises(ValueError, match="2 confidences, but 1 answers"):
        reliability([0.5, 0.6], [True])
    with pytest.raises(ValueError, match="between 0 and 1"):
        reliability([1.5], [True])
    always = Calibration.of([0.9] * 20, [True] * 20)
    assert always(0.9) == pytest.approx(21 / 22)
