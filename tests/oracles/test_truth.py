"""The truth answers questions of every kind, with slips where they are asked for."""

import numpy as np
import pytest

from cclab import ConstraintSet
from cclab.datasets import load_dataset
from cclab.oracles import Truth, calibration_error
from cclab.queries.base import Query

IRIS = load_dataset("iris")


def test_every_kind_is_answered():
    truth = Truth(IRIS.target)
    assert truth.answer(Query.pair(0, 1, "", 0)).verdict == "same"
    assert truth.answer(Query.triplet(0, 60, 1, "", 0)).verdict == "b"
    assert truth.answer(Query.triplet(70, 60, 1, "", 0)).verdict == "c"
    assert truth.answer(Query.group([0, 1, 2, 60, 110], "", 0)).verdict == (60, 110)
    assert truth.answer(Query.label(60, "", 0)).verdict == 1
    assert truth.answer(Query.name(60, "", 0), IRIS).verdict == "versicolor"


def test_a_triplet_that_classes_do_not_decide_goes_to_the_nearer():
    near = Query.triplet(0, 1, 2, "", 0)
    assert not Truth(IRIS.target).answer(near).is_sure
    distances = [np.sum((IRIS.X[0] - IRIS.X[j]) ** 2) for j in (1, 2)]
    assert Truth(IRIS.target).answer(near, IRIS).verdict == "bc"[int(np.argmin(distances))]


def test_mistakes_are_made_near_borders():
    truth = Truth(IRIS.target, border=0.8, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    queries = [Query.pair(*rng.choice(150, 2, replace=False), "", 0) for _ in range(1500)]
    clean = Truth(IRIS.target)
    wrong = np.array([truth.answer(q, IRIS) != clean.answer(q) for q in queries])
    near = np.array([truth.nearness(IRIS)[list(q.samples)].max() for q in queries])
    assert wrong[near == 0].sum() == 0
    assert wrong[near > 0.3].mean() > 0.2
    with pytest.raises(ValueError, match="mistakes near a border need the data"):
        truth.answer(queries[0])


def test_one_that_admits_its_mistakes_is_calibrated():
    truth = Truth(IRIS.target, 0.05, np.random.default_rng(0), border=0.6, admits=True)
    rng = np.random.default_rng(2)
    queries = [Query.pair(*rng.choice(150, 2, replace=False), "", 0) for _ in range(1000)]
    answers = [truth.answer(q, IRIS) for q in queries]
    right = [a.verdict == Truth(IRIS.target).answer(q).verdict for q, a in zip(queries, answers)]
    assert calibration_error([a.confidence for a in answers], right) <= 0.05


def test_noise_in_groups_is_a_mistake_about_single_samples():
    truth = Truth(np.zeros(8000, dtype=int), 0.1, np.random.default_rng(0))
    outside = sum(len(truth.answer(Query.group(range(i, i + 8), "", 0)).verdict) for i in range(0, 8000, 8))
    assert 700 < outside < 900


def test_the_old_call_still_works_and_says_what_is_new():
    with pytest.warns(FutureWarning, match=r"Truth.answer\(known, query\) is now Truth.answer\(query\)"):
        known = Truth(IRIS.target).answer(ConstraintSet(150), Query.pair(0, 60, "", 0))
    assert known == ConstraintSet(150).with_cannot_link([[0, 60]], source="query")
