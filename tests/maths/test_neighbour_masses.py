"""Sweeps over neighbours: the same minimum as updating one set at a time, and never uphill."""

import numpy as np
import pytest
from scipy import sparse

from cclab.maths.colour_classes import two_colours
from cclab.maths.neighbour_masses import settle_neighbours
from cclab.maths.simplex import simplex_minimum


def grid(height, width, rng):
    index = np.arange(height * width).reshape(height, width)
    one = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])
    other = np.concatenate([index[:, 1:].ravel(), index[1:].ravel()])
    upper = sparse.coo_array((rng.random(len(one)) + 0.2, (one, other)), shape=(index.size, index.size)).tocsr()
    return sparse.csr_array(upper + upper.T)


@pytest.fixture(params=[[0, 1, 1, 0], [0, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1]])
def problem(request):
    rng = np.random.default_rng(3)
    single = np.array(request.param, dtype=bool)
    ties = grid(9, 7, rng)
    w = rng.random((ties.shape[0], len(single))) * 2 + 0.05
    w[5] = np.inf
    w[5, np.flatnonzero(single)[1]] = 0.3
    colours = two_colours(ties)
    classes = [np.flatnonzero(colours == k) for k in (0, 1)]
    return w, single, ties, classes, simplex_minimum(w, np.zeros_like(w))


def rows_of(ties, classes):
    return [(members, ties[members]) for members in classes]


def cost(w, single, ties, masses):
    own = np.where(masses > 0, np.where(np.isfinite(w), w, 0) * masses**2, 0).sum()
    return own + np.vdot(masses, (ties @ masses) @ (1.0 - np.diag(single))) / 2


def test_it_ends_where_plain_updates_end(problem):
    w, single, ties, classes, start = problem
    plain = start.copy()
    for _ in range(2000):
        for members in classes:
            plain[members] = simplex_minimum(w[members], (ties[members] @ plain) @ (1.0 - np.diag(single)))
    found = settle_neighbours(w, single, rows_of(ties, classes), start, 1e-12)
    np.testing.assert_allclose(found, plain, atol=1e-7)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.min() >= 0
    assert found[5, np.flatnonzero(single)[1]] == pytest.approx(1)


def test_it_never_goes_uphill_and_leaves_its_input_alone(problem):
    w, single, ties, classes, start = problem
    kept = start.copy()
    rough = settle_neighbours(w, single, rows_of(ties, classes), start, 0.5)
    fine = settle_neighbours(w, single, rows_of(ties, classes), rough, 1e-9)
    np.testing.assert_array_equal(start, kept)
    assert cost(*problem[:3], rough) < cost(*problem[:3], start)
    assert cost(*problem[:3], fine) <= cost(*problem[:3], rough)


def test_samples_that_cost_nothing_follow_their_neighbours():
    ties = grid(4, 5, np.random.default_rng(1))
    colours = two_colours(ties)
    classes = rows_of(ties, [np.flatnonzero(colours == k) for k in (0, 1)])
    w = np.full((20, 3), np.finfo(float).tiny)
    w[0, 1:] = np.inf  # all that is known of anything
    masses = settle_neighbours(w, np.array([True, True, False]), classes, None, 1e-6)
    np.testing.assert_allclose(masses.sum(axis=1), 1, atol=1e-5)
    assert masses[0, 0] == pytest.approx(1, abs=1e-5)
    assert (masses[:, 0] > masses[:, 1]).all()


def test_two_colours_on_a_grid_and_not_on_a_triangle():
    ties = grid(4, 6, np.random.default_rng(0))
    i, j = ties.nonzero()
    colours = two_colours(ties)
    assert (colours[i] != colours[j]).all()
    triangle = sparse.csr_array(np.ones((3, 3)) - np.eye(3))
    assert two_colours(triangle) is None
    assert two_colours(sparse.csr_array(sparse.block_diag([ties, ties]))) is None  # two pieces: left to the greedy way
