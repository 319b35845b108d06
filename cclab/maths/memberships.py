"""Memberships that follow from distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fuzzy_memberships(distances: NDArray, fuzzifier: float) -> NDArray:
    """(n, k) fuzzy memberships, proportional to ``d ** (-1 / (fuzzifier - 1))`` in each row.

    Written with the ratio to the nearest centre, so that a sample on a centre belongs to it wholly and nothing
    overflows however small the fuzzifier.

    Parameters
    ----------
    distances : (n, k) array
        Squared distances.
    fuzzifier : float
        Above 1.
    """
    d = np.maximum(distances, np.finfo(distances.dtype).tiny)
    u = d.min(axis=1, keepdims=True) / d
    if fuzzifier != 2:
        u **= 1 / (fuzzifier - 1)
    u /= u.sum(axis=1, keepdims=True)
    return u


def raised(memberships: NDArray, exponent: float) -> NDArray:
    """``memberships ** exponent``, without the cost of a general power for 2."""
    return np.square(memberships) if exponent == 2 else memberships**exponent
