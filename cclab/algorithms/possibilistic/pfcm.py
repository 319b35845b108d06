"""Possibilistic fuzzy c-means [1]_: memberships and typicalities in one objective.

References
----------
.. [1] N. R. Pal, K. Pal, J. M. Keller, J. C. Bezdek, A possibilistic fuzzy c-means clustering algorithm, IEEE
   Transactions on Fuzzy Systems 13(4), 2005.
"""

from __future__ import annotations

from dataclasses import dataclass

from cclab.algorithms.possibilistic.base import _PossibilisticSolver


@dataclass(eq=False, repr=False, kw_only=True)
class PFCM(_PossibilisticSolver):
    """Possibilistic fuzzy c-means: memberships keep clusters apart, typicalities flag outliers."""

    a: float = 1.0
    b: float = 1.0
    fuzzifier: float = 2.0
    typicality_exponent: float = 2.0
