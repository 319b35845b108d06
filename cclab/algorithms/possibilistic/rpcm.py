"""Repulsive possibilistic c-means [1]_: PCM whose centres push each other away.

Notes
-----
The centres' step minimises the objective jointly by a trust-region method. The closed form of [1]_ treats distances
between centres as constant, and raises the objective.

References
----------
.. [1] H. Timm, C. Borgelt, C. Doering, R. Kruse, An extension to possibilistic fuzzy cluster analysis, Fuzzy Sets and
   Systems 147(1), 2004.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.possibilistic.base import ROUNDING, _PossibilisticSolver
from cclab.core import Problem
from cclab.core.parameters import real
from cclab.maths.distances import squared_distances


@dataclass(eq=False, repr=False, kw_only=True)
class RPCM(_PossibilisticSolver):
    """Repulsive possibilistic c-means: PCM whose centres push each other away, so that clusters don't coincide.

    Parameters
    ----------
    repulsion : float or None
        How strongly centres push each other away (eta, in units of length to the fourth); None derives it from
        `min_separation`.
    min_separation : float or None
        How near two centres on top of each other may come (in the data's units); None takes half the smallest distance
        between the first centres.
    """

    parameters = {"repulsion": real(0, or_none=True), "min_separation": real(0, or_none=True)}

    repulsion: float | None = None
    min_separation: float | None = None

    def _strength(self, problem: Problem, V: NDArray, totals: NDArray) -> float:
        """Eta; two centres drawn to the same place with weight W each come to rest at ``(4 eta / W) ** (1 / 4)``."""
        if self.repulsion is not None:
            return float(self.repulsion)
        separation = self.min_separation
        if separation is None:
            apart = squared_distances(V, V)[np.triu_indices(len(V), 1)]
            nearest = apart.min() if len(apart) else 0.0
            # Centres that differ by rounding alone are no measure of anything.
            told_apart = nearest > ROUNDING * max(problem.spread**2, (V**2).sum(axis=1).max())
            separation = np.sqrt(nearest) / 2 if told_apart else 0.0
        return float(totals.mean() * separation**4 / 4)
