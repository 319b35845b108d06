"""Possibilistic fuzzy c-means [1]_: memberships and typicalities in one objective.

References
----------
.. [1] N. R. Pal, K. Pal, J. M. Keller, J. C. Bezdek, A possibilistic fuzzy c-means clustering algorithm, IEEE
   Transactions on Fuzzy Systems 13(4), 2005.
"""

from __future__ import annotations

from cclab.algorithms.possibilistic import _PossibilisticSolver


class PFCM(_PossibilisticSolver):
    """Possibilistic fuzzy c-means: memberships keep clusters apart, typicalities flag outliers."""

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        a=1.0,
        b=1.0,
        fuzzifier=2.0,
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
        self.a = a
        self.b = b
        self.fuzzifier = fuzzifier
        self.typicality_exponent = typicality_exponent
        self.gamma = gamma
        self.metric = metric
        self.outlier_threshold = outlier_threshold
