"""Made-up data: reproducible, with the moments that their descriptions state."""

import numpy as np
import pytest

from cclab.datasets import load_dataset
from cclab.datasets.generators import GENERATORS, gauss_k2, gaussians, three_gaussians, two_class


@pytest.mark.parametrize("name", GENERATORS)
def test_same_seed_same_data(name):
    first, again, other = load_dataset(name), load_dataset(name, seed=0), load_dataset(name, seed=1)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.target, again.target)
    assert not np.array_equal(first.X, other.X)
    assert first.name == name
    assert first.description
    assert first.source


@pytest.mark.parametrize("name", GENERATORS)
def test_classes_are_balanced_and_all_there(name):
    data = load_dataset(name)
    counts = np.bincount(data.target)
    assert len(counts) == data.n_classes
    assert counts.max() - counts.min() <= 1


def test_two_class_is_the_papers():
    data = two_class()
    assert data.X.shape == (400, 2)
    assert np.bincount(data.target).tolist() == [200, 200]
    large = two_class(n_samples=40_000)
    corners = [[0, 0], [0, 7], [7, 0], [7, 7]]
    for component, center in zip(large.X.reshape(4, 10_000, 2), corners):
        np.testing.assert_allclose(component.mean(axis=0), center, atol=0.06)
        np.testing.assert_allclose(np.cov(component.T), 2 * np.eye(2), atol=0.1)
    np.testing.assert_array_equal(large.target, np.repeat([0, 0, 1, 1], 10_000))


def test_gauss_k2_has_the_stated_moments():
    data = gauss_k2(n_samples=40_000)
    round_, long_ = data.X[data.target == 0], data.X[data.target == 1]
    np.testing.assert_allclose(round_.mean(axis=0), [0, 0], atol=0.04)
    np.testing.assert_allclose(long_.mean(axis=0), [6, 0], atol=0.06)
    np.testing.assert_allclose(np.cov(round_.T), np.eye(2), atol=0.06)
    np.testing.assert_allclose(np.cov(long_.T), [[4, 1.5], [1.5, 1]], atol=0.15)
    assert data.outliers is None


def test_gauss_k2_outliers_are_far_from_both_and_leave_the_rest_alone():
    data = gauss_k2(n_outliers=30)
    assert data.X.shape == (430, 2)
    assert data.outliers.sum() == 30
    assert (data.target[data.outliers] == -1).all()
    np.testing.assert_array_equal(data.X[:400], gauss_k2().X)
    far = data.X[data.outliers]
    for center, covariance in (([0, 0], np.eye(2)), ([6, 0], [[4, 1.5], [1.5, 1]])):
        offset = far - center
        squared = np.einsum("ni,ij,nj->n", offset, np.linalg.inv(covariance), offset)
        assert squared.min() >= 25


@pytest.mark.parametrize(("k", "p"), [(1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (5, 4), (4, 1)])
def test_gaussians_are_as_far_apart_as_stated(k, p):
    data = gaussians(k, separation=6.0, n_features=p, n_samples=20_000 * k)
    centers = np.array([data.X[data.target == j].mean(axis=0) for j in range(k)])
    spreads = np.array([data.X[data.target == j].std(axis=0) for j in range(k)])
    np.testing.assert_allclose(spreads, 1, atol=0.04)
    neighbours = np.linalg.norm(np.diff(centers, axis=0), axis=1)
    np.testing.assert_allclose(neighbours, 6.0, atol=0.06)


def test_three_gaussians_as_in_the_paper():
    data = three_gaussians()
    assert data.X.shape == (150, 2)
    assert np.bincount(data.target).tolist() == [50, 50, 50]
    assert three_gaussians(n_features=5).n_features == 5


def test_rings_have_the_stated_radii():
    data = load_dataset("rings", noise=0.0, inner_radius=0.5)
    radius = np.linalg.norm(data.X, axis=1)
    np.testing.assert_allclose(radius[data.target == 0], 1.0)
    np.testing.assert_allclose(radius[data.target == 1], 0.5)


def test_uneven_numbers_are_shared_out():
    assert np.bincount(gaussians(3, n_samples=11).target).tolist() == [4, 4, 3]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("two_class", {"n_samples": 0}, "n_samples"),
        ("two_class", {"n_samples": 10.5}, "n_samples"),
        ("gaussians", {"n_clusters": 0}, "n_clusters"),
        ("gaussians", {"separation": -1}, "separation"),
        ("gaussians", {"separation": float("nan")}, "separation"),
        ("blobs", {"n_features": 0}, "n_features"),
        ("gauss_k2", {"n_outliers": -1}, "n_outliers"),
        ("moons", {"noise": -1.0}, "noise"),
        ("two_class", {"sed": 1}, "no option 'sed'; it takes n_samples, seed"),
    ],
)
def test_bad_parameters_are_named(name, options, message):
    with pytest.raises(ValueError, match=message):
        load_dataset(name, **options)
