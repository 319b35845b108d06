"""One clustering from many: k-means on the one-hot codes of the labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from cclab.core import Gauge

# Of more different codes than this the starts are tried on a part, and only the best goes on with all.
LARGE = 10_000


def ensemble_labels(
    hypotheses: Sequence[NDArray], importance: NDArray, n_clusters: int, *, weights: NDArray, n_starts: int
) -> NDArray[np.int64]:
    """(n,) kernel k-means of ``K = sum_t importance_t Z_t Z_t'``, with Z_t the 0-1 matrix of hypothesis t.

    `K` is the Gram matrix of the rows ``[sqrt(importance_t) Z_t]``, so plain k-means on these rows does the same,
    and the n x n matrix is never made. Samples that all hypotheses treat alike are one row with their weights added.
    K-means starts from those hypotheses that have the lowest sum of squares themselves.

    Parameters
    ----------
    hypotheses : T arrays (n,) of int
        Labels from 0 to n_clusters - 1.
    importance : (T,) array
        Above 0.
    weights : (n,) array
        Sample weights.
    n_starts : int
        From how many hypotheses k-means starts; the best run wins.

    Returns
    -------
    (n,) int array
        Clusters, under the names that most of the hypotheses give them.
    """
    codes, member = np.unique(np.stack(hypotheses, axis=1), axis=0, return_inverse=True)
    member = member.ravel()
    size = np.bincount(member, weights)
    clusters = _clustered_codes(codes, importance, n_clusters, size, n_starts)
    votes = sum(α * _shared(clusters, labels, n_clusters, size) for α, labels in zip(importance, codes.T))
    return _names(votes)[clusters][member]


def _clustered_codes(
    codes: NDArray, importance: NDArray, n_clusters: int, size: NDArray, n_starts: int
) -> NDArray[np.int64]:
    """(u,) the clusters of different codes, the rows of `codes`, each standing for `size` samples."""
    u, T = codes.shape
    if u <= n_clusters:
        return np.arange(u)
    columns = codes.astype(np.int32) + n_clusters * np.arange(T, dtype=np.int32)
    rows = sparse.csr_array(
        (np.tile(np.sqrt(importance), u), columns.ravel(), np.arange(0, u * T + 1, T, dtype=np.int32)),
        shape=(u, n_clusters * T),
    )
    some = slice(None, None, -(-u // LARGE))
    centers = _best_centers(rows[some], size[some], importance, n_clusters, n_starts)
    return KMeans(n_clusters, init=centers, n_init=1).fit(rows, sample_weight=size).labels_


def _best_centers(
    rows: sparse.csr_array, size: NDArray, importance: NDArray, n_clusters: int, n_starts: int
) -> NDArray[np.float64]:
    """(k, k T) the centres of the best run of k-means from the most promising hypotheses.

    The means of all clusters of all hypotheses are rows of one matrix: how much they share with each other.
    """
    shared = (rows.T @ (rows * size[:, None])).toarray()
    α = np.repeat(importance, n_clusters)
    counts = shared.diagonal() / α
    means = np.divide(shared, (np.sqrt(α) * counts)[:, None], out=np.zeros_like(shared), where=counts[:, None] > 0)
    explained = (counts * (means**2).sum(axis=1)).reshape(-1, n_clusters).sum(axis=1)
    promising = np.argsort(-explained, kind="stable")[:n_starts]
    starts = iter(means.reshape(-1, n_clusters, means.shape[1])[promising])
    runs = KMeans(n_clusters, init=lambda *_, **__: next(starts), n_init=len(promising), random_state=0)
    return runs.fit(rows, sample_weight=size).cluster_centers_


def renamed(labels: NDArray, like: NDArray, n_clusters: int) -> NDArray[np.int64]:
    """The same clusters under the names that agree best with the labels `like`.

    Examples
    --------
    >>> renamed(np.array([1, 1, 0, 2]), np.array([0, 0, 1, 1]), 3).tolist()
    [0, 0, 1, 2]
    """
    return names_like(labels, like, n_clusters)[labels]


def names_like(labels: NDArray, like: NDArray, n_clusters: int) -> NDArray[np.int64]:
    """(k,) the name that each cluster gets in `renamed`."""
    return _names(_shared(labels, like, n_clusters))


def _shared(labels: NDArray, like: NDArray, n_clusters: int, weights: NDArray | None = None) -> NDArray:
    """(k, k) how much each cluster of the one shares with each of the other."""
    pairs = labels.astype(np.int64) * n_clusters + like
    return np.bincount(pairs, weights, minlength=n_clusters**2).reshape(n_clusters, n_clusters)


def _names(shared: NDArray) -> NDArray[np.int64]:
    """(k,) a name for each cluster, none twice, by what they share most."""
    return linear_sum_assignment(shared, maximize=True)[1]


def mean_priorities(statements: NDArray, log_priorities: NDArray) -> tuple[NDArray, NDArray] | None:
    """Ids of statements and the mean priority of their links, 1 on average; None where there are no links.

    Parameters
    ----------
    statements : (l,) int array
        The statement that each link comes from.
    log_priorities : (l,) array
    """
    if not len(statements):
        return None
    ids, which, counts = np.unique(statements, return_inverse=True, return_counts=True)
    means = np.bincount(which, np.exp(log_priorities - log_priorities.max())) / counts
    return ids, means / means.mean()


def importance_gauge(importance: NDArray) -> Gauge:
    """How much each round of boosting counts."""
    rounds = tuple(str(t + 1) for t in range(len(importance)))
    return Gauge("Importance of each round (α)", rounds, tuple(importance.tolist()))
