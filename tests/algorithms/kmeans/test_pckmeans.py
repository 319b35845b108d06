"""PCKMeans beside its published steps, written out sample by sample and pair by pair."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from cclab import ConstraintSet, COPKMeans, PCKMeans, Problem, iterate
from cclab.core import ImpossibleKnowledge
from tests.fuzz._problems import nasty


def random_knowledge(n, rng, *, blocks=True):
    """Links of all kinds and weights, true or not."""
    known = ConstraintSet(n)
    for must in rng.random(12) < 0.5:
        pair, weight = [rng.choice(n, 2, replace=False)], rng.uniform(0.2, 1)
        known = known.with_must_link(pair, weight=weight) if must else known.with_cannot_link(pair, weight=weight)
    if blocks:
        some = rng.choice(n, 13, replace=False)
        known = known.with_group(some[:6]).with_separation(some[6:9], some[9:])
    return known


def matrices(known):
    return known.must.expanded().toarray(), known.cannot.expanded().toarray()


def literal_objective(X, V, labels, known, price):
    W, C = matrices(known)
    same = labels[:, None] == labels
    return ((X - V[labels]) ** 2).sum() + price * ((W * ~same).sum() + (C * same).sum()) / 2


def literal_pass(distances, labels, order, known, price):
    """One sample after the other takes the cheapest cluster, given where the others are (-1: nowhere yet)."""
    W, C = matrices(known)
    labels = labels.copy()
    for i in order:
        here = np.vstack([np.eye(distances.shape[1]), np.zeros(distances.shape[1])])[labels]
        labels[i] = (distances[i] + price * (C[i] @ here - W[i] @ here)).argmin()
    return labels


@pytest.mark.parametrize("seed", range(12))
def test_a_pass_is_the_loop_over_samples_and_the_objective_the_sum_over_pairs(seed):
    rng = np.random.default_rng(seed)
    X, n, k = rng.normal(size=(40, 2)), 40, 3
    known = random_knowledge(n, rng, blocks=seed % 2 == 0)
    problem, solver = Problem(X, known, seed=seed), PCKMeans(k, penalty=rng.uniform(0.1, 1), closure=False)
    price, state = solver.penalty * problem.spread**2, solver.start(Problem(X, known, seed=seed))
    W, C = matrices(known)
    linked = np.flatnonzero((W + C).any(axis=1))
    for _ in range(3):
        after = solver.step(problem, state)
        d = ((X[:, None] - after.centers) ** 2).sum(axis=2)
        lead = np.diff(np.sort(d, axis=1)[:, :2])[:, 0]
        # Free samples, and those whom links can't keep from the nearest centre, go there at once.
        sure = lead > price * (W + C).sum(axis=1)
        order = linked[problem.rng(0, after.iteration).permutation(len(linked))]
        order = order[~sure[order]]
        begin = np.where(sure, d.argmin(axis=1), state.labels)
        nowhere = np.where(sure, begin, -1)
        anew = literal_pass(d, nowhere, order, known, price)
        costs = [literal_objective(X, after.centers, labels, known, price) for labels in (anew, begin)]
        wanted = anew if costs[0] <= costs[1] else literal_pass(d, begin, order, known, price)
        np.testing.assert_array_equal(after.labels, wanted)
        assert after.objective == pytest.approx(literal_objective(X, after.centers, after.labels, known, price))
        assert after.objective <= state.objective * (1 + 1e-12)
        assert sum(after.terms.values()) == pytest.approx(after.objective)
        state = after


@pytest.mark.parametrize("seed", range(5))
def test_no_pass_raises_the_objective_at_fixed_centres(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    known = random_knowledge(80, rng)
    problem, solver = Problem(X, known, seed=seed), PCKMeans(4, closure=False, tol=0)
    run = list(iterate(solver, problem, max_iter=20))
    price = problem.spread**2
    for before, after in pairwise(run):
        moved = literal_objective(X, after.centers, before.labels, known, price)
        assert after.objective <= moved * (1 + 1e-12)


def test_a_link_holds_when_it_is_worth_more_than_the_way():
    X = np.array([[0.0], [0.2], [1.0], [1.2]])
    torn, spread = [[1, 2]], Problem(X).spread ** 2
    problem = Problem(X, ConstraintSet(4).with_must_link(torn))
    # With 0 and 3 the centres, either end of the link has to go 1.0 in place of 0.2: squared, that is 0.96 more.
    for penalty, together in ((0.95 / spread, False), (0.97 / spread, True)):
        state = PCKMeans(2, init=[[0.0], [1.2]], penalty=penalty).start(problem)
        assert (state.labels[1] == state.labels[2]) == together


def test_units_of_measurement_do_not_matter():
    X, _ = make_blobs(90, centers=3, cluster_std=3, random_state=0)
    rng = np.random.default_rng(0)
    known = random_knowledge(90, rng)
    one, other = (PCKMeans(3, random_state=0).fit(scale * X, constraints=known).labels_ for scale in (1, 1e4))
    np.testing.assert_array_equal(one, other)


def test_without_links_it_is_k_means():
    X, _ = make_blobs(200, centers=4, random_state=1)
    ours = PCKMeans(4, init=X[:4], tol=0).fit(X)
    theirs = KMeans(4, init=X[:4], n_init=1, tol=0, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(ours.partition_.labels(), theirs.labels_)
    assert ours.objective_ == pytest.approx(theirs.inertia_)


def test_centres_start_at_large_neighbourhoods_far_from_each_other():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [0.3], [0.4], [9.0]])
    known = ConstraintSet(9).with_group([0, 1, 2]).with_group([3, 4, 5]).with_must_link([[6, 7]])
    for seed in range(5):
        V = PCKMeans(2).start(Problem(X, known, seed=seed)).centers
        assert any(np.allclose(np.sort(V.ravel()), pair) for pair in ([0.1, 5.1], [0.35, 5.1]))
    # With fewer neighbourhoods than clusters the others are drawn, none of them beside a neighbourhood.
    few = ConstraintSet(9).with_group([0, 1, 2])
    V = PCKMeans(2).start(Problem(X, few)).centers.ravel()
    assert V[0] == pytest.approx(0.1)
    assert V[1] >= 5


def test_what_follows_from_the_links_counts_too():
    X = np.array([[0.0], [0.5], [1.0], [3.0]])
    known = ConstraintSet(4).with_must_link([[0, 1]]).with_cannot_link([[1, 2]])
    init = [[0.0], [3.0]]
    state = PCKMeans(2, init=init, penalty=1e-3, closure=True, max_iter=0).start(Problem(X, known))
    # 0 and 1 are linked, 1 and 2 stay apart, and so do 0 and 2: all in one cluster breaks two links.
    assert state.terms["cannot-links"] == pytest.approx(2e-3 * Problem(X).spread ** 2)
    state = PCKMeans(2, init=init, penalty=1e-3, closure=False, max_iter=0).start(Problem(X, known))
    assert state.terms["cannot-links"] == pytest.approx(1e-3 * Problem(X).spread ** 2)


def test_links_that_contradict_each_other_count_as_stated():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    with pytest.warns(ImpossibleKnowledge, match="0"):
        model = PCKMeans(2, random_state=0).fit(X, must_link=[[0, 1]], cannot_link=[[0, 1], [0, 2]])
    assert model.labels_[0] != model.labels_[2]


def test_weights_of_links_decide_between_them():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [0.5]])
    for weights in ((0.9, 0.1), (0.1, 0.9)):
        known = ConstraintSet(5).with_must_link([[0, 4], [2, 4]], weight=weights)
        labels = PCKMeans(2, init=[[0.0], [1.0]], closure=False).fit(X, constraints=known).labels_
        assert labels[4] == labels[0 if weights[0] > weights[1] else 2]


def test_links_help_where_clusters_overlap():
    X, truth = make_blobs(300, centers=3, cluster_std=2.5, random_state=3)
    rng = np.random.default_rng(0)
    pairs = rng.choice(300, size=(200, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    told = PCKMeans(3, random_state=0).fit(X, must_link=pairs[same], cannot_link=pairs[~same])
    untold = PCKMeans(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, told.labels_) > adjusted_rand_score(truth, untold.labels_) + 0.03


def test_it_ends_where_centres_coincide():
    given = nasty(COPKMeans, 92)
    problem = Problem(constraints=given.known(), **given.problem)
    assert len(list(iterate(PCKMeans(given.params["n_clusters"]), problem, max_iter=300))) < 20


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match="penalty must be at least 0"):
        PCKMeans(2, penalty=-1).fit(np.eye(4))


@pytest.mark.parametrize("seed", range(3))
def test_groups_count_the_same_as_blocks_and_as_pairs(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    known = ConstraintSet(60).with_group(np.arange(6), weight=0.5).with_group([7, 8, 9])
    known = known.with_separation([10, 11, 12], [7, 8], weight=0.7).with_cannot_link([[20, 21], [20, 7]])
    pairs = PCKMeans(3, closure=False, random_state=seed).fit(X, constraints=known)
    monkeypatch.setattr("cclab.algorithms.kmeans.heard_links.FEW_PAIRS", -1)
    blocks = PCKMeans(3, closure=False, random_state=seed).fit(X, constraints=known)
    assert np.array_equal(pairs.labels_, blocks.labels_)
    assert np.isclose(pairs.objective_, blocks.objective_)
    assert np.allclose(list(pairs.state_.terms.values()), list(blocks.state_.terms.values()))
