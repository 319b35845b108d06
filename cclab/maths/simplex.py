"""Separable quadratic problems on the simplex, solved exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def simplex_minimum(w: NDArray, g: NDArray) -> NDArray:
    """For each row, the point of the simplex that minimises ``sum(w * m**2 + g * m)``.

    The solution is ``m = max(0, (level - g) / (2 w))`` for the level at which it adds up to 1. With the entries
    sorted by ``g`` the level of every possible support is a ratio of prefix sums. An entry more lowers the level
    as long as its ``g`` is below it, and raises it from then on: the right level is the least one.

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
    # Measured from the least g all terms of the prefix sums are positive: no digits are lost.
    g = g - g.min(axis=1, keepdims=True)
    slope = 0.5 / w
    order = np.argsort(g, axis=1)
    order += np.arange(0, g.size, g.shape[1])[:, None]
    levels = 1 + np.cumsum((g * slope).ravel()[order], axis=1)
    # Where no entry so far may carry mass, the level is as good as infinite.
    levels /= np.cumsum(slope.ravel()[order], axis=1) + np.finfo(float).tiny
    m = levels.min(axis=1, keepdims=True) - g
    m *= slope
    return np.maximum(m, 0, out=m)
