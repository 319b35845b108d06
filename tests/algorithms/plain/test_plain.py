import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from cclab import (
    ConstraintSet,
    PlainAgglomerative,
    PlainGaussianMixture,
    PlainKMeans,
    PlainSpectral,
    Problem,
    Session,
    iterate,
)
from cclab.algorithms.plain.neighbour_graph import joined_neighbours
from cclab.core import IgnoredKnowledge


@pytest.mark.parametrize("cls", [PlainKMeans, PlainSpectral, PlainAgglomerative, PlainGaussianMixture])
def test_it_says_what_it_takes_no_notice_of(cls):
    X, _ = make_blobs(40, random_state=0)
    with pytest.warns(IgnoredKnowledge, match="has no use for .*2 cannot-link statements"):
        cls(3, random_state=0).fit(X, cannot_link=[[0, 1], [2, 3]])
    assert cls.uses <= {"must", "sample_weight"}
    assert "for comparison" in cls.__doc__


def test_steps_of_k_means_come_to_where_scikit_learn_does():
    X, _ = make_blobs(200, centers=4, cluster_std=2, random_state=1)
    theirs = KMeans(4, init=X[:4], n_init=1, tol=0).fit(X)
    ours = PlainKMeans(4, init=X[:4], tol=0).fit(X)
    assert ours.objective_ == pytest.approx(theirs.inertia_)
    np.testing.assert_array_equal(ours.state_.labels, theirs.labels_)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_steps_of_a_mixture_raise_the_likelihood_to_that_of_scikit_learn(kind):
    X, truth = make_blobs(200, centers=[[0, 0], [9, 0], [0, 9]], random_state=1)
    run = list(iterate(PlainGaussianMixture(3, init=X[[0, 1, 2]], covariance_type=kind, tol=1e-9), Problem(X)))
    objectives = [s.objective for s in run]
    assert np.all(np.diff(objectives) < 1e-6 * abs(objectives[0]))
    theirs = GaussianMixture(3, covariance_type=kind, tol=1e-9, max_iter=500, n_init=5, random_state=0).fit(X)
    best = PlainGaussianMixture(3, covariance_type=kind, random_state=0, tol=1e-9).fit(X)
    assert best.objective_ == pytest.approx(-theirs.score_samples(X).sum(), rel=1e-4)
    assert adjusted_rand_score(truth, best.labels_) == 1
    np.testing.assert_array_equal(best.predict(X), best.labels_)


def test_spectral_and_single_linkage_follow_a_shape():
    X, truth = make_moons(200, noise=0.05, random_state=0)
    for solver in (PlainSpectral(2, random_state=0), PlainAgglomerative(2, linkage="single")):
        assert adjusted_rand_score(truth, solver.fit(X).labels_) > 0.95


def test_a_must_link_lets_clusters_merge_that_are_no_neighbours():
    rng = np.random.default_rng(0)
    centres, sizes = np.array([[0.0, 0.0], [0.0, 3.0], [3.0, 1.0]]), [100, 2, 2]
    X = np.repeat(centres, sizes, axis=0) + 0.01 * rng.normal(size=(104, 2))
    problem = Problem(X)
    linked = problem.with_constraints(ConstraintSet(104).with_must_link([[100, 103]]))
    apart, together = (iterate(PlainAgglomerative(2, n_neighbors=1), p).last().labels for p in (problem, linked))
    assert apart[100] != apart[103]
    assert together[100] == together[103] != together[0]


def test_the_graph_is_in_one_piece():
    X = np.concatenate([np.random.default_rng(0).normal(at, 0.1, size=(20, 2)) for at in (0, 50, 100)])
    graph = joined_neighbours(Problem(X), 3)
    assert connected_components(graph, directed=False)[0] == 1
    assert abs(graph - graph.T).nnz == 0


def test_one_step_is_the_whole_fit():
    X, truth = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    session = Session(X, PlainSpectral(3, random_state=0))
    assert len(set(session.labels)) == 1
    session.step()
    assert adjusted_rand_score(truth, session.labels) == 1
    session.run()
    assert adjusted_rand_score(truth, session.labels) == 1
