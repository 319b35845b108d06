"""Masks of large pictures are settled at once: to what the solver finds."""

import numpy as np
import pytest

from cclab.core import Problem
from cclab.images import Options, load_image
from cclab.images.learned import RESOLVE, SETTLED, solver_for
from cclab.images.sheet import Sheet
from cclab.images.tied_shares import settled_shares


@pytest.mark.parametrize("n_regions", [2, 3])
def test_shares_settle_to_what_the_solver_finds(n_regions):
    rng = np.random.default_rng(n_regions)
    options = Options(objects="pixels")
    picture = load_image(rng.random((30, 41)))
    ties = Sheet(picture).ties(options)
    shares = rng.dirichlet(np.full(n_regions, 1.5), 30 * 41).clip(0.02, 0.98)
    regions, corners = np.arange(n_regions) + 1, np.eye(n_regions)
    solver = solver_for(options, regions, corners, moves=False)
    wanted = solver.solve(solver.adapt(Problem(shares, affinity=ties))).partition.degrees
    found = settled_shares(shares, ties, picture.shape, RESOLVE, SETTLED)
    np.testing.assert_allclose(found, wanted, atol=0.02)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    quick = settled_shares(shares.astype(np.float32), ties, picture.shape, RESOLVE, SETTLED)
    assert (quick.argmax(axis=1) == wanted.argmax(axis=1)).mean() > 0.999
    assert (shares.argmax(axis=1) == wanted.argmax(axis=1)).mean() < 0.95  # neighbours have had their say
