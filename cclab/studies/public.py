"""Every solver that takes links, on links that others have published: results that can be compared to the digit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pandas as pd

from cclab.core.registry import solvers
from cclab.core.warning import warn_caller
from cclab.studies import Cell, Data, Method, Study
from cclab.studies.public_collections import Collection, own_collections, pccc_2, pccc_3
from cclab.studies.result_tables import markdown

#: Solvers that compare all samples with each other take no more than so many.
MOST_FOR_ALL_PAIRS = 1000
ALL_PAIRS = ("CMKIPCM", "CSP", "FOSC", "PCP", "SPCL")

#: Mean adjusted Rand index over all sets of a collection, by level, as published; a time-out counts as 0 there.
PUBLISHED: dict[str, dict[str, dict[str, float]]] = {
    "PCCC 3": {
        "PCCC-N2-S-RD": {"5 %": 0.706, "10 %": 0.765, "15 %": 0.824, "20 %": 0.865},
        "PCCC": {"5 %": 0.666, "10 %": 0.737, "15 %": 0.792, "20 %": 0.844},
        "LCC": {"5 %": 0.592, "10 %": 0.474, "15 %": 0.403, "20 %": 0.409},
        "COP-KMeans": {"5 %": 0.476, "10 %": 0.354, "15 %": 0.461, "20 %": 0.472},
    }
}
COLLECTIONS = (pccc_2(), pccc_3(), *own_collections())


def methods() -> tuple[Method, ...]:
    """Each solver that takes must-links and cannot-links."""
    classes = (solvers.get(name) for name in solvers.names())
    return tuple(Method(cls.__name__, cls) for cls in classes if {"must", "cannot"} <= cls.uses)


def cells() -> Iterator[Cell]:
    """All of them, but for what would take too long."""
    for collection in COLLECTIONS:
        for data, levels in collection.parts:
            for method in methods():
                if method.label not in ALL_PAIRS or _small(data):
                    yield from (Cell(data, method, level) for level in levels)


def _small(data: Data) -> bool:
    if "path" not in data.options:
        return data.options["n"] <= MOST_FOR_ALL_PAIRS
    with data.options["path"].open("rb") as file:
        return sum(1 for _ in islice(file, MOST_FOR_ALL_PAIRS + 2)) <= MOST_FOR_ALL_PAIRS + 1  # below a header


def means(frame: pd.DataFrame, collection: Collection) -> pd.DataFrame:
    """One row for each level and method: means over the sets of a collection, failures as 0, beside what is published.

    Columns: ``level, method, sets`` (how many were run), ``ari, ari_free`` (of samples that no link touches, over the
    sets that have any), ``satisfied``, ``seconds``, ``failed``.
    """
    sets = [data.label for data, _ in collection.parts]
    mine = frame[frame["dataset"].isin(sets)]
    published = PUBLISHED.get(collection.name, {})
    rows = []
    for level, at_level in mine.groupby("knowledge", sort=False):
        has_free = at_level["ari_free"].notna().groupby(at_level["dataset"]).transform("any")
        for method, runs in at_level.groupby("method", sort=False):
            row = {"level": level, "method": method, "sets": runs["dataset"].nunique()}
            good = runs["error"].isna()
            row |= {"ari": runs["ari"].where(good, 0.0).mean()}
            row |= {"ari_free": runs["ari_free"].where(good | ~has_free[runs.index], 0.0).mean()}
            row |= {name: runs[name].mean() for name in ("satisfied", "seconds")} | {"failed": int((~good).sum())}
            rows.append(row)
        rows += [
            {"level": level, "method": f"published: {name}", "sets": len(sets), "ari": figures[str(level)]}
            for name, figures in published.items()
            if str(level) in figures
        ]
    return pd.DataFrame(rows)


class PublicStudy(Study):
    """A study whose report begins with means over each collection, beside those that were published."""

    def run(self, *args: Any, **options: Any) -> pd.DataFrame:
        """As `Study.run`; files of one's own that take no part are named."""
        for words in filter(None, (collection.left_out for collection in COLLECTIONS)):
            warn_caller(words)
        return super().run(*args, **options)

    def report(self, frame: pd.DataFrame) -> str:
        """All of it in Markdown."""
        parts = []
        for collection in COLLECTIONS:
            table = means(frame, collection)
            if len(table):
                parts += [f"## {collection.name}: means over all sets", markdown(table)]
        return "\n\n".join([*parts, super().report(frame)])


STUDY = PublicStudy(
    name="public",
    title="Links that others have published: every solver that takes links",
    paper="P. Baumann, D. S. Hochbaum, PCCC, 2024; and collections of one's own",
    cells=list(cells()),
    trials=1,
    show=["ari", "ari_free", "satisfied", "seconds"],
)
