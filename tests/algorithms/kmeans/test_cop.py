import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from cclab import ConstraintSet, COPKMeans, Problem, iterate
from cclab.algorithms.kmeans.cop import InfeasibleConstraints
from cclab.core import IgnoredKnowledge


def random_knowledge(truth, share, seed):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(len(truth), 1)
    chosen = rng.random(len(i)) < share
    pairs = np.stack([i[chosen], j[chosen]], axis=1)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return ConstraintSet(len(truth)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


@pytest.mark.parametrize("share", [0.005, 0.02, 0.1])
def test_every_link_holds_on_labels_that_the_data_do_not_show(share):
    rng = np.random.default_rng(3)
    X, truth = rng.normal(size=(150, 2)), rng.integers(4, size=150)
    known = random_knowledge(truth, share, seed=0)
    fitted = COPKMeans(4, random_state=0).fit(X, constraints=known)
    assert known.satisfaction(fitted.labels_).rate == 1


def test_objective_never_rises_under_many_cannot_links():
    rng = np.random.default_rng(5)
    X, truth = rng.normal(size=(120, 2)), rng.integers(3, size=120)
    problem = Problem(X, random_knowledge(truth, 0.01, seed=1), seed=2)
    objectives = [s.objective for s in iterate(COPKMeans(3, tol=0), problem)]
    assert len(objectives) > 3
    assert np.all(np.diff(objectives) <= 1e-9 * objectives[0])


def test_without_links_it_is_k_means():
    X, _ = make_blobs(200, centers=4, random_state=1)
    init = X[:4]
    ours = COPKMeans(4, init=init, tol=0).fit(X)
    theirs = KMeans(4, init=init, n_init=1, tol=0, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(ours.partition_.labels(), theirs.labels_)
    assert ours.objective_ == pytest.approx(theirs.inertia_)


def test_a_unit_goes_where_its_members_are_cheapest_together():
    X = np.array([[0.0], [1.0], [5.0], [10.0]])
    state = COPKMeans(2, init=[[0.0], [10.0]]).start(Problem(X, ConstraintSet(4).with_group([0, 1, 3])))
    assert state.labels.tolist() == [0, 0, 0, 0]
    heavy = Problem(X, ConstraintSet(4).with_group([0, 1, 3]), sample_weight=[1, 1, 1, 9])
    assert COPKMeans(2, init=[[0.0], [10.0]]).start(heavy).labels.tolist() == [1, 1, 0, 1]


def test_weights_count_as_repeated_samples():
    X, truth = make_blobs(60, centers=3, cluster_std=3, random_state=2)
    weight = np.arange(60) % 3 + 1
    known = random_knowledge(truth, 0.02, seed=4)
    weighted = COPKMeans(3, init=X[:3]).fit(X, constraints=known, sample_weight=weight)
    copies = np.repeat(np.arange(60), weight)
    first = np.concatenate([[0], np.cumsum(weight)[:-1]])
    repeated = ConstraintSet(len(copies))
    p = known.pairs
    repeated = repeated.with_must_link(np.stack([first[p.i], first[p.j]], 1)[p.must])
    repeated = repeated.with_cannot_link(np.stack([first[p.i], first[p.j]], 1)[~p.must])
    for sample in np.flatnonzero(weight > 1):
        repeated = repeated.with_group(np.flatnonzero(copies == sample))
    plain = COPKMeans(3, init=X[:3]).fit(X[copies], constraints=repeated)
    np.testing.assert_array_equal(weighted.partition_.labels()[copies], plain.partition_.labels())
    assert weighted.objective_ == pytest.approx(plain.objective_)


def test_sparse_samples_give_the_same_answer():
    X, truth = make_blobs(50, centers=3, random_state=0)
    known = random_knowledge(truth, 0.05, seed=0)
    dense = COPKMeans(3, random_state=1).fit(X, constraints=known)
    thin = COPKMeans(3, random_state=1).fit(sparse.csr_array(X), constraints=known)
    np.testing.assert_array_equal(dense.labels_, thin.labels_)


def test_separations_and_labels_hold():
    X = np.random.default_rng(0).normal(size=(40, 2))
    known = ConstraintSet(40).with_separation(range(10), range(10, 20)).with_labels({30: 0, 31: 0, 32: 1})
    labels = COPKMeans(3, random_state=0).fit(X, constraints=known).labels_
    assert not set(labels[:10]) & set(labels[10:20])
    assert labels[30] == labels[31] != labels[32]


def test_large_groups_and_separations_are_not_expanded():
    X = np.random.default_rng(0).normal(size=(40_000, 2))
    known = ConstraintSet(40_000).with_group(range(15_000)).with_group(range(15_000, 30_000))
    known = known.with_separation(range(15_000), range(15_000, 30_000))
    labels = COPKMeans(2, random_state=0, max_iter=5).fit(X, constraints=known).labels_
    assert len(set(labels[:15_000])) == 1
    assert labels[0] != labels[20_000]


# ---------------------------------------------------------------------- no answer


def test_a_contradiction_names_its_chain():
    with pytest.raises(InfeasibleConstraints, match="0 — 3 — 1") as caught:
        COPKMeans(2).fit(np.eye(4), must_link=[[0, 3], [3, 1]], cannot_link=[[0, 1]])
    assert set(caught.value.ids) == {0, 1, 2}


def test_a_clique_is_named():
    with pytest.raises(InfeasibleConstraints, match="3 samples must all stay apart"):
        COPKMeans(2).fit(np.eye(4), cannot_link=[[0, 1], [1, 2], [0, 2]])


def test_an_odd_ring_is_found_among_harmless_links():
    ring = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]]
    harmless = [[4, 5], [5, 6], [7, 8], [2, 9]]
    with pytest.raises(InfeasibleConstraints, match="tried all ways") as caught:
        COPKMeans(2).fit(np.random.default_rng(0).normal(size=(12, 2)), cannot_link=ring + harmless)
    assert caught.value.samples == (0, 1, 2, 3, 4)
    assert caught.value.ids == (0, 1, 2, 3, 4)
    assert caught.value.exhausted


def test_giving_up_says_so():
    rng = np.random.default_rng(2)
    truth = np.arange(120) % 3
    i, j = np.triu_indices(120, 1)
    chosen = (rng.random(len(i)) < 0.06) & (truth[i] != truth[j])
    links = np.stack([i, j], axis=1)[chosen]
    X = rng.normal(size=(120, 2))
    with pytest.raises(InfeasibleConstraints, match=r"gave up .* 1 dead end;.*raise max_tries") as caught:
        COPKMeans(3, random_state=0, max_tries=1).fit(X, cannot_link=links)
    assert not caught.value.exhausted
    fitted = COPKMeans(3, random_state=0).fit(X, cannot_link=links)
    assert np.all(fitted.labels_[links[:, 0]] != fitted.labels_[links[:, 1]])


def test_soft_links_are_taken_as_certain_and_that_is_said():
    X = np.array([[0.0], [1.0], [8.0], [9.0]])
    known = ConstraintSet(4).with_must_link([[0, 3]], weight=0.5)
    with pytest.warns(IgnoredKnowledge, match="weight below 1"):
        labels = COPKMeans(2, random_state=0).fit(X, constraints=known).labels_
    assert labels[0] == labels[3]


def test_new_links_hold_after_the_next_step():
    X, _ = make_blobs(60, centers=2, random_state=0)
    solver, problem = COPKMeans(2, random_state=0), Problem(X)
    state = solver.start(problem)
    together = np.flatnonzero(state.labels == state.labels[0])[:2]
    state = solver.step(problem.with_constraints(ConstraintSet(60).with_cannot_link([together])), state)
    assert state.labels[together[0]] != state.labels[together[1]]
