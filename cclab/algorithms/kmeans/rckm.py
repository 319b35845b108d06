"""Constrained k-means in random orders, the clusterings joined by a vote: bagging beside boosting [1]_.

References
----------
.. [1] M. Okabe, S. Yamada, Clustering using boosted constrained k-means algorithm, Frontiers in Robotics and AI 5:18,
   2018.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.kmeans.bckm import BCKM, EnsembleState, log_loss
from cclab.maths.link_table import LinkTable


class RCKM(BCKM):
    """An ensemble of constrained k-means in which each round takes the links in a random order.

    It is `BCKM` without priorities that learn: what is gained by the latter shows in the difference.

    Notes
    -----
    As in `BCKM`, the result depends on the order in which links of the same weight were stated.

    The paper leaves open what a round counts for; here it is what it would count for in boosting, with
    the error taken over the weights of the links. The objective is the logarithm of the loss of `BCKM` (of the loss
    itself nothing keeps it within the range of numbers): 0 at the start, and nothing here lowers it on purpose.
    """

    # No round learns from those before it.
    descends = False

    def _objective(self, log_ρ: NDArray, links: LinkTable) -> float:
        return log_loss(log_ρ, links)

    def _log_priorities(self, links: LinkTable, state: EnsembleState) -> NDArray:
        return np.log(links.weight)
