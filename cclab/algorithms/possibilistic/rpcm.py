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

from cclab.algorithms.possibilistic import _PossibilisticSolver


class RPCM(_PossibilisticSolver):
    """Repulsive possibilistic c-means: PCM whose centres push each other away, so that clusters don't coincide."""

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
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
        self.repulsion = repulsion
        self.min_separation = min_separation
        self.gamma = gamma
        self.metric = metric
        self.outlier_threshold = outlier_threshold
