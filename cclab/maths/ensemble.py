"""One clustering from many: k-means on the one-hot codes of the labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

# Of more different codes than this the starts are tried on so many of them, and only the best goes on with all.
LARGE = 10_000


def ensemble_labels(
    hypotheses: Sequence[NDArray],
    importance: NDArray,
    n_clusters: int,
    *,
    weights: NDArray,
    n_init: int,
    seed: int,
) -> NDArray[np.int64]:
    """(n,) kernel k-means of ``K = sum_t importance_t Z_t Z_t'``, with Z_t the 0-1 matrix of hypothesis t.

    `K` is the Gram matrix of the rows ``[sqrt(importance_t) Z_t]``, so plain k-means on these rows does the same,
    and the n x n matrix is never made. Samples that all hypotheses treat alike are one row with their weights added.

    Parameters
    ----------
    hypotheses : T arrays (n,) of int
        Labels from 0 to n_clusters - 1.
    importance : (T,) array
        Above 0.
    weights : (n,) array
        Sample weights.
    n_init : int
        How often k-means starts anew.

    Returns
    -------
    (n,) int array
        Clusters, under the names that most of the hypotheses give them.
    """
    codes, member = np.unique(np.stack(hypotheses, axis=1), axis=0, return_inverse=True)
    member = member.ravel()
    size = np.bincount(member, weights)
    clusters = _clustered_codes(codes, importance, n_clusters, size, n_init, seed)
    votes = sum(α * _shared(clusters, labels, n_clusters, size) for α, labels in zip(importance, codes.T))
    return _names(votes)[clusters][member]


def _clustered_codes(
    codes: NDArray, importance: NDArray, n_clusters: int, size: NDArray, n_init: int, seed: int
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
    if u > LARGE:
        chosen = np.sort(np.random.default_rng(seed).choice(u, LARGE, replace=False))
        trial = KMeans(n_clusters, n_init=n_init, random_state=seed).fit(rows[chosen], sample_weight=size[chosen])
        means = KMeans(n_clusters, init=trial.cluster_centers_, n_init=1)
    else:
        means = KMeans(n_clusters, n_init=n_init, random_state=seed)
    return means.fit(rows, sample_weight=size).labels_


def renamed(labels: NDArray, like: NDArray, n_clusters: int) -> NDArray[np.int64]:
    """The same clusters under the names that agree best with the labels `like`.

    Examples
    --------
    >>> renamed(np.array([1, 1, 0, 2]), np.array([0, 0, 1, 1]), 3).tolist()
    [0, 0, 1, 2]
    """
    return _names(_shared(labels, like, n_clusters))[labels]


def _shared(labels: NDArray, like: NDArray, n_clusters: int, weights: NDArray | None = None) -> NDArray:
    """(k, k) how much each cluster of the one shares with each of the other."""
    pairs = labels.astype(np.int64) * n_clusters + like
    return np.bincount(pairs, weights, minlength=n_clusters**2).reshape(n_clusters, n_clusters)


def _names(shared: NDArray) -> NDArray[np.int64]:
    """(k,) a name for each cluster, none twice, by what they share most."""
    return linear_sum_assignment(shared, maximize=True)[1]
