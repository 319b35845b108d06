"""Parquet files that need not fit into memory: read, and written, some thousands of rows at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cclab.core import Partition
from cclab.core.sample_blocks import Chunked
from cclab.core.words import did_you_mean
from cclab.datasets.parquet import damaged

#: Rows read at a time.
AT_A_TIME = 1 << 16
#: Bytes of a column that are read from the file at a time.
READ_BYTES = 1 << 20
_MAGIC = b"PAR1"

Progress = Callable[[int, int], None]


class ParquetRows(Chunked):
    """The numeric columns of a Parquet file as samples, for solvers that take samples in chunks.

    Parameters
    ----------
    path : path
    columns : sequence of str, optional
        The features; left out, all columns of numbers, but for the index of a frame that was written.

    Raises
    ------
    FileNotFoundError
    ValueError
        No Parquet file; a column that it has not, or that holds no numbers; the words name it.

    Examples
    --------
    >>> import tempfile, cclab, pandas as pd
    >>> path = tempfile.mkdtemp() + "/big.parquet"
    >>> pd.DataFrame({"x": [0.0, 0.1, 5.0], "y": [1, 2, 9], "who": ["a", "b", "c"]}).to_parquet(path)
    >>> rows = ParquetRows(path)
    >>> rows.shape, rows.feature_names
    ((3, 2), ('x', 'y'))
    >>> cclab.FCM(2, init=[[0, 1], [5, 9]]).fit(rows).labels_.tolist()
    [0, 0, 1]
    """

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str] | None = None) -> None:
        self.path = Path(path).expanduser()
        with _opened(self.path) as file:
            names = file.schema_arrow.names
            kinds = {field.name: field.type for field in file.schema_arrow}
            index = _index_columns(file)
            self._groups = [file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups)]
        numeric = [name for name, kind in kinds.items() if _is_number(kind)]
        chosen = [name for name in numeric if name not in index] if columns is None else list(columns)
        for name in chosen:
            check_column(name, names, self.path.name)
            if chosen.count(name) > 1:
                raise ValueError(f"{self.path.name}: column {name!r} is asked for more than once")
            if name not in numeric:
                raise ValueError(f"{self.path.name}: column {name!r} holds {kinds[name]} values, and no numbers")
        if not chosen:
            raise ValueError(f"{self.path.name} has no column of numbers; its columns: {', '.join(map(repr, kinds))}")
        self.feature_names = tuple(chosen)
        self.shape = (sum(self._groups), len(chosen))
        self._dtype = np.float32 if {str(kinds[name]) for name in chosen} == {"float"} else np.float64

    def chunks(self) -> Iterator[NDArray]:
        yield from self._arrays(None)

    def rows(self, samples: NDArray) -> NDArray:
        found, start = [np.empty((0, self.shape[1]), dtype=self._dtype)], 0
        for group, n_rows in enumerate(self._groups):
            first, last = np.searchsorted(samples, (start, start + n_rows))
            if first < last:
                wanted = samples[first:last] - start
                passed = 0
                for X in self._arrays([group]):
                    here = slice(*np.searchsorted(wanted, (passed, passed + len(X))))
                    found.append(X[wanted[here] - passed])
                    passed += len(X)
            start += n_rows
        return np.concatenate(found)

    def _arrays(self, groups: list[int] | None) -> Iterator[NDArray]:
        for batch in _batches(self.path, list(self.feature_names), groups):
            X = np.empty((batch.num_rows, len(self.feature_names)), dtype=self._dtype)
            for j, values in enumerate(_plain_numbers(batch).columns):
                X[:, j] = values.to_numpy(zero_copy_only=False)
            yield X


def parquet_frames(
    path: str | os.PathLike[str], columns: Sequence[str] | None = None, as_stored: Collection[str] = ()
) -> Iterator[pd.DataFrame]:
    """The table in a Parquet file, some thousands of rows at a time, each part numbered from 0.

    Parameters
    ----------
    path : path
    columns : sequence of str, optional
        Left out, all but the index of a frame that was written.
    as_stored : collection of str
        Columns that keep the type that they have in the file: a whole number of many digits stays itself beside an
        empty cell.
    """
    import pyarrow as pa

    path = Path(path)
    if columns is None:
        with _opened(path) as file:
            index = _index_columns(file)
            columns = [name for name in file.schema_arrow.names if name not in index]
    for batch in _batches(path, list(columns), None):
        frame = _plain_numbers(batch).to_pandas(
            ignore_metadata=True, date_as_object=False, types_mapper={pa.bool_(): pd.BooleanDtype()}.get
        )
        for name in as_stored:
            frame[name] = pd.array(batch.column(name), dtype=pd.ArrowDtype(batch.column(name).type))
        yield frame


def parquet_columns(path: str | os.PathLike[str]) -> tuple[tuple[str, ...], int]:
    """The names of all columns of a Parquet file, and the number of its rows."""
    with _opened(Path(path)) as file:
        return tuple(file.schema_arrow.names), file.metadata.num_rows


def write_frames(
    path: str | os.PathLike[str], frames: Iterable[pd.DataFrame], n_rows: int = 0, progress: Progress | None = None
) -> int:
    """Write tables one after the other into a Parquet file, which is there once all of it is.

    Parameters
    ----------
    path : path
    frames : iterable of DataFrame
        All with the columns and types of the first.
    n_rows : int
        How many rows there will be, for `progress`.
    progress : callable, optional
        Called with the rows that are written and `n_rows`.

    Returns
    -------
    int
        The number of rows.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = Path(path).expanduser()
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    writer, written = None, 0
    try:
        for frame in frames:
            schema = None if writer is None else writer.schema
            table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
            if writer is None:
                writer = parquet.ParquetWriter(unfinished, table.schema)
            writer.write_table(table)
            written += len(frame)
            if progress is not None:
                progress(written, n_rows)
        if writer is None:
            raise ValueError(f"there is nothing to write to {path.name}")
        writer.close()
        os.replace(unfinished, path)
    except BaseException:
        if writer is not None:
            writer.close()
        with suppress(FileNotFoundError):
            unfinished.unlink()
        raise
    return written


def write_beliefs(
    path: str | os.PathLike[str], beliefs: Iterable[Partition], n_rows: int = 0, progress: Progress | None = None
) -> int:
    """Write what is believed of samples into a Parquet file, one row for each: the label, then degrees or masses.

    Parameters as for `write_frames`; ``solver.beliefs(rows)`` gives beliefs.

    Examples
    --------
    >>> import tempfile, cclab, pandas as pd
    >>> path = tempfile.mkdtemp() + "/labels.parquet"
    >>> X = [[0.0], [0.2], [5.0]]
    >>> fcm = cclab.FCM(2, init=[[0], [5]]).fit(X)
    >>> write_beliefs(path, fcm.beliefs(X))
    3
    >>> pd.read_parquet(path)["label"].tolist()
    [0, 0, 1]
    """
    return write_frames(path, (belief.to_frame() for belief in beliefs), n_rows, progress)


def check_column(name: str, there: Iterable[str], file: str) -> None:
    """Raise ValueError, in words, where a table has no such column, or several."""
    names = list(there)
    if names.count(name) > 1:
        raise ValueError(f"{file} has {names.count(name)} columns {name!r}; give them names of their own")
    if name not in names:
        shown = "its columns: " + ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        raise ValueError(f"{file} has no column {name!r}; {did_you_mean(name, names, shown)}")


def _batches(path: Path, columns: list[str], groups: list[int] | None) -> Iterator[Any]:
    with _opened(path) as file, damaged(path.name):
        yield from file.iter_batches(AT_A_TIME, columns=columns, row_groups=groups)


def _opened(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise ValueError(f"{path.name}: reading Parquet files needs pyarrow (pip install pyarrow)") from None
    if path.is_dir():
        raise IsADirectoryError(f"{path.name} is a folder; give one Parquet file, with all parts written into it")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r} (looked in {Path.cwd()})")
    with path.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise ValueError(f"{path.name} is no Parquet file; write the table as one first (frame.to_parquet)")
    with damaged(path.name):
        # By default pyarrow reads ahead, and has held the whole file by its last row.
        return parquet.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES)


def _index_columns(file: Any) -> set[str]:
    """The columns that hold the index of a frame of pandas: names of rows, or what is left of their numbers."""
    written = file.schema_arrow.pandas_metadata or {}
    return {name for name in written.get("index_columns", ()) if isinstance(name, str)}


def _plain_numbers(batch: Any) -> Any:
    """A batch whose decimal numbers, as databases have them, are floats."""
    import pyarrow as pa

    kinds = [pa.float64() if pa.types.is_decimal(field.type) else field.type for field in batch.schema]
    if kinds == batch.schema.types:
        return batch
    columns = [values.cast(kind) for values, kind in zip(batch.columns, kinds)]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
