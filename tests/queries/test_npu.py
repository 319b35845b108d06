"""NPU: neighbourhoods grow by one sample at a time, the most uncertain for its price."""

import numpy as np
import pytest

from cclab import FCM, ConstraintSet, COPKMeans, Problem, load_dataset
from cclab.queries import NPUQueries, Random
from cclab.queries.base import Settled
from cclab.queries.npu import uncertainty_for_its_price
from cclab.studies import Truth, ask


def test_a_sample_between_two_groups_is_asked_about_before_a_sure_one():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [2.55]])
    known = ConstraintSet(7).with_must_link([[0, 1], [3, 4]]).with_cannot_link([[0, 3]])
    problem = Problem(X, known, seed=0)
    state = FCM(2).solve(problem)
    (query,) = NPUQueries(n_trees=200).propose(problem, state)
    assert 6 in query.samples


def test_a_sample_is_placed_before_another_is_begun():
    data = load_dataset("three_gaussians", n_samples=60, separation=3.0, seed=0)
    rounds = list(ask(COPKMeans(3), Problem(data.X, seed=0), NPUQueries(10), Truth(data.target), budget=25))
    known, begun = ConstraintSet(60), None
    for one in rounds[1:]:
        (query,) = one.queries
        if begun is not None:
            assert begun in query.samples
        new = [i for i in query.samples if not known.constrained[i]]
        known = one.problem.constraints
        begun = new[0] if len(new) == 1 and known.pairs.must[-1] == 0 and _may_belong(known, new[0]) else None


def _may_belong(known, sample):
    """Whether there is a group of which it isn't known that the sample stays apart from it."""
    settled = Settled(known)
    return not settled.with_sample(sample)[np.flatnonzero(known.constrained)].all()


def test_many_groups_cost_many_questions():
    _, (two, four) = uncertainty_for_its_price(np.array([[0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]]))
    assert two == pytest.approx(1 / 1.5)
    assert four == pytest.approx(2 / 2.5)


def test_it_does_more_than_random_questions():
    gain = []
    for seed in range(3):
        data = load_dataset("three_gaussians", n_samples=90, separation=3.0, seed=seed)
        scores = []
        for strategy in (NPUQueries(20), Random()):
            last = list(ask(COPKMeans(3), Problem(data.X, seed=0), strategy, Truth(data.target), 30, per_round=10))[-1]
            scores.append((last.state.partition.labels()[:, None] == last.state.partition.labels()).astype(int))
        same = data.target[:, None] == data.target
        gain.append((scores[0] == same).mean() - (scores[1] == same).mean())
    assert np.mean(gain) > 0
