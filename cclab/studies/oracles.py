"""What questions about groups bring, which statements are wrong, and whether confidences can be believed."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

from cclab.algorithms import CFCM, PCKMeans
from cclab.core import ConstraintSet, Problem, State
from cclab.datasets import Dataset, load_dataset
from cclab.oracles import Calibration, Panel, Suspect, Truth, ask, calibration_error, meaning, reliability, suspects
from cclab.queries import ASCQueries, GroupQueries, TripletQueries, UncertaintyQueries
from cclab.queries.base import Query
from cclab.studies import Asked, Data, Knowledge, Method, Outcome, Study, grid
from cclab.studies.drawing import random_pairs
from cclab.studies.result_tables import markdown

#: Centres that are nearer to each other than this share of the data's spread coincide.
COINCIDE = 0.01


def told_apart(name: str) -> Dataset:
    """Data in so few principal components, half as many each time, that no two centres of `CFCM` coincide.

    In many features that all count alike the centres of fuzzy c-means end at the mean of the data, and there is nothing
    to ask. Classes are not looked at, only how many there are.
    """
    data = load_dataset(name)
    X, k = data.X, len(data.target_names)
    while X.shape[1] > 1 and _coincide(Problem(X, seed=0), k):
        X = PCA(X.shape[1] // 2, svd_solver="full").fit_transform(data.X)
    return Dataset(f"{name}, {X.shape[1]} components", X, target=data.target, target_names=data.target_names)


def _coincide(problem: Problem, n_clusters: int) -> bool:
    centers = CFCM(n_clusters, n_init=1).solve(problem).centers
    return bool(pdist(centers).min() < COINCIDE * problem.spread)


DATA = [
    Data("iris"),
    Data("wine", standardized=True),
    Data("wdbc", standardized=True),
    Data("digits"),
]
APART = Data(told_apart, label="digits, told apart", name="digits")
#: A row whose solver can't tell its clusters apart: shown, and not aimed at.
COLLAPSED = ("digits", "CFCM")
#: So many questions about groups are asked, and so many about pairs in place of each.
GROUPS, PAIRS_PER_GROUP = 10, 4
#: Seconds that a person takes for a question: an assumption, not a measurement.
SECONDS = {"pair": 3.0, "triplet": 3.0, "group": 8.0}
#: So many links, of which so many are wrong, and so many of them are asked again.
LINKS, WRONG, AGAIN = 100, 10, 10
#: And from so many starts: with one alone, chance says more than ten links do.
STARTS = 5
CHECKED = ", asked again"
ANSWERS = 1000


def _asked(strategy: Any, name: str) -> Asked:
    budget = GROUPS * (1 if strategy.kind == "group" else PAIRS_PER_GROUP)
    return Asked(strategy, budget, per_round=budget // GROUPS, name=name)


FUZZY = [_asked(UncertaintyQueries(), "pairs"), _asked(TripletQueries(), "triplets"), _asked(GroupQueries(), "groups")]
HARD = [_asked(ASCQueries(), "pairs"), _asked(TripletQueries(), "triplets"), _asked(GroupQueries(), "groups")]


@dataclass(frozen=True)
class WrongPairs(Knowledge):
    """Pairs drawn at random, of which a given number is stated wrongly."""

    count: int = LINKS
    wrong: int = WRONG

    @property
    def label(self) -> str:  # type: ignore[override]
        """The label in tables."""
        return f"{self.count} pairs, {self.wrong} wrong"

    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """Pairs drawn at random, and whether they belong together; of the first few the contrary."""
        pairs = random_pairs(data.n_samples, self.count, rng)
        same = data.target[pairs[:, 0]] == data.target[pairs[:, 1]]
        same[: self.wrong] ^= True
        return ConstraintSet(data.n_samples).with_must_link(pairs[same]).with_cannot_link(pairs[~same])


def asked_again(problem: Problem, data: Dataset) -> State:
    """The state after the first suspects were asked again, and the truth has answered."""
    doubtful, _ = checked(problem, data)
    return _checker(data).solve(problem.with_constraints(mended(problem.constraints, doubtful, data)))


def _checker(data: Dataset) -> PCKMeans:
    return PCKMeans(data.n_classes, n_init=STARTS)


def checked(problem: Problem, data: Dataset) -> tuple[list[Suspect], State]:
    """The first suspects, and the state in which they were found; worked out once for a trial."""

    def check() -> tuple[list[Suspect], State]:
        solver = _checker(data)
        state = solver.solve(problem)
        return suspects(SimpleNamespace(problem=problem, solver=solver, state=state), AGAIN), state

    return problem.derived("first suspects", check)


def mended(known: ConstraintSet, doubtful: list[Suspect], data: Dataset) -> ConstraintSet:
    """What is known, once the truth has answered what was asked again."""
    pairs = np.array([suspect.statement.samples for suspect in doubtful])
    gone = [id_ for suspect in doubtful if (id_ := suspect.statement.id) is not None]
    return Truth(data.target).link(known.without(gone), pairs)


def precision(outcome: Outcome) -> dict[str, float]:
    """The share of the first suspects that are wrong; and the index with these links as they are, and all right."""
    problem, data = outcome.problem, outcome.data
    if outcome.solver is not None:
        return {}
    known = problem.constraints
    wrong = set(known.satisfaction(data.target).violated_ids.tolist())
    pairs = np.stack([known.pairs.i, known.pairs.j], axis=1)
    clean = Truth(data.target).link(ConstraintSet(data.n_samples), pairs)
    first, believed = checked(problem, data)

    def agreement(state: State) -> float:
        return float(adjusted_rand_score(data.target, state.partition.labels()))

    share = float(np.mean([suspect.statement.id in wrong for suspect in first]))
    cleaned = _checker(data).solve(problem.with_constraints(clean))
    return {"precision": share, "clean": agreement(cleaned), "wrong": agreement(believed)}


def group_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The mean height of the curves, and after equal time of a person, by data set and solver."""
    rows = []
    for (data, method), part in frame.dropna(subset=["ari"]).groupby(["dataset", "method"], sort=False):
        curves = {
            kind: part[part["drawn_by"] == kind].groupby("count")["ari"].mean()
            for kind in ("pairs", "triplets", "groups")
        }
        if any(not len(curve) for curve in curves.values()):
            continue
        row: dict[str, Any] = {"data": data, "solver": method, "start": curves["groups"].iloc[0]}
        for kind, curve in curves.items():
            row[kind] = curve.iloc[1:].mean()
        row["groups - pairs"] = row["groups"] - row["pairs"]
        seconds = GROUPS * SECONDS["group"] / 2
        row[f"pairs, {seconds:.0f} s"] = float(
            np.interp(seconds / SECONDS["pair"], curves["pairs"].index, curves["pairs"])
        )
        row[f"groups, {seconds:.0f} s"] = float(
            np.interp(seconds / SECONDS["group"], curves["groups"].index, curves["groups"])
        )
        rows.append(row)
    return pd.DataFrame(rows)


def suspect_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Adjusted Rand index with clean links, with wrong ones, and after the first suspects were asked again."""
    rows = []
    for data, part in frame[frame["method"] == "PCKMeans" + CHECKED].groupby("dataset", sort=False):
        means = part[["clean", "wrong", "ari", "precision"]].mean()
        row = {"data": data, "clean": means["clean"], f"{WRONG} wrong": means["wrong"], "asked again": means["ari"]}
        rows.append(row | {"gap": means["clean"] - means["ari"], "precision": means["precision"]})
    table = pd.DataFrame(rows)
    if not len(table):
        return table
    last = {"data": "mean"} | table.drop(columns="data").mean().to_dict()
    return pd.concat([table, pd.DataFrame([last])], ignore_index=True)


def aims_table(frame: pd.DataFrame) -> pd.DataFrame:
    """What was aimed at, beside what was reached."""
    rows = []

    def add(aim: str, at_least: float, reached: float) -> None:
        rows.append({"aim": aim, "at least": at_least, "reached": reached, "": "" if reached >= at_least else "missed"})

    groups = group_table(frame)
    if len(groups):
        gains = groups["groups - pairs"]
        *_, pairs, in_time = groups.columns
        add("a group brings more than four pairs: mean gain in ARI", 0.0, gains.mean())
        collapsed = pd.MultiIndex.from_frame(groups[["data", "solver"]]).isin([COLLAPSED])
        add("the same in each row", 0.0, gains.min())
        add("the same in each row whose solver tells its clusters apart", 0.0, gains[~collapsed].min())
        add("the same after equal time: mean gain", 0.0, (groups[in_time] - groups[pairs]).mean())
    doubts = suspect_table(frame)
    if len(doubts):
        add("the first ten suspects: smallest precision", 0.6, doubts["precision"].min())
        add("asked again: mean ARI less that of clean links", -0.02, -doubts["gap"].iloc[-1])
    if rows:
        errors = calibration_table().set_index("oracle")["ECE"]
        add("expected calibration error: the larger of mended and panel", -0.05, -errors.iloc[1:].max())
    return pd.DataFrame(rows)


def simulated_answers(seed: int = 0) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Confidences, and whether the answers were right, of three oracles that answer 1,000 questions each.

    An oracle that boasts: it is right with probability p, and states one whose log-odds are 2.5 times as large. The
    same, mended by 100 other answers that were checked. A panel of five students, right in 60 to 85 of 100 answers.
    """
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.5, 0.98, ANSWERS + 100)
    stated = 1 / (1 + (p / (1 - p)) ** -2.5)
    right = rng.random(len(p)) < p
    mended = Calibration.of(stated[ANSWERS:], right[ANSWERS:])
    stated, right = stated[:ANSWERS], right[:ANSWERS]
    iris = load_dataset("iris")
    students = [
        Truth(iris.target, noise, np.random.default_rng([seed, m]))
        for m, noise in enumerate((0.15, 0.2, 0.25, 0.3, 0.4))
    ]
    drawn = rng.choice(150 * 149 // 2, ANSWERS, replace=False)
    i, j = (side[drawn] for side in np.triu_indices(150, 1))
    queries = [Query.pair(a, b, "", 0.0) for a, b in zip(i.tolist(), j.tolist())]
    answers = Panel(students).answers(queries)
    target = students[0].target
    true = np.where(target[i] == target[j], "same", "different")
    panel = np.array([answer.confidence for answer in answers]), np.array([a.verdict for a in answers]) == true
    return {"boasts": (stated, right), "boasts, mended": (mended(stated), right), "panel of five": panel}


def calibration_table() -> pd.DataFrame:
    """The expected calibration error of each of the simulated oracles."""
    rows = []
    for name, (confidence, right) in simulated_answers().items():
        table = reliability(confidence, right)
        worst = (table["confidence"] - table["right"]).abs().max()
        error = calibration_error(confidence, right)
        rows.append({"oracle": name, "answers": len(right), "right": right.mean(), "ECE": error, "worst bin": worst})
    return pd.DataFrame(rows)


def triplet_table(trials: int = 3) -> pd.DataFrame:
    """The mean height of the curve over 40 triplets, by the weights of the must-link and of the cannot-link."""
    rows = []
    for weights in ((1.0, 1.0), (0.5, 0.5), (0.25, 0.25), (0.5, 0.25), (0.25, 0.125)):
        row: dict[str, Any] = {"must": weights[0], "cannot": weights[1]}
        with mock.patch.object(meaning, "TRIPLET_WEIGHTS", weights):
            for solver in (PCKMeans, CFCM):
                for noise in (0.0, 0.1):
                    row[f"{solver.__name__}, {100 * noise:g} % wrong"] = np.mean(
                        [_curve_of_triplets(data, solver, noise, trial) for data in DATA[:3] for trial in range(trials)]
                    )
        row["mean"] = np.mean([value for name, value in row.items() if "wrong" in name])
        rows.append(row)
    return pd.DataFrame(rows)


def _curve_of_triplets(data: Data, solver: type, noise: float, trial: int) -> float:
    loaded = data.load()
    truth = Truth(loaded.target, noise, np.random.default_rng(trial))
    made = solver(n_clusters=loaded.n_classes, n_init=1)
    rounds = ask(made, Problem(loaded.X, seed=trial), TripletQueries(), truth, 40, per_round=8, data=loaded)
    return float(np.mean([adjusted_rand_score(loaded.target, r.state.partition.labels()) for r in rounds]))


#: How a confidence may become a weight; the first is the one that is used.
RULES = {"(2 c - 1)²": lambda c: (2 * c - 1) ** 2, "2 c - 1": lambda c: 2 * c - 1, "c": lambda c: c, "1": lambda c: 1.0}


def weight_table(trials: int = 10) -> pd.DataFrame:
    """Adjusted Rand index with 100 pairs of an oracle that errs near borders and admits it, by rule for weights."""
    rows = []
    for data in DATA[:3]:
        loaded = data.load()
        for solver in (PCKMeans, CFCM):
            row: dict[str, Any] = {"data": data.label, "solver": solver.__name__}
            for name, rule in RULES.items():
                row[name] = np.mean([_with_weights(loaded, solver, rule, trial) for trial in range(trials)])
            rows.append(row)
    table = pd.DataFrame(rows)
    means = table.drop(columns=["data", "solver"]).mean().to_dict()
    return pd.concat([table, pd.DataFrame([{"data": "mean", "solver": "", **means}])], ignore_index=True)


def _with_weights(data: Dataset, solver: type, rule: Any, trial: int) -> float:
    truth = Truth(data.target, 0.05, np.random.default_rng([1, trial]), border=0.6, admits=True)
    known = ConstraintSet(data.n_samples)
    for i, j in random_pairs(data.n_samples, LINKS, np.random.default_rng([0, trial])).tolist():
        answer = truth.answer(Query.pair(i, j, "", 0.0), data)
        weight = rule(answer.confidence)
        if weight > 0:
            add = known.with_must_link if answer.verdict == "same" else known.with_cannot_link
            known = add([[i, j]], weight=weight)
    state = solver(n_clusters=data.n_classes, n_init=1).solve(Problem(data.X, known, seed=trial))
    return float(adjusted_rand_score(data.target, state.partition.labels()))


class OraclesStudy(Study):
    """A study whose report begins with what it is about."""

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        tables = [aims_table(frame), group_table(frame), suspect_table(frame), calibration_table()]
        tables += [triplet_table(), weight_table()]
        parts = [markdown(table) for table in tables if len(table)]
        return "\n\n".join([*parts, super().report(frame)])


STUDY = OraclesStudy(
    name="oracles",
    title="Questions about groups, statements that are wrong, and confidences",
    cells=[
        *grid([*DATA, APART], Method("CFCM", CFCM, n_init=1), FUZZY),
        *grid(DATA, Method("PCKMeans", PCKMeans, n_init=1), HARD),
        *grid(DATA, Method("PCKMeans" + CHECKED, asked_again), WrongPairs()),
    ],
    trials=5,
    measures=[precision],
    show=["ari"],
)
