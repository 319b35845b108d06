"""A table out of a file, or out of the bytes of an upload, whatever separates its columns."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from cclab.core.words import counted
from cclab.datasets.limits import MOST_COLUMNS, check_limit, check_unpacked
from cclab.datasets.parquet import read_parquet
from cclab.datasets.table_bounds import LOOKED_AT, column_names, count_titles, note_on_titles, without_empty_end
from cclab.datasets.workbooks import is_workbook, read_arrow, read_workbook

Progress = Callable[[int, int], object]

_SEPARATORS = (";", "\t", "|", ",")  # the comma last: it may be a decimal sign between the others
_HEAD, _BLOCK = 1 << 16, 1 << 24
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NO_TEXTS = {
    b"PK": "it is an archive, and no workbook",
    b"\x1f\x8b": "it is compressed, so unpack it first",
    b"\x89PNG": "it is a picture, for the painter",
    b"\xff\xd8\xff": "it is a picture, for the painter",
    b"II*\0": "it is a picture, for the painter",
    b"MM\0*": "it is a picture, for the painter",
}
_LEADING_ZERO = re.compile(r"0\d+")
_WITH_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:[.' \u00a0\u202f]\d{3})+|\d+),\d+")
_WITH_POINT = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)\.\d+(?:[eE][-+]?\d+)?")
_CELL = 8  # bytes
_SMALLER = "Open a sample of it, or the columns that matter."
#: A table, notes on how it was read, and its decimal sign where that is known.
Parsed = tuple[pd.DataFrame, tuple[str, ...], str | None]


def read_table(
    source: Any, filename: str | None = None, *, max_rows: int | None = None, progress: Progress | None = None
) -> pd.DataFrame:
    r"""A table out of CSV, TSV, whitespace-separated text, Excel, Parquet or Arrow, told apart by their content.

    Parameters
    ----------
    source : str or path, bytes, memoryview, or file-like object
        A file on disk, or the content of one (an upload in a browser, say).
    filename : str, optional
        What to call the file in messages, where `source` is its content.
    max_rows : int, optional
        Refuse a table with more rows. Whatever it says, no table may take more memory than
        `cclab.datasets.limits` allows.
    progress : callable, optional
        Called with the rows that are read and the rows that there are, about, while a text or Parquet is read.

    Returns
    -------
    DataFrame
        Its ``attrs`` hold ``file``, the name of the file, and ``notes``: guesses that the reading took, such
        as a missing header. `load_dataset` understands both. Numbers and dates in other notations than pandas reads
        are still texts here; `load_dataset` reads them by what their column says as a whole.

    Raises
    ------
    ValueError
        Not a table, empty, broken or too large: names the file, and the line where it can.

    Examples
    --------
    >>> read_table(b"height;weight\n1,80;71\n1,65;60\n", "people.csv")
       height  weight
    0    1.80      71
    1    1.65      60
    """
    content, file = _content(source, filename)
    with _open(content) as stream:
        head = stream.read(_HEAD)
    decimal = None
    notes: tuple[str, ...] = ()
    if head.startswith(b"PAR1"):
        with _open(content) as stream:
            frame = read_parquet(stream, file, max_rows, progress)
    elif head.startswith(b"ARROW1"):
        with _open(content) as stream:
            frame = read_arrow(stream, file, max_rows)
    elif head.startswith(b"PK") and is_workbook(whole := _read_whole(content)):
        frame, notes = read_workbook(whole, file)
    else:
        frame, notes, decimal = _read_text(content, file, head, progress)
    if max_rows is not None:
        check_limit(len(frame), max_rows, "rows", _SMALLER, where=file)
    # Files that a table names are opened only where the table itself was opened by its path.
    folder = str(content.parent) if isinstance(content, Path) else None
    frame.attrs.update(file=file, notes=notes, decimal=decimal, folder=folder)
    return frame


def _content(source: Any, filename: str | None) -> tuple[Path | bytes, str]:
    """Either a path or bytes, and what to call it."""
    if isinstance(source, str | os.PathLike):
        path = Path(source).expanduser()
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; name a file in it")
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {str(path)!r} (looked in {Path.cwd()})")
        return path, filename or path.name
    if hasattr(source, "read"):
        filename = filename or getattr(source, "name", None)
        source = source.read()
        source = source.encode() if isinstance(source, str) else source
    if not isinstance(source, bytes | bytearray | memoryview):
        raise TypeError(f"read_table takes a path, bytes or a file-like object, not {type(source).__name__}")
    return bytes(source), str(filename or "the table")


def _read_whole(content: Path | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def _open(content: Path | bytes) -> io.BytesIO | io.BufferedReader:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _size(content: Path | bytes) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


class _Followed(io.RawIOBase):
    """A stream that tells how much of it was read, in lines."""

    def __init__(self, stream: io.BufferedIOBase, size: int, n_lines: int, progress: Progress) -> None:
        self._stream, self._size, self._n_lines, self._progress = stream, max(size, 1), n_lines, progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto(buffer)
        self._progress(int(self._n_lines * (self._stream.tell() / self._size)), self._n_lines)
        return count


def _read_text(content: Path | bytes, file: str, head: bytes, progress: Progress | None) -> Parsed:
    encoding = "utf-16" if head.startswith(_UTF16_MARKS) else "utf-8-sig"
    if _BINARY.search(head) and encoding != "utf-16":
        raise _binary(file, head)
    try:
        return _parse(content, file, encoding, progress)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise _binary(file, head) from None
        frame, notes, decimal = _parse_western(content, file, progress)
        return frame, (*notes, "read as Western European (Windows-1252), since it is not UTF-8"), decimal


def _parse_western(content: Path | bytes, file: str, progress: Progress | None) -> Parsed:
    try:
        return _parse(content, file, "cp1252", progress)
    except UnicodeDecodeError:  # a few of its bytes mean nothing
        return _parse(content, file, "latin-1", progress)


def _binary(file: str, head: bytes) -> ValueError:
    kind = next((kind for start, kind in _NO_TEXTS.items() if head.startswith(start)), "it has binary content")
    return ValueError(f"{file} is not a table of text: {kind}. Save it as CSV, Excel or Parquet")


def _parse(content: Path | bytes, file: str, encoding: str, progress: Progress | None) -> Parsed:
    with io.TextIOWrapper(_open(content), encoding=encoding, newline="") as text:
        numbered = list(islice(((number, line) for number, line in enumerate(text) if line.strip()), LOOKED_AT))
    if not numbered:
        raise ValueError(f"{file} is empty; give a table with a header line and one line a sample")
    lines = [line for _, line in numbered]
    n_titles = _count_titles(lines)
    titles, lines = lines[:n_titles], lines[n_titles:]
    separator = _separator(lines)
    decimal = _decimal(lines, separator)
    n_lines = _check_size(content, file, lines[:2], separator)
    try:
        first, *second = _fields(lines[:2], separator)
    except csv.Error as error:
        raise _no_table(file, error) from None
    if second and len(second[0]) > len(first):
        raise ValueError(
            f"{file}, line 2: {len(second[0])} fields under a header of {len(first)}; give every column "
            "a name, and take separators off the ends of lines"
        )
    names, notes = column_names(first, decimal)
    notes += note_on_titles([title.strip(f"{separator} \r\n") for title in titles])
    options: dict[str, Any] = {
        "sep": separator,
        "decimal": decimal,
        "skiprows": numbered[n_titles][0] if titles else 0,
        "header": "infer" if names is None else None,
        "names": names,
        "na_values": ["?"],  # UCI's mark of a missing value
        "encoding": encoding,
        "skipinitialspace": True,
        "low_memory": False,
    }
    try:
        with _open(content) as stream:
            followed = None if progress is None else _Followed(stream, _size(content), n_lines, progress)
            frame = pd.read_csv(stream if followed is None else io.BufferedReader(followed), **options)
        if _has_codes(content, encoding, separator) and (places := _whole(frame)):
            with _open(content) as stream:
                texts = pd.read_csv(stream, **options, usecols=places, dtype=str)
            for place, (_, values) in zip(places, texts.items()):
                if values.str.fullmatch(_LEADING_ZERO).any():  # postcodes, say: their zeros would be lost
                    frame.isetitem(place, values)
    except UnicodeDecodeError:
        raise
    except Exception as error:  # pandas raises what it likes at what is no table
        raise _no_table(file, error) from None
    frame, n_empty = without_empty_end(frame)
    if n_empty and frame.empty:
        raise ValueError(f"{file} holds no value: all {counted(n_empty, 'line')} under its header are empty")
    if n_empty:
        notes += (f"{counted(n_empty, 'empty line')} at the end left out",)
    return frame, notes, decimal if decimal == "," else None


def _count_titles(lines: list[str]) -> int:
    """How many lines stand above the header, by the separator that divides most lines alike.

    >>> _count_titles(["Shops, all", "shop;sold;said", "north;1,5;so, well, yes, no", "south;2,5;nothing"])
    1
    """
    most_alike, n_titles = 0, 0
    for separator in _SEPARATORS:
        with suppress(csv.Error):
            rows = list(_fields(lines, separator))
            widths = Counter(len(row) for row in rows if len(row) > 1)
            alike = max(widths.values(), default=0)
            if alike > most_alike:
                most_alike, n_titles = alike, count_titles(rows)
    return n_titles


def _has_codes(content: Path | bytes, encoding: str, separator: str) -> bool:
    """Whether a field such as 01067 stands anywhere in the file."""
    blank = separator == r"\s+"
    starts = (" ", "\t", "\n") if blank else (separator, f"{separator} ", "\n", '"')
    after = r"\s" if blank else rf'[\s"{re.escape(separator)}]'
    # One start at a time: that is found ten times faster than any of them.
    forms = [re.compile(rf"{re.escape(start)}0\d+(?={after})") for start in starts]
    with io.TextIOWrapper(_open(content), encoding=encoding) as text:
        rest = "\n"
        while block := text.read(_BLOCK):
            lines, end, rest = (rest + block).rpartition("\n")
            rest = end + rest
            if any(form.search(lines + end) for form in forms):
                return True
    return any(form.search(rest + "\n") for form in forms)


def _whole(frame: pd.DataFrame) -> list[int]:
    """The places of columns of whole numbers, with holes or without."""
    columns = enumerate(values for _, values in frame.items())
    return [j for j, v in columns if v.dtype.kind == "i" or (v.dtype.kind == "f" and (v.dropna() % 1 == 0).all())]


def _no_table(file: str, error: Exception) -> ValueError:
    reason = str(error).removeprefix("Error tokenizing data. C error: ").strip() or type(error).__name__
    return ValueError(f"{file} is not a table: {reason}. Every line needs as many fields as the header")


def _check_size(content: Path | bytes, file: str, lines: list[str], separator: str) -> int:
    """Refuse a table that is wider, or larger once short lines are filled up, than the memory should hold."""
    count = (lambda line: len(line.split())) if separator == r"\s+" else (lambda line: line.count(separator) + 1)
    n_columns = max(map(count, lines))
    check_limit(n_columns, MOST_COLUMNS, "columns", _SMALLER, where=file)
    n_lines = _count_lines(content)
    what = f"{file} ({n_lines:,} lines of {n_columns:,} columns, short lines filled up)"
    check_unpacked(n_lines * n_columns * _CELL, what, _SMALLER)
    return n_lines


def _count_lines(content: Path | bytes) -> int:
    ends = {b"\n": 0, b"\r": 0}
    with _open(content) as stream:
        while block := stream.read(_BLOCK):
            for mark in ends:
                ends[mark] += block.count(mark)
    return max(ends.values()) + 1


def _separator(lines: list[str]) -> str:
    for separator in _SEPARATORS:
        counts = {line.count(separator) for line in lines[:2]}
        if len(counts) == 1 and counts != {0}:
            return separator
    most = max(_SEPARATORS, key=lines[0].count)
    if most in lines[0]:
        return most
    widths = {len(line.split()) for line in lines[:2]}
    return r"\s+" if len(widths) == 1 and widths != {1} else ","


def _fields(lines: list[str], separator: str) -> Iterator[list[str]]:
    if separator == r"\s+":
        return (line.split() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _decimal(lines: list[str], separator: str) -> str:
    """A comma where fields such as 1,5 and 1.234,50 are more than those such as 1.5; dates are neither."""
    if separator == ",":
        return "."  # such numbers would have to be quoted, and are read by their columns
    with suppress(csv.Error):
        fields = [field.strip(" €$£%") for line in _fields(lines, separator) for field in line]
        commas = sum(_WITH_COMMA.fullmatch(field) is not None for field in fields)
        points = sum(_WITH_POINT.fullmatch(field) is not None for field in fields)
        return "," if commas > points else "."
    return "."
