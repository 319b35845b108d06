"""Units move from cluster to cluster as long as that lowers the inertia, the means following at once [1]_.

A unit of weight w at mean m costs ``w N / (N + w) |m - v|^2`` in a cluster of weight N at mean v that it joins, and
``w N / (N - w) |m - v|^2`` in the one that it leaves: that centres move too is counted, which k-means leaves out. So a
unit may gain by a move although its centre is the nearest. Where one unit that stays apart from it is in the way, that
one may be sent on to another cluster, if both moves together pay.

References
----------
.. [1] J. A. Hartigan, Clustering Algorithms, Wiley 1975.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.maths.distances import squared_distances

# A move pays if it gains more than this share of the inertia: rounding moves nobody.
LEAST_GAIN = 1e-11


def improved(means: Any, weight: NDArray, apart: sparse.csr_array, clusters: NDArray, n_clusters: int) -> NDArray:
    """(n_units,) the clusters after every unit that would gain by a move had its turn, the largest gain first.

    Parameters
    ----------
    means : (n_units, p) array or sparse array
    weight : (n_units,) array
    apart : (n_units, n_units) sparse array
        Not 0 where two units stay apart; they do in `clusters`.
    clusters : (n_units,) int array
    n_clusters : int

    Examples
    --------
    >>> x, w = np.array([[0.0], [1.0], [2.0], [2.2]]), np.array([1.0, 1.0, 1.0, 1.0])
    >>> improved(x, w, sparse.csr_array((4, 4)), np.array([0, 0, 0, 1]), 2).tolist()
    [0, 0, 1, 1]
    """
    moves = _Moves(means, weight, apart, clusters, n_clusters)
    for u in moves.who_would_gain().tolist():
        moves.take_turn(u)
    return moves.cluster


class _Moves:
    def __init__(self, means: Any, weight: NDArray, apart: sparse.csr_array, clusters: NDArray, k: int) -> None:
        self.means, self.weight, self.apart = means, weight, apart
        self.cluster = np.array(clusters)
        u = len(clusters)
        inside = sparse.csr_array((weight, (self.cluster, np.arange(u))), shape=(k, u))
        sums = inside @ means
        self.size = np.asarray(inside.sum(axis=1)).ravel()
        full = self.size > 0
        self.center = np.asarray(sums.toarray() if sparse.issparse(sums) else sums, dtype=float)
        self.center[full] /= self.size[full, None]
        self.least = 0.0

    def who_would_gain(self) -> NDArray[np.int64]:
        """The units that would gain by moving somewhere if nothing stood in the way, the largest gain first."""
        d = squared_distances(self.means, self.center)
        u = np.arange(len(self.cluster))
        own = d[u, self.cluster]
        self.least = LEAST_GAIN * float(self.weight @ own)
        w, N = self.weight[:, None], self.size
        joining = w * d * (N / np.where(N + w > 0, N + w, 1))
        joining[u, self.cluster] = np.inf
        rest = self.size[self.cluster] - self.weight
        leaving = np.where(rest > 0, self.weight * own * self.size[self.cluster] / np.where(rest > 0, rest, 1), 0)
        gain = leaving - joining.min(axis=1)
        wishing = np.flatnonzero(gain > self.least)
        return wishing[np.argsort(-gain[wishing], kind="stable")]

    def take_turn(self, u: int) -> None:
        """Move unit `u` where it gains most, sending on one unit that is in the way if need be."""
        gains = self._gains(u)
        for c in np.argsort(-gains, kind="stable").tolist():
            if gains[c] <= self.least:
                return
            around = self._neighbours(u)
            blocking = around[self.cluster[around] == c]
            if not len(blocking):
                return self._move(u, c)
            if len(blocking) == 1 and self._displace(u, c, int(blocking[0]), float(gains[c])):
                return

    def _displace(self, u: int, c: int, other: int, gain: float) -> bool:
        """Move `u` to cluster `c`, and the `other` unit from there to where it costs least; False if that is dearer."""
        before = self.cluster[u]
        self._move(u, c)
        gains = self._gains(other)
        gains[self.cluster[self._neighbours(other)]] = -np.inf
        e = int(gains.argmax())
        if gain + gains[e] > self.least:
            self._move(other, e)
            return True
        self._move(u, before)
        return False

    def _neighbours(self, u: int) -> NDArray:
        return self.apart.indices[self.apart.indptr[u] : self.apart.indptr[u + 1]]

    def _mean(self, u: int) -> NDArray:
        return self.means[[u]].toarray()[0] if sparse.issparse(self.means) else self.means[u]

    def _gains(self, u: int) -> NDArray:
        """(k,) what the inertia would lose if unit `u` moved to each cluster; minus infinity for its own."""
        off = self.center - self._mean(u)
        d = np.einsum("kp,kp->k", off, off)
        w, N, own = self.weight[u], self.size, self.cluster[u]
        leaving = w * d[own] * N[own] / (N[own] - w) if N[own] > w else 0.0
        joining = w * d * (N / np.where(N + w > 0, N + w, 1))
        gains = leaving - joining
        gains[own] = -np.inf
        return gains

    def _move(self, u: int, to: int) -> None:
        own, w, m = self.cluster[u], self.weight[u], self._mean(u)
        rest = self.size[own] - w
        if rest > 0:
            self.center[own] += w / rest * (self.center[own] - m)
        self.size[own] = max(rest, 0.0)
        self.size[to] += w
        if self.size[to] > 0:
            self.center[to] += w / self.size[to] * (m - self.center[to])
        self.cluster[u] = to
