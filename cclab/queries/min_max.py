"""Explore, then consolidate where least is known [1]_.

References
----------
.. [1] P. K. Mallapragada, R. Jin, A. K. Jain, Active query selection for semi-supervised clustering, ICPR 2008.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cclab.queries.farthest_first import FarthestFirst, farthest


class MinMax(FarthestFirst):
    """As farthest first, but goes on to the sample that is least like any it has asked about.

    [1]_ takes the sample whose largest similarity to the known ones is smallest. With any similarity that falls with
    distance that is the farthest one, so no kernel has to be chosen.
    """

    title = "Min-max"

    def _consolidate(self, X: NDArray, been: NDArray, rng: np.random.Generator) -> Iterator[int]:
        return farthest(X, been)

    def _why(self, exploring: bool) -> str:
        return "far from all that was asked about"
