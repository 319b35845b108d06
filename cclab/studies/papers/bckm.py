"""Boosted constrained k-means, and those that its paper compares it with, on the twelve data sets of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from cclab.algorithms import BCKM, CKM, ITML, PCP, RCKM, SPCL, BoostCluster, COPKMeans, KernelBoost
from cclab.studies import Cell, Comparison, Data, Method, Outcome, Printed, RandomPairs, Study, grid
from cclab.studies.papers.bckm_tables import TABLE_2, TABLE_3, TABLE_4, Table

PAIRS = [RandomPairs(share=share) for share in (0.01, 0.05, 0.10)]
VECTORS = [
    Data("iris_uci", label="iris"),
    *(Data(name) for name in ("ecoli", "wdbc", "sonar", "glass", "libras", "tr11", "tr12", "tr23")),
]
SHAPES = [Data(name) for name in ("flame", "pathbased", "spiral")]


def methods(kernel: str) -> list[Method]:
    """Boosting, bagging, and a single run, in the space of a kernel; COP-KMeans always on the samples themselves."""
    return [
        Method("BCKM", BCKM, kernel=kernel),
        Method("RCKM", RCKM, kernel=kernel),
        Method("CKM", CKM, kernel=kernel),
        Method("COP-KMeans", COPKMeans),
    ]


def rounds(outcome: Outcome) -> dict[str, float]:
    """How many rounds an ensemble made before it stopped (sweeps, for the others)."""
    assert outcome.state is not None
    return {"rounds": outcome.state.iteration}


def free_share(outcome: Outcome) -> dict[str, float]:
    """On how many of the samples the scores of unconstrained samples rest."""
    return {"free": 1 - outcome.problem.constraints.constrained.mean()}


def rival_cells() -> list[Cell]:
    """Each rival where the paper has a figure for it, with the paper's affinities and, for PCP, our own."""
    by_name = {
        "KBST": [Method("KBST", KernelBoost, n_rounds=100)],
        "BSTC": [Method("BSTC", BoostCluster, n_rounds=100)],
        "ITML": [Method("ITML", ITML)],
        "PCP": [Method("PCP, linear", PCP, kernel="linear"), Method("PCP", PCP)],
        "SPCL": [Method("SPCL", SPCL)],
    }
    return [
        cell
        for data in [*VECTORS, *SHAPES]
        for name, found in by_name.items()
        if data.label in TABLE_2[name]
        for method in found
        if method.label != "PCP, linear" or data in VECTORS  # shapes have the kernel with local scaling in the paper
        for cell in grid(data, method, PAIRS)
    ]


def beside(table: Table, cells: Sequence[Cell]) -> dict[tuple[str, str, str], dict[int, float]]:
    """What a table has for some cells; both kernels of PCP stand beside the one that is published."""
    found = {}
    for cell in cells:
        row = table.get(cell.method.label.removesuffix(", linear"), {}).get(cell.data.label)
        if row is not None:
            found[cell.data.label, cell.method.label, "{} % pairs"] = dict(zip((1, 5, 10), row))
    return found


def published(cells: Sequence[Cell]) -> list[Printed]:
    """The figures of the paper's tables for some cells."""
    return [
        Printed(
            "nmi",
            beside(TABLE_2, cells),
            factor=0.97,
            source="Table 2 (ten starts for each of ten sets of links; here links of its own in every trial)",
        ),
        Printed("seconds", beside(TABLE_3, cells), source="Table 3, on another machine", judged=False),
    ]


OWN_CELLS = grid(VECTORS, methods("linear"), PAIRS) + grid(SHAPES, methods("local-scaling"), PAIRS)
BOOSTED = Study(
    name="bckm",
    title="Boosted constrained k-means beside bagging, a single run, and COP-KMeans with closure",
    paper="M. Okabe, S. Yamada, Clustering using boosted constrained k-means algorithm, 2018",
    cells=OWN_CELLS,
    measures=[rounds, free_share],
    show=["nmi", "nmi_free", "free", "satisfied", "rounds", "seconds"],
    printed=[
        *published(OWN_CELLS),
        Printed("rounds", beside(TABLE_4, OWN_CELLS), source="Table 4", judged=False),
    ],
    comparisons=[
        Comparison("nmi", ("BCKM", pairs.label), (other, pairs.label))
        for other in ("RCKM", "CKM", "COP-KMeans")
        for pairs in PAIRS
    ],
)

RIVALS = Study(
    name="bckm-rivals",
    title="KernelBoost, BoostCluster, ITML, PCP and SPCL beside the figures of Table 2",
    paper=BOOSTED.paper,
    cells=rival_cells(),
    show=["nmi", "nmi_free", "satisfied", "seconds"],
    printed=published(rival_cells()),
)

STUDIES = [BOOSTED, RIVALS]
