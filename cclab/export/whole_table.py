"""The original table with clusters, their names and degrees beside it: as CSV, Excel, Parquet, text, or in AnnData."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd

from cclab.core.beliefs.numbering import living_first, numbers_in
from cclab.datasets.columns.kinds import is_textual
from cclab.datasets.limits import check_limit
from cclab.datasets.table_bounds import are_whole
from cclab.export.files import File, file_stem
from cclab.session import Session
from cclab.session.frame import table_with_belief

_MOST_EXCEL_ROWS, _MOST_EXCEL_LETTERS = 1_048_575, 32_767
_MOST_EXCEL_CELLS = 2_000_000  # written for half a minute, and held in memory one by one
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def whole_table(session: Session) -> pd.DataFrame:
    """The original table in its order, and what is believed of each row; clusters counted from 1, as on the page.

    Rows that were left out are there with empty cells. Columns that the table has already are called ``cclab_...``.
    """
    here = session.current
    order = living_first(here.partition)
    numbers = numbers_in(order)
    names = {int(numbers[place]): each.name for place, each in here.cluster_names.items() if each.name}
    frame = table_with_belief(session.data, here.partition.reordered(order), names, first=1)
    return frame.reset_index() if session.data.rows.has_own_index else frame


def table_csv(session: Session) -> File:
    """The whole table as CSV."""
    return File(
        f"{file_stem(session)}-table.csv", _plain(whole_table(session)).to_csv(index=False).encode(), "text/csv"
    )


def table_text(session: Session) -> str:
    """The whole table with tabs between its columns, as spreadsheets take it from the clipboard."""
    return _plain(whole_table(session)).to_csv(index=False, sep="\t")


def table_excel(session: Session) -> File:
    """The whole table as an Excel workbook; what looks like a formula is text.

    Raises
    ------
    ValueError
        There are more rows than a sheet takes, or too many cells, or openpyxl is not installed.
    """
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ValueError("a workbook needs openpyxl (pip install openpyxl); CSV and Parquet need nothing") from None
    frame = _plain(whole_table(session))
    for size, most, what in ((len(frame), _MOST_EXCEL_ROWS, "rows"), (frame.size, _MOST_EXCEL_CELLS, "cells")):
        check_limit(size, most, what, "Export it as CSV or Parquet.", where="an Excel sheet")
    for column, values in frame.items():
        if not is_textual(values):
            continue
        longest = max((len(cell) for cell in values if isinstance(cell, str)), default=0)
        if longest > _MOST_EXCEL_LETTERS:  # the rest would be cut off without a word
            raise ValueError(
                f"column {column!r:.60} has a cell of {longest:,} characters, and an Excel sheet takes "
                f"{_MOST_EXCEL_LETTERS:,}; export it as CSV or Parquet"
            )
    for j, (_, values) in enumerate(frame.items()):
        if isinstance(values.dtype, pd.DatetimeTZDtype):  # a sheet knows no zones of time
            frame.isetitem(j, values.dt.tz_localize(None).array)
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        frame.to_excel(writer, index=False, sheet_name="clusters")
        for cells in writer.sheets["clusters"].iter_rows():
            for cell in cells:
                if cell.data_type == "f":
                    cell.data_type = "s"
    return File(f"{file_stem(session)}-table.xlsx", buffer.getvalue(), _EXCEL)


def table_parquet(session: Session) -> File:
    """The whole table as Parquet, every column of its own type."""
    frame = whole_table(session)
    frame.columns = frame.columns.map(str)
    try:
        content = frame.to_parquet(index=False)
    except (NotImplementedError, OverflowError, TypeError, ValueError):  # cells of several types in one column, say
        content = _plain(frame).to_parquet(index=False)
    return File(f"{file_stem(session)}-table.parquet", content, "application/vnd.apache.parquet")


def to_anndata(session: Session, cells: Any, prefix: str = "cclab_") -> None:
    """Write clusters, names and degrees into the ``obs`` of the AnnData object that a session was opened on.

    Parameters
    ----------
    session : Session
    cells : AnnData
        Cells are found by their names.
    prefix : str
        What the new columns begin with.

    Raises
    ------
    ValueError
        Some cells of the session are not among those given.
    """
    here, there = session.current, pd.Index([str(name) for name in cells.obs_names])
    said = session.partition.to_frame().rename(columns={"label": "cluster"}).set_axis(session.data.index.map(str))
    missing = said.index.difference(there)
    if len(missing):
        raise ValueError(f"there is no cell {missing[0]!r:.60} here; give the cells that the session was opened on")
    numbers = numbers_in(here.order)
    names = {int(numbers[place]): each.name for place, each in here.cluster_names.items() if each.name}
    if names:
        said.insert(1, "cluster_name", said["cluster"].map(names))
    for column, values in said.reindex(there).items():
        values = values.astype("category") if column == "cluster" else values
        cells.obs[f"{prefix}{column}"] = values.array


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Cells that any table takes: vectors as JSON, whole numbers beside holes as such."""
    plain = frame.copy(deep=False)
    for j, (_, values) in enumerate(frame.items()):
        if values.dtype == float and values.isna().any() and are_whole(values.dropna()):
            plain.isetitem(j, values.astype("Int64").array)
        elif values.dtype == object:
            plain.isetitem(j, values.map(_as_text).to_numpy(dtype=object))
    return plain


def _as_text(cell: Any) -> Any:
    if isinstance(cell, list | tuple | np.ndarray):
        return json.dumps(np.asarray(cell).tolist())
    return cell if cell is None or isinstance(cell, str | int | float) else str(cell)
