"""Solvers that take links, on ten real data sets that nothing was tuned to, with right links and with wrong ones."""

from __future__ import annotations

from typing import Any

import pandas as pd

from cclab.algorithms import CFCM, ITML, MMC, LinkedMixture, PCKMeans, XiangMetric
from cclab.core import ConstraintSet, Problem, Solver, State
from cclab.core.registry import solvers
from cclab.datasets import Dataset
from cclab.reach import try_all
from cclab.studies import Data, Method, RandomPairs, Study, grid
from cclab.studies.result_tables import markdown
from cclab.studies.unseen_data import UNSEEN

DATA = [Data(make, standardized=True) for make in UNSEEN]
FIFTY, HUNDRED = RandomPairs(50), RandomPairs(100)
WRONG = RandomPairs(100, noise=0.1)
OURS, WITHOUT, TRIED = "LinkedMixture", "LinkedMixture, no links", "Try all"
#: Where defaults are not what one would choose on data like these.
BETTER: dict[str, dict[str, Any]] = {"COPKMeans": {"n_init": 10}, "CECM": {"metric": "mahalanobis"}}


def without_links(problem: Problem, data: Dataset) -> State:
    """The same model, which is told nothing."""
    told = problem.with_constraints(ConstraintSet(problem.n_samples))
    return LinkedMixture(data.n_classes).solve(told)


def candidates(n_clusters: int) -> list[Solver]:
    """Those that "Try all" has here to choose from: quick ones, one of each kind."""
    return [cls(n_clusters) for cls in (LinkedMixture, PCKMeans, CFCM, ITML, MMC, XiangMetric)]


def best_of_all(problem: Problem, data: Dataset) -> State:
    """The state of the solver that keeps most of the links that were held back."""
    k = data.n_classes or 1
    *_, last = try_all(problem, k, among=candidates(k))
    return last.ranking[0].solver.solve(problem)


def methods() -> list[Method]:
    """Each solver that takes both kinds of links and no matrix of all pairs."""
    classes = [solvers.get(name) for name in solvers.names()]
    links = [cls for cls in classes if {"must", "cannot"} <= cls.uses and cls.__name__ != "CMKIPCM"]
    return [Method(cls.__name__, cls, **BETTER.get(cls.__name__, {})) for cls in links]


#: The columns of `means`.
MEANS = ["knowledge", "method", "sets", "runs", "ari", "lead in ari", "ari_free", "lead in ari_free", "failed"]


def means(frame: pd.DataFrame) -> pd.DataFrame:
    """By knowledge and method: means over all sets, each counting alike, and the lead of `OURS` in the same runs."""
    keys = ["dataset", "knowledge", "trial"]
    ours = frame[frame["method"] == OURS].set_index(keys)
    rows = []
    for (knowledge, method), part in frame.groupby(["knowledge", "method"], sort=False):
        both = part.set_index(keys).join(ours[["ari", "ari_free"]].add_suffix(" ours"), how="inner")
        if not len(both):
            continue
        row = {"knowledge": knowledge, "method": method, "sets": part["dataset"].nunique(), "runs": len(both)}
        for score in ("ari", "ari_free"):
            row[score] = both[score].fillna(0.0).groupby("dataset").mean().mean()
            lead = (both[f"{score} ours"] - both[score].fillna(0.0)).groupby("dataset").mean()
            row[f"lead in {score}"] = lead.mean()
        rows.append(row | {"failed": int(part["error"].notna().sum())})
    return pd.DataFrame(rows, columns=MEANS)


def regrets(frame: pd.DataFrame) -> pd.DataFrame:
    """How far "Try all" is behind the solver that is best in hindsight: on each set over all runs, and in each run."""
    keys = ["dataset", "knowledge", "trial"]
    among = {type(solver).__name__ for solver in candidates(2)}
    tried = frame[frame["method"] == TRIED].set_index(keys)["ari"]
    table = frame[frame["method"].isin(among)].pivot_table(index=keys, columns="method", values="ari")
    table = table.loc[table.index.isin(tried.index)]
    if not len(table):
        return pd.DataFrame()
    by_set = table.groupby(["knowledge", "dataset"]).mean().max(axis=1) - tried.groupby(["knowledge", "dataset"]).mean()
    by_run = (table.max(axis=1) - tried.reindex(table.index)).groupby("knowledge").mean()
    columns = {"behind the best of each set": by_set.groupby("knowledge").mean(), "behind the best of each run": by_run}
    columns["best solver throughout"] = (
        table.groupby("knowledge").mean().max(axis=1) - tried.groupby("knowledge").mean()
    )
    return pd.DataFrame(columns).reset_index()


def against_goals(frame: pd.DataFrame) -> pd.DataFrame:
    """What was aimed at, and what came out: leads of `OURS` in the same runs, what wrong links cost, `regrets`."""
    table, rows = means(frame), []

    def add(what: str, figure: float, aim: str, reached: bool) -> None:
        rows.append({"what": what, "figure": figure, "aim": aim, "reached": "yes" if reached else "no"})

    for knowledge in (FIFTY.label, HUNDRED.label):
        others = table[(table["knowledge"] == knowledge) & ~table["method"].isin([OURS, TRIED])]
        for score, samples in (("ari", "all"), ("ari_free", "free")):
            for part in (others[others["method"] != WITHOUT], others[others["method"] == WITHOUT]):
                if not len(part):
                    continue
                closest = part.iloc[int(part[f"lead in {score}"].argmin())]
                lead = float(closest[f"lead in {score}"])
                what = f"ahead of {closest['method']}, {samples} samples, {knowledge}"
                add(what, lead, "0, better .05", lead >= 0)
    mine = frame[frame["method"] == OURS].set_index(["dataset", "trial"])
    right, wrong = (mine[mine["knowledge"] == kind.label] for kind in (HUNDRED, WRONG))
    for score, samples in (("ari", "all"), ("ari_free", "free")):
        loss = (right[score] - wrong[score]).groupby("dataset").mean().mean()
        if loss == loss:
            add(f"lost by wrong links, {samples} samples, {WRONG.label}", loss, "at most .05", loss <= 0.05)
    for _, row in regrets(frame).iterrows():
        behind = float(row["behind the best of each set"])
        add(f"Try all behind the best of each set, {row['knowledge']}", behind, "at most .03", behind <= 0.03)
    return pd.DataFrame(rows)


class UnseenStudy(Study):
    """A study whose report begins with what was aimed at, and with means over all sets."""

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        parts = []
        tables = {
            "What was aimed at": against_goals,
            "Means over all sets": means,
            "How far Try all is behind": regrets,
        }
        for title, made in tables.items():
            table = made(frame)
            parts += [f"## {title}", markdown(table)] if len(table) else []
        return "\n\n".join([*parts, super().report(frame)])


STUDY = UnseenStudy(
    name="unseen",
    title="Ten data sets that nothing was tuned to: solvers that take links, right ones and wrong ones",
    cells=[
        *grid(DATA, [*methods(), Method(WITHOUT, without_links)], [FIFTY, HUNDRED]),
        *grid(DATA, Method(OURS, LinkedMixture), WRONG),
        *grid(DATA, Method(TRIED, best_of_all), HUNDRED),
    ],
    trials=10,
    show=["ari", "ari_free", "satisfied"],
)
