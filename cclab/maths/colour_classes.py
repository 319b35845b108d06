"""Colouring a graph of links, so that a sweep over its samples becomes a few array operations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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


def _first_free(neighbours: sparse.csr_array, colour: NDArray) -> NDArray[np.int64]:
    """For each row, the first colour that none of its columns has."""
    m = neighbours.shape[0]
    seen = colour[neighbours.indices]
    taken = np.zeros((m, seen.max(initial=-1) + 2), dtype=bool)
    taken[np.repeat(np.arange(m), np.diff(neighbours.indptr)), seen] = True
    return np.argmin(taken, axis=1)
