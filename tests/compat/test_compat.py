"""Code written for active-semi-supervised-clustering runs with its imports changed."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import cclab
from cclab import compat

X, y = load_iris(return_X_y=True)
LINKED = [
    compat.COPKMeans,
    compat.PCKMeans,
    compat.MPCKMeans,
    compat.MPCKMeansMF,
    compat.MKMeans,
    compat.RCAKMeans,
]
LEARNERS = [compat.ExploreConsolidate, compat.MinMax, compat.NPU, compat.Random]


def draw_from(seed):
    """The other library draws from numpy's global generator."""
    np.random.seed(seed)  # noqa: NPY002


def links(n=60, seed=0):
    rng = np.random.default_rng(seed)
    pairs = [tuple(map(int, rng.choice(150, 2, replace=False))) for _ in range(n)]
    return [p for p in pairs if y[p[0]] == y[p[1]]], [p for p in pairs if y[p[0]] != y[p[1]]]


@pytest.mark.parametrize("cls", LINKED, ids=lambda cls: cls.__name__)
def test_the_calls_of_the_other_library_work(cls):
    draw_from(0)
    ml, cl = links()
    fitted = cls(n_clusters=3).fit(X, ml=ml, cl=cl)
    assert adjusted_rand_score(y, fitted.labels_) > 0.6
    assert fitted.cluster_centers_.shape == (3, 4)
    assert isinstance(fitted.solver_, cclab.core.Solver)


def test_the_global_seed_counts_as_there():
    ml, cl = links()
    found = []
    for _ in range(2):
        draw_from(3)
        found.append(compat.PCKMeans(3).fit(X, ml=ml, cl=cl).labels_)
    np.testing.assert_array_equal(*found)


def test_a_broken_link_costs_w_beside_half_of_the_squared_distances():
    ml, cl = links()
    solver = compat.PCKMeans(3, w=0.7).fit(X, ml=ml, cl=cl).solver_
    # cclab has whole squared distances, and prices over the spread of the samples.
    assert solver.penalty * cclab.Problem(X).spread ** 2 == pytest.approx(2 * 0.7)


def test_links_that_contradict_each_other_are_named():
    with pytest.raises(compat.InconsistentConstraintsException, match="0 — 1 — 2"):
        compat.PCKMeans(3).fit(X, ml=[(0, 1), (1, 2)], cl=[(0, 2)])
    with pytest.raises(compat.ClusteringNotFoundException, match="3 samples must all stay apart"):
        compat.COPKMeans(2).fit(X, cl=[(0, 1), (1, 2), (0, 2)])


@pytest.mark.parametrize("cls", [compat.KMeans, compat.SeededKMeans, compat.ConstrainedKMeans])
def test_labels_are_given_with_minus_one_for_none(cls):
    draw_from(1)
    given = np.full(150, -1)
    given[::10] = y[::10]
    labels = cls(n_clusters=3).fit(X, y=given).labels_
    assert adjusted_rand_score(y, labels) > 0.4
    if cls is compat.ConstrainedKMeans:
        np.testing.assert_array_equal(labels[::10], y[::10])


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_learners_ask_as_often_as_they_may_and_give_true_links(cls):
    draw_from(0)
    oracle = compat.ExampleOracle(y, max_queries_cnt=12)
    learner = cls(n_clusters=3).fit(X, oracle=oracle)
    ml, cl = learner.pairwise_constraints_
    assert oracle.queries_cnt == len(learner.constraints_) == 12
    assert all(y[i] == y[j] for i, j in ml)
    assert all(y[i] != y[j] for i, j in cl)
    assert len(ml) + len(cl) >= 12
    compat.PCKMeans(3).fit(X, ml=ml, cl=cl)


def test_npu_takes_any_clusterer_with_the_same_calls():
    class _Thirds:
        def fit(self, X, y=None, ml=(), cl=()):
            self.labels_ = np.arange(len(X)) // 50
            return self

    learner = compat.NPU(clusterer=_Thirds()).fit(X, oracle=compat.ExampleOracle(y, max_queries_cnt=5))
    assert len(learner.constraints_) == 5


def test_an_oracle_of_ones_own_ends_it_by_the_same_exception():
    class _Tired:
        def __init__(self):
            self.asked = []

        def query(self, i, j):
            if len(self.asked) == 3:
                raise compat.MaximumQueriesExceeded
            self.asked.append((i, j))
            return False

    oracle = _Tired()
    assert compat.MinMax(3).fit(X, oracle=oracle).pairwise_constraints_[0] == []
    assert len(oracle.asked) == 3


def test_no_questions_give_no_links_and_no_oracle_is_named():
    empty = compat.MinMax(3).fit(X, oracle=compat.ExampleOracle(y, max_queries_cnt=0))
    assert empty.pairwise_constraints_ == ([], [])
    with pytest.raises(ValueError, match="needs someone to ask"):
        compat.MinMax(3).fit(X)
