"""Questions about eight samples at once, and about which of two is closer."""

import numpy as np
import pytest

from cclab import CFCM, ConstraintSet, PCKMeans, Problem
from cclab.datasets import load_dataset
from cclab.oracles import Truth, ask
from cclab.queries import GroupQueries, TripletQueries, UncertaintyQueries, torn
from cclab.queries.base import Settled
from cclab.queries.torn import LookedAt

IRIS = load_dataset("iris")


@pytest.fixture(scope="module", params=[CFCM(3, n_init=1), PCKMeans(3, n_init=1)], ids=lambda s: type(s).__name__)
def solved(request):
    problem = Problem(IRIS.X, seed=0)
    return request.param, problem, request.param.solve(problem)


@pytest.mark.parametrize("strategy", [GroupQueries(), TripletQueries()], ids=lambda s: s.title)
def test_it_is_pure_asks_nothing_twice_and_says_why(strategy, solved):
    _, problem, state = solved
    first = strategy.propose(problem, state, 5)
    assert len(first) == 5
    assert strategy.propose(problem, state, 5) == first
    asked = frozenset(query.samples for query in first)
    assert len(asked) == 5
    assert not asked & {query.samples for query in strategy.propose(problem, state, 5, asked=asked)}
    assert all(query.reason for query in first)


def test_a_group_has_sure_samples_and_doubtful_ones_of_a_cluster(solved):
    _, problem, state = solved
    (query,) = GroupQueries().propose(problem, state)
    here = LookedAt(problem, state, 1, frozenset())
    samples = list(query.samples)
    assert len(samples) == 8
    assert np.sort(here.doubt[samples])[2:].mean() > here.doubt.mean()
    shared = [k for k in range(3) if (here.likeliest[:, samples] == k).any(axis=0).all()]
    assert shared


def test_a_belief_that_is_sure_of_nothing_is_asked_about_what_is_near():
    digits = load_dataset("digits")
    problem = Problem(digits.X, seed=0)
    state = CFCM(10, n_init=1).solve(problem)
    assert LookedAt(problem, state, 1, frozenset()).doubt.min() > 0.99  # every digit could be of any cluster
    first, second = GroupQueries().propose(problem, state, 2)
    for query in (first, second):
        assert np.bincount(digits.target[list(query.samples)]).max() >= 6
    shown = frozenset({first.samples})
    (next_,) = GroupQueries().propose(problem, state, asked=shown)
    assert next_.reason.split("; ")[0].split()[-1] != first.reason.split("; ")[0].split()[-1], "another cluster"


def test_what_is_known_of_a_sample_is_not_asked(solved):
    _, problem, state = solved
    (first,) = GroupQueries().propose(problem, state)
    known = ConstraintSet(150).with_group(first.samples)
    (second,) = GroupQueries().propose(problem.with_constraints(known), state)
    assert len(set(second.samples) - set(first.samples)) >= 6
    settled = Settled(known)
    (triplet,) = TripletQueries().propose(problem.with_constraints(known), state)
    a, b, c = triplet.samples
    assert not settled(a, b)
    assert not settled(a, c)


def test_groups_that_share_a_cluster_are_held_against_each_other():
    problem = Problem(IRIS.X, ConstraintSet(150).with_group(range(4)).with_group([70, 71, 72]), seed=0)
    state = PCKMeans(1).solve(problem)
    (query,) = GroupQueries().propose(problem, state)
    assert set(query.samples) & {70, 71, 72}, "one of them speaks for all"
    apart = problem.with_constraints(problem.constraints.with_separation([0], [70]))
    (query,) = GroupQueries().propose(apart, state)
    assert not set(query.samples) & {70, 71, 72}, "that is known"


def test_the_reason_of_a_triplet_is_true(solved):
    _, problem, state = solved
    likeliest = LookedAt(problem, state, 1, frozenset()).likeliest
    for query in TripletQueries().propose(problem, state, 5):
        a, b, c = query.samples
        ends = {int(likeliest[0, i]) for i in (b, c)}
        assert ends == set(likeliest[:, a].tolist())


def test_groups_help_and_their_answers_agree_with_the_truth(solved):
    solver, problem, _ = solved
    rounds = list(ask(solver, problem, GroupQueries(), Truth(IRIS.target), 6))
    known = rounds[-1].problem.constraints
    assert known.satisfaction(IRIS.target).rate == 1
    assert (rounds[-1].state.partition.labels() != rounds[0].state.partition.labels()).any()
    assert len(known) >= 6


def test_one_cluster_and_few_samples_leave_little_to_ask():
    problem = Problem(np.arange(4.0)[:, None])
    one = PCKMeans(1).solve(problem)
    assert TripletQueries().propose(problem, one) == ()
    assert len(GroupQueries().propose(problem, one, 3)) <= 1
    assert not TripletQueries.suits(one.partition)
    with pytest.raises(ValueError, match="size must be at least 3, got 2"):
        GroupQueries(size=2).propose(problem, one)


@pytest.mark.parametrize("solver", [CFCM(3, n_init=1), PCKMeans(3, n_init=1)], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("kind", [GroupQueries, TripletQueries, UncertaintyQueries], ids=lambda s: s.__name__)
def test_of_many_samples_some_are_looked_at_and_all_that_are_known(solver, kind, monkeypatch):
    problem = Problem(IRIS.X, ConstraintSet(150).with_must_link([[0, 149], [3, 70]]), seed=0)
    state = solver.solve(problem)
    strategy = kind()
    if not strategy.suits(state.partition):
        pytest.skip("it asks nothing of such a belief")
    monkeypatch.setattr(torn, "LOOKED_AT", 40)
    here = torn.LookedAt(problem, state, 1, frozenset())
    assert {0, 3, 70, 149} <= set(here.samples.tolist())
    assert 20 <= len(here.samples) <= 44
    (query,) = strategy.propose(problem, state)
    assert set(query.samples) <= set(here.samples.tolist())
    assert strategy.propose(problem, state) == (query,)
    assert len(strategy.propose(problem, state, 5)) == 5
    (other,) = strategy.propose(problem, state, asked=frozenset({query.samples}))
    assert other.samples != query.samples
