from itertools import product

import numpy as np
import pytest
from scipy import sparse

from cclab import PCCC, ConstraintSet, COPKMeans, Problem, iterate
from cclab.algorithms.kmeans.link_program import Edges, NoAssignment, assign
from cclab.algorithms.kmeans.units import InfeasibleConstraints


def random_program(seed, n=7, k=3, n_links=9):
    """Costs of units in clusters, and hard and soft links between them."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    chosen = rng.choice(len(i), n_links, replace=False)
    price = np.where(rng.random(n_links) < 0.4, np.inf, rng.random(n_links))
    must = (rng.random(n_links) < 0.5) & np.isfinite(price)
    return rng.random((n, k)), Edges(i[chosen], j[chosen], price, must)


def total(costs, edges, clusters):
    broken = edges.broken(clusters)
    return costs[np.arange(len(costs)), clusters].sum() + edges.price[broken].sum()


def cheapest(costs, edges):
    """The least cost of all assignments."""
    n, k = costs.shape
    return min(total(costs, edges, np.array(way)) for way in product(range(k), repeat=n))


@pytest.mark.parametrize("seed", range(25))
def test_the_assignment_is_the_cheapest_of_all(seed):
    costs, edges = random_program(seed)
    best = cheapest(costs, edges)
    if np.isinf(best):
        with pytest.raises(NoAssignment) as caught:
            assign(costs, edges, 3, None, 1000)
        assert caught.value.proved
        return
    clusters, contested = assign(costs, edges, 3, None, 1000)
    assert total(costs, edges, clusters) == pytest.approx(best)
    assert (contested == 0) == (not edges.broken(costs.argmin(axis=1)).any())


@pytest.mark.parametrize("seed", range(10))
def test_with_few_near_centres_the_clusters_before_are_never_beaten(seed):
    costs, edges = random_program(seed, k=5)
    before = assign(np.random.default_rng(seed + 100).random(costs.shape), edges, 5, None, 1000)[0]
    clusters, _ = assign(costs, edges, 2, before, 1000)
    assert total(costs, edges, clusters) <= total(costs, edges, before) + 1e-9


def test_more_centres_come_into_question_where_the_nearest_do_not_suffice():
    costs = np.array([[0.0, 1.0, 9.0, 8.0]] * 3)
    edges = Edges(np.array([0, 0, 1]), np.array([1, 2, 2]), np.full(3, np.inf), np.zeros(3, dtype=bool))
    assert sorted(assign(costs, edges, 2, None, 1000)[0]) == [0, 1, 3]


def test_links_far_apart_take_no_part():
    costs = np.array([[0.0, 1.0, 9.0, 9.0], [9.0, 9.0, 0.0, 1.0]])
    edges = Edges(np.array([0]), np.array([1]), np.array([np.inf]), np.array([False]))
    assert assign(costs, edges, 2, None, 1000)[1] == 0


def literal_objective(problem, state, penalty):
    known, labels = problem.constraints, state.labels
    p = known.pairs
    soft = (p.weight < 1) & ((labels[p.i] == labels[p.j]) != p.must)
    apart = ((problem.X - state.centers[labels]) ** 2).sum()
    return apart + penalty * problem.spread**2 * p.weight[soft].sum()


def linked_problem(seed, n=60, k=3, weights=(0.2, 0.6, 1.0)):
    """Links of different confidence; certain ones are true, some of the others wrong."""
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(n, 2)), rng.integers(k, size=n)
    i, j = np.triu_indices(n, 1)
    known = ConstraintSet(n)
    for weight in weights:
        chosen = rng.choice(len(i), 25, replace=False)
        same = (truth[i] == truth[j])[chosen] ^ ((rng.random(25) < 0.3) & (weight < 1))
        ends = np.stack([i, j], axis=1)[chosen]
        known = known.with_must_link(ends[same], weight=weight).with_cannot_link(ends[~same], weight=weight)
    return Problem(X, known, seed=seed)


@pytest.mark.parametrize("seed", range(4))
def test_the_objective_is_that_of_the_paper_and_never_rises(seed):
    problem = linked_problem(seed)
    for n_near in (1, 2, 3):
        run = list(iterate(PCCC(3, penalty=0.7, n_near=n_near), problem))
        for state in run:
            assert state.objective == pytest.approx(literal_objective(problem, state, 0.7))
            assert state.objective == pytest.approx(sum(state.terms.values()))
        assert np.all(np.diff([s.objective for s in run]) <= 1e-9)


def test_certain_links_hold_and_others_are_weighed():
    problem = linked_problem(0)
    state = PCCC(3, random_state=0).fit(problem.X, constraints=problem.constraints).state_
    p = problem.constraints.pairs
    kept = (state.labels[p.i] == state.labels[p.j]) == p.must
    assert kept[p.weight == 1].all()
    assert 0 < kept[p.weight < 1].mean() < 1
    named = {g.name: dict(zip(g.labels, g.values)) for g in state.gauges()}
    assert named["Links"]["links broken"] > 0


def test_confidence_decides():
    X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    at = {"init": [[1.0], [8.0]], "penalty": 4.0}
    for weight, together in ((0.9, True), (0.1, False)):
        known = ConstraintSet(6).with_must_link([[2, 3]], weight=weight)
        labels = PCCC(2, **at).fit(X, constraints=known).labels_
        assert (labels[2] == labels[3]) == together


def test_with_certain_links_only_no_answer_is_dearer_than_the_greedy_one():
    rng = np.random.default_rng(1)
    X, truth = rng.normal(size=(80, 2)), rng.integers(4, size=80)
    i, j = np.triu_indices(80, 1)
    chosen = rng.random(len(i)) < 0.02
    ends, same = np.stack([i, j], axis=1)[chosen], (truth[i] == truth[j])[chosen]
    problem = Problem(X, ConstraintSet(80).with_must_link(ends[same]).with_cannot_link(ends[~same]))
    exact, greedy = PCCC(4, init=X[:4], n_near=4).start(problem), COPKMeans(4, init=X[:4]).start(problem)
    assert exact.objective < greedy.objective


def test_sparse_samples_give_the_same_answer():
    problem = linked_problem(2)
    dense = PCCC(3, random_state=0).fit(problem.X, constraints=problem.constraints)
    thin = PCCC(3, random_state=0).fit(sparse.csr_array(problem.X), constraints=problem.constraints)
    np.testing.assert_array_equal(dense.labels_, thin.labels_)


# ---------------------------------------------------------------------- no answer


def test_a_contradiction_of_certain_links_names_its_chain():
    with pytest.raises(InfeasibleConstraints, match="0 — 3 — 1"):
        PCCC(2).fit(np.eye(4), must_link=[[0, 3], [3, 1]], cannot_link=[[0, 1]])


def test_an_odd_ring_of_certain_links_is_named():
    ring = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]]
    with pytest.raises(InfeasibleConstraints, match="tried all ways") as caught:
        PCCC(2).fit(np.random.default_rng(0).normal(size=(12, 2)), cannot_link=[*ring, [4, 5], [7, 8]])
    assert caught.value.samples == (0, 1, 2, 3, 4)


def test_a_contradiction_of_uncertain_links_is_weighed():
    known = ConstraintSet(4).with_must_link([[0, 3], [3, 1]], weight=0.9).with_cannot_link([[0, 1]], weight=0.3)
    X = np.array([[0.0], [0.1], [5.0], [0.2]])
    with pytest.warns(UserWarning, match="0 — 3 — 1"):
        labels = PCCC(2, random_state=0).fit(X, constraints=known).labels_
    assert labels[0] == labels[1] == labels[3]


def test_a_cannot_link_within_a_unit_counts_as_broken():
    known = ConstraintSet(3).with_must_link([[0, 1]]).with_cannot_link([[0, 1]], weight=0.5)
    with pytest.warns(UserWarning, match="must stay apart"):
        fitted = PCCC(2, random_state=0).fit(np.array([[0.0], [1.0], [5.0]]), constraints=known)
    assert fitted.state_.terms["cannot-links"] == pytest.approx(0.5 * Problem([[0.0], [1.0], [5.0]]).spread ** 2)


def test_too_few_nodes_still_keep_what_must_hold():
    problem = linked_problem(3, weights=(0.5, 1.0))
    fitted = PCCC(3, random_state=0, max_nodes=1).fit(problem.X, constraints=problem.constraints)
    p = problem.constraints.pairs
    kept = (fitted.labels_[p.i] == fitted.labels_[p.j]) == p.must
    assert kept[p.weight == 1].all()
