"""K-means with links beside k-means without: what links cost."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from benchmarks import Row, compare
from cclab import LCVQE, PCCC, ConstraintSet, COPKMeans, PCKMeans


def bench_one_start() -> Iterator[Row]:
    """60,000 samples, 10 features, 10 clusters, 2,000 links, one start."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    rng, n, k = np.random.default_rng(0), 60_000, 10
    truth = rng.integers(k, size=n)
    X = 1.5 * rng.normal(size=(k, 10))[truth] + rng.normal(size=(n, 10))
    ends = rng.integers(n, size=(4000, 2))
    ends = ends[ends[:, 0] != ends[:, 1]][:2000]
    same = truth[ends[:, 0]] == truth[ends[:, 1]]

    def known(weight: float) -> ConstraintSet:
        return ConstraintSet(n).with_must_link(ends[same], weight=weight).with_cannot_link(ends[~same], weight=weight)

    for solver, weight, what in (
        (PCCC, 1.0, "PCCC, certain links"),
        (PCCC, 0.9, "PCCC, links of weight .9"),
        (COPKMeans, 1.0, "COPKMeans"),
        (PCKMeans, 1.0, "PCKMeans"),
        (LCVQE, 1.0, "LCVQE"),
    ):
        yield compare(
            f"{what} / KMeans, n = 60,000, 2,000 links, one start",
            lambda: solver(k, n_init=1, random_state=0).fit(X, constraints=known(weight)),  # noqa: B023
            lambda: KMeans(k, n_init=1, random_state=0).fit(X),
            60,
            repeats=3,
        )
