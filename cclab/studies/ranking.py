"""Which method is ahead over many data sets: mean ranks, Friedman's test, and Nemenyi's critical difference [1]_.

References
----------
.. [1] J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research
   7, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata, studentized_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Ranking:
    """Methods by their mean rank over data sets; 1 is the best.

    Attributes
    ----------
    scores : DataFrame
        Mean score of the trials, one row per method, the best first, one column per data set. A trial that failed
        counts as 0.
    ranks : Series
        The mean rank of each method, in the same order.
    p : float
        Of Friedman's test: how likely such ranks are if no method were better than another.
    difference : float
        Nemenyi's critical difference: mean ranks that are nearer than this are not told apart.
    """

    scores: pd.DataFrame = field(repr=False)
    ranks: pd.Series = field(repr=False)
    p: float
    difference: float

    @classmethod
    def of(cls, frame: pd.DataFrame, measure: str, alpha: float = 0.05) -> Ranking:
        """The ranking of all methods of a frame of trials by a measure.

        Data sets on which the measure says nothing (no sample is free, say) are left out.
        """
        told = frame.assign(**{measure: frame[measure].where(frame["error"].isna(), 0.0)})
        scores = told.pivot_table(index="method", columns="dataset", values=measure, aggfunc="mean", sort=False)
        scores = scores.dropna(axis="columns")
        if scores.shape[0] < 2 or not scores.shape[1]:
            raise ValueError(f"a ranking by {measure} takes two methods that have run on the same data sets")
        ranks = pd.Series(rankdata(-scores.to_numpy(), axis=0).mean(axis=1), index=scores.index)
        order = ranks.sort_values(kind="stable").index
        return cls(
            scores.loc[order], ranks.loc[order], _friedman(scores), critical_difference(*scores.shape, alpha=alpha)
        )

    def table(self, failures: pd.Series | None = None) -> pd.DataFrame:
        """One row per method: mean rank, mean score, the score on each data set, and how many trials failed."""
        table = self.scores.copy()
        table.insert(0, "mean", self.scores.mean(axis=1))
        table.insert(0, "rank", self.ranks)
        if failures is not None and failures.any():
            table["failed"] = failures.reindex(table.index).fillna(0).astype(int)
        return table.reset_index()

    def summary(self) -> str:
        """The test in a sentence."""
        near = [name for name in self.ranks.index[1:] if self.ranks[name] - self.ranks.iloc[0] < self.difference]
        return (
            f"Friedman's test over {self.scores.shape[1]} data sets: p = {self.p:.2g}. Mean ranks nearer than "
            f"{self.difference:.2f} are not told apart (Nemenyi, 5 %): from {self.ranks.index[0]}, the first, "
            f"{len(near)} of {len(self.ranks) - 1} others."
        )


def critical_difference(n_methods: int, n_data: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_data)))


def _friedman(scores: pd.DataFrame) -> float:
    if scores.shape[0] < 3 or scores.shape[1] < 2:
        return float("nan")
    return float(friedmanchisquare(*scores.to_numpy()).pvalue)


def not_told_apart(ranks: pd.Series, difference: float) -> list[tuple[int, int]]:
    """The longest runs of methods, as first and last place, whose mean ranks are all nearer than the difference.

    Examples
    --------
    >>> not_told_apart(pd.Series([1.0, 1.5, 2.2, 5.0, 5.5]), 1.0)
    [(0, 1), (1, 2), (3, 4)]
    """
    values = ranks.to_numpy()
    runs: list[tuple[int, int]] = []
    for first in range(len(values)):
        last = int(np.searchsorted(values, values[first] + difference, side="left")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def difference_diagram(ranking: Ranking, title: str = "") -> Figure:
    """The critical-difference picture: methods along an axis of mean ranks, joined where they are not told apart."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:  # pragma: no cover
        raise ImportError('pictures of studies take matplotlib: pip install "cclab[study]"') from error

    ranks, k = ranking.ranks, len(ranking.ranks)
    runs = not_told_apart(ranks, ranking.difference)
    left = (k + 1) // 2
    height = 0.9 + 0.17 * len(runs) + 0.21 * left
    figure = Figure(figsize=(7.6, height), layout="constrained")
    axes: Any = figure.add_subplot()
    low, high = 1, k
    names_from = 0.6 + 0.45 * len(runs)
    axes.set(xlim=(low - 0.32 * k, high + 0.32 * k), ylim=(names_from + 0.62 * left + 0.3, -1.6))
    axes.axis("off")
    axes.plot([low, high], [0, 0], color="black", linewidth=1)
    for tick in np.unique(np.linspace(low, high, min(k, 9)).round().astype(int)):
        axes.plot([tick, tick], [0, -0.15], color="black", linewidth=1)
        axes.text(tick, -0.25, str(tick), ha="center", va="bottom", fontsize=8)
    axes.plot([low, min(low + ranking.difference, high)], [-0.95, -0.95], color="#0072b2", linewidth=2)
    axes.text(low, -1.05, f"critical difference {ranking.difference:.1f}", va="bottom", fontsize=7, color="#0072b2")
    for row, (first, last) in enumerate(runs):
        y = 0.4 + 0.45 * row
        axes.plot([ranks.iloc[first] - 0.08, ranks.iloc[last] + 0.08], [y, y], color="#8a8f98", linewidth=3)
    for place, (name, rank) in enumerate(ranks.items()):
        on_left = place < left
        y = names_from + 0.62 * (place if on_left else k - 1 - place) + 0.3
        end = low - 0.03 * k if on_left else high + 0.03 * k
        axes.plot([rank, rank, end], [0, y, y], color="#444", linewidth=0.7)
        said = f"{name}  {rank:.1f}" if on_left else f"{rank:.1f}  {name}"
        axes.text(end, y, said, ha="right" if on_left else "left", va="center", fontsize=8)
    axes.set_title(title, fontsize=9)
    return figure
