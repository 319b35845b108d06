"""Spectral clustering as scikit-learn does it, for comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import SpectralClustering

from cclab.algorithms.plain.neighbour_graph import joined_neighbours
from cclab.algorithms.plain.whole_fit import _WholeFit
from cclab.core import Problem
from cclab.core.parameters import whole


@dataclass(eq=False, repr=False, kw_only=True)
class PlainSpectral(_WholeFit):
    """Spectral clustering of scikit-learn, for comparison: it takes no links and no labels.

    One step is the whole fit of `sklearn.cluster.SpectralClustering`, on the graph of nearest neighbours.

    Parameters
    ----------
    n_neighbors : int
        How many of the nearest samples each is joined with; the pieces of the graph are joined where they are nearest.
    """

    accepts_sparse = True
    parameters = {"n_neighbors": whole(1)}

    n_neighbors: int = 10

    def _labels(self, problem: Problem, seed: int) -> NDArray[np.int64]:
        k = self.n_clusters
        if k == 1 or k >= problem.n_samples - 1:
            # Too few eigenvectors for the solver: each sample by itself, or all together.
            return np.arange(problem.n_samples) % k
        graph = joined_neighbours(problem, self.n_neighbors)
        model = SpectralClustering(k, affinity="precomputed", random_state=seed, assign_labels="cluster_qr")
        return model.fit(graph).labels_.astype(np.int64)
