"""Separable quadratic problems on the simplex, solved exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows that add up to 1 within this have lost nothing that matters.
EXACT = 1e-12
# A cost below this share of how far the linear parts differ is none.
NOTHING = 1e-200


def simplex_minimum(w: NDArray, g: NDArray) -> NDArray:
    """For each row, the point of the simplex that minimises ``sum(w * m**2 + g * m)``.

    The solution is ``m = max(0, (level - g) / (2 w))`` for the level at which it adds up to 1. The level that
    belongs to all entries is too high or right; entries whose ``g`` is not below it can't carry mass, and leaving
    them out lowers it. After a few rounds, at most f, nothing is left to leave out.

    Parameters
    ----------
    w : (r, f) array
        At least 0; infinite where no mass may go, though not in a whole row.
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
    # What costs next to nothing may leave the range of numbers here: such rows don't add up to 1, and are done again.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        m = _minimum(w, g)
        off = np.abs(m.sum(axis=0) - 1)
    m = m.T
    if not off.max(initial=0.0) <= EXACT:
        stiff = np.flatnonzero(~(off <= EXACT))
        m[stiff] = _stiff_minimum(w[stiff], g[stiff])
    return m


def _minimum(w: NDArray, g: NDArray) -> NDArray:
    """(f, r) the solution, one entry a row: sums over entries are then sums of long rows."""
    g, slope = g.T.copy(), np.divide(0.5, w.T, order="C")
    g -= g.min(axis=0)
    on, on_g = slope.copy(), slope * g
    n_on = -1
    while True:
        level = (1 + on_g.sum(axis=0)) / on.sum(axis=0)
        below = g < level
        if n_on == (n_on := int(np.count_nonzero(below))):
            break
        on *= below
        on_g *= below
    m = level - g
    m *= slope
    return np.maximum(m, 0, out=m)


def _stiff_minimum(w: NDArray, g: NDArray) -> NDArray:
    """The same where some entries cost next to nothing: ``level - g`` is then a difference of nearly equal numbers.

    So the level is measured from the g of the entry that costs least of those left, for which the difference counts
    most, and in units of how far the g differ.
    """
    g = g - g.min(axis=1, keepdims=True)
    unit = np.maximum(g.max(axis=1), w.min(axis=1))[:, None]
    unit = np.where(np.isfinite(unit) & (unit > 0), unit, 1.0)
    with np.errstate(over="ignore"):  # what is dear beyond all numbers gets nothing
        w, g = np.maximum(w / unit, NOTHING), g / unit
    slope, on = 0.5 / w, np.ones(w.shape, dtype=bool)
    everyone = np.arange(len(w))
    while True:
        softest = np.where(on, w, np.inf).argmin(axis=1)
        off = g - g[everyone, softest][:, None]
        share = np.where(on, slope, 0.0)
        total = share.sum(axis=1)
        share /= total[:, None]
        level = 1 / total + np.einsum("ij,ij->i", share, off)
        below = on & (off < level[:, None])
        below[everyone, np.where(on, off, np.inf).argmin(axis=1)] = True
        if (below == on).all():
            break
        on = below
    m = np.where(on, np.maximum((level[:, None] - off) * slope, 0), 0)
    return m / m.sum(axis=1, keepdims=True)
