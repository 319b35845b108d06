"""Where centres start."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from cclab.core import Problem


def initial_centers(problem: Problem, n_clusters: int, init: Any, restart: int = 0) -> NDArray:
    """(k, p) the given centres, or k-means++ centres drawn for this restart."""
    if not isinstance(init, str):
        return np.asarray(init, dtype=float)
    rng = problem.rng(restart, 0)
    seed = int(rng.integers(np.iinfo(np.int32).max))
    centers, _ = kmeans_plusplus(
        problem.X, n_clusters, sample_weight=problem.sample_weight, random_state=seed
    )
    return np.asarray(centers.toarray() if hasattr(centers, "toarray") else centers, dtype=float)
