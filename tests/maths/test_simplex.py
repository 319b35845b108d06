"""Quadratic problems on the simplex against their optimality conditions."""

import numpy as np
import pytest

from cclab.maths.simplex import simplex_minimum


def optimality_gap(w, g, m):
    """How far the conditions are violated: slopes are alike on the support, and no smaller elsewhere."""
    slope = 2 * np.where(m > 0, w, 0) * m + g
    level = np.where(m > 0, slope, -np.inf).max(axis=1, keepdims=True)
    uneven = np.where(m > 0, level - slope, 0)
    tempting = np.where((m == 0) & np.isfinite(w), level - g, 0)
    return max(np.abs(uneven).max(), tempting.max())


@pytest.mark.parametrize("f", [1, 2, 5, 16])
@pytest.mark.parametrize("spread", [0.1, 1.0, 100.0])
def test_optimal_for_random_problems(f, spread):
    rng = np.random.default_rng(f)
    w, g = rng.uniform(0.01, 3, size=(500, f)), spread * rng.normal(size=(500, f))
    m = simplex_minimum(w, g)
    assert m.min() >= 0
    np.testing.assert_allclose(m.sum(axis=1), 1, rtol=1e-12)
    assert optimality_gap(w, g, m) < 1e-12 * max(spread, 1)


def test_without_a_linear_part_mass_falls_with_the_cost():
    w = np.array([[1.0, 2.0, 4.0]])
    np.testing.assert_allclose(simplex_minimum(w, np.zeros_like(w)), np.array([[4.0, 2.0, 1.0]]) / 7)


def test_no_mass_where_it_is_forbidden():
    w = np.array([[np.inf, 1.0, 2.0], [np.inf, np.inf, 1.0]])
    g = np.array([[-5.0, 0.0, 0.0], [0.0, -1.0, 3.0]])
    np.testing.assert_allclose(simplex_minimum(w, g), [[0, 2 / 3, 1 / 3], [0, 0, 1]], atol=1e-15)


def test_costs_of_very_different_size():
    w = np.array([[1e-200, 1.0, 1e-200], [1e12, 1e-12, 1.0]])
    m = simplex_minimum(w, np.zeros_like(w))
    np.testing.assert_allclose(m, [[0.5, 0, 0.5], [0, 1, 0]], atol=1e-11)


def test_equal_slopes_in_any_order():
    rng = np.random.default_rng(0)
    w, g = rng.uniform(0.1, 1, size=(1, 6)), np.repeat([0.0, 0.3], 3)[None]
    shuffle = rng.permutation(6)
    np.testing.assert_allclose(simplex_minimum(w, g)[:, shuffle], simplex_minimum(w[:, shuffle], g[:, shuffle]))


@pytest.mark.parametrize("nearly_free", [1e-12, 1e-16, 1e-20, 1e-300, 0.0])
def test_an_entry_that_costs_next_to_nothing_takes_what_the_others_leave(nearly_free):
    w, g = np.array([[nearly_free, 1.0, 1.0]]), np.array([[0.3, 0.1, 0.2]])
    np.testing.assert_allclose(simplex_minimum(w, g), [[0.85, 0.1, 0.05]], atol=1e-11)


def test_two_such_entries_share_it_by_their_costs():
    w, g = np.array([[2e-200, 1e-200, 1.0]]), np.array([[0.3, 0.3, 0.1]])
    np.testing.assert_allclose(simplex_minimum(w, g), [[0.3, 0.6, 0.1]], atol=1e-11)


def test_rows_add_up_to_one_whatever_the_costs():
    rng = np.random.default_rng(0)
    w = 10.0 ** rng.uniform(-300, 100, size=(2000, 6))
    w[rng.random(w.shape) < 0.1] = 0
    g = rng.choice([0.0, 1e-30, 0.1, 1.0, 1e50], size=w.shape)
    m = simplex_minimum(w, g)
    assert m.min() >= 0
    np.testing.assert_allclose(m.sum(axis=1), 1, rtol=1e-11)
