"""Labels for possibilistic clustering: the orderings that Antoine et al. describe, on their four data sets.

The paper shows its figures as curves without numbers, so what can be checked are the orderings its text states. Its
"SKMEANS", which keeps every label, is `ConstrainedKMeans`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cclab.algorithms import PFCM, RPCM, SFCM, SPFCM, SRPCM, ConstrainedKMeans
from cclab.core import Possibilistic
from cclab.queries import TypicalityQueries
from cclab.studies import Asked, Comparison, Data, Method, Outcome, Printed, RandomLabels, Study, grid

PAPER = "Antoine, Guerrero, Boone, Romero: Possibilistic clustering with seeds, 2018"
SHARES = [RandomLabels(share=share) for share in (0.05, 0.1, 0.2, 0.3)]
MOST = "30 % labels"
THRESHOLDS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


def methods(repulsion: float, b: float) -> tuple[list[Method], list[Method]]:
    """With labels and without, by the parameters of Table II, best of five starts."""
    labelled = [
        Method("SRPCM", SRPCM, repulsion=repulsion, n_init=5),
        Method("SPFCM", SPFCM, b=b, n_init=5),
        Method("SFCM", SFCM, n_init=5),
        Method("SKMEANS", ConstrainedKMeans, n_init=5),
    ]
    plain = [Method("RPCM", RPCM, repulsion=repulsion, n_init=5), Method("PFCM", PFCM, b=b, n_init=5)]
    return labelled, plain


def claims(*orderings: tuple[str, str]) -> list[Comparison]:
    """The first of each pair scores at least as high as the second, with the most labels."""
    return [Comparison("ari", (better, MOST), (worse, MOST)) for better, worse in orderings]


def outlier_rates(outcome: Outcome) -> dict[str, float]:
    """Share of true outliers flagged, and of other samples flagged, for each threshold."""
    truth, partition = outcome.data.outliers, outcome.partition
    if truth is None or not isinstance(partition, Possibilistic):
        return {}
    rates = {}
    for threshold in THRESHOLDS:
        flagged = partition.outliers(threshold)
        rates[f"found at {threshold:g}"] = float(flagged[truth].mean())
        rates[f"false at {threshold:g}"] = float(flagged[~truth].mean())
    return rates


def nearest_centers(outcome: Outcome) -> dict[str, float]:
    """How near the two nearest centres are: 0 where clusters coincide."""
    V = getattr(outcome.state, "centers", None)
    if V is None:
        return {}
    apart = np.linalg.norm(V[:, None] - V, axis=2)[np.triu_indices(len(V), 1)]
    return {"nearest centres": float(apart.min())}


def _study(name: str, data: Data, repulsion: float, b: float, *, ours: Iterable[Method] = (), **more: Any) -> Study:
    """A study by the paper's protocol; `ours` are methods with labels that the paper does not have."""
    labelled, plain = methods(repulsion, b)
    asked = [Asked(TypicalityQueries(), budget=30, per_round=5, record_every=10)]
    settings: dict[str, Any] = {"trials": 100, "show": ["ari", "ari_free"]} | more
    return Study(
        name=f"possibilistic-{name}",
        paper=PAPER,
        cells=grid([data], plain) + grid([data], [*labelled, *ours], SHARES) + grid([data], labelled[:2], asked),
        **settings,
    )


STUDIES = [
    _study(
        "iris",
        Data("iris_uci", label="iris"),
        2.0,
        3.0,
        ours=[Method("SPFCM, adaptive", SPFCM, b=3.0, metric="mahalanobis", n_init=5)],
        title="Iris: SRPCM best, SPFCM above SFCM and SKMEANS",
        printed=[
            Printed("ari", {("iris", "SRPCM", MOST): 0.85, ("iris", "SPFCM", MOST): 0.83}, source="Figures to reach"),
        ],
        comparisons=[
            Comparison("ari", ("SRPCM", MOST), ("SFCM", MOST), factor=1.03),
            Comparison("ari", ("SPFCM", MOST), ("SFCM", MOST), factor=1.03),
            *claims(("SRPCM", "SPFCM"), ("SRPCM", "SKMEANS"), ("SPFCM", "SKMEANS")),
            Comparison("ari", ("SRPCM", MOST), ("RPCM", "nothing")),
        ],
    ),
    _study(
        "wine",
        Data("wine", standardized=True),
        0.2,
        1.6,
        title="Wine: SRPCM low, labels help it",
        comparisons=[
            *claims(("SPFCM", "SRPCM"), ("SFCM", "SRPCM"), ("SKMEANS", "SRPCM")),
            Comparison("ari", ("SRPCM", MOST), ("RPCM", "nothing")),
        ],
    ),
    _study(
        "ecoli",
        Data("ecoli_outliers"),
        0.8,
        2.2,
        ours=[Method("SRPCM, half the gap", SRPCM, n_init=5)],
        title="Ecoli: SKMEANS best with labels; outliers found and false alarms by threshold",
        show=["ari", "ari_free", *(f"{what} at {t:g}" for t in THRESHOLDS for what in ("found", "false"))],
        measures=[outlier_rates, nearest_centers],
        comparisons=[
            *claims(("SKMEANS", "SRPCM"), ("SKMEANS", "SPFCM"), ("SKMEANS", "SFCM")),
            Comparison("ari", ("PFCM", "nothing"), ("RPCM", "nothing")),
            Comparison("ari", ("PFCM", "nothing"), ("SPFCM", "5 % labels")),
            Comparison("found at 0.1", ("SRPCM", MOST), ("SPFCM", MOST)),
            Comparison("found at 0.1", ("SRPCM", MOST), ("RPCM", "nothing")),
        ],
    ),
    _study(
        "gauss",
        Data("gauss_k2"),
        0.1,
        0.2,
        title="Two Gaussians of different spread: SRPCM best, SPFCM above SFCM and SKMEANS",
        comparisons=claims(("SRPCM", "SPFCM"), ("SPFCM", "SFCM"), ("SPFCM", "SKMEANS"), ("SRPCM", "SKMEANS")),
    ),
]
