"""What a study is held against: figures that a paper has published, and one method against another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel

REACHED, NOT_REACHED, UNDECIDED = "reached", "not reached", "not decided"


@dataclass(frozen=True)
class Goal:
    """How far a value must go: at least ``factor * reference - margin``, or at most ``factor * reference + margin``."""

    factor: float = 1.0
    margin: float = 0.0
    at_most: bool = False

    def wanted(self, reference: float) -> float:
        """The value to reach, given that of the reference."""
        return self.factor * reference + (self.margin if self.at_most else -self.margin)

    def rule(self, reference: str) -> str:
        """The goal as a formula."""
        sign, by = ("<=", "+") if self.at_most else (">=", "-")
        factor = f"{self.factor:g} x " if self.factor != 1 else ""
        return f"{sign} {factor}{reference}" + (f" {by} {self.margin:g}" if self.margin else "")

    def verdict(self, value: float, reference: float) -> str:
        """Whether a value reaches its goal, in a word."""
        # A mean of trials that all hit the mark may fall short of it by rounding.
        wanted = self.wanted(reference)
        reached = value <= wanted + 1e-9 if self.at_most else value >= wanted - 1e-9
        return REACHED if reached else NOT_REACHED


@dataclass(frozen=True)
class Printed:
    """Figures that a paper publishes.

    Parameters
    ----------
    measure : str
        What they measure: "ari", "rand", "nmi", "accuracy", each also with "_free" (unconstrained samples) and "_area"
        (of learning curves), "satisfied", "seconds", or a name that one of the study's measures gives.
    values : mapping from (data, method, knowledge) to float
        By the labels of the cells. A mapping in place of the float fills the braces of the last label:
        ``("iris", "CECM", "{} pairs"): {20: 0.94, 50: 0.96}``.
    factor, margin : float
        A value is reached from ``factor * published - margin`` on.
    at_most : bool
        For errors: reached up to ``factor * published + margin``.
    statistic : {"mean", "median"}
        Of the trials.
    source : str
        Where they are published: "Table 5".
    judged : bool
        False for what no method is better or worse by, or not here: rounds, seconds on another machine. Such figures
        stand beside ours without a verdict.

    Examples
    --------
    >>> Printed("rand", {("iris", "CECM", "{} pairs"): {20: 0.94, 50: 0.96}}, margin=0.02).figures
    {('iris', 'CECM', '20 pairs'): 0.94, ('iris', 'CECM', '50 pairs'): 0.96}
    """

    measure: str
    values: Mapping[tuple[str, str, str], float | Mapping[Any, float]]
    factor: float = 1.0
    margin: float = 0.0
    at_most: bool = False
    statistic: str = "mean"
    source: str = ""
    judged: bool = True

    @property
    def goal(self) -> Goal:
        """What the paper's figure asks for."""
        return Goal(self.factor, self.margin, self.at_most)

    @property
    def column(self) -> str:
        """What the table calls the statistic."""
        return self.measure if self.statistic == "mean" else f"{self.measure} {self.statistic}"

    @property
    def rule(self) -> str:
        """What counts as reached, in words."""
        reached = f"{self.column} is reached when {self.goal.rule('published')}"
        said = reached if self.judged else f"published {self.column} beside ours, without a verdict"
        return f"{self.source or 'Published figures'}: {said}."

    @property
    def figures(self) -> dict[tuple[str, str, str], float]:
        """The published figures by data, method and knowledge."""
        flat: dict[tuple[str, str, str], float] = {}
        for (data, method, knowledge), value in self.values.items():
            several = value.items() if isinstance(value, Mapping) else [("", value)]
            flat |= {(data, method, knowledge.format(amount)): figure for amount, figure in several}
        return flat


@dataclass(frozen=True)
class Comparison:
    """One method against another, trial by trial on the same draws, on every data set that has both.

    Parameters
    ----------
    measure : str
    left, right : (method, knowledge)
        By their labels.
    factor, margin, at_most
        The claim: the mean of `left` is at least ``factor * (mean of right) - margin``, or at most ``... + margin``.
    needed : int, optional
        On how many data sets the claim must hold; default: on all.
    alpha : float
        A difference counts as won or lost when the paired t-test's p is below this, else as a tie.
    """

    measure: str
    left: tuple[str, str]
    right: tuple[str, str]
    factor: float = 1.0
    margin: float = 0.0
    at_most: bool = False
    needed: int | None = None
    alpha: float = 0.05

    @property
    def goal(self) -> Goal:
        """What the comparison asks for."""
        return Goal(self.factor, self.margin, self.at_most)

    @property
    def title(self) -> str:
        """The comparison in words."""
        return f"{self.measure}: {', '.join(self.left)} {self.goal.rule(', '.join(self.right))}"

    def table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """One row a data set: both means, the paired t-test, won / tie / lost, reached or not."""
        rows = []
        for data, part in frame.groupby("dataset", sort=False):
            sides = pd.concat([self._side(part, *self.left), self._side(part, *self.right)], axis=1).dropna()
            if len(sides):
                left, right = sides.to_numpy().T
                rows.append(
                    {
                        "dataset": data,
                        "trials": len(sides),
                        "left": left.mean(),
                        "right": right.mean(),
                        "p": paired_p(left, right),
                        "outcome": self._outcome(left, right),
                        "verdict": self.goal.verdict(left.mean(), right.mean()),
                    }
                )
        return pd.DataFrame(rows, columns=["dataset", "trials", "left", "right", "p", "outcome", "verdict"])

    def verdict(self, table: pd.DataFrame, sets: int) -> str:
        """Whether the claim holds on as many of its data sets as needed; not decided while those not run could tell."""
        held, needed = int((table["verdict"] == REACHED).sum()), self._wanted(sets)
        if held >= needed:
            return REACHED
        return UNDECIDED if held + sets - len(table) >= needed else NOT_REACHED

    def summary(self, table: pd.DataFrame, sets: int) -> str:
        """`table` in a sentence; `sets` says how many data sets have both sides, those not run among them."""
        n, held = len(table), int((table["verdict"] == REACHED).sum())
        run = f"{n} data sets" if n == sets else f"{n} data sets run, of {sets}"
        won, tied, lost = (int((table["outcome"] == outcome).sum()) for outcome in ("won", "tie", "lost"))
        return (
            f"{self.title}: {self.verdict(table, sets)}, on {held} of {run} "
            f"({self._wanted(sets)} wanted); {won} won, {tied} tied, {lost} lost "
            f"(paired t-test, p < {self.alpha:g})"
        )

    def _wanted(self, sets: int) -> int:
        return sets if self.needed is None else min(self.needed, sets)

    def _side(self, part: pd.DataFrame, method: str, knowledge: str) -> pd.Series:
        rows = part[(part["method"] == method) & (part["knowledge"] == knowledge)]
        return measured(rows.set_index("trial"), self.measure)

    def _outcome(self, left: np.ndarray, right: np.ndarray) -> str:
        if not paired_p(left, right) < self.alpha:
            return "tie"
        return "won" if (left.mean() > right.mean()) != self.at_most else "lost"


def measured(rows: pd.DataFrame, measure: str) -> pd.Series:
    """A measure of some trials, or an error that says which measures there are."""
    if len(rows) and measure not in rows:
        there = ", ".join(str(name) for name in rows.select_dtypes("number") if name not in ("count", "trial"))
        raise ValueError(f"there is no measure {measure!r}; there are {there}")
    return rows.get(measure, pd.Series(dtype=float))


def paired_p(left: np.ndarray, right: np.ndarray) -> float:
    """The two-sided p of the paired t-test; 1 where all pairs are equal, NaN for a single pair."""
    difference = left - right
    if len(difference) < 2:
        return float("nan")
    if np.ptp(difference) == 0:
        return 1.0 if difference[0] == 0 else 0.0
    return float(ttest_rel(left, right).pvalue)
