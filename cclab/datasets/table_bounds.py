"""Where a table begins and ends: titles above its header, as reports have them, no header at all, empty rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cclab.core.words import counted

#: Lines that tell how a table is written.
LOOKED_AT = 50
_LEAST_COLUMNS = 3  # of a table under titles
_MOST_EXACT = 2**53  # whole numbers above are not all told apart by floats


def count_titles(lines: Sequence[Sequence[str]]) -> int:
    """How many lines stand above the header.

    A title fills at most half as many fields as the widest line; the header below is no sample.

    >>> count_titles([["Shops, all"], ["north, south", "2024"], ["shop", "sold", "year", "by"], ["n", "1", "", "ann"]])
    2
    """
    filled = [[field for field in line if field.strip()] for line in lines]
    widest = max(map(len, filled), default=0)
    n_titles = next((number for number, fields in enumerate(filled) if 2 * len(fields) > widest), 0)
    header = filled[n_titles] if filled else []
    is_header = len(header) >= _LEAST_COLUMNS and column_names(header)[0] is None
    return n_titles if is_header and len(lines) > n_titles + 1 else 0


def note_on_titles(titles: Sequence[str]) -> tuple[str, ...]:
    """What is said about lines above the header, if there are any."""
    shown = ", ".join(repr(title)[:60] for title in titles)
    return (f"{counted(len(titles), 'line')} above the header left out ({shown})",) if titles else ()


def column_names(first: Sequence[str], decimal: str = ".") -> tuple[list[str] | None, tuple[str, ...]]:
    """Names for the columns if the first line is a sample and no header, else None; and notes on the guess.

    A number in the first line means a sample, but for columns that are numbered: 0, or whole numbers that
    increase.
    """
    fields = pd.Series([field.replace(decimal, ".") for field in first], dtype=object)
    numbers = pd.to_numeric(fields, errors="coerce").dropna()
    if numbers.empty:
        return None, ()
    increasing = (numbers % 1 == 0).all() and numbers.is_monotonic_increasing and numbers.is_unique
    if increasing and (len(numbers) > 1 or numbers.iloc[0] == 0):
        return None, ("the first line was taken for the header, though it holds numbers",)
    return [f"x{j + 1}" for j in range(len(first))], (f"no header line: columns called x1..x{len(first)}",)


def without_empty_end(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The table without lines of nothing but separators after its last row, as spreadsheets write them; how many."""
    if frame.shape[1] < 2 or not len(frame) or not frame.iloc[-1].isna().all():
        return frame, 0
    n_rows = max((int(np.flatnonzero(there)[-1]) + 1 for _, there in frame.notna().items() if there.any()), default=0)
    cut = frame.iloc[:n_rows].copy()
    for j, (_, values) in enumerate(cut.items()):
        if values.dtype == float and are_whole(values):
            cut.isetitem(j, values.astype("int64").array)  # as it would have been read without the empty lines
    return cut, len(frame) - n_rows


def are_whole(values: pd.Series) -> bool:
    """Whether all of these floats are whole numbers that none of them had to be rounded to."""
    return bool(((values % 1 == 0) & (values.abs() < _MOST_EXACT)).all())
