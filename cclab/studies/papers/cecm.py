"""Constrained evidential c-means, and those that its paper compares it with, on the data of the paper."""

from __future__ import annotations

from sklearn.metrics import rand_score

from cclab.algorithms import CECM, CFCM, ECM, FCM, MMC, COPKMeans
from cclab.algorithms.metric.learned_metric import metric_root
from cclab.core import Problem, State
from cclab.datasets import Dataset
from cclab.queries import PairMassQueries
from cclab.studies import Asked, Comparison, Data, Method, Outcome, Printed, RandomPairs, Study, grid

COUNTS = (20, 50, 100, 200)
PAIRS = [RandomPairs(count) for count in COUNTS]
IRIS, GLASS, LETTERS = (
    Data("iris_uci", label="iris"),
    Data("glass_two_class", label="glass"),
    Data("letters_ijl", label="letters"),
)
WINE = Data("wine", standardized=True)
TWO_CLASS = Data("two_class", anew=True)

# The paper's tables are of one start each.
EUCLIDEAN = Method("CECM-Eucl", CECM, n_init=1)
MAHALANOBIS = Method("CECM-Mah", CECM, metric="mahalanobis", n_init=1)
ECM_EUCLIDEAN = Method("ECM-Eucl", ECM, n_init=1)
ECM_MAHALANOBIS = Method("ECM-Mah", ECM, metric="mahalanobis", n_init=1)
FIVE_STARTS = Method("CECM-Mah, best of 5", CECM, metric="mahalanobis")
IN_FOUR = [
    Method(f"CECM-{name}, c = 4, {sets}", CECM, n_clusters=4, metric=metric, focal_sets=sets, n_init=1)
    for name, metric in (("Eucl", "euclidean"), ("Mah", "mahalanobis"))
    for sets in ("full", "pairs")
]
ACTIVE = Asked(PairMassQueries(), budget=40, warm=False, record_every=5)

#: What xi does, from 0 on by tenths, with 20, 50, 100 and 200 links. At 0 links do not count: those rows are ECM's.
TABLES_5_AND_6 = {
    ("iris", "Mah"): [
        (0.87, 0.93, 0.94, 0.94, 0.94, 0.94, 0.94, 0.94, 0.94, 0.94),
        (0.87, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96),
        (0.87, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.97),
        (0.87, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 0.98),
    ],
    ("wine", "Eucl"): [
        (0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95),
        (0.95, 0.95, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96, 0.96),
        (0.95, 0.96, 0.97, 0.97, 0.97, 0.98, 0.98, 0.98, 0.98, 0.98),
        (0.95, 0.97, 0.98, 0.98, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99),
    ],
    ("glass", "Mah"): [
        (0.85, 0.87, 0.86, 0.86, 0.87, 0.87, 0.87, 0.86, 0.86, 0.87),
        (0.85, 0.89, 0.89, 0.89, 0.90, 0.90, 0.90, 0.89, 0.89, 0.90),
        (0.85, 0.92, 0.92, 0.92, 0.93, 0.93, 0.94, 0.93, 0.93, 0.93),
        (0.85, 0.94, 0.96, 0.96, 0.96, 0.97, 0.97, 0.97, 0.97, 0.97),
    ],
}
#: The tenths of xi that have a study of their own; 5 is in the one before, and 0 is ECM.
TENTHS = (1, 2, 3, 4, 6, 7, 8, 9)

#: Seconds and steps with 100 links.
TABLE_7 = {
    "iris": {"CFCM-Eucl": 5.2, "CFCM-Mah": 6.28, "CECM-Eucl": 2.74, "CECM-Mah": 5.26},
    "wine": {"CFCM-Eucl": 6.47, "CFCM-Mah": 15.55, "CECM-Eucl": 4.36, "CECM-Mah": 9.75},
    "glass": {"CFCM-Eucl": 0.69, "CFCM-Mah": 0.99, "CECM-Eucl": 2.5, "CECM-Mah": 5.68},
    "letters": {"CFCM-Eucl": 79.4, "CFCM-Mah": 63.07, "CECM-Eucl": 82.11, "CECM-Mah": 37.46},
}
TABLE_8 = {
    "iris": {"CFCM-Eucl": 25.23, "CFCM-Mah": 28.34, "CECM-Eucl": 5, "CECM-Mah": 10.2},
    "wine": {"CFCM-Eucl": 26.1, "CFCM-Mah": 54.54, "CECM-Eucl": 5.4, "CECM-Mah": 12.95},
    "glass": {"CFCM-Eucl": 42.3, "CFCM-Mah": 48.76, "CECM-Eucl": 5.65, "CECM-Mah": 16},
    "letters": {"CFCM-Eucl": 212.41, "CFCM-Mah": 161.3, "CECM-Eucl": 64.1, "CECM-Mah": 29.85},
}
#: Of `IN_FOUR`, in its order.
TABLE_9 = {"seconds": (141.27, 70.14, 144.79, 76.03), "iterations": (27.85, 22, 21.95, 21.05)}


def right(outcome: Outcome) -> dict[str, float]:
    """Whether the partition is the right one but for a few samples between the classes."""
    return {"right": float(rand_score(outcome.data.target, outcome.labels) >= 0.95)}


def iterations(outcome: Outcome) -> dict[str, float]:
    """How many steps a run took."""
    assert outcome.state is not None
    return {"iterations": outcome.state.iteration}


def figures_by_xi(tenths: tuple[int, ...], label: str) -> dict[tuple[str, str, str], dict[int, float]]:
    """What Tables 5 and 6 have for some tenths of xi; `label` names the method, by its metric and xi."""
    return {
        (data, label.format(metric=metric, xi=tenth / 10), "{} pairs"): {
            count: row[tenth] for count, row in zip(COUNTS, rows)
        }
        for (data, metric), rows in TABLES_5_AND_6.items()
        for tenth in tenths
    }


def at_100_links(table: dict[str, dict[str, float]]) -> dict[tuple[str, str, str], float]:
    """A table's figures by cell."""
    return {(data, method, "100 pairs"): figure for data, row in table.items() for method, figure in row.items()}


EVIDENTIAL = Study(
    name="cecm",
    title="Constrained evidential c-means with random links and with queries",
    paper="V. Antoine, B. Quost, M.-H. Masson, T. Denoeux, CECM: constrained evidential c-means algorithm, 2012",
    cells=grid([IRIS, GLASS], ECM_MAHALANOBIS)
    + grid(WINE, ECM_EUCLIDEAN)
    + grid([IRIS, GLASS], MAHALANOBIS, PAIRS)
    + grid(WINE, EUCLIDEAN, PAIRS)
    + grid(LETTERS, ECM_MAHALANOBIS)
    + grid(LETTERS, [EUCLIDEAN, MAHALANOBIS], PAIRS)
    + grid(TWO_CLASS, FIVE_STARTS, RandomPairs(10))
    + grid(TWO_CLASS, IN_FOUR, RandomPairs(100))
    + grid(IRIS, MAHALANOBIS, ACTIVE),
    trials=100,
    measures=[right, iterations],
    show=["rand", "rand_free", "satisfied", "right", "iterations", "seconds"],
    printed=[
        Printed(
            "rand",
            figures_by_xi((5,), "CECM-{metric}")
            | {(data, f"ECM-{metric}", "nothing"): rows[0][0] for (data, metric), rows in TABLES_5_AND_6.items()},
            margin=0.02,
            source="Tables 5 and 6, xi = .5 and 0",
        ),
        Printed(
            "rand",
            {("iris", "CECM-Mah", "40 by PairMassQueries"): 1.0},
            statistic="median",
            source="Section 5.2.2",
        ),
        Printed(
            "rand",
            {("two_class", method.label, "100 pairs"): 0.99 for method in IN_FOUR},
            margin=0.02,
            source="Section 5.3",
        ),
        *(
            Printed(
                measure,
                {("two_class", method.label, "100 pairs"): figure for method, figure in zip(IN_FOUR, row)},
                source="Table 9, on another machine",
                judged=False,
            )
            for measure, row in TABLE_9.items()
        ),
        # Figure 5 shows that ten links do it, not how often.
        Printed("right", {("two_class", FIVE_STARTS.label, "10 pairs"): 0.95}, source="Figure 5"),
    ],
    comparisons=[
        Comparison("rand", (MAHALANOBIS.label, "20 pairs"), (ECM_MAHALANOBIS.label, "nothing")),
        Comparison("rand", (EUCLIDEAN.label, "50 pairs"), (ECM_EUCLIDEAN.label, "nothing")),
    ],
)


def by_xi(name: str, metric: str) -> list[Method]:
    """CECM with one metric, for each xi but the one that it has anyway."""
    return [Method(f"CECM-{name}, xi = {tenth / 10}", CECM, metric=metric, xi=tenth / 10, n_init=1) for tenth in TENTHS]


TRADE_OFF = Study(
    name="cecm-xi",
    title="How much links count in constrained evidential c-means (Tables 5 and 6)",
    paper=EVIDENTIAL.paper,
    cells=grid([IRIS, GLASS], by_xi("Mah", "mahalanobis"), PAIRS) + grid(WINE, by_xi("Eucl", "euclidean"), PAIRS),
    trials=100,
    show=["rand", "rand_free"],
    printed=[
        Printed(
            "rand",
            figures_by_xi(TENTHS, "CECM-{metric}, xi = {xi}"),
            margin=0.02,
            source="Tables 5 and 6",
        )
    ],
)


def metric_then_fcm(problem: Problem, data: Dataset) -> State:
    """DML-FCM: Xing's metric, then fuzzy c-means by it."""
    metric = MMC(data.n_classes, n_init=1, max_iter=1)
    seen = problem.X @ metric_root(metric.learned(problem).metric)
    return FCM(data.n_classes, n_init=5).solve(Problem(seen, seed=problem.seed))


FOUR = [IRIS, WINE, GLASS, LETTERS]
SIX = [
    EUCLIDEAN,
    MAHALANOBIS,
    Method("CFCM-Eucl", CFCM, n_init=1),
    Method("CFCM-Mah", CFCM, metric="mahalanobis", n_init=1),
    Method("COP", COPKMeans, n_init=1),
    Method("DML-FCM", metric_then_fcm),
]
# Figures 11 to 14 are curves without numbers: what can be held against them is what the paper says of their order.
RIVALS = Study(
    name="cecm-rivals",
    title="CECM, CFCM, COP-KMeans and a learned metric with random links (Figures 11 to 14, Tables 7 and 8)",
    paper=EVIDENTIAL.paper,
    cells=grid(FOUR, SIX, [RandomPairs(count) for count in (20, 100, 200)]),
    trials=100,
    measures=[iterations],
    show=["rand", "rand_free", "satisfied", "iterations", "seconds"],
    printed=[
        Printed("seconds", at_100_links(TABLE_7), source="Table 7, on another machine", judged=False),
        Printed("iterations", at_100_links(TABLE_8), source="Table 8", judged=False),
    ],
    comparisons=[
        # "In case of a small number of constraints, CECM always yields the best results."
        Comparison("rand", ("CECM-Mah", "20 pairs"), ("CFCM-Mah", "20 pairs"), needed=3),
        # "The RI is better for CFCM when the number of constraints is high" on Iris and Letters.
        Comparison("rand", ("CFCM-Mah", "200 pairs"), ("CECM-Mah", "200 pairs"), needed=2),
        # "On the Wine data set the two algorithms provide similar results" with the Euclidean distance.
        Comparison("rand", ("CECM-Eucl", "100 pairs"), ("CFCM-Eucl", "100 pairs"), margin=0.02, needed=1),
        # "The best results are obtained by CECM and CFCM."
        *(
            Comparison("rand", (ours, f"{count} pairs"), (other, f"{count} pairs"), needed=3)
            for ours in ("CECM-Mah", "CFCM-Mah")
            for other in ("COP", "DML-FCM")
            for count in (20, 100, 200)
        ),
    ],
)

STUDIES = [EVIDENTIAL, TRADE_OFF, RIVALS]
