"""Agglomerative clustering as scikit-learn does it, for comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering

from cclab.algorithms.plain.neighbour_graph import joined_neighbours
from cclab.algorithms.plain.whole_fit import _WholeFit
from cclab.core import Problem
from cclab.core.constraints.closure import must_edges
from cclab.core.parameters import choice, whole


@dataclass(eq=False, repr=False, kw_only=True)
class PlainAgglomerative(_WholeFit):
    """Agglomerative clustering of scikit-learn, for comparison: of what is known it takes must-links, as connectivity.

    One step is the whole fit of `sklearn.cluster.AgglomerativeClustering`. Only clusters that an edge connects are
    merged. Nearest neighbours have an edge, and so have must-linked samples: such a link lets two clusters merge, and
    does not make them.

    Parameters
    ----------
    linkage : {"ward", "average", "complete", "single"}
        Which clusters are merged first: those that add least to the inertia, or those that are nearest on average, by
        their farthest samples, or by their nearest samples.
    n_neighbors : int
        How many of the nearest samples each is joined with; the pieces of the graph are joined where they are nearest.
    """

    uses = frozenset({"must"})
    parameters = {"linkage": choice("ward", "average", "complete", "single"), "n_neighbors": whole(1)}

    linkage: str = "ward"
    n_neighbors: int = 10

    def _labels(self, problem: Problem, seed: int) -> NDArray[np.int64]:
        n = problem.n_samples
        if n == 1:
            return np.zeros(1, dtype=np.int64)
        i, j, _ = must_edges(problem.constraints)
        links = sparse.coo_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), shape=(n, n))
        graph = joined_neighbours(problem, self.n_neighbors, links)
        model = AgglomerativeClustering(self.n_clusters, connectivity=graph, linkage=self.linkage)
        return model.fit(problem.X).labels_.astype(np.int64)
