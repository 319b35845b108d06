"""Metrics of unit volume."""

import numpy as np
import pytest

from cclab.maths.metrics import unit_volume_metric


@pytest.mark.parametrize("p", [1, 2, 5, 40])
def test_is_the_scaled_inverse(p):
    A = np.random.default_rng(p).normal(size=(3, p, 2 * p))
    scatter = A @ A.transpose(0, 2, 1)
    metric = unit_volume_metric(scatter)
    _, logdet = np.linalg.slogdet(scatter)
    np.testing.assert_allclose(metric, np.exp(logdet / p)[:, None, None] * np.linalg.inv(scatter), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(np.linalg.det(metric), 1, rtol=1e-9)


def test_no_other_metric_of_unit_volume_costs_less():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 9))
    scatter = A @ A.T
    least = np.trace(unit_volume_metric(scatter) @ scatter)
    for _ in range(50):
        B = rng.normal(size=(3, 5))
        other = B @ B.T
        other /= np.linalg.det(other) ** (1 / 3)
        assert np.trace(other @ scatter) >= least


def test_flat_and_empty_shapes():
    flat = unit_volume_metric(np.diag([1.0, 0.0]))
    assert np.isfinite(flat).all()
    assert np.linalg.det(flat) == pytest.approx(1)
    np.testing.assert_allclose(unit_volume_metric(np.zeros((2, 2))), np.eye(2))


def test_many_small_features_do_not_underflow():
    assert np.isfinite(unit_volume_metric(1e-12 * np.eye(200))).all()
