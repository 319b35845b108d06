"""A table of anything as a data set: numbers become features, and what is left out is said in the notes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Hashable
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api import types

from .dataset import Dataset, encode

_TARGET_NAMES = {"label", "labels", "class", "target"}
_MOST_CLASSES = 50
_IDENTIFIER = re.compile(r"(?i:id|index|idx|row|key|no|nr|number|unnamed: \d+|.*[ _.-]id|id[ _.-].*)|.*[a-z](Id|ID)")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")


def table_to_dataset(frame: pd.DataFrame, *, target=None, name: str | None = None) -> Dataset:
    """The numeric columns of a table as features, one of its columns as the truth.

    Parameters
    ----------
    frame : DataFrame
    target : column of the truth, optional
        If None: a column called label, class or target, else the last column if it holds a few words over and
        over; else there is no truth.
    name : str, optional
        By default the name of the file that `read_table` read, without its ending.

    Raises
    ------
    ValueError
        No such target column, no numeric column, or fewer than two rows without missing values.
    """
    file = frame.attrs.get("file", "the table")
    name = name or (Path(file).stem if "file" in frame.attrs else "table")
    notes = list(frame.attrs.get("notes", ()))
    if len(frame) < 2:
        found = "one row" if len(frame) else "a header and no rows"
        raise ValueError(f"{file} has {found}; clustering needs two rows or more under the header")

    truth = _target_position(frame, target, file, notes)
    frame = frame.infer_objects()
    features, sample_names = [], _index_names(frame.index)
    for j, column in enumerate(frame.columns):
        values = frame.iloc[:, j]
        if j == truth:
            continue
        reason = _why_not_a_feature(column, values)
        if reason is None:
            features.append(j)
        elif sample_names is None and _names_samples(values):
            sample_names = values.astype(str).to_numpy()
            notes.append(f"column {str(column)!r} is no feature: {reason}; it names the samples")
        else:
            notes.append(f"column {str(column)!r} dropped: {reason}")
    if not features:
        kinds = ", ".join(repr(str(column)) for column in frame.columns[:10])
        raise ValueError(
            f"{file} has no numeric column to cluster by. Its columns: {kinds}; check the separator and the "
            f"decimal sign. {'; '.join(notes)}"
        )

    X = _as_floats(frame.iloc[:, features])
    keep = _complete_rows(X, frame.columns[features], file, notes)
    constant = X[keep].min(axis=0) == X[keep].max(axis=0)
    notes += [f"column {str(column)!r} is constant" for column in frame.columns[features][constant]]
    codes, target_names = (None, ()) if truth is None else encode(frame.iloc[keep, truth])
    if truth is not None and (codes < 0).any():
        notes.append(f"{_rows((codes < 0).sum())} without {str(frame.columns[truth])!r}: target -1")
    return Dataset(
        name=name,
        X=X[keep],
        feature_names=tuple(frame.columns[features]),
        target=codes,
        target_names=target_names,
        sample_names=None if sample_names is None else tuple(sample_names[keep]),
        description=f"{file}: your own table." if "file" in frame.attrs else "Your own table.",
        source=file,
        notes=tuple(notes),
    )


def _target_position(frame, target, file, notes):
    """Position of the truth's column, or None."""
    columns = list(frame.columns)
    if target is not None:
        if not isinstance(target, Hashable):
            raise ValueError(f"target must be the name of a column of {file}, got {type(target).__name__}")
        if target not in columns:
            close = difflib.get_close_matches(str(target), [str(column) for column in columns], n=3)
            hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else "."
            raise ValueError(
                f"{file} has no column {target!r} for the target{hint} Its columns: "
                f"{', '.join(str(column) for column in columns[:20])}"
            )
        if columns.count(target) > 1:
            raise ValueError(f"{file} has {columns.count(target)} columns called {target!r}; rename the target")
        return columns.index(target)
    for j, column in enumerate(columns):
        if str(column).strip().lower() in _TARGET_NAMES:
            distinct = _n_distinct(frame.iloc[:, j])
            if distinct <= _MOST_CLASSES:
                notes.append(f"column {str(column)!r} taken as the truth, by its name")
                return j
            notes.append(
                f"column {str(column)!r} has {distinct} distinct values: not taken as the truth; "
                f"target={str(column)!r} makes it so"
            )
    if columns and _is_words(frame.iloc[:, -1]):
        distinct = _n_distinct(frame.iloc[:, -1])
        if 2 <= distinct <= min(_MOST_CLASSES, len(frame) / 2):
            notes.append(
                f"column {str(columns[-1])!r} taken as the truth: the last one, and it holds {distinct} "
                "words over and over"
            )
            return len(columns) - 1
    return None


def _why_not_a_feature(column, values):
    """In words, or None if the column is a feature."""
    if values.isna().all():
        return "empty"
    if types.is_datetime64_any_dtype(values) or isinstance(values.dtype, pd.PeriodDtype):
        return "dates"
    if types.is_timedelta64_dtype(values):
        return "durations"
    if types.is_complex_dtype(values):
        return "complex numbers"
    if not types.is_numeric_dtype(values):
        return _why_text(values)
    if _IDENTIFIER.fullmatch(str(column).strip()) and types.is_integer_dtype(values) and values.is_unique:
        return "an identifier (whole numbers, all different)"
    return None


def _why_text(values):
    if _looks_like_dates(values):
        return "dates"
    no_number = pd.to_numeric(values.astype(str), errors="coerce").isna() & values.notna()
    if not no_number.any():
        return "numbers kept as text or categories; convert the column first"
    row = int(no_number.to_numpy().argmax())
    return f"text (e.g. {str(values.iloc[row])[:30]!r} at row {row})"


def _is_words(values):
    textual = types.is_string_dtype(values) or isinstance(values.dtype, pd.CategoricalDtype)
    return textual and not _looks_like_dates(values)


def _looks_like_dates(values):
    start = values.dropna().astype(str).head(20)
    return len(start) > 0 and start.str.match(_DATE).all()


def _index_names(index):
    return index.to_numpy() if index.inferred_type == "string" and index.is_unique else None


def _names_samples(values):
    return values.notna().all() and _n_distinct(values) == len(values)


def _n_distinct(values):
    return (values if types.is_numeric_dtype(values) else values.dropna().astype(str)).nunique()


def _as_floats(frame):
    return np.column_stack([frame.iloc[:, j].to_numpy(dtype=float, na_value=np.nan) for j in range(frame.shape[1])])


def _rows(count):
    return "1 row" if count == 1 else f"{count} rows"


def _complete_rows(X, columns, file, notes):
    """Positions of the rows with nothing missing and nothing infinite; the others go into the notes."""
    missing = np.isnan(X).any(axis=1)
    infinite = ~missing & np.isinf(X).any(axis=1)
    for bad, kind in ((missing, "missing"), (infinite, "infinite")):
        if bad.any():
            rows = np.flatnonzero(bad)
            first = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
            notes.append(f"{_rows(len(rows))} with {kind} values dropped (from 0: {first})")
    keep = np.flatnonzero(~missing & ~infinite)
    if len(keep) < 2:
        lacking = (~np.isfinite(X)).sum(axis=0)
        worst = int(lacking.argmax())
        raise ValueError(
            f"{file}: fewer than two of {len(X)} rows have no missing or infinite value; column "
            f"{str(columns[worst])!r} lacks most ({lacking[worst]}): drop it or fill it in"
        )
    return keep
