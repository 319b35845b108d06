"""Possibilistic c-means [1]_: the typicality terms of `cclab.algorithms.possibilistic.base` alone.

Known to let clusters coincide: every cluster looks for a dense place by itself.

References
----------
.. [1] R. Krishnapuram, J. Keller, A possibilistic approach to clustering, IEEE Transactions on Fuzzy Systems
   1(2), 1993.
"""

from __future__ import annotations

from dataclasses import dataclass

from cclab.algorithms.possibilistic.base import _PossibilisticSolver


@dataclass(eq=False, repr=False, kw_only=True)
class PCM(_PossibilisticSolver):
    """Possibilistic c-means: how typical a sample is of each cluster, whatever it is of the others.

    Samples that are typical of none are outliers. Nothing keeps clusters from finding the same place; `RPCM` does.
    """

    typicality_exponent: float = 2.0
