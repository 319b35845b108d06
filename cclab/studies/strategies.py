"""Every strategy against random questions, with every solver that takes links."""

from __future__ import annotations

from cclab.algorithms import BCKM, CECM, CFCM, CKM, CMKIPCM, PCCA, RCKM, CompetitiveMixture, COPKMeans
from cclab.queries import (
    ASCQueries,
    FarthestFirst,
    MinMax,
    OverlapQueries,
    PairMassQueries,
    Random,
    UncertaintyQueries,
)
from cclab.studies import Asked, Comparison, Data, Method, Study, grid

DATA = [
    Data("three_gaussians", label="three Gaussians, 3 sigma", anew=True, separation=3.0, n_samples=90),
    Data("iris"),
]
HARD = [Method(cls.__name__, cls) for cls in (COPKMeans, CKM, RCKM, BCKM)]
FUZZY = [Method(cls.__name__, cls) for cls in (CFCM, PCCA, CompetitiveMixture, CMKIPCM)]
CREDAL = [Method("CECM", CECM)]

# The number of clusters is given to all: what is compared are the questions.
BY_DATA = [Random(), ASCQueries(), FarthestFirst(), MinMax()]
BY_BELIEF = [UncertaintyQueries()]
BY_MEMBERSHIPS = [OverlapQueries()]
BY_MASSES = [PairMassQueries()]


def asked(strategies: list) -> list[Asked]:
    return [Asked(strategy, budget=30, per_round=10) for strategy in strategies]


CELLS = (
    grid(DATA, HARD, asked(BY_DATA))
    + grid(DATA, FUZZY, asked([*BY_DATA, *BY_BELIEF, *BY_MEMBERSHIPS]))
    + grid(DATA, CREDAL, asked([*BY_DATA, *BY_BELIEF, *BY_MASSES]))
)


def against_random(strategies: list, methods: list[Method]) -> list[Comparison]:
    return [
        Comparison("ari_area", (method.label, f"30 by {type(s).__name__}"), (method.label, "30 by Random"))
        for s in strategies
        for method in methods
    ]


STUDY = Study(
    name="strategies",
    title="The area under the curve of the adjusted Rand index over 30 questions",
    cells=CELLS,
    trials=20,
    show=["ari_area", "ari", "ari_free"],
    comparisons=[
        *against_random(BY_DATA[1:], [*HARD, *FUZZY, *CREDAL]),
        *against_random(BY_BELIEF, [*FUZZY, *CREDAL]),
        *against_random(BY_MEMBERSHIPS, FUZZY),
        *against_random(BY_MASSES, CREDAL),
    ],
)
