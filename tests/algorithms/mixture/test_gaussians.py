import numpy as np
import pytest
from scipy.stats import multivariate_normal

from cclab.algorithms.mixture.gaussians import COVARIANCES, MOST_FEATURES, Samples, fitted


def two_clouds(n=400, seed=0):
    rng = np.random.default_rng(seed)
    wide = rng.multivariate_normal([0, 0], [[4.0, 1.5], [1.5, 1.0]], n)
    tight = rng.multivariate_normal([8, 3], [[0.5, -0.2], [-0.2, 0.4]], n)
    return np.concatenate([wide, tight]), np.repeat(np.eye(2), n, axis=0)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_log_densities_are_those_of_the_covariances(covariance):
    X, R = two_clouds(60)
    samples = Samples.of(X, np.ones(len(X)))
    made = fitted(covariance, samples, R, np.zeros((2, 2)))
    L = made.log_densities(samples.Z)
    for c in range(2):
        root = made.roots[min(c, len(made.roots) - 1)]
        expected = multivariate_normal(made.means[c], np.linalg.inv(root @ root.T)).logpdf(samples.Z)
        np.testing.assert_allclose(L[:, c], made.log_weights[c] + expected, rtol=1e-8, atol=1e-8)


def covariances(made):
    return np.linalg.inv(made.roots @ np.swapaxes(made.roots, 1, 2))


def test_each_covariance_is_as_rich_as_it_says():
    X, R = two_clouds()
    samples = Samples.of(X, np.ones(len(X)))
    made = {name: fitted(name, samples, R, np.zeros((2, 2))) for name in COVARIANCES}
    assert {name: len(one.roots) for name, one in made.items()} == {
        "spherical": 1,
        "shared": 1,
        "equal volume": 2,
        "free": 2,
    }
    volume = np.linalg.det(covariances(made["equal volume"]))
    np.testing.assert_allclose(volume[0], volume[1])
    true = [np.cov(samples.Z[R[:, c] > 0].T, bias=True) for c in range(2)]
    np.testing.assert_allclose(covariances(made["free"]), true, atol=0.02)
    np.testing.assert_allclose(covariances(made["shared"])[0], np.mean(true, axis=0), atol=0.01)


def test_an_empty_cluster_stays_where_it_was():
    X, R = two_clouds(20)
    samples = Samples.of(X, np.ones(len(X)))
    made = fitted("free", samples, np.column_stack([R, np.zeros(len(R))]), np.full((3, 2), 7.0))
    np.testing.assert_array_equal(made.means[2], 7.0)
    assert np.isfinite(made.log_densities(samples.Z)).all()


def test_units_don_t_matter_and_come_back():
    X, _ = two_clouds(30)
    X = np.column_stack([X * [1e6, 1e-6], np.full(len(X), 3.0)])
    samples = Samples.of(X, np.ones(len(X)))
    assert samples.Z.shape == (60, 2)
    np.testing.assert_allclose(samples.Z.std(axis=0), 1)
    np.testing.assert_allclose(samples.scale.back(samples.Z), X)


def test_of_many_features_the_leading_components_are_kept():
    X = np.random.default_rng(0).normal(size=(30, 200))
    samples = Samples.of(X, np.ones(30))
    assert samples.Z.shape[1] <= MOST_FEATURES
