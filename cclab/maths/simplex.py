"""Separable quadratic problems on the simplex, solved exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def simplex_minimum(w: NDArray, g: NDArray) -> NDArray:
    """For each row, the point of the simplex that minimises ``sum(w * m**2 + g * m)``.

    The solution is ``m = max(0, (level - g) / (2 w))`` for the level at which it adds up to 1. The level that
    belongs to all entries is too high or right; entries whose ``g`` is not below it can't carry mass, and leaving
    them out lowers it. After a few rounds, at most f, nothing is left to leave out.

    Parameters
    ----------
    w : (r, f) array
        Above 0; infinite where no mass may go.
    g : (r, f) array

    Returns
    -------
    (r, f) array
        Rows that are >= 0 and add up to 1.

    Examples
    --------
    >>> simplex_minimum(np.array([[1.0, 1.0, 1.0]]), np.array([[0.0, 1.0, 9.0]]))
    array([[0.75, 0.25, 0.  ]])
    """
    # One entry a row: sums over entries are then sums of long rows.
    g, slope = np.subtract(g.T, g.min(axis=1), order="C"), np.divide(0.5, w.T, order="C")
    on, on_g = slope.copy(), slope * g
    n_on = -1
    while True:
        level = (1 + on_g.sum(axis=0)) / on.sum(axis=0)
        below = g < level
        if n_on == (n_on := np.count_nonzero(below)):
            break
        on *= below
        on_g *= below
    m = level - g
    m *= slope
    return np.maximum(m, 0, out=m).T
