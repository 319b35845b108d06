"""Semi-supervised possibilistic fuzzy c-means [1]_: PFCM that hears labels with degrees of possibility.

References
----------
.. [1] V. Antoine, J. A. Guerrero, T. Boone, G. Romero, Possibilistic clustering with seeds, 2018.
"""

from __future__ import annotations

from cclab.algorithms.possibilistic import _PossibilisticSolver


class SPFCM(_PossibilisticSolver):
    """Possibilistic fuzzy clustering with labels: steadier than SRPCM, since memberships keep the clusters apart.

    Some clusters of some samples may be labelled, with any degree from 0 (impossible) to 1 (possible).
    """

    uses = frozenset({"labels", "weights", "sample_weight"})
    ancestor = "PFCM"

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
        label_weight=1.0,
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
        self.label_weight = label_weight
        self.gamma = gamma
        self.metric = metric
        self.outlier_threshold = outlier_threshold
