"""Where a centre would do more good than where it is: one cluster dissolved, another split in two.

K-means rests where no single sample gains by a move, though two centres may share one cloud while another cloud has to
do with half of one. Whether a centre is better off elsewhere is told beforehand, from what its cluster would cost if
each unit went to the next best centre, and what the other would gain by two centres. That says too little in favour of
a move, for all other centres follow; so with many clusters it is tried too where it seems to cost a little. With few,
several starts find the best ones anyway, and only what promises to pay is tried: that costs next to nothing. A closer
look tries far more: too dear for every start, and worth it for the best of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.algorithms.kmeans.unit_moves import improved
from cclab.maths.distances import squared_distances

# Up to so many clusters are few.
FEW = 10
# So many ways to move a centre are tried where none of them pays, with few clusters and with many.
TRIES, MANY_TRIES = 1, 32
# What a move may seem to cost with many clusters and is tried all the same, in the mean inertia of a cluster.
MAY_COST = 1.0
# Both for a closer look.
CLOSE_TRIES, CLOSE_COST = 400, 3.0
# Steps of 2-means by which a cluster is split, and rounds of single moves after one.
SPLIT_STEPS, SETTLING = 3, 3
# A way is taken if it gains more than this share of the inertia.
LEAST_GAIN = 1e-9


def relocated(
    means: Any, weight: NDArray, apart: sparse.csr_array, clusters: NDArray, n_clusters: int, *, closely: bool = False
) -> NDArray:
    """(n_units,) the clusters after a centre has moved into another cluster; as they are, if none gains by that.

    Parameters
    ----------
    means : (n_units, p) array or sparse array
    weight : (n_units,) array
    apart : (n_units, n_units) sparse array
        Not 0 where two units stay apart; they do in `clusters`, and in what is given back.
    clusters : (n_units,) int array
    n_clusters : int
    closely : bool
        Whether far more ways are tried, with many clusters.

    Examples
    --------
    >>> x, w = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [9.0]]), np.ones(6)
    >>> relocated(x, w, sparse.csr_array((6, 6)), np.array([0, 0, 1, 1, 2, 2]), 3).tolist()
    [1, 1, 1, 1, 2, 0]
    """
    least = (1 - LEAST_GAIN) * _inertia(means, weight, clusters, n_clusters)
    for way, V in relocations(means, weight, clusters, n_clusters, closely):
        found = _placed(means, apart, way, V)
        if found is not None:
            found, cost = _settled(means, weight, apart, found, n_clusters, least)
            if cost < least:
                return found
    return clusters


def _settled(
    means: Any, weight: NDArray, apart: sparse.csr_array, clusters: NDArray, n_clusters: int, least: float
) -> tuple[NDArray, float]:
    """The clusters after rounds of single moves, and their inertia; given up where it won't fall below `least`.

    A round gains less than the one before: where that much more would not do, no further one is made.
    """
    cost, gain = _inertia(means, weight, clusters, n_clusters), np.inf
    for _ in range(SETTLING):
        if cost - gain >= least:
            break
        clusters = improved(means, weight, apart, clusters, n_clusters)
        before, cost = cost, _inertia(means, weight, clusters, n_clusters)
        gain = before - cost
        if gain <= 0:
            break
    return clusters, cost


def relocations(
    means: Any, weight: NDArray, clusters: NDArray, n_clusters: int, closely: bool = False
) -> Iterator[tuple[NDArray[np.int64], NDArray]]:
    """Ways to split one cluster and dissolve another, the most promising first.

    Each is (n_units,) clusters, -1 for the units of the dissolved one, whose number half of the split one has, and
    (k, p) centres.
    """
    some = np.flatnonzero(weight > 0)
    x, w, c = means[some], weight[some], clusters[some]
    V, _ = _means(x, w, c, n_clusters)
    d = squared_distances(x, V)
    u = np.arange(len(some))
    own = d[u, c].copy()
    d[u, c] = np.inf
    dearer = np.bincount(c, w * (d.min(axis=1) - own), minlength=n_clusters)
    left, right, gain = _split(x, w, c, own, n_clusters)
    promise: NDArray[np.float64] = gain - dearer[:, None]
    tries, may_cost = (TRIES, 0.0) if n_clusters <= FEW else (MANY_TRIES, MAY_COST)
    if closely and n_clusters > FEW:
        tries, may_cost = CLOSE_TRIES, CLOSE_COST
    promise += may_cost * float(w @ own) / n_clusters
    np.fill_diagonal(promise, -np.inf)
    for _ in range(tries):
        gone, cut = (int(place) for place in np.unravel_index(int(promise.argmax()), promise.shape))
        if promise[gone, cut] <= 0:
            return
        moved, way = V.copy(), clusters.copy()
        moved[gone], moved[cut] = left[cut], right[cut]
        way[clusters == gone] = -1
        inside = np.flatnonzero(clusters == cut)
        to_left, to_right = squared_distances(means[inside], moved[[gone, cut]]).T
        way[inside[to_left < to_right]] = gone
        yield way, moved
        promise[gone, cut] = -np.inf


def _placed(means: Any, apart: sparse.csr_array, clusters: NDArray, V: NDArray) -> NDArray | None:
    """The clusters with a cheap one for each unit that has none, none of those it stays apart from in it."""
    clusters = clusters.copy()
    (homeless,) = np.nonzero(clusters < 0)
    costs = squared_distances(means[homeless], V)
    for u, cost in zip(homeless.tolist(), costs):
        around = clusters[apart.indices[apart.indptr[u] : apart.indptr[u + 1]]]
        cost[around[around >= 0]] = np.inf
        clusters[u] = int(cost.argmin())
        if cost[clusters[u]] == np.inf:
            return None
    return clusters


def _inertia(means: Any, weight: NDArray, clusters: NDArray, k: int) -> float:
    """What the units are off the means of their clusters, squared and added up by weight."""
    V, _ = _means(means, weight, clusters, k)
    return float(weight @ _to_own(means, V, clusters))


def _split(
    means: Any, weight: NDArray, clusters: NDArray, off_centre: NDArray, k: int
) -> tuple[NDArray, NDArray, NDArray]:
    """(k, p) and (k, p) the centres of two halves of each cluster, and (k,) what inertia they save."""
    one = _rows(means, _farthest(off_centre, clusters, k))
    other = _rows(means, _farthest(_to_own(means, one, clusters), clusters, k))
    sizes = np.zeros((2, k))
    for _ in range(SPLIT_STEPS):
        half = (_to_own(means, other, clusters) < _to_own(means, one, clusters)).astype(np.int64)
        centres, size = _means(means, weight, 2 * clusters + half, 2 * k)
        one, other, sizes = centres[::2], centres[1::2], size.reshape(k, 2).T
    between = sizes[0] * sizes[1] / np.maximum(sizes.sum(axis=0), np.finfo(float).tiny)
    return one, other, between * ((one - other) ** 2).sum(axis=1)


def _to_own(means: Any, V: NDArray, clusters: NDArray) -> NDArray:
    """(n_units,) the squared distance of each unit to the row of `V` that belongs to its cluster."""
    if sparse.issparse(means):
        return squared_distances(means, V)[np.arange(len(clusters)), clusters]
    off = means - V[clusters]
    return np.einsum("up,up->u", off, off)


def _means(means: Any, weight: NDArray, clusters: NDArray, k: int) -> tuple[NDArray, NDArray]:
    """(k, p) the mean and (k,) the weight of each cluster; an empty one is at 0."""
    u = len(clusters)
    inside = sparse.csr_array((weight, (clusters, np.arange(u))), shape=(k, u))
    sums = inside @ means
    sums = np.asarray(sums.toarray() if sparse.issparse(sums) else sums, dtype=float)
    size = np.bincount(clusters, weight, minlength=k)
    return sums / np.where(size > 0, size, 1)[:, None], size


def _farthest(distance: NDArray, clusters: NDArray, k: int) -> NDArray[np.int64]:
    """(k,) the unit of each cluster with the largest distance; 0 for a cluster without any."""
    order = np.lexsort((distance, clusters))
    found = np.zeros(k, dtype=np.int64)
    found[clusters[order]] = order  # the last one of each cluster stays
    return found


def _rows(means: Any, rows: NDArray) -> NDArray:
    chosen = means[rows]
    return np.asarray(chosen.toarray() if sparse.issparse(chosen) else chosen, dtype=float)
