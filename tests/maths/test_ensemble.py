import numpy as np
import pytest

from cclab.maths.ensemble import ensemble_labels, renamed


def kernel_k_means(K, labels, k):
    """Lloyd's algorithm on a kernel matrix, from given labels, until they stay the same."""
    while True:
        Z = np.eye(k)[labels]
        share = Z / np.maximum(Z.sum(axis=0), 1)
        distance = np.diag(K)[:, None] - 2 * K @ share + np.diag(share.T @ K @ share)
        distance[:, Z.sum(axis=0) == 0] = np.inf
        new = distance.round(10).argmin(axis=1)
        if np.array_equal(new, labels):
            return labels
        labels = new


def sum_of_squares(K, labels, k):
    Z = np.eye(k)[labels]
    share = Z / np.sqrt(np.maximum(Z.sum(axis=0), 1))
    return np.trace(K) - np.trace(share.T @ K @ share)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_kernel_k_means_of_the_summed_kernel(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=80)
    hypotheses = [np.where(rng.random(80) < 0.3, rng.integers(3, size=80), truth) for _ in range(12)]
    importance = rng.random(12) + 0.1
    labels = ensemble_labels(hypotheses, importance, 3, weights=np.ones(80), n_starts=10)
    K = sum(a * (h[:, None] == h) for a, h in zip(importance, hypotheses))
    np.testing.assert_array_equal(kernel_k_means(K, labels, 3), labels)  # a fixed point of it
    best = min(sum_of_squares(K, kernel_k_means(K, rng.integers(3, size=80), 3), 3) for _ in range(30))
    assert sum_of_squares(K, labels, 3) <= best + 1e-9


def test_weighting_equals_repeating():
    rng = np.random.default_rng(0)
    hypotheses = [rng.integers(4, size=50) for _ in range(6)]
    weight = rng.integers(1, 4, size=50)
    one = ensemble_labels(hypotheses, np.ones(6), 4, weights=weight, n_starts=3)
    repeated = [np.repeat(h, weight) for h in hypotheses]
    other = ensemble_labels(repeated, np.ones(6), 4, weights=np.ones(weight.sum()), n_starts=3)
    np.testing.assert_array_equal(np.repeat(one, weight), other)


def test_many_codes_are_started_on_some_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    hypotheses = [np.where(rng.random(400) < 0.2, rng.integers(3, size=400), truth) for _ in range(15)]
    monkeypatch.setattr("cclab.maths.ensemble.LARGE", 60)
    labels = ensemble_labels(hypotheses, np.ones(15), 3, weights=np.ones(400), n_starts=5)
    np.testing.assert_array_equal(labels, truth)


def test_one_hypothesis_is_its_own_ensemble():
    h = np.array([2, 2, 0, 1, 1])
    labels = ensemble_labels([h], np.ones(1), 3, weights=np.ones(5), n_starts=1)
    np.testing.assert_array_equal(labels, h)


def test_renaming_keeps_the_clusters():
    rng = np.random.default_rng(0)
    like = rng.integers(5, size=100)
    shuffled = rng.permutation(5)[like]
    np.testing.assert_array_equal(renamed(shuffled, like, 5), like)
