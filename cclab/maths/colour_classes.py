"""Colouring a graph of links, so that a sweep over its samples becomes a few array operations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

ORDERS = ("leaves first", "hubs first")


def colour_classes(adjacency: sparse.sparray, order: str = "leaves first") -> list[NDArray[np.int64]]:
    """Classes of vertices no two of which are adjacent: a class can be updated at once.

    Greedy: each vertex in turn takes the first colour that none of its neighbours has. All vertices whose
    earlier neighbours are done take theirs at the same time: a few array operations on the edges.

    Parameters
    ----------
    adjacency : (n, n) sparse array
        Symmetric; what is stored and not 0 is an edge. The diagonal is ignored.
    order : {"leaves first", "hubs first"}
        Which vertices choose first: those with the fewest neighbours (so that a sweep through the classes
        comes to the hubs last) or those with the most (often fewer colours).

    Returns
    -------
    list of (m,) int arrays
        The classes in the order of their colours, each sorted; together they hold every vertex once.

    Examples
    --------
    >>> star = sparse.coo_array(([1, 1, 1, 1], ([0, 0, 1, 2], [1, 2, 0, 0])), shape=(3, 3))
    >>> [c.tolist() for c in colour_classes(star)]
    [[1, 2], [0]]
    """
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(map(repr, ORDERS))}, got {order!r}")
    n = adjacency.shape[0]
    i, j = sparse.coo_array(adjacency).nonzero()
    i, j = i[i != j], j[i != j]
    degree = np.bincount(i, minlength=n)
    # Ties are broken by a shuffle: in a grid or a chain of equals each would wait for the one before it.
    shuffle = np.random.default_rng(0).permutation(n)
    turn = np.empty(n, dtype=np.int64)
    turn[np.lexsort((shuffle, degree if order == "leaves first" else -degree))] = np.arange(n)

    colour = np.full(n, -1)
    later = turn[i] < turn[j]
    successors = sparse.csr_array((np.ones(later.sum(), dtype=np.int64), (i[later], j[later])), shape=(n, n))
    predecessors = successors.T.tocsr()
    waiting = np.diff(predecessors.indptr)
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        colour[ready] = _first_free(predecessors[ready], colour)
        following = successors[ready].indices
        waiting -= np.bincount(following, minlength=n)
        following = np.unique(following)
        ready = following[waiting[following] == 0]
    by_colour = np.argsort(colour, kind="stable")
    return np.split(by_colour, np.cumsum(np.bincount(colour))[:-1]) if n else []


def two_colours(adjacency: sparse.csr_array) -> NDArray[np.int64] | None:
    """(n,) colours 0 and 1 such that no two neighbours have the same, as on a chessboard; None where there are none.

    Only for graphs in one piece; of others it says None too.

    Examples
    --------
    >>> chain = sparse.diags_array([np.ones(3), np.ones(3)], offsets=[-1, 1]).tocsr()
    >>> two_colours(chain)
    array([0, 1, 0, 1])
    """
    n = adjacency.shape[0]
    order, ancestor = csgraph.breadth_first_order(adjacency, 0)
    if len(order) < n:
        return None
    colour = np.ones(n, dtype=np.int64)
    colour[0], ancestor[0] = 0, 0
    # The colour is the parity of the way to the root: ways are doubled until all have come there.
    while ancestor.any():
        colour ^= colour[ancestor]
        ancestor = ancestor[ancestor]
    own = np.repeat(colour, np.diff(adjacency.indptr))
    return colour if (own != colour[adjacency.indices]).all() else None


def _first_free(neighbours: sparse.csr_array, colour: NDArray) -> NDArray[np.int64]:
    """For each row, the first colour that none of its columns has."""
    m = neighbours.shape[0]
    seen = colour[neighbours.indices]
    taken = np.zeros((m, seen.max(initial=-1) + 2), dtype=bool)
    taken[np.repeat(np.arange(m), np.diff(neighbours.indptr)), seen] = True
    return np.argmin(taken, axis=1)
