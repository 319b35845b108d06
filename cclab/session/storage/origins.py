"""Where samples came from, as JSON: rows, index, ids, and the original table where it is small."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PureWindowsPath
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cclab.datasets import Dataset, Rows
from cclab.datasets.columns.plan import Plan
from cclab.datasets.limits import MOST_COLUMNS, MOST_META_BYTES, MOST_ROWS, MOST_TABLE_BYTES, check_limit
from cclab.datasets.meta import named_apart
from cclab.datasets.rows import Reading

Pack = Callable[[NDArray], Any]
# All arrays at once, so that their sizes are added up before any is unpacked.
UnpackAll = Callable[[Mapping[Any, Any]], Mapping[Any, NDArray]]
_NUMBERS = {"bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32", "float64"}


def pack_rows(data: Dataset, pack_array: Pack, pack_matrix: Callable[[Any], Any]) -> dict[str, Any] | None:
    """What a file keeps of the samples' rows; None where they are the table themselves."""
    rows = data.rows
    if rows.is_itself:
        return None
    reading = None if rows.reading is None else vars(rows.reading) | {"options": dict(rows.reading.options)}
    table = None if rows.table is None else _small_enough(data, rows.table)
    matrix = rows.matrix
    if matrix is not None and (matrix.nnz * 12 if hasattr(matrix, "nnz") else matrix.nbytes) > MOST_META_BYTES:
        matrix = None
    return {
        "positions": pack_array(rows.positions),
        "n_rows": rows.n_rows,
        "index": _pack_index(rows, pack_array),
        "ids": None if rows.ids is None else list(rows.ids),
        "table": None
        if table is None
        else [_pack_table_column(data, j, table, pack_array) for j in range(table.shape[1])],
        "matrix": None if matrix is None else pack_matrix(matrix),
        "matrix_names": list(rows.matrix_names),
        "candidates": None if rows.candidates is None else pack_array(rows.candidates),
        "reading": reading,
    }


def _feature_of(data: Dataset, j: int, table: pd.DataFrame) -> int | None:
    """The feature that a column of the table is, value by value; it is then not kept twice."""
    values = table.iloc[:, j]
    if not isinstance(values.dtype, np.dtype) or values.dtype.kind not in "biuf" or len(table) != data.n_samples:
        return None
    name = str(table.columns[j])
    if hasattr(data.X, "indptr") or data.feature_names.count(name) != 1 or data.rows.candidates is not None:
        return None
    place = data.feature_names.index(name)
    return place if np.array_equal(values.to_numpy(dtype=float), data.X[:, place]) else None


def _small_enough(data: Dataset, table: pd.DataFrame) -> pd.DataFrame | None:
    """The table where what is not among the features already is small enough to be kept."""
    sizes = table.memory_usage(index=False, deep=True).to_numpy()
    if sizes.sum() <= MOST_TABLE_BYTES:
        return table
    others = sum(size for j, size in enumerate(sizes) if _feature_of(data, j, table) is None)
    return table if others <= MOST_TABLE_BYTES else None


def _pack_table_column(data: Dataset, j: int, table: pd.DataFrame, pack_array: Pack) -> dict[str, Any]:
    place, values = _feature_of(data, j, table), table.iloc[:, j]
    if place is not None:
        return {"name": _plain(table.columns[j]), "feature": place, "dtype": str(values.dtype)}
    return _pack_column(table.columns[j], values, pack_array)


def unpack_rows(
    packed: Mapping[str, Any] | None, unpack_arrays: UnpackAll, unpack_matrix: Callable[[Any], Any], X: Any = None
) -> Rows | None:
    """The inverse of `pack_rows`."""
    if packed is None:
        return None
    n_rows = packed["n_rows"]
    if not isinstance(n_rows, int):
        raise ValueError(f"n_rows is {n_rows!r:.40}, not a whole number")
    check_limit(n_rows, MOST_ROWS, "rows", "Open a part of the table.")
    columns = {(part, j): column for part in ("index", "table") for j, column in enumerate(packed[part] or ())}
    packed_arrays = {place: column for place, column in columns.items() if "npy" in column}
    arrays = unpack_arrays(packed_arrays | {"positions": packed["positions"], "candidates": packed.get("candidates")})
    series = {place: _unpack_column(column, arrays.get(place), X) for place, column in columns.items()}
    index: Any = None
    if packed["index"] is not None:
        levels = [values for (part, _), values in series.items() if part == "index"]
        names = [level.name for level in levels]
        index = pd.Index(levels[0]) if len(levels) == 1 else pd.MultiIndex.from_arrays(levels, names=names)
    table = None
    if packed["table"] is not None:
        cells = [values for (part, _), values in series.items() if part == "table"]
        if any(len(values) != n_rows for values in cells):
            raise ValueError("a column of the original table has not as many entries as the table has rows")
        table = pd.concat(cells, axis=1) if cells else pd.DataFrame(index=range(n_rows))
        table.columns = pd.Index([values.name for values in cells])
        table = table if index is None else table.set_axis(index)
    reading = packed["reading"]
    return Rows(
        arrays["positions"],
        n_rows,
        index=index,
        ids=None if packed["ids"] is None else tuple(map(str, packed["ids"])),
        table=table,
        matrix=None if packed.get("matrix") is None else unpack_matrix(packed["matrix"]),
        matrix_names=tuple(map(str, packed.get("matrix_names") or ())),
        candidates=_checked_candidates(arrays.get("candidates"), n_rows),
        reading=None if reading is None else _reading(reading),
    )


def pack_meta(data: Dataset, with_table: bool, pack_array: Pack) -> dict[str, Any] | None:
    """What a file keeps of `Dataset.meta`: names of columns where the table is kept as well, else the columns."""
    meta, table = data.meta, data.rows.table
    if meta.columns.empty:
        return None
    if with_table and table is not None and meta.columns.isin(named_apart(table).columns).all():
        samples = named_apart(table).iloc[data.rows.positions]
        if all(samples[name].dtype == meta[name].dtype and samples[name].equals(meta[name]) for name in meta):
            return {"of_table": list(meta.columns)}
    if meta.memory_usage(index=False, deep=True).sum() > MOST_META_BYTES:
        return None
    return {"columns": [_pack_column(name, cells, pack_array) for name, cells in meta.items()]}


def unpack_meta(packed: Mapping[str, Any] | None, rows: Rows | None, unpack_arrays: UnpackAll) -> pd.DataFrame | None:
    """The inverse of `pack_meta`; files of earlier versions have none."""
    if packed is None:
        return None
    if "of_table" in packed:
        if rows is None or rows.table is None:
            raise ValueError("columns of the original table are asked for, but it is not there")
        return named_apart(rows.table).iloc[rows.positions][[str(name) for name in packed["of_table"]]]
    columns = packed["columns"]
    check_limit(len(columns), MOST_COLUMNS, "columns", "Open a part of the table.")
    arrays = unpack_arrays({j: column for j, column in enumerate(columns) if "npy" in column})
    cells = [_unpack_column(column, arrays.get(j)) for j, column in enumerate(columns)]
    if len({len(values) for values in cells}) > 1:
        raise ValueError("columns beside the features have unlike lengths")
    return pd.concat(cells, axis=1) if cells else None


def _reading(packed: Mapping[str, Any]) -> Reading:
    """How the data were read; a script writes it down, so each part must be what it claims to be."""
    reading = Reading(**packed)
    texts = (reading.file, reading.fingerprint, reading.result, reading.target or "")
    if not all(isinstance(text, str) for text in texts) or not isinstance(reading.standardized, bool):
        raise ValueError("how the data were read is not said in words")
    Plan.check_changes(dict(reading.options))
    if PureWindowsPath(reading.file).name != reading.file:  # it knows the separators of all systems
        raise ValueError(f"the data came from {reading.file!r:.60}, which is no plain name of a file")
    return reading


def _pack_index(rows: Rows, pack_array: Pack) -> list[dict[str, Any]] | None:
    if not rows.has_own_index:
        return None
    index = rows.index
    levels = [index.get_level_values(level) for level in range(index.nlevels)]
    return [_pack_column(level.name, level.to_series(), pack_array) for level in levels]


def _pack_column(name: Any, values: pd.Series, pack_array: Pack) -> dict[str, Any]:
    """A column by its name and values. Labels and cells that JSON does not know are kept as text."""
    name = _plain(name)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biufmM":
        return {"name": name, **pack_array(values.to_numpy())}
    vectors = _as_vectors(values)
    if vectors is not None:
        missing = np.flatnonzero(values.isna()).tolist()
        return {"name": name, **pack_array(vectors), "missing": missing}
    cells = [None if missing else _plain(value) for value, missing in zip(values, values.isna())]
    return {"name": name, "values": cells, "dtype": str(values.dtype)}


def _as_vectors(values: pd.Series) -> NDArray | None:
    """A column of vectors of one length as one array, in single precision where that is exact."""
    there = values[values.notna()]
    if values.dtype != object or there.empty or not isinstance(there.iloc[0], list | tuple | np.ndarray):
        return None
    length = np.size(there.iloc[0])
    try:
        array = np.zeros((len(values), length))
        array[values.notna().to_numpy()] = np.stack([np.asarray(cell, dtype=float) for cell in there])
    except (TypeError, ValueError):
        return None
    single = array.astype(np.float32)
    return single if np.array_equal(single, array) else array


def _checked_candidates(rows: NDArray | None, n_rows: int) -> NDArray | None:
    if rows is not None and (
        rows.ndim != 1 or rows.dtype.kind not in "iu" or (rows < 0).any() or (rows >= n_rows).any()
    ):
        raise ValueError("rows that may be samples are outside of the table")
    return rows


def _unpack_column(packed: Mapping[str, Any], array: NDArray | None, X: Any = None) -> pd.Series:
    name = packed["name"]
    if "feature" in packed:
        if packed["dtype"] not in _NUMBERS:
            raise ValueError(f"the column {name!r:.40} is said to be of the type {packed['dtype']!r:.40}")
        return pd.Series(X[:, packed["feature"]].astype(packed["dtype"]), name=name)
    if array is not None and array.ndim == 2:
        missing = set(packed.get("missing") or ())
        return pd.Series(
            [None if row in missing else vector for row, vector in enumerate(array)], name=name, dtype=object
        )
    if array is not None:
        return pd.Series(array, name=name)
    if not isinstance(packed["values"], list):
        raise ValueError(f"the column {name!r:.40} of the original table is no list")
    try:
        return pd.Series(packed["values"], dtype=packed["dtype"], name=name)
    except (TypeError, ValueError):  # a type that this pandas does not have, or that the values are not of
        return pd.Series(packed["values"], dtype=object, name=name)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
