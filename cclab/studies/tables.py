"""Results as a table for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from cclab.studies.claims import NOT_REACHED, Printed
from cclab.studies.declaration import Cell
from cclab.studies.knowledge import Asked

CELL = ["dataset", "method", "knowledge"]


def results_table(
    frame: pd.DataFrame, cells: Sequence[Cell], show: Sequence[str], printed: Sequence[Printed], named: set
) -> pd.DataFrame:
    """One row for each cell, and for each point of a learning curve that is `named` somewhere.

    Columns: ``dataset, method, knowledge, trials, failed``; for each measure its mean and ``± ...`` (the standard
    deviation over trials); for printed figures ``... printed``, ``... wanted`` and ``... verdict``; ``error``.
    """
    groups = dict(list(frame.groupby(CELL, sort=False)))
    empty = frame.iloc[:0]
    rows = []
    for cell in cells:
        failures = frame[(frame[CELL] == cell.key).all(axis=1) & frame["error"].notna()]
        for key in _keys(cell, groups, named):
            good = groups.get(key, empty)
            good = good[good["error"].isna()]
            row: dict[str, Any] = dict(zip(CELL, key))
            row |= {"trials": len(good), "failed": len(failures)}
            for measure in show:
                values = good[measure] if measure in good else pd.Series(dtype=float)
                row |= {measure: values.mean(), f"± {measure}": values.std()}
            for table in printed:
                row |= _beside(table, key, good)
            rows.append(row | {"error": failures["error"].iloc[0] if len(failures) else None})
    table = pd.DataFrame(rows)
    table["error"] = table.pop("error")
    return table if table["failed"].any() else table.drop(columns=["failed", "error"])


def _keys(cell: Cell, groups: dict, named: set) -> list[tuple[str, str, str]]:
    """The rows that the table has for a cell."""
    if not isinstance(cell.knowledge, Asked):
        return [cell.key]
    data, method, _ = cell.key
    curve = [(data, method, cell.knowledge.label_after(count)) for count in range(cell.knowledge.budget)]
    return [key for key in curve if key in named and key in groups] + [cell.key]


def _beside(printed: Printed, key: tuple[str, str, str], good: pd.DataFrame) -> dict[str, Any]:
    """What stands beside a printed figure; empty where none is printed."""
    figure = printed.figures.get(key)
    if figure is None:
        return {}
    ok = printed.measure in good and len(good)
    value = getattr(good[printed.measure], printed.statistic)() if ok else float("nan")
    column = printed.column
    return {
        column: value,
        f"{column} printed": figure,
        f"{column} wanted": printed.goal.wanted(figure),
        f"{column} verdict": printed.goal.verdict(value, figure) if ok else NOT_REACHED,
    }


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

    names = [name for name in table.columns if not name.startswith("± ")]
    lines = [names]
    for _, row in table.iterrows():
        spread = {name: text(row.get(f"± {name}")) for name in names}
        lines.append([text(row[name]) + (f" ± {spread[name]}" if spread[name] else "") for name in names])
    widths = [max(len(line[column]) for line in lines) for column in range(len(names))]
    shown = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    return "\n".join([shown[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *shown[1:]])
