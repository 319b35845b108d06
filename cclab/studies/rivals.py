"""Every solver that takes links, on the same data with the same links: who wins.

The solvers are those that are registered, at their defaults, so a new one takes part by itself; those of scikit-learn,
which hear of no links (or of must-links alone), show what links are worth. Data sets are standardised, and of a larger
one 200 samples are drawn, always the same; ten of the sixteen were named before anything was run on them
(`cclab.studies.unseen_data`). The number of clusters is given to all.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import pandas as pd

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.core.registry import solvers
from cclab.studies import Method, Study, grid
from cclab.studies.ranking import Ranking, difference_diagram
from cclab.studies.result_tables import markdown
from cclab.studies.rivals_setting import DATA, LEVELS, LIMIT, processor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Why a solver that takes links takes no part.
LEFT_OUT = {"COBRAS": "asks by itself: links that were drawn at random seldom answer its questions"}


def rivals() -> list[Method]:
    """All registered solvers that take links, and scikit-learn's own, as methods."""
    names = [n for n in solvers.names() if n.startswith("Plain") or solvers.get(n).uses & {"must", "cannot"}]
    return [Method(name, solvers.get(name)) for name in names if name not in LEFT_OUT]


#: What headings call the measures.
NAMES = {"ari": "All samples", "ari_free": "Free samples"}
WHAT_FAILED = (
    "A trial that failed, mostly since the links contradict each other, counts as 0, and so does one that took longer "
    f"than {LIMIT:g} seconds of processor time."
)


class RivalsStudy(Study):
    """A study whose report ranks its methods, for each amount of links, on all samples and on free ones."""

    def rankings(self, frame: pd.DataFrame) -> dict[tuple[str, str], Ranking]:
        """By knowledge and measure; those are left out for which too little has run."""
        found = {}
        for knowledge in dict.fromkeys(frame["knowledge"]):
            part = frame[frame["knowledge"] == knowledge]
            for measure in self.show:
                try:
                    found[knowledge, measure] = Ranking.of(part, measure)
                except ValueError:
                    continue
        return found

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        parts = [f"# {self.title}", self.some_rows(frame), WHAT_FAILED]
        failed = frame[frame["error"].notna()]
        for (knowledge, measure), ranking in self.rankings(frame).items():
            failures = failed[failed["knowledge"] == knowledge].groupby("method").size()
            table = markdown(ranking.table(failures), digits=2)
            parts += [f"## {NAMES[measure]}, {knowledge}", ranking.summary(), table]
        parts += ["## What it took", markdown(costs(frame))]
        return "\n\n".join(parts) + "\n"

    def some_rows(self, frame: pd.DataFrame, names: Collection[str] = ()) -> str:
        """What came of the methods that are named, or of all, in Markdown: a table, and what it is of."""
        rankings = self.rankings(frame)
        table = overview(rankings)
        sizes = sorted({ranking.scores.shape[1] for ranking in rankings.values()})
        data = " to ".join(map(str, sizes[:1] + sizes[1:][-1:]))
        caption = (
            f"Adjusted Rand index, mean over {data} data sets (trials of each cell: {self.extent(frame)}), and in "
            f"brackets the mean rank among {len(table)} solvers; *free*: on samples that no link is about."
        )
        return f"{caption}\n\n{markdown(table[table['solver'].isin(names)] if names else table, digits=1)}"

    def pictures(self, frame: pd.DataFrame) -> dict[str, Figure]:
        """A critical-difference picture for each ranking."""
        return {
            f"{measure} {knowledge}": difference_diagram(ranking, f"Mean rank: {NAMES[measure]}, {knowledge}")
            for (knowledge, measure), ranking in self.rankings(frame).items()
        }


def costs(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per method, the slowest first: processor seconds of those that ended, trials, failures, and too long."""
    failed = frame["error"].fillna("")
    told = frame.assign(failed=failed != "", long=failed.str.startswith("TooLong"))
    by = told.groupby("method", sort=False)
    table = by.agg(
        seconds=("processor", "mean"), trials=("failed", "size"), failed=("failed", "sum"), long=("long", "sum")
    )
    table = table.rename(columns={"long": "too long"}).sort_values(["too long", "seconds"], ascending=False)
    return table.reset_index()


def overview(rankings: dict[tuple[str, str], Ranking]) -> pd.DataFrame:
    """One row per method, the best first: its mean score and, in brackets, mean rank for each amount of links."""
    columns = {
        knowledge.removeprefix("level ") + (", free" if measure == "ari_free" else ""): ranking.scores.mean(axis=1).map(
            "{:.2f}".format
        )
        + ranking.ranks.map(" ({:.1f})".format)
        for (knowledge, measure), ranking in rankings.items()
    }
    ranks = pd.DataFrame({key: ranking.ranks for key, ranking in rankings.items()}).mean(axis=1)
    table = pd.DataFrame({"mean rank": ranks} | columns).sort_values("mean rank", kind="stable")
    return table.rename_axis("solver").reset_index()


STUDY = RivalsStudy(
    name="rivals",
    title="Every solver that takes links, by adjusted Rand index",
    cells=grid(DATA, rivals(), LEVELS),
    trials=5,
    measures=[processor],
    show=["ari", "ari_free"],
    limit=LIMIT,
)
