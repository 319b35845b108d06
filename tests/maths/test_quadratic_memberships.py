"""Memberships of quadratic objectives with linear terms."""

import numpy as np
from scipy.optimize import minimize

from cclab import ConstraintSet, Problem
from cclab.maths.quadratic_memberships import LinkCosts, quadratic_memberships


def test_is_the_printed_update_where_that_is_not_negative():
    rng = np.random.default_rng(0)
    D, g = rng.uniform(1, 2, size=(20, 4)), rng.uniform(0, 0.2, size=4)
    a = (1 / D) / (1 / D).sum(axis=1, keepdims=True)
    printed = a + ((a * g).sum(axis=1, keepdims=True) - g) / (2 * D)
    assert printed.min() > 0
    np.testing.assert_allclose(quadratic_memberships(D, g), printed)


def test_is_the_minimum_where_the_printed_update_is_negative():
    rng = np.random.default_rng(1)
    for _ in range(10):
        d, g = rng.uniform(0.5, 2, size=3), rng.uniform(-4, 4, size=3)
        u = quadratic_memberships(d[None], g[None])[0]
        best = minimize(
            lambda v, d=d, g=g: (d * v**2 + g * v).sum(),
            np.full(3, 1 / 3),
            bounds=[(0, 1)] * 3,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
            method="SLSQP",
            tol=1e-12,
        )
        np.testing.assert_allclose(u, best.x, atol=1e-5)


def test_links_count_what_is_broken():
    known = ConstraintSet(6).with_must_link([[0, 1]]).with_group([1, 2, 3]).with_cannot_link([[3, 4]], weight=0.5)
    links = LinkCosts.of(Problem(np.arange(6.0)[:, None], known))
    assert links.samples.tolist() == [0, 1, 2, 3, 4]
    U = np.eye(2)[[0, 1, 1, 0, 0]]
    # Broken: 0-1, 1-3, 2-3 of the must-links, and 3-4 by half.
    assert links.broken(U) == 3.5
    must, cannot = links.between(np.array([0, 1, 1, 0, 0]), 2)
    assert must[0, 1] == must[1, 0] == 3
    assert cannot[0, 1] == 0
