"""Questions about samples between two clusters."""

import numpy as np
import pytest

from cclab import CECM, ECM, FCM, ConstraintSet, Problem
from cclab.queries import PairMassQueries

# Two clouds on a line, 2 and 5 at their centres, and two samples in between; 8 is nearer to the middle than 9.
LINE = np.array([0.0, 0.5, 1.0, 9.0, 9.5, 10.0, 0.6, 9.4, 4.9, 6.0])[:, None]
START = np.array([[0.6], [9.4]])


def situation(known=None):
    problem = Problem(LINE, known)
    return problem, CECM(2, init=START).start(problem)


def test_asks_about_the_sample_with_most_mass_between_two():
    problem, state = situation()
    (query,) = PairMassQueries().propose(problem, state, 1)
    belief = state.partition
    assert query.samples[1] == int(belief.masses[:, belief.focal_sets.index((0, 1))].argmax()) == 8
    assert query.samples[0] == 6  # nearest to the centre of the first cluster, which has more of its mass
    assert query.score == pytest.approx(belief.masses[8, 3])
    assert query.reason == "8 may be in cluster 1 or 2; 6 is nearest to the centre of cluster 1."


def test_then_about_the_other_cluster_and_never_twice():
    problem, state = situation()
    strategy = PairMassQueries()
    (first,) = strategy.propose(problem, state, 1)
    (second,) = strategy.propose(problem, state, 1, asked=frozenset({first.samples}))
    assert second.samples == (7, 8)
    (third,) = strategy.propose(problem, state, 1, asked=frozenset({first.samples, second.samples}))
    assert 8 not in third.samples


def test_what_follows_is_not_asked():
    problem, state = situation(ConstraintSet(10).with_must_link([[0, 8], [0, 6]]).with_cannot_link([[0, 7]]))
    assert all(8 not in query.samples for query in PairMassQueries().propose(problem, state, 5))


def test_several_questions_come_most_wanted_first_and_differ():
    problem, state = situation()
    queries = PairMassQueries().propose(problem, state, 6)
    scores = [query.score for query in queries]
    assert scores == sorted(scores, reverse=True)
    assert len({query.samples for query in queries}) == len(queries) == 6


def test_nearest_is_meant_in_the_metric_of_the_cluster():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [10, 1] + np.repeat([[0, 0], [0, 6]], 100, axis=0)
    problem = Problem(X)
    state = ECM(2, metric="mahalanobis", random_state=0).fit(X).state_
    (query,) = PairMassQueries().propose(problem, state, 1)
    away = X[:, None] - state.centers
    by_metric = np.einsum("nkp,kpq,nkq->kn", away, state.metrics, away).argmin(axis=1)
    assert set(query.samples) & set(by_metric.tolist())


def test_suits_credal_beliefs_with_pairs_only():
    problem, state = situation()
    assert PairMassQueries.suits(state.partition)
    fuzzy = FCM(2, init=START).start(problem)
    assert not PairMassQueries.suits(fuzzy.partition)
    assert PairMassQueries().propose(problem, fuzzy, 1) == ()
    three = Problem(np.arange(9.0)[:, None])
    single = ECM(3, init=[[1.0], [4.0], [7.0]], focal_sets="singletons").start(three)
    assert not PairMassQueries.suits(single.partition)
