"""Hard answers that keep every certain link that can be kept."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cclab.algorithms.mixture.linked_units import LEAST, LinkedUnits
from cclab.maths.colouring import NoColouring, cheap_colouring

#: Dead ends that the search for a colouring may meet.
MOST_TRIES = 2000
#: What it costs, in nats, to go where a certain label or separation says one can't be.
FORBIDDEN = 1e6


def kept_links(units: LinkedUnits, beliefs: NDArray, potentials: NDArray) -> NDArray[np.int64]:
    """(u,) a cluster for each unit, as believed as can be with every certain link kept.

    Where two units that belong apart are in the same cluster the one that loses less by it moves to another, if one is
    left. Where that doesn't help, all units that cannot-links connect with them are placed anew by a search. Links
    that can't be kept by any answer are broken.

    Parameters
    ----------
    beliefs : (u, k) array
    potentials : (u, k) array
        What labels say, in logs.
    """
    certain = ~units.must & (units.breaking <= np.log(LEAST) + 1e-9)
    costs = -np.log(np.maximum(beliefs, 1e-12)) + FORBIDDEN * (potentials <= np.log(LEAST) + 1e-9)
    costs += FORBIDDEN * _others_clusters(units, costs)
    clusters = costs.argmin(axis=1)
    i, j = units.i[certain], units.j[certain]
    if not len(i):
        return clusters
    u = len(units)
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    apart = sparse.csr_array((np.ones(2 * len(i)), ends), shape=(u, u))
    _mended(clusters, costs, apart, i, j)
    broken = clusters[i] == clusters[j]
    if broken.any():
        _, component = connected_components(apart, directed=False)
        for number in np.unique(component[i[broken]]):
            _place_anew(clusters, costs, apart, np.flatnonzero(component == number))
    return clusters


def _others_clusters(units: LinkedUnits, costs: NDArray) -> NDArray:
    """(u, k) which clusters large separations leave to others: each goes to the side that believes in it more."""
    taken = np.zeros(costs.shape)
    for block in units.blocks:
        if block.must or block.breaking > np.log(LEAST) + 1e-9:
            continue
        dear = costs + FORBIDDEN * taken
        worth = [np.exp(-np.minimum(dear[side], 700)).sum(axis=0) for side in (block.a, block.b)]
        to_a = worth[0] > worth[1]
        if to_a.all() or not to_a.any():  # each side needs one
            ahead = worth[0] - worth[1]
            to_a[ahead.argmin() if to_a.all() else ahead.argmax()] = not to_a.all()
        taken[np.ix_(block.a, ~to_a)] = 1.0
        taken[np.ix_(block.b, to_a)] = 1.0
    return taken


def _mended(clusters: NDArray, costs: NDArray, apart: sparse.csr_array, i: NDArray, j: NDArray) -> None:
    """Move one end of each broken link to its cheapest cluster without a partner, in place; the surest stay."""
    for edge in np.flatnonzero(clusters[i] == clusters[j]):
        ends = [int(i[edge]), int(j[edge])]
        if clusters[ends[0]] != clusters[ends[1]]:
            continue  # mended by another move
        moves = []
        for unit in ends:
            partners = apart.indices[apart.indptr[unit] : apart.indptr[unit + 1]]
            price = costs[unit] - costs[unit, clusters[unit]]
            price[clusters[partners]] = np.inf
            best = int(price.argmin())
            moves.append((float(price[best]), unit, best))
        price_of, unit, best = min(moves)
        if price_of < FORBIDDEN / 2:
            clusters[unit] = best


def _place_anew(clusters: NDArray, costs: NDArray, apart: sparse.csr_array, nodes: NDArray) -> None:
    """Place units that cannot-links connect by a search, in place; leave them if it finds nothing."""
    inside = sparse.csr_array(apart[nodes][:, nodes])
    neighbours = [row.tolist() for row in np.split(inside.indices, inside.indptr[1:-1])]
    with suppress(NoColouring):
        clusters[nodes] = cheap_colouring(neighbours, costs[nodes], MOST_TRIES)
