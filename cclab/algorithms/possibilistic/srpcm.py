"""Semi-supervised repulsive possibilistic c-means [1]_: RPCM that hears labels with degrees of possibility.

Notes
-----
Each pair of centres counts twice in the objective's repulsion, so the gradient has ``eta_k + eta_l`` where [1]_ prints
``eta_k``; the Hessian follows. Typicalities lie in [0, 1] (Eq. 1 has the signs turned).

References
----------
.. [1] V. Antoine, J. A. Guerrero, T. Boone, G. Romero, Possibilistic clustering with seeds, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

from cclab.algorithms.possibilistic.rpcm import RPCM


@dataclass(eq=False, repr=False, kw_only=True)
class SRPCM(RPCM):
    """Possibilistic clustering with labels: RPCM whose typicalities are drawn to the stated degrees of possibility.

    Some clusters of some samples may be labelled, with any degree from 0 (impossible) to 1 (possible).
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    ancestor = "RPCM"

    label_weight: float = 1.0
