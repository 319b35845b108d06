import numpy as np
import pytest

from cclab import ConstraintSet
from cclab.maths.link_scatters import Scatter, cannot_scatter, must_scatter, telling_apart


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 3.0, 0.2]


def test_a_pair_scatters_by_half_its_squared_difference(X):
    known = ConstraintSet(40).with_must_link([[0, 1]]).with_cannot_link([[2, 3]], weight=0.5)
    for scatter, (a, b), weight in ((must_scatter, (0, 1), 1.0), (cannot_scatter, (2, 3), 0.5)):
        found = scatter(X, known)
        assert found.count == weight
        assert found.total == pytest.approx(weight * np.outer(X[a] - X[b], X[a] - X[b]) / 2)


def test_a_group_scatters_as_its_samples_do_but_not_one_that_was_drawn_in_a_view(X):
    stated = must_scatter(X, ConstraintSet(40).with_group(range(10)))
    assert stated.total / stated.count == pytest.approx(np.cov(X[:10].T))
    assert must_scatter(X, ConstraintSet(40).with_group(range(10), source="lasso")).count == 0


def test_without_links_a_scatter_is_what_it_is_shrunk_towards(X):
    assert must_scatter(X, ConstraintSet(40)).shrunk(np.eye(3), 3) == pytest.approx(np.eye(3))
    assert Scatter(4 * np.eye(3), 2.0).shrunk(np.eye(3), 2.0) == pytest.approx(1.5 * np.eye(3))


def test_without_emphasis_clusters_become_round():
    within, across = np.diag([4.0, 1.0, 0.25]) + 0.1, np.diag([9.0, 9.0, 9.0])
    matrix = telling_apart(within, across, 0.0)
    assert matrix.T @ within @ matrix == pytest.approx(np.eye(3))


def test_with_emphasis_directions_count_in_which_clusters_are_far_apart():
    matrix = telling_apart(np.eye(2), np.diag([16.0, 1.0]), 1.0)
    assert matrix == pytest.approx(np.diag([4.0, 1.0]))
