from itertools import product

import numpy as np
import pytest
from scipy import sparse

from cclab import ConstraintSet, COPKMeans, Problem, iterate
from cclab.algorithms.kmeans.unit_moves import improved
from cclab.algorithms.kmeans.units import Units


def within(x, w, clusters):
    """The inertia about weighted means, cluster by cluster."""
    total = 0.0
    for c in np.unique(clusters):
        inside = clusters == c
        if w[inside].sum() > 0:
            total += w[inside] @ ((x[inside] - np.average(x[inside], axis=0, weights=w[inside])) ** 2).sum(axis=1)
    return total


def random_case(seed, n=40, k=4):
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(n, 2)), rng.integers(1, 5, size=n).astype(float)
    clusters = rng.integers(k, size=n)
    i, j = np.triu_indices(n, 1)
    chosen = (rng.random(len(i)) < 0.1) & (clusters[i] != clusters[j])
    apart = sparse.coo_array((np.ones(chosen.sum()), (i[chosen], j[chosen])), shape=(n, n))
    return x, w, sparse.csr_array(apart + apart.T), clusters


@pytest.mark.parametrize("seed", range(10))
def test_moves_lower_the_inertia_and_keep_units_apart(seed):
    x, w, apart, clusters = random_case(seed)
    after = improved(x, w, apart, clusters, 4)
    assert within(x, w, after) < within(x, w, clusters)
    i, j = apart.nonzero()
    assert (after[i] != after[j]).all()


@pytest.mark.parametrize("seed", range(5))
def test_at_rest_no_single_move_pays(seed):
    x, w, apart, clusters = random_case(seed)
    while True:
        after = improved(x, w, apart, clusters, 4)
        if np.array_equal(after, clusters):
            break
        clusters = after
    before = within(x, w, clusters)
    for u, c in product(range(len(x)), range(4)):
        if c not in clusters[apart[[u]].indices]:
            other = clusters.copy()
            other[u] = c
            assert within(x, w, other) >= before * (1 - 1e-9)


def test_a_unit_that_blocks_is_sent_on():
    # 0 and 1 stay apart and sit in each other's places: neither can move alone.
    x = np.array([[5.0], [0.0], [0.1], [0.2], [5.1], [5.2]])
    apart = sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(6, 6))
    assert improved(x, np.ones(6), apart, np.array([0, 1, 0, 0, 1, 1]), 2).tolist() == [1, 0, 0, 0, 1, 1]


def test_sparse_means_give_the_same_moves():
    x, w, apart, clusters = random_case(3)
    np.testing.assert_array_equal(
        improved(x, w, apart, clusters, 4), improved(sparse.csr_array(x), w, apart, clusters, 4)
    )


def test_an_empty_cluster_is_filled_and_weightless_units_stay():
    x, w = np.array([[0.0], [1.0], [9.0]]), np.array([1.0, 1.0, 0.0])
    assert improved(x, w, sparse.csr_array((3, 3)), np.array([0, 0, 0]), 2).tolist() in ([1, 0, 0], [0, 1, 0])


@pytest.mark.parametrize("seed", range(6))
def test_ten_starts_find_the_best_of_all_clusterings(seed):
    """Within .1 % of the optimum, which all assignments of the units are searched for."""
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(11, 2)), rng.integers(3, size=11)
    pairs = rng.choice(55, 8, replace=False)
    i, j = (side[pairs] for side in np.triu_indices(11, 1))
    same = truth[i] == truth[j]
    ends = np.stack([i, j], axis=1)
    known = ConstraintSet(11).with_must_link(ends[same]).with_cannot_link(ends[~same])
    units = Units.of(known)
    a, b = units.apart.nonzero()
    ways = np.array(list(product(range(3), repeat=len(units))))
    ways = ways[(ways[:, 0] == 0) & (ways[:, a] != ways[:, b]).all(axis=1)]
    best = min(within(X, np.ones(11), way[units.unit]) for way in ways)
    assert COPKMeans(3, random_state=0).fit(X, constraints=known).objective_ <= best * 1.001


def test_the_objective_falls_below_what_k_means_rests_at():
    rng = np.random.default_rng(0)
    X, truth = rng.normal(size=(150, 2)), rng.integers(4, size=150)
    i, j = np.triu_indices(150, 1)
    chosen = rng.random(len(i)) < 0.01
    ends, same = np.stack([i, j], axis=1)[chosen], (truth[i] == truth[j])[chosen]
    known = ConstraintSet(150).with_must_link(ends[same]).with_cannot_link(ends[~same])
    run = [s.objective for s in iterate(COPKMeans(4), Problem(X, known, seed=1))]
    assert np.all(np.diff(run) <= 1e-9 * run[0])

    class _Unmoved(COPKMeans):
        def _moved(self, problem, labels):
            return labels

    assert run[-1] < 0.998 * iterate(_Unmoved(4), Problem(X, known, seed=1)).last().objective
