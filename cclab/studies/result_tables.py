"""Results as tables for a person."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cclab.studies.claims import NOT_REACHED, Printed, measured
from cclab.studies.declaration import Cell

CELL = ["dataset", "method", "knowledge"]
Key = tuple[str, str, str]


def results_table(
    frame: pd.DataFrame,
    cells: Sequence[Cell],
    show: Sequence[str],
    printed: Sequence[Printed] = (),
    points: Collection[Key] = (),
) -> pd.DataFrame:
    """One row for each cell; of a learning curve its end, and those of its `points` that are asked for.

    Columns: ``dataset, method, knowledge, trials``; for each measure its mean and ``± ...`` (the standard deviation
    over trials); for published figures ``... published``, for those that are judged also ``... wanted`` and
    ``... verdict``; where trials failed, ``failed`` (how many) and ``error`` (the first, in words).
    """
    groups = dict(list(frame[frame["error"].isna()].groupby(CELL, sort=False)))
    failures = dict(list(frame[frame["error"].notna()].groupby(CELL, sort=False)["error"]))
    rows = []
    for cell in cells:
        errors = failures.get(cell.key, pd.Series(dtype=object))
        for key in cell.keys:
            if key == cell.key or key in points:
                good = groups.get(key, frame.iloc[:0])
                row = {**dict(zip(CELL, key)), "trials": len(good), **_statistics(good, show)}
                for figures in printed:
                    row |= _beside(figures, key, good)
                rows.append(row | ({"failed": len(errors), "error": errors.iloc[0]} if len(errors) else {}))
    table = pd.DataFrame(rows)
    last = [name for name in ("failed", "error") if name in table]
    if last:
        table["failed"] = table["failed"].fillna(0).astype(int)
    return table[[name for name in table.columns if name not in last] + last]


def _statistics(good: pd.DataFrame, show: Sequence[str]) -> dict[str, float]:
    row: dict[str, float] = {}
    for measure in show:
        values = measured(good, measure)
        row |= {measure: values.mean(), f"± {measure}": values.std()}
    return row


def _beside(printed: Printed, key: Key, good: pd.DataFrame) -> dict[str, Any]:
    """What stands beside a published figure; nothing where there is none."""
    figure = printed.figures.get(key)
    if figure is None:
        return {}
    values = measured(good, printed.measure).dropna()
    value = float(getattr(values, printed.statistic)())
    column = printed.column
    beside = {column: value, f"{column} published": figure}
    if not printed.judged:
        return beside
    return beside | {
        f"{column} wanted": printed.goal.wanted(figure),
        f"{column} verdict": printed.goal.verdict(value, figure) if len(values) else NOT_REACHED,
    }


def curves(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Learning curves: means of a measure, one row each, by the number of questions asked or statements drawn."""
    by = ["dataset", "method", "drawn_by"]
    if measure not in frame:  # every trial failed
        return pd.DataFrame(columns=by)
    means = frame.dropna(subset="count").astype({"count": int}).groupby([*by, "count"], sort=False)[measure].mean()
    several = means.groupby(by, sort=False).transform("size") > 1
    return means[several].unstack().sort_index(axis=1).reset_index()


def thinned(learning: pd.DataFrame, points: int = 9) -> pd.DataFrame:
    """Some evenly spread points of learning curves, the first and the last among them."""
    names, counts = list(learning.columns[:3]), learning.columns[3:]
    chosen = np.unique(np.linspace(0, len(counts) - 1, min(points, len(counts))).round().astype(int))
    return learning[[*names, *counts[chosen]]]


def markdown(table: pd.DataFrame, digits: int = 3) -> str:
    """A table in Markdown, each mean with its deviation in one column.

    Examples
    --------
    >>> print(markdown(pd.DataFrame({"dataset": ["iris"], "ari": [0.75], "± ari": [0.0125], "trials": [3]})))
    | dataset | ari           | trials |
    |---------|---------------|--------|
    | iris    | 0.750 ± 0.013 | 3      |
    """

    def text(value: Any) -> str:
        if value is None or value != value:
            return ""
        return f"{value:.{digits}f}" if isinstance(value, float) else str(value).replace("|", "\\|").replace("\n", " ")

    table = table.rename(columns=str)
    names = [name for name in table.columns if not name.startswith("± ")]
    lines = [names]
    for row in table.to_dict("records"):
        spread = {name: text(row.get(f"± {name}")) for name in names}
        lines.append([text(row[name]) + (f" ± {spread[name]}" if spread[name] else "") for name in names])
    widths = [max(len(line[column]) for line in lines) for column in range(len(names))]
    shown = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    return "\n".join([shown[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *shown[1:]])
