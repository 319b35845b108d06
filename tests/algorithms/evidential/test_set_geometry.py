"""Distances to sets of clusters, and the updates, against the formulas written out."""

import numpy as np
import pytest

from cclab.algorithms.evidential.set_geometry import SetGeometry
from cclab.maths.focal_sets import FocalSets


def random_geometry(metric, kind="full", c=3, p=2, alpha=1.5, seed=0):
    rng = np.random.default_rng(seed)
    centers = 100 + rng.normal(size=(c, p))
    metrics = None
    if metric == "mahalanobis":
        A = rng.normal(size=(c, p, p + 2))
        metrics = A @ A.transpose(0, 2, 1)
        metrics /= np.linalg.det(metrics)[:, None, None] ** (1 / p)
    return SetGeometry(FocalSets.of_kind(kind, c), alpha, centers, metrics, centers.mean(axis=0))


def written_out_costs(X, focal, alpha, centers, metrics):
    """Eqs. 11, 22 and 23, sample by sample and set by set."""
    c, p = centers.shape
    metrics = np.tile(np.eye(p), (c, 1, 1)) if metrics is None else metrics
    rows = []
    for members in focal.sets:
        if members:
            v, S = centers[list(members)].mean(axis=0), metrics[list(members)].mean(axis=0)
            rows.append([len(members) ** alpha * (x - v) @ S @ (x - v) for x in X])
    return np.array(rows)


def moments_of(geometry, X, weights):
    return weights @ geometry.lift(X).T


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
@pytest.mark.parametrize("kind", ["full", "singletons"])
def test_costs(metric, kind):
    geometry = random_geometry(metric, kind)
    X = 100 + np.random.default_rng(1).normal(size=(9, 2))
    expected = written_out_costs(X, geometry.focal, 1.5, geometry.centers, geometry.metrics)
    np.testing.assert_allclose(geometry.costs(geometry.lift(X)), expected, rtol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
@pytest.mark.parametrize("seed", range(5))
def test_no_other_centers_or_metrics_cost_less(metric, seed):
    geometry = random_geometry(metric, p=3, seed=seed)
    rng = np.random.default_rng(seed)
    X, weights = 100 + rng.normal(size=(20, 3)), rng.uniform(size=(7, 20))

    def cost(centers, metrics):
        return np.sum(weights * written_out_costs(X, geometry.focal, 1.5, centers, metrics))

    moments = moments_of(geometry, X, weights)
    V = geometry.next_centers(moments)
    S = geometry.next_metrics(moments, V)
    assert cost(V, geometry.metrics) <= cost(geometry.centers, geometry.metrics)
    for size in (1e-4, 1e-2):
        assert cost(V + size * rng.normal(size=V.shape), geometry.metrics) > cost(V, geometry.metrics)
    if metric == "mahalanobis":
        assert cost(V, S) < cost(V, geometry.metrics)
        np.testing.assert_allclose(np.linalg.det(S), 1, rtol=1e-8)
        bent = S @ (np.eye(3) + 1e-3 * rng.normal(size=(3, 3)))
        bent = (bent + bent.transpose(0, 2, 1)) / 2
        bent /= np.linalg.det(bent)[:, None, None] ** (1 / 3)
        assert cost(V, bent) > cost(V, S)


def test_centers_that_nothing_pulls_at_stay():
    geometry = random_geometry("euclidean", "singletons")
    weights = np.zeros((4, 5))
    weights[0] = 1
    X = 100 + np.random.default_rng(1).normal(size=(5, 2))
    V = geometry.next_centers(moments_of(geometry, X, weights))
    np.testing.assert_allclose(V[0], X.mean(axis=0))
    np.testing.assert_allclose(V[1:], geometry.centers[1:])


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_a_sample_on_a_center_costs_nothing(metric):
    geometry = random_geometry(metric)
    costs = geometry.costs(geometry.lift(geometry.centers))
    assert (np.diag(costs[:3]) >= 0).all()
    assert np.diag(costs[:3]).max() < 1e-26


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_a_far_sample_takes_no_digits_from_the_others(metric):
    geometry = random_geometry(metric, "singletons")
    centers = geometry.centers.copy()
    centers[2] = 1e12
    far = SetGeometry(geometry.focal, geometry.alpha, centers, geometry.metrics, origin=centers[0])
    X = np.array([centers[0] + 1e-3, centers[1] - 1e-3, centers[2]])
    expected = written_out_costs(X, far.focal, 1.5, far.centers, far.metrics)
    np.testing.assert_allclose(far.costs(far.lift(X)), expected, rtol=1e-9, atol=1e-15)
