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

from cclab.algorithms.possibilistic import _PossibilisticSolver


class SRPCM(_PossibilisticSolver):
    """Possibilistic clustering with labels: RPCM whose typicalities are drawn to the stated degrees of possibility.

    Some clusters of some samples may be labelled, with any degree from 0 (impossible) to 1 (possible).
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    ancestor = "RPCM"

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        label_weight=1.0,
        repulsion=None,
        min_separation=None,
        gamma=None,
        metric="euclidean",
        outlier_threshold=0.1,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.label_weight = label_weight
        self.repulsion = repulsion
        self.min_separation = min_separation
        self.gamma = gamma
        self.metric = metric
        self.outlier_threshold = outlier_threshold
