"""A graph of nearest neighbours that is in one piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.neighbors import kneighbors_graph

from cclab.core import Problem


def joined_neighbours(problem: Problem, n_neighbors: int, more: sparse.sparray | None = None) -> sparse.csr_array:
    """(n, n) 1 between neighbours, and between the nearest samples of pieces that would be apart.

    Parameters
    ----------
    problem : Problem
    n_neighbors : int
        At most one less than there are samples count.
    more : (n, n) sparse array, optional
        Edges that belong to the graph too.
    """
    n = problem.n_samples
    near = kneighbors_graph(problem.X, min(n_neighbors, n - 1))
    graph = sparse.csr_array(near).maximum(sparse.csr_array(near).T)
    if more is not None:
        graph = graph.maximum(sparse.csr_array(more, dtype=float))
    graph = _in_one_piece(problem, sparse.csr_array(graph))
    # scikit-learn takes no others.
    graph.indptr, graph.indices = graph.indptr.astype(np.int32), graph.indices.astype(np.int32)
    return graph


def _in_one_piece(problem: Problem, graph: sparse.csr_array) -> sparse.csr_array:
    """All but the largest piece joined to what is nearest to them, again until there is one piece."""
    while True:
        n_pieces, piece = connected_components(graph, directed=False)
        if n_pieces == 1:
            return graph
        largest = np.bincount(piece).argmax()
        bridges = np.array([_bridge(problem, piece == number) for number in range(n_pieces) if number != largest])
        a, b = bridges[:, 0], bridges[:, 1]
        edges = sparse.coo_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=graph.shape)
        graph = sparse.csr_array(graph.maximum(sparse.csr_array(edges > 0, dtype=float)))


def _bridge(problem: Problem, inside: NDArray[np.bool_]) -> tuple[int, int]:
    """The two nearest samples, the one inside a piece, the other outside."""
    own, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    nearest, away = pairwise_distances_argmin_min(problem.X[own], problem.X[others])
    first = int(away.argmin())
    return int(own[first]), int(others[nearest[first]])
