"""One clustering from many: k-means on the one-hot codes of the labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans


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
    """
    codes, member = np.unique(np.stack(hypotheses, axis=1), axis=0, return_inverse=True)
    member = member.ravel()
    if len(codes) <= n_clusters:
        clusters = np.arange(len(codes))
    else:
        u, T = codes.shape
        columns = codes.astype(np.int32) + n_clusters * np.arange(T, dtype=np.int32)
        rows = sparse.csr_array(
            (np.tile(np.sqrt(importance), u), columns.ravel(), np.arange(0, u * T + 1, T, dtype=np.int32)),
            shape=(u, n_clusters * T),
        )
        means = KMeans(n_clusters, n_init=n_init, random_state=seed)
        clusters = means.fit(rows, sample_weight=np.bincount(member, weights)).labels_
    return renamed(clusters[member], hypotheses[-1], n_clusters)


def renamed(labels: NDArray, like: NDArray, n_clusters: int) -> NDArray[np.int64]:
    """The same clusters under the names that agree best with the labels `like`.

    Examples
    --------
    >>> renamed(np.array([1, 1, 0, 2]), np.array([0, 0, 1, 1]), 3).tolist()
    [0, 0, 1, 2]
    """
    pairs = labels.astype(np.int64) * n_clusters + like
    counts = np.bincount(pairs, minlength=n_clusters**2).reshape(n_clusters, n_clusters)
    _, name = linear_sum_assignment(counts, maximize=True)
    return name[labels]
