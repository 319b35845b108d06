"""What a column holds: numbers, dates, categories, texts, vectors or pictures."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from cclab.datasets.columns.localised import Read, read_column
from cclab.datasets.meta import named_apart

#: All kinds, each with what it is called where a person reads it.
KINDS = {
    "number": "numbers",
    "category": "categories",
    "text": "texts",
    "name": "names",
    "date": "dates",
    "vector": "vectors",
    "picture": "pictures",
    "empty": "empty",
    "other": "something else",
}
PICTURE_FILE = re.compile(r"(?i).+\.(?:png|jpe?g|gif|bmp|tiff?|webp)")
# First bytes of PNG, JPEG, GIF, BMP, TIFF and WebP.
_PICTURE_HEADS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
_MOST_CATEGORIES = 50
_LOOKED_AT = 1000
_BLANK = re.compile(r"\s+")
# A cell has so many blanks on average where it holds sentences.
_BLANKS_OF_TEXTS = 3


def kind_of(values: pd.Series) -> str:
    """The kind of a column that `typed` has read; one of `KINDS`.

    >>> kind_of(pd.Series(["red", "blue", "red", "red"])), kind_of(pd.Series([[1.0, 2.0], [3.0, 4.0]]))
    ('category', 'vector')
    """
    cells = _first_cells(values)
    if not cells:
        return "empty"
    if types.is_datetime64_any_dtype(values) or isinstance(values.dtype, pd.PeriodDtype):
        return "date"
    if types.is_timedelta64_dtype(values) or types.is_complex_dtype(values):
        return "other"
    if types.is_numeric_dtype(values):
        return "number"
    first = cells[0].get("bytes") if isinstance(cells[0], dict) else cells[0]
    if isinstance(first, bytes | bytearray | memoryview):
        return "picture" if bytes(first[:8]).startswith(_PICTURE_HEADS) else "other"
    if isinstance(first, list | tuple | np.ndarray):
        return "vector" if _are_numbers(first) else "other"
    if not is_textual(values):
        return "other"
    texts = list(map(str, cells))
    if sum(len(_BLANK.findall(text)) for text in texts[:200]) >= _BLANKS_OF_TEXTS * len(texts[:200]):
        return "text"
    if all(PICTURE_FILE.fullmatch(text) for text in texts[:20]):
        return "picture"
    n_different = len(set(texts))
    if len(values) > _LOOKED_AT and n_different <= _MOST_CATEGORIES:
        n_different = values.dropna().astype(str).nunique()
    return "category" if n_different <= min(_MOST_CATEGORIES, len(values) / 2) else "name"


def _first_cells(values: pd.Series) -> list[Any]:
    """The first cells that are not missing, as objects of Python: of thousands of columns each is looked at quickly."""
    cells = [cell for cell in values.head(_LOOKED_AT).tolist() if not _is_missing(cell)]
    if cells or len(values) <= _LOOKED_AT:
        return cells
    return values.dropna().head(_LOOKED_AT).tolist()


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)


def is_textual(values: pd.Series) -> bool:
    """Whether cells are texts or categories."""
    if isinstance(values.dtype, pd.CategoricalDtype | pd.StringDtype):
        return True
    if not types.is_object_dtype(values):
        return types.is_string_dtype(values)
    return isinstance(next(iter(_first_cells(values)), None), str)


def typed(frame: pd.DataFrame, decimal: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The table with columns of texts as the numbers or dates that they are, and notes on what was taken for granted.

    Columns are called by texts of which no two are the same. `decimal` is the decimal sign of the file, if it is known.
    """
    frame = named_apart(frame).infer_objects()
    frame.attrs = {}  # pandas copies them, all the way down, with every column that is looked at
    there = {name: frame[name] for name in frame}
    columns = {name: _as_databases_write(values) for name, values in there.items()}
    texts = [name for name, values in columns.items() if _may_be_read(values)]
    first = {name: read_column(columns[name], decimal) for name in texts}
    signs = [read.decimal for read in first.values() if read is not None and read.decimal is not None]
    if decimal is None and signs:
        decimal = max(set(signs), key=signs.count)
        first = {name: _again(columns[name], read, decimal) for name, read in first.items()}
    notes = []
    for name, read in first.items():
        if read is not None:
            columns[name] = read.values
            notes += [f"column {name!r} {note}" for note in read.notes]
    is_new = any(columns[name] is not values for name, values in there.items())
    return (pd.DataFrame(columns, index=frame.index) if is_new else frame), notes


def _as_databases_write(values: pd.Series) -> pd.Series:
    """Days and decimal numbers, which arrive as objects of Python, as dates and numbers; anything else as it is."""
    first = next(iter(_first_cells(values)), None) if types.is_object_dtype(values) else None
    if isinstance(first, Decimal):
        return pd.to_numeric(values, errors="coerce")
    return pd.to_datetime(values, errors="coerce") if type(first) is date else values


def _again(values: pd.Series, read: Read | None, decimal: str) -> Read | None:
    """What could be read in two ways is read as the columns beside it are."""
    return read if read is None or read.decimal is not None else read_column(values, decimal)


def _may_be_read(values: pd.Series) -> bool:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return False  # someone has said that these are categories
    return is_textual(values)


def _are_numbers(cell: object) -> bool:
    array = np.asarray(cell, dtype=object)
    return array.ndim == 1 and array.size > 1 and all(isinstance(v, int | float | np.number) for v in array[:10])
