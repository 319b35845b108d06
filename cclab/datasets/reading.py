"""A table out of a file, or out of the bytes of an upload, whatever separates its columns."""

from __future__ import annotations

import csv
import io
import os
import re
from itertools import islice
from pathlib import Path

import pandas as pd

_SEPARATORS = (";", "\t", "|", ",")  # the comma last: it may be a decimal sign between the others
_HEAD = 1 << 16
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_table(source, filename: str | None = None) -> pd.DataFrame:
    """A table out of CSV, TSV, whitespace-separated or Parquet, told apart by their content.

    Parameters
    ----------
    source : str or path, bytes, memoryview, or file-like object
        A file on disk, or the content of one (an upload in a browser, say).
    filename : str, optional
        What to call the file in messages, where `source` is its content.

    Returns
    -------
    DataFrame
        Its ``attrs`` hold ``file``, the name of the file, and ``notes``: guesses that the reading took, such
        as a missing header. `load_dataset` understands both.

    Raises
    ------
    ValueError
        Not a table, empty, or broken: names the file, and the line where it can.

    Examples
    --------
    >>> read_table(b"height;weight\\n1,80;71\\n1,65;60\\n", "people.csv")
       height  weight
    0    1.80      71
    1    1.65      60
    """
    content, file = _content(source, filename)
    with _open(content) as stream:
        head = stream.read(_HEAD)
    if head.startswith(b"PAR1"):
        frame, notes = _read_parquet(content, file), ()
    else:
        frame, notes = _read_text(content, file, head)
    frame.attrs.update(file=file, notes=notes)
    return frame


def _content(source, filename):
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


def _open(content):
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _read_parquet(content, file):
    try:
        with _open(content) as stream:
            return pd.read_parquet(stream)
    except ImportError:
        raise ValueError(f"{file} is a Parquet file; reading it needs pyarrow (pip install pyarrow)") from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{file} is a damaged Parquet file; write or upload it again ({error})") from error


def _read_text(content, file, head):
    encoding = "utf-16" if head.startswith(_UTF16_MARKS) else "utf-8-sig"
    if _BINARY.search(head) and encoding != "utf-16":
        raise _binary(file, head)
    try:
        return _parse(content, file, encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise _binary(file, head) from None
        frame, notes = _parse(content, file, "latin-1")
        return frame, (*notes, "read as Latin-1, since it is not UTF-8: accents may be wrong")


def _binary(file, head):
    kind = "it looks like a workbook or an archive" if head.startswith(b"PK") else "it has binary content"
    return ValueError(f"{file} is not a table of text: {kind}. Save it as CSV or Parquet")


def _parse(content, file, encoding):
    with io.TextIOWrapper(_open(content), encoding=encoding, newline="") as text:
        lines = list(islice((line for line in text if line.strip()), 20))
    if not lines:
        raise ValueError(f"{file} is empty; give a table with a header line and one line a sample")
    separator = _separator(lines)
    decimal = _decimal(lines, separator)
    try:
        first, *second = _fields(lines[:2], separator)
        if second and len(second[0]) > len(first):
            raise ValueError(
                f"{file}, line 2: {len(second[0])} fields under a header of {len(first)}; give every column "
                "a name, and take separators off the ends of lines"
            )
        names, notes = _column_names(first, decimal)
        with _open(content) as stream:
            frame = pd.read_csv(
                stream,
                sep=separator,
                decimal=decimal,
                header="infer" if names is None else None,
                names=names,
                na_values=["?"],  # UCI's mark of a missing value
                encoding=encoding,
                skipinitialspace=True,
                low_memory=False,
            )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise ValueError(f"{file} is not a table: {reason}. Every line needs as many fields as the header") from None
    return frame, notes


def _separator(lines):
    for separator in _SEPARATORS:
        counts = {line.count(separator) for line in lines[:2]}
        if len(counts) == 1 and counts != {0}:
            return separator
    most = max(_SEPARATORS, key=lines[0].count)
    if most in lines[0]:
        return most
    widths = {len(line.split()) for line in lines[:2]}
    return r"\s+" if len(widths) == 1 and widths != {1} else ","


def _fields(lines, separator):
    if separator == r"\s+":
        return (line.split() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _decimal(lines, separator):
    """A comma where semicolons part the fields and numbers such as 1,5 are between them."""
    text = "".join(lines)
    commas, points = re.search(r"\d,\d", text), re.search(r"\d\.\d", text)
    return "," if separator == ";" and commas and not points else "."


def _column_names(first, decimal):
    """Names for the columns if the first line is a sample and no header, else None; and notes on the guess.

    A number in the first line means a sample, but for columns that are numbered: 0, or whole numbers that
    increase.
    """
    fields = pd.Series([field.replace(decimal, ".") for field in first])
    numbers = pd.to_numeric(fields, errors="coerce").dropna()
    if numbers.empty:
        return None, ()
    increasing = (numbers % 1 == 0).all() and numbers.is_monotonic_increasing and numbers.is_unique
    if increasing and (len(numbers) > 1 or numbers.iloc[0] == 0):
        return None, ("the first line was taken for the header, though it holds numbers",)
    return [f"x{j + 1}" for j in range(len(first))], (f"no header line: columns called x1..x{len(first)}",)
