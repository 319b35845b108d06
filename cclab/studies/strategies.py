"""Every strategy against random questions, with every solver that listens to the answers.

The number of clusters is given to all: what is compared are the questions.
"""

from __future__ import annotations

import pandas as pd

from cclab.algorithms import (
    BCKM,
    CECM,
    CFCM,
    CKM,
    CMKIPCM,
    COBRAS,
    PCCA,
    RCKM,
    SPFCM,
    SRPCM,
    CompetitiveMixture,
    COPKMeans,
)
from cclab.core import Problem, State
from cclab.queries import (
    ASCQueries,
    COBRASQueries,
    FarthestFirst,
    MinMax,
    NPUQueries,
    OverlapQueries,
    PairMassQueries,
    Random,
    TypicalityQueries,
    UncertaintyQueries,
)
from cclab.queries.base import Asked as AskedBefore
from cclab.queries.base import Query, Strategy, draw_rng
from cclab.studies import Asked, Comparison, Data, Method, Study, grid
from cclab.studies.claims import paired_p

BUDGET = 30
PER_ROUND = 10


class _RandomLabels(Strategy):
    """Asks for the labels of samples drawn at random: what strategies that ask for labels are compared with."""

    kind = "label"
    title = "Random labels"

    def propose(
        self, problem: Problem, state: State, n: int = 1, *, asked: AskedBefore = frozenset()
    ) -> tuple[Query, ...]:
        order = draw_rng(problem, state, asked).permutation(problem.n_samples)
        fresh = [i for i in order.tolist() if (i,) not in asked]
        return tuple(Query.label(i, "A sample drawn at random.", 0.0) for i in fresh[:n])


def asked(strategy: Strategy, name: str = "") -> Asked:
    """Knowledge that a strategy asks for, within the budget of these studies."""
    return Asked(strategy, budget=BUDGET, per_round=PER_ROUND, name=name)


DATA = [
    Data("three_gaussians", label="three Gaussians, 3 sigma", anew=True, separation=3.0, n_samples=60),
    Data("iris_uci", label="iris"),
    Data("wine", standardized=True),
]
HARD = [Method(cls.__name__, cls) for cls in (COPKMeans, CKM, RCKM, BCKM)]
BY_ANSWERS = [Method("COBRAS", COBRAS)]
FUZZY = [Method(cls.__name__, cls) for cls in (CFCM, PCCA)]
FUZZY += [Method("CompetitiveMixture", CompetitiveMixture, n_init=1), Method("CMKIPCM", CMKIPCM)]
CREDAL = [Method("CECM", CECM)]
BY_LABELS = [Method(cls.__name__, cls) for cls in (SRPCM, SPFCM)]

RANDOM = asked(Random())
BY_DATA = [asked(strategy) for strategy in (ASCQueries(), FarthestFirst(), MinMax(), NPUQueries())]
BY_BELIEF = [*BY_DATA, asked(UncertaintyQueries())]
# Whom to ask what: solvers, random questions, and the strategies that suit their beliefs.
SHELF = [
    (HARD, RANDOM, BY_DATA),
    (BY_ANSWERS, RANDOM, [asked(COBRASQueries())]),
    (FUZZY, RANDOM, [*BY_BELIEF, asked(OverlapQueries())]),
    (CREDAL, RANDOM, [*BY_BELIEF, asked(PairMassQueries())]),
    (
        BY_LABELS,
        asked(_RandomLabels(), "Random"),
        [asked(TypicalityQueries(about), f"Typicality, {about}") for about in ("ambiguous", "untypical")],
    ),
]

STUDY = Study(
    name="strategies",
    title=f"The area under the curve of the adjusted Rand index over {BUDGET} questions",
    cells=[cell for methods, random, others in SHELF for cell in grid(DATA, methods, [random, *others])],
    trials=20,
    show=["ari_area", "ari", "ari_free"],
    comparisons=[
        Comparison("ari_area", (method.label, other.label), (method.label, random.label))
        for methods, random, others in SHELF
        for other in others
        for method in methods
    ],
)


def shelf_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The mean area under the curve, one row a data set and solver, one column a strategy.

    Beside each strategy's mean stands "+" where it is better than random questions and "-" where it is worse, by a
    paired t-test at 5 %; nothing where the draws don't tell.
    """
    areas = frame.dropna(subset="ari_area").pivot_table(
        index=["dataset", "method"], columns=["drawn_by", "trial"], values="ari_area", sort=False
    )
    strategies = list(dict.fromkeys(areas.columns.get_level_values(0)))

    def cell(row: pd.Series, strategy: str) -> str:
        pair = pd.concat([row[strategy], row["Random"]], axis=1, keys=["its", "random"]).dropna()
        if not len(pair):
            return ""
        its, random = pair.to_numpy().T
        told = strategy != "Random" and paired_p(its, random) < 0.05
        return f"{its.mean():.2f}{('+' if its.mean() > random.mean() else '-') if told else ''}"

    names = [dict(zip(("dataset", "method"), key)) for key in areas.index]
    rows = [name | {s: cell(row, s) for s in strategies} for name, (_, row) in zip(names, areas.iterrows())]
    return pd.DataFrame(rows)
