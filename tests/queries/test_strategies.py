"""What every strategy must do, and what the ones that look at the data alone do."""

import inspect

import numpy as np
import pytest

from cclab import CECM, FCM, PCCA, PFCM, ConstraintSet, Problem, Session, load_dataset
from cclab.core import Fuzzy, Hard, State
from cclab.core.registry import strategies
from cclab.queries import (
    ASCQueries,
    COBRASQueries,
    FarthestFirst,
    MinMax,
    NPUQueries,
    OverlapQueries,
    Random,
    TypicalityQueries,
    UncertaintyQueries,
)
from cclab.queries.asc import candidates
from cclab.queries.base import Settled
from cclab.studies import Truth, ask

PAIRS = [strategies.get(name) for name in strategies.names() if strategies.get(name).kind == "pair"]
BY_DATA = [ASCQueries, COBRASQueries, FarthestFirst, MinMax, NPUQueries, Random]


def blobs(n=60, seed=0):
    return load_dataset("three_gaussians", n_samples=n, separation=3.0, seed=seed)


@pytest.fixture(scope="module")
def beliefs():
    """A state of each kind of belief."""
    X = blobs().X
    return [solver.solve(Problem(X, seed=0)) for solver in (FCM(3), PFCM(3), CECM(3, n_init=1))]


@pytest.mark.parametrize("strategy", PAIRS, ids=lambda cls: cls.__name__)
def test_asks_nothing_that_is_settled_and_says_why(strategy, beliefs):
    data = blobs()
    known = ConstraintSet(60).with_must_link([[0, 1], [1, 2]]).with_cannot_link([[2, 30], [30, 50]])
    problem = Problem(data.X, known, seed=0)
    suited = [state for state in beliefs if strategy.suits(state.partition)]
    assert suited
    for state in suited:
        first = strategy().propose(problem, state, 8)
        assert 0 < len(first) <= 8
        assert strategy().propose(problem, state, 8) == first  # pure
        asked = frozenset(query.samples for query in first)
        assert len(asked) == len(first)
        second = strategy().propose(problem, state, 8, asked=asked)
        assert not asked & {query.samples for query in second}
        settled = Settled(known)
        for query in (*first, *second):
            assert query.reason
            assert not settled(*query.samples)


@pytest.mark.parametrize("strategy", BY_DATA, ids=lambda cls: cls.__name__)
def test_goes_on_until_nothing_is_open(strategy):
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    truth = Truth(np.array([0, 0, 0, 1, 1, 1]))
    last = list(ask(FCM(2), Problem(X), strategy(), truth, budget=50))[-1]
    assert len(last.problem.constraints) < 15  # closure spares most of the pairs


def test_uncertainty_refuses_a_belief_that_is_never_torn():
    assert not UncertaintyQueries.suits(Hard([0, 1]))
    assert UncertaintyQueries.suits(Fuzzy([[0.5, 0.5]]))


def test_asc_scores_are_those_of_the_paper():
    X = blobs(40).X
    k, threshold = 6, 3
    order = np.argsort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)
    neighbours = [set(row[row != i][:k].tolist()) for i, row in enumerate(order)]

    def w(i, j):
        return len(neighbours[i] & neighbours[j])

    density = [sum(w(i, q) for q in neighbours[i]) / k for i in range(40)]
    expected = {
        (i, j): (k - w(i, j) + 1 / (1 + min(density[i], density[j]))) / (k + 1)
        for i in range(40)
        for j in range(i + 1, 40)
        if (j in neighbours[i] or i in neighbours[j]) and w(i, j) < threshold
    }
    found = candidates(X, k, threshold)
    assert set(zip(found.i.tolist(), found.j.tolist())) == set(expected)
    for i, j, score in zip(found.i.tolist(), found.j.tolist(), found.score):
        np.testing.assert_allclose(score, expected[i, j])


def test_asc_asks_for_the_best_first_and_takes_up_where_it_was_after_an_undo():
    problem = Problem(blobs(150).X)
    state = FCM(3).start(problem)
    queries = ASCQueries().propose(problem, state, 40)
    scores = [query.score for query in queries]
    assert scores == sorted(candidates(problem.X, 10, 5.0).score.tolist(), reverse=True)[:40]
    told = problem.with_constraints(ConstraintSet(150).with_must_link([queries[0].samples]))
    assert ASCQueries().propose(told, state, 1)[0].samples == queries[1].samples
    other = problem.with_constraints(ConstraintSet(150).with_must_link([queries[1].samples]))
    assert ASCQueries().propose(other, state, 1) == queries[:1]
    grouped = problem.with_constraints(ConstraintSet(150).with_group([*queries[0].samples, *queries[1].samples]))
    assert not {queries[0].samples, queries[1].samples} & {q.samples for q in ASCQueries().propose(grouped, state, 9)}
    assert ASCQueries().propose(problem, state, 40) == queries


def test_asc_asks_across_borders_more_often_than_chance():
    asked, edges = [], []
    for seed in range(5):
        data = blobs(150, seed)
        found = ASCQueries().propose(Problem(data.X), FCM(3).start(Problem(data.X)), 30)
        asked += [data.target[a] != data.target[b] for a, b in (q.samples for q in found)]
        all_edges = candidates(data.X, 10, 11)
        edges += (data.target[all_edges.i] != data.target[all_edges.j]).tolist()
    assert np.mean(asked) > 1.2 * np.mean(edges)


def test_the_neighbour_graph_is_made_once():
    problem = Problem(blobs().X)
    state = FCM(3).start(problem)
    ASCQueries().propose(problem, state)
    (key,) = [k for k in problem._derived if "ASC candidates" in str(k)]
    before = problem._derived[key]
    told = problem.with_constraints(ConstraintSet(60).with_must_link([[0, 1]]))
    ASCQueries().propose(told, state)
    assert told._derived[key] is before


@pytest.mark.parametrize("strategy", [FarthestFirst, MinMax])
def test_exploring_meets_every_cluster(strategy):
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [20, 0], [0, 20], [20, 20]])
    target = np.arange(80) % 4
    X = centers[target] + rng.normal(size=(80, 2))
    rounds = list(ask(FCM(4), Problem(X), strategy(), Truth(target), budget=6))
    asked = {sample for r in rounds for q in r.queries for sample in q.samples}
    assert {int(target[i]) for i in asked} == {0, 1, 2, 3}


def test_min_max_goes_far_and_farthest_first_anywhere_once_all_clusters_are_met():
    X = np.array([[0.0], [1.0], [9.0], [10.0], [4.0], [30.0]])
    known = ConstraintSet(6).with_cannot_link([[0, 3]])
    state = _Two(objective=0.0)
    (query,) = MinMax().propose(Problem(X, known), state)
    assert 5 in query.samples
    reasons = {FarthestFirst().propose(Problem(X, known, seed=s), state)[0].samples for s in range(20)}
    assert len(reasons) > 2


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (ASCQueries(n_neighbors=-3), "n_neighbors must be at least 2, got -3"),
        (TypicalityQueries(about="foo"), "about must be one of 'ambiguous', 'untypical', got 'foo'"),
    ],
)
def test_parameters_are_checked(strategy, message):
    with pytest.raises(ValueError, match=message):
        strategy.propose(Problem(np.ones((6, 1))), _Two(objective=0.0))


@pytest.mark.parametrize("name", strategies.names())
def test_no_strategy_asks_with_parameters_that_make_no_sense(name, monkeypatch):
    strategy = strategies.get(name)()
    assert list(strategy.all_parameters()) == list(inspect.signature(type(strategy)).parameters)
    monkeypatch.setattr(type(strategy), "check_parameters", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        strategy.propose(Problem(np.ones((6, 1))), _Two(objective=0.0))


def test_overlap_says_which_beliefs_it_asks_about():
    session = Session(blobs(60), "COPKMeans")
    with pytest.raises(ValueError, match=r"Overlap asks about beliefs with memberships .* not about a hard one"):
        session.propose("OverlapQueries")
    assert session.pending == ()


@pytest.mark.parametrize("strategy", [UncertaintyQueries, OverlapQueries])
def test_clusters_are_counted_from_1_without_gaps(strategy):
    problem = Problem(blobs(150).X, seed=0)
    state = PCCA().solve(problem)
    assert set(state.cluster_ids) != {0, 1, 2}
    for query in strategy().propose(problem, state, 5):
        said = query.reason.split("clusters ")[1].split(";")[0].split(" and ")
        assert set(map(int, said)) <= {1, 2, 3}


class _Two(State):
    def _partition(self):
        return Hard([0, 0, 1, 1, 0, 1])
