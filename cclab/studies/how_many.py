"""How many clusters: Gaussians from 2 to 50 features, and how far "sure" can be trusted."""

from __future__ import annotations

import numpy as np

from cclab.algorithms import CA, CompetitiveMixture
from cclab.studies import Data, Method, Outcome, Printed, Study, grid

FEATURES = (2, 5, 10, 50)
CLUSTERS = (2, 3, 4, 5)


def gaussians(n_clusters: int, n_features: int) -> Data:
    """150 samples, 4 standard deviations from cluster to cluster."""
    return Data(
        "gaussians",
        label=f"C={n_clusters}, p={n_features}",
        anew=True,
        n_clusters=n_clusters,
        n_features=n_features,
        n_samples=150,
        separation=4.0,
    )


def number(outcome: Outcome) -> dict[str, float]:
    """The number of clusters, whether it is right, and whether it is right where the method is sure."""
    found = outcome.partition.n_clusters
    right = float(found == outcome.data.n_classes)
    verdict = getattr(outcome.state, "verdict", None)
    if verdict is None:
        return {"clusters": found, "right": right}
    return {
        "clusters": found,
        "right": right,
        "sure": float(verdict.sure),
        "right where sure": right if verdict.sure else np.nan,
    }


ONE = [gaussians(1, p) for p in FEATURES]
SEVERAL = [gaussians(c, p) for c in CLUSTERS for p in FEATURES]
MIXTURE = Method("CompetitiveMixture", CompetitiveMixture, n_clusters=None)
CLASSIC = Method("CA", CA, n_clusters=None)

STUDY = Study(
    name="how-many",
    title="The number of clusters found, from 2 to 50 features",
    cells=grid([*ONE, *SEVERAL], [MIXTURE, CLASSIC]),
    trials=20,
    measures=[number],
    show=["right", "clusters", "sure", "right where sure", "ari"],
    printed=[
        Printed(
            "right",
            {(data.label, MIXTURE.label, "nothing"): 0.95 for data in [*ONE, *SEVERAL]},
            source="our goal",
        ),
        Printed(
            "right where sure",
            {(data.label, MIXTURE.label, "nothing"): 0.95 for data in [*ONE, *SEVERAL]},
            source="our goal",
        ),
    ],
)
