import numpy as np
import pytest
from scipy import sparse

from cclab import ConstraintSet, COPKMeans, Problem, iterate
from cclab.algorithms.kmeans.relocation import MANY_TRIES, relocations


def clouds(k=9, per=20, seed=0):
    """Clouds on a grid, and links by which almost nothing is known."""
    rng = np.random.default_rng(seed)
    places = 10.0 * np.stack(np.divmod(np.arange(k), 3), axis=1)
    truth = np.repeat(np.arange(k), per)
    X = places[truth] + rng.normal(size=(k * per, 2))
    known = ConstraintSet(len(X)).with_must_link([[0, 1], [20, 21]]).with_cannot_link([[0, 20]])
    return X, truth, places, known


def two_in_one(places):
    """Two centres in the first cloud, none in the last: k-means rests there."""
    return np.concatenate([places[:1] - 0.5, places[:1] + 0.5, places[1:-1]])


def test_the_centre_that_is_one_too_many_goes_where_one_is_missing():
    X, _, places, _ = clouds()
    clusters = ((X[:, None] - two_in_one(places)) ** 2).sum(axis=2).argmin(axis=1)
    _, best = next(relocations(X, np.ones(len(X)), clusters, 9))
    off = ((places[:, None] - best) ** 2).sum(axis=2).min(axis=1)
    assert off.max() < 10  # neighbours are 100 apart


def test_where_centres_are_well_placed_nothing_is_tried():
    X, truth, _, _ = clouds()
    assert not list(relocations(X, np.ones(len(X)), truth, 9))


@pytest.mark.parametrize("seed", range(3))
def test_weights_count_as_repeated_units_and_sparse_ones_as_dense(seed):
    rng = np.random.default_rng(seed)
    x, w, clusters = rng.normal(size=(60, 3)), rng.integers(0, 4, size=60), rng.integers(12, size=60)
    found = list(relocations(x, w.astype(float), clusters, 12))
    assert len(found) == MANY_TRIES
    repeated = relocations(np.repeat(x, w, axis=0), np.ones(w.sum()), np.repeat(clusters, w), 12)
    for (way, one), (again, other) in zip(found, repeated, strict=True):
        assert np.allclose(one, other)
        assert np.array_equal(np.repeat(way, w), again)
    for (_, one), (_, other) in zip(
        found, relocations(sparse.csr_array(x), w.astype(float), clusters, 12), strict=True
    ):
        assert np.allclose(one, other)


def test_cop_kmeans_leaves_a_poor_start_and_never_rises():
    X, truth, places, known = clouds()
    run = iterate(COPKMeans(9, init=two_in_one(places)), Problem(X, known))
    objectives = [state.objective for state in run]
    assert run.reason == "converged"
    assert (np.diff(objectives) <= 1e-9 * objectives[0]).all()
    means = np.array([X[truth == c].mean(axis=0) for c in range(9)])
    assert np.isclose(objectives[-1], ((X - means[truth]) ** 2).sum())
    plain = iterate(COPKMeans(9, init=two_in_one(places)), Problem(X)).last()
    assert plain.objective > 2 * objectives[-1]  # without links it is k-means, which stays


def test_links_hold_wherever_centres_go():
    rng = np.random.default_rng(1)
    X, _, places, _ = clouds(seed=1)
    pairs = rng.permutation(len(X)).reshape(-1, 2)
    odd = rng.integers(9, size=len(X))  # links that the data know nothing of
    same = odd[pairs[:, 0]] == odd[pairs[:, 1]]
    known = ConstraintSet(len(X)).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    for state in iterate(COPKMeans(9, init=two_in_one(places)), Problem(X, known)):
        assert known.satisfaction(state.labels).rate == 1


def test_of_several_starts_with_many_clusters_the_best_goes_on_and_breaks_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    links = rng.permutation(150)[:60].reshape(-1, 2)
    known = ConstraintSet(150).with_must_link(links[:15]).with_cannot_link(links[15:]).with_labels({0: 3, 1: 4})
    problem, solver = Problem(X, known, seed=0), COPKMeans(25, n_init=3)
    starts = [iterate(solver, problem, restart=restart).last().objective for restart in range(3)]
    best = solver.solve(problem)
    assert best.objective < min(starts)
    assert (best.labels[links[:15, 0]] == best.labels[links[:15, 1]]).all()
    assert (best.labels[links[15:, 0]] != best.labels[links[15:, 1]]).all()
    assert best.labels[0] != best.labels[1]
    alone = COPKMeans(25, n_init=1)
    assert alone.solve(problem).objective == starts[0]
