"""How many clusters: Gaussians from 2 to 50 features, and how far "sure" can be trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from cclab.algorithms import CA, CompetitiveMixture
from cclab.datasets import Dataset
from cclab.studies import Data, Method, Outcome, Printed, Study, grid

FEATURES = (2, 5, 10, 50)


def gaussians(
    fewest: int, most: int, separation: float, n_features: int, n_samples: int = 150, seed: int = 0
) -> Dataset:
    """`fewest` to `most` round Gaussians of variance 1 and equal size, in all directions.

    Each centre is `separation` standard deviations from the nearest one before it.
    """
    rng = np.random.default_rng(seed)
    n_clusters = int(rng.integers(fewest, most + 1))
    centers = np.zeros((1, n_features))
    while len(centers) < n_clusters:
        direction = rng.standard_normal(n_features)
        new = centers[rng.integers(len(centers))] + separation * direction / np.linalg.norm(direction)
        if np.linalg.norm(centers - new, axis=1).min() > 0.999 * separation:
            centers = np.vstack([centers, new])
    target = np.arange(n_samples) % n_clusters
    return Dataset(
        name="gaussians",
        X=centers[target] + rng.standard_normal((n_samples, n_features)),
        target=target,
        target_names=tuple(str(c + 1) for c in range(n_clusters)),
    )


def draws(label: str, fewest: int, most: int, separation: float, **about: Any) -> list[Data]:
    """Gaussians that are drawn anew for each trial, one data set for each number of features."""
    about |= {"fewest": fewest, "most": most, "separation": separation}
    return [Data(gaussians, label=f"{label}, {p} features", anew=True, n_features=p, **about) for p in FEATURES]


def number(outcome: Outcome) -> dict[str, float]:
    """The number of clusters, whether it is right, and whether it is right where the method is sure."""
    assert outcome.partition is not None
    found, true = outcome.partition.n_clusters, outcome.data.n_classes
    right = float(found == true)
    verdict = getattr(outcome.state, "verdict", None)
    if verdict is None:
        return {"true": true, "clusters": found, "right": right}
    return {
        "true": true,
        "clusters": found,
        "right": right,
        "sure": float(verdict.sure),
        "right where sure": right if verdict.sure else np.nan,
        "right where unsure": np.nan if verdict.sure else right,
    }


ONE = draws("one cluster", 1, 1, 0.0)
SEVERAL = [
    data
    for sigma in (4, 5, 6)
    for n in (150, 600)
    for data in draws(f"2 to 5 at {sigma} sigma, {n} samples", 2, 5, float(sigma), n_samples=n)
]
# Beyond what can be seen in so few samples: what does "sure" say then?
NEARER = draws("2 to 8 at 3 sigma", 2, 8, 3.0)
MIXTURE = Method("CompetitiveMixture", CompetitiveMixture, n_clusters=None)
CLASSIC = Method("CA", CA, n_clusters=None)
GOALS = {(data.label, MIXTURE.label, "nothing"): 0.95 for data in [*ONE, *SEVERAL]}

STUDY = Study(
    name="how-many",
    title="The number of clusters found, from 2 to 50 features",
    cells=grid([*ONE, *SEVERAL, *NEARER], MIXTURE) + grid(SEVERAL[: len(FEATURES)], CLASSIC),
    trials=20,
    measures=[number],
    show=["right", "clusters", "sure", "right where sure", "right where unsure", "ari"],
    printed=[
        Printed("right", GOALS, source="our goal"),
        Printed("right where sure", GOALS, source="our goal"),
    ],
)
