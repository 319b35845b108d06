"""Parquet files: what they would unpack to is known from their description before they are read.

A file of a megabyte can hold 400 million rows, since equal values are stored once: its own size says nothing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pandas as pd

from cclab.datasets.limits import MOST_COLUMNS, MOST_UNPACKED_BYTES, check_limit, check_unpacked

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_SMALLER = "Open a sample of it, or the columns that matter."
_NUMBER, _OBJECT = 8, 128  # bytes of a value as a number, and as an object of Python (dates, decimals, lists)
_NUMERIC = {"NONE", "INT", "TIMESTAMP", "STRING"}
_AT_A_TIME = 2**16
# Where each text may be as long as all that is stored of its column, so much of them is looked at at a time.
_BYTES_AT_A_TIME = 2**27


def read_parquet(
    stream: io.BufferedIOBase,
    file: str,
    max_rows: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> pd.DataFrame:
    """The table in a Parquet file.

    Parameters
    ----------
    stream : binary file
    file : str
        What to call it in messages.
    max_rows : int, optional
        Refuse a table with more rows.
    progress : callable, optional
        Called with the rows that are read and the rows that there are.

    Raises
    ------
    ValueError
        Damaged, or too large: nothing has been unpacked then.
    """
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(f"{file} is a Parquet file; reading it needs pyarrow (pip install pyarrow)") from None
    with damaged(file):
        packed = parquet.ParquetFile(stream)
        rows, columns = packed.metadata.num_rows, packed.metadata.num_columns
    check_limit(columns, MOST_COLUMNS, "columns", _SMALLER, where=file)
    if max_rows is not None:
        check_limit(rows, max_rows, "rows", _SMALLER, where=file)
    with damaged(file):
        for group in range(packed.metadata.num_row_groups):
            # A damaged description raises here; asked for directly it would end the whole process.
            next(packed.iter_batches(1, row_groups=[group]), None)
        size = _size_of_values(packed)
    check_unpacked(size, f"{file} ({rows:,} rows, {columns:,} columns)", _SMALLER)
    with damaged(file):
        size += _size_of_texts(stream, packed, MOST_UNPACKED_BYTES - size)
    check_unpacked(size, f"{file} ({rows:,} rows, {columns:,} columns)", _SMALLER)
    with damaged(file):
        stream.seek(0)
        return pd.read_parquet(stream) if progress is None else _read_in_parts(packed, rows, progress)


def _read_in_parts(packed: ParquetFile, n_rows: int, progress: Callable[[int, int], object]) -> pd.DataFrame:
    from pyarrow import Table, default_memory_pool

    batches, done = [], 0
    for batch in packed.iter_batches(_AT_A_TIME):
        batches.append(batch)
        done += batch.num_rows
        progress(done, n_rows)
    frame = Table.from_batches(batches, packed.schema_arrow).to_pandas()
    batches.clear()
    default_memory_pool().release_unused()
    return frame


@contextmanager
def damaged(file: str) -> Iterator[None]:
    """Whatever the reader of the format raises at a damaged file, as one sentence."""
    try:
        yield
    except Exception as error:
        raise ValueError(f"{file} is a damaged Parquet file; write or upload it again ({error})") from error


def _size_of_values(packed: ParquetFile) -> int:
    """Bytes in memory, the letters of texts left aside; never less than is stored."""
    size, stored = 0, 0
    for column in range(packed.metadata.num_columns):
        about = packed.schema.column(column)
        plain = about.logical_type.type in _NUMERIC and about.max_repetition_level == 0
        each = (_NUMBER if plain else _OBJECT) + max(about.length, 0)
        for chunk in _chunks(packed, column):
            size += each * chunk.num_values
            stored += chunk.total_uncompressed_size
    return max(size, stored)


def _size_of_texts(stream: io.BufferedIOBase, packed: ParquetFile, enough: int) -> int:
    """Bytes of all texts as they would be in memory; counting ends once there are more than `enough`.

    Equal texts that are stored once stay together while they are counted. Whether they are texts at all is looked at,
    too: those who read them later take it for granted.
    """
    from pyarrow import parquet

    size = 0
    for column in range(packed.metadata.num_columns):
        about = packed.schema.column(column)
        if about.physical_type != "BYTE_ARRAY":
            continue
        chunks = list(_chunks(packed, column))
        together = about.path == about.name and not any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in chunks)
        longest = max((chunk.total_uncompressed_size for chunk in chunks), default=1)
        at_a_time = _AT_A_TIME if together else min(max(_BYTES_AT_A_TIME // max(longest, 1), 1), _AT_A_TIME)
        texts = parquet.ParquetFile(stream, read_dictionary=[about.path] if together else [])
        for batch in texts.iter_batches(at_a_time, columns=[about.path]):
            batch.validate(full=True)
            size += sum(map(_size_unpacked, batch.columns))
            if size > enough:
                return size
    return size


def _size_unpacked(values: Any) -> int:
    """Bytes of an array, each text written out."""
    from pyarrow import compute, types

    if not types.is_dictionary(values.type):
        return values.nbytes
    lengths = compute.binary_length(values.dictionary).cast("int64").take(values.indices)
    return compute.sum(lengths).as_py() or 0


def _chunks(packed: ParquetFile, column: int) -> Iterator[Any]:
    for group in range(packed.metadata.num_row_groups):
        yield packed.metadata.row_group(group).column(column)
