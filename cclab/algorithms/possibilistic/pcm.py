"""Possibilistic c-means [1]_: the typicality terms of `cclab.algorithms.possibilistic` alone.

Known to let clusters coincide: every cluster looks for a dense place by itself.

References
----------
.. [1] R. Krishnapuram, J. Keller, A possibilistic approach to clustering, IEEE Transactions on Fuzzy Systems
   1(2), 1993.
"""

from __future__ import annotations

from cclab.algorithms.possibilistic import _PossibilisticSolver


class PCM(_PossibilisticSolver):
    """Possibilistic c-means: how typical a sample is of each cluster, whatever it is of the others.

    Samples that are typical of none are outliers. Nothing keeps clusters from finding the same place; `RPCM` does.
    """

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        typicality_exponent=2.0,
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
        self.typicality_exponent = typicality_exponent
        self.gamma = gamma
        self.metric = metric
        self.outlier_threshold = outlier_threshold
