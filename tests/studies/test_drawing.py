import tracemalloc

import numpy as np
import pytest

from cclab.studies.drawing import n_pairs, pair_at, random_pairs


def test_all_pairs_are_different_and_in_order():
    n = 50
    pairs = random_pairs(n, n_pairs(n), np.random.default_rng(0))
    assert len(np.unique(pairs, axis=0)) == n_pairs(n)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.min() == 0
    assert pairs.max() == n - 1


def test_every_pair_is_as_likely_as_any_other():
    rng = np.random.default_rng(1)
    counts = np.zeros((5, 5))
    for _ in range(4000):
        i, j = random_pairs(5, 3, rng).T
        counts[i, j] += 1
    upper = counts[np.triu_indices(5, 1)]
    assert abs(upper - 1200).max() < 5 * np.sqrt(1200)


def test_places_far_out_are_exact():
    n = 200_000
    ends = np.array([n_pairs(n) - 1, n_pairs(n - 1), n_pairs(n - 1) - 1])
    assert pair_at(ends).tolist() == [[n - 2, n - 1], [0, n - 1], [n - 3, n - 2]]


def test_many_pairs_of_many_samples_need_memory_for_the_pairs_only():
    tracemalloc.start()
    pairs = random_pairs(200_000, 1_000_000, np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(np.unique(pairs[:, 0] * 200_000 + pairs[:, 1])) == 1_000_000
    assert peak < 200e6  # all pairs would be 1.6e11 bytes


def test_too_many_pairs_are_refused():
    with pytest.raises(ValueError, match="7 pairs were asked for, but 4 samples make only 6"):
        random_pairs(4, 7, np.random.default_rng(0))
