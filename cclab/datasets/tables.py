"""A table of anything as a data set: what each column is used for is guessed, said in the notes, and can be changed."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cclab.core.scales import check_scale
from cclab.core.words import counted, did_you_mean
from cclab.datasets.classes import encode
from cclab.datasets.columns.feature_matrix import Columns, Features, make_features
from cclab.datasets.columns.guess import guess_roles
from cclab.datasets.columns.kinds import PICTURE_FILE, kind_of, typed
from cclab.datasets.columns.plan import MATRIX, Plan
from cclab.datasets.columns.thumbnails import Pictures
from cclab.datasets.coreset import Coreset
from cclab.datasets.dataset import Dataset
from cclab.datasets.made_from import MadeFrom
from cclab.datasets.meta import unique_names
from cclab.datasets.rows import DroppedRows, Reading, Rows

_MOST_BROKEN = 3
_LOOKED_AT = 100
_NUMBERED = re.compile(r"picture \d+")


def table_to_dataset(
    frame: pd.DataFrame,
    *,
    target: Any = None,
    name: str | None = None,
    roles: Mapping[str, str] | None = None,
    vectors: Any = None,
    vector_names: tuple[str, ...] = (),
    pictures: str | None = None,
    embed: Callable[[Any], Any] | None = None,
    coreset: Coreset | None = None,
    **changes: Any,
) -> Dataset:
    """A table as a data set.

    Parameters
    ----------
    frame : DataFrame
        Its ``attrs``, where `read_table` made it: ``file``, ``notes``, ``decimal`` and ``folder``.
    target : column of the truth, optional
        If None it is guessed.
    name : str, optional
        By default the name of the file that `read_table` read, without its ending.
    roles, **changes
        As `Plan.changed` takes them.
    vectors : array or CSR array (n_rows, d), optional
        Features that are in no column.
    vector_names : tuple of str
    pictures : str, optional
        The folder that the files are in which a column of pictures names; default: that of the table's own file.
    embed : callable, optional
        Makes numbers of each picture, or of each text where there are no pictures.
    coreset : Coreset, optional
        What the rows stand for, where the table is a part of a larger one.

    Raises
    ------
    ValueError
        No such column, nothing to cluster by, or fewer than two rows without missing values.
    """
    file = frame.attrs.get("file", "the table")
    name = name or (Path(file).stem if "file" in frame.attrs else "table")
    if len(frame) < 2:
        found = "one row" if len(frame) else "a header and no rows"
        raise ValueError(f"{file} has {found}; clustering needs two rows or more under the header")
    target_name = _target_name(frame, target, file)
    read, read_notes = typed(frame, frame.attrs.get("decimal"))
    kinds = {str(column): kind_of(read[column]) for column in read}
    guesses = guess_roles(read, kinds, target_name)
    guessed = {column: guess.role for column, guess in guesses.items()}
    if vectors is not None:
        guessed, kinds = {**guessed, MATRIX: "feature"}, {**kinds, MATRIX: "vector"}
        kinds_of_table = [c for c, role in guessed.items() if role == "feature" and c != MATRIX]
        guessed |= dict.fromkeys(kinds_of_table, "group")  # vectors were made to be clustered by
    plan = Plan(guessed).changed(roles=roles, **changes)
    columns = Columns(read, kinds, vectors, vector_names, file=file)
    columns.weights = None if coreset is None else coreset.weights
    notes = [*frame.attrs.get("notes", ()), *read_notes]
    notes += [g.note for c, g in guesses.items() if g.note and c not in (roles or {}) and plan.roles[c] == g.role]
    if vectors is not None and kinds_of_table:
        notes.append(
            f"clustered by the vectors beside the table ({vectors.shape[1]:,} numbers each), not by its own columns"
        )
    folder = pictures if pictures is not None else frame.attrs.get("folder")
    try:
        table = _with_pictures(columns, plan, frame, folder, embed, notes)
        features = make_features(columns, plan)
        data = _assembled(columns, plan, features, table, np.arange(len(frame)), name=name, notes=notes)
    except ValueError as error:
        if file in str(error):
            raise
        raise ValueError(f"{file}: {error}") from None
    data = replace(
        data,
        description=f"{file}: your own table." if "file" in frame.attrs else "Your own table.",
        source=file,
        made_from=MadeFrom(file=Path(frame.attrs.get("file", "")).name, columns=tuple(plan.columns("feature"))),
        coreset=coreset,
    )
    alone = vectors is None and embed is None and pictures is None
    if "file" not in frame.attrs or not Path(file).suffix or not isinstance(target, str | None) or not alone:
        return data  # content without a name: it can't be read again by one
    options = Plan(guessed).changes_to(plan)
    check = "" if features.derived else data.fingerprint
    reading = Reading(Path(file).name, target, check, data.fingerprint, options=options)
    return replace(data, rows=replace(data.rows, reading=reading))


def rebuilt(data: Dataset, **changes: Any) -> Dataset:
    """The same table with another plan: see `Dataset.with_columns`.

    Raises
    ------
    ValueError
        The table is not at hand, or the plan can't be carried out; the words say why.
    """
    columns, plan, base = columns_of(data)
    plan = plan.changed(**changes)
    features = make_features(columns, plan)
    table = data.table if data.table is not None else pd.DataFrame(index=data.rows.index)
    new = _assembled(columns, plan, features, table, base, name=data.name, notes=[], warn=False)
    old_of = np.full(data.rows.n_rows, -1)
    old_of[data.rows.positions] = np.arange(data.n_samples)
    before = old_of[new.rows.positions]
    kept: dict[str, Any] = {"coreset": data.coreset}
    if new.target is None and data.target is not None and not plan.columns("class") and not _was_column(data):
        kept |= {"target": np.where(before < 0, -1, data.target[before]), "target_names": data.target_names}
    if data.outliers is not None:
        kept["outliers"] = (before >= 0) & data.outliers[before]
    if data.rows.ids is not None and not plan.columns("id"):
        kept["rows"] = replace(new.rows, ids=data.rows.ids)
        kept["sample_names"] = tuple(data.rows.ids[row] for row in new.rows.positions)
    return replace(new, **kept, description=data.description, source=data.source, made_from=data.made_from)


def columns_of(data: Dataset) -> tuple[Columns, Plan, np.ndarray]:
    """The columns that the features of data are made of, the plan by which, and the rows that may be samples."""
    rows, table = data.rows, data.table
    matrix, names = rows.matrix, rows.matrix_names
    base = np.arange(rows.n_rows) if rows.candidates is None else np.asarray(rows.candidates)
    if table is None and matrix is None:
        if not sparse.issparse(data.X):
            raise ValueError(
                f"the original table of {data.name} is not at hand (it was too large to be kept with the session); "
                "open its file again to change what its columns are used for"
            )
        matrix, names, base = data.X, data.feature_names, np.arange(data.n_samples)
    frame = pd.DataFrame(index=rows.index) if table is None else table
    frame, _ = typed(frame.iloc[base] if len(base) < len(frame) else frame)
    kinds = {str(column): kind_of(frame[column]) for column in frame}
    matrix = matrix if matrix is None or len(base) == matrix.shape[0] else matrix[base]
    plan = data.plan
    if plan is None:
        plan = Plan({c: "feature" if c in data.feature_names else "ignored" for c in kinds}, n_components=0)
        plan = plan if matrix is None else replace(plan, roles={**plan.roles, MATRIX: "feature"})
    kinds |= {} if matrix is None else {MATRIX: "vector"}
    thumbnails, without = None, {}
    if data.images is not None and data.images.dtype == np.uint8:
        place = {row: k for k, row in enumerate(base.tolist())}
        thumbnails = np.full((len(base), *data.images.shape[1:]), 255, dtype=np.uint8)
        thumbnails[[place[row] for row in rows.positions.tolist()]] = data.images
        there = set(rows.positions.tolist())
        pictured = [c for c in (*plan.columns("picture"), *plan.columns("feature")) if _are_pictures(frame, c)][:1]
        kinds |= dict.fromkeys(pictured, "picture")  # the table holds what they are called
        lacking = frame[pictured].isna().any(axis=1).to_numpy()
        without = {k: "its picture was not read" for row, k in place.items() if row not in there or lacking[k]}
    columns = Columns(frame, kinds, matrix, names, thumbnails, without, file=data.source or data.name)
    columns.weights = None if data.coreset is None else data.coreset.weights[base]
    return columns, plan, base


def _are_pictures(frame: pd.DataFrame, column: str) -> bool:
    """Whether a column holds what pictures are called."""
    some = [str(cell) for cell in frame[column].dropna().head(_LOOKED_AT)] if column in frame else []
    return bool(some) and all(_NUMBERED.fullmatch(cell) or PICTURE_FILE.fullmatch(cell) for cell in some)


def _was_column(data: Dataset) -> bool:
    return data.plan is not None and bool(data.plan.columns("class"))


def _assembled(
    columns: Columns,
    plan: Plan,
    features: Features,
    table: pd.DataFrame,
    base: np.ndarray,
    *,
    name: str,
    notes: Iterable[str],
    warn: bool = True,
) -> Dataset:
    """The data set of a plan and the features that it gives."""
    read, file, keep = columns.frame, columns.file, features.keep
    warning = _dropped(features, len(read))
    notes = [*notes, *features.notes]
    if warning is not None:
        notes.append(str(warning))
        if warn:
            warnings.warn(warning, stacklevel=_depth_outside())
    if not sparse.issparse(features.X):
        check_scale(features.X, features.names, where=f"{file}: ")
        constant = features.X.min(axis=0) == features.X.max(axis=0)
        notes += [f"column {column!r} is constant" for column, same in zip(features.names, constant) if same]
    truth = next(iter(plan.columns("class")), None)
    codes, target_names = (None, ()) if truth is None else encode(read[truth].iloc[keep])
    if codes is not None and (codes < 0).any():
        notes.append(f"{counted(int((codes < 0).sum()), 'row')} without {truth!r}: target -1")
    ids = next((read[column] for column in plan.columns("id")), None)
    if ids is None:
        labels = table.index.to_numpy() if _is_named(table.index) else None
    else:
        labels = np.full(len(table), "", dtype=object)
        labels[base] = ids.map(lambda cell: "" if _is_missing(cell) else _as_name(cell)).to_numpy()
    by_value = {c for c in map(str, read) if columns.kinds[c] in ("number", "vector") and plan.roles[c] == "feature"}
    others = [c for c in map(str, read) if c not in by_value and columns.kinds[c] != "vector"]
    images = None if columns.thumbnails is None else columns.thumbnails[keep]
    if images is not None and not (plan.columns("picture") or _pictured(columns, plan)):
        images = None
    return Dataset(
        name=name,
        X=features.X,
        feature_names=features.names,
        target=codes,
        target_names=target_names,
        images=images,
        rows=Rows(
            base[keep],
            len(table),
            index=table.index,
            ids=None if labels is None else tuple(map(str, labels)),
            table=table.copy(deep=False),  # no copy of the values; columns that are added later stay out
            matrix=columns.matrix if len(base) == len(table) else None,
            matrix_names=tuple(columns.matrix_names),
            candidates=None if len(base) == len(table) else base,
        ),
        notes=tuple(notes),
        meta=_shown(read[others], columns, table, base).iloc[keep],
        text_column=next(iter([*plan.columns("text"), *_texts(columns, plan)]), None),
        plan=plan,
    )


def _texts(columns: Columns, plan: Plan) -> list[str]:
    return [c for c in plan.columns("feature") if columns.kinds.get(c) == "text"]


def _pictured(columns: Columns, plan: Plan) -> bool:
    return any(columns.kinds.get(c) == "picture" for c in plan.columns("feature"))


def _shown(read: pd.DataFrame, columns: Columns, table: pd.DataFrame, base: np.ndarray) -> pd.DataFrame:
    """What is beside the features; of pictures what the table calls them, not their bytes."""
    named = dict(zip(unique_names(table.columns), range(table.shape[1])))
    pictures = {
        c: table.iloc[base, named[c]].to_numpy() for c in map(str, read) if columns.kinds[c] == "picture" and c in named
    }
    return read.assign(**pictures) if pictures else read


def _with_pictures(
    columns: Columns,
    plan: Plan,
    frame: pd.DataFrame,
    folder: str | None,
    embed: Callable[..., Any] | None,
    notes: list[str],
) -> pd.DataFrame:
    """Read the pictures of a table, if it has any; the table without their bytes."""
    named = map(str, columns.frame)
    holding = [c for c in named if columns.kinds[c] == "picture" and plan.roles[c] in ("picture", "feature")]
    texts = plan.columns("text")
    if not holding:
        if embed is not None and texts:
            cells = [embed("" if _is_missing(cell) else str(cell)) for cell in columns.frame[texts[0]]]
            columns.embedded = _embedded(cells, columns.file)
        return frame
    column = holding[0]
    cells = columns.frame[column].tolist()
    found = Pictures(cells, folder, embed)
    columns.thumbnails, columns.broken = found.thumbnails, found.broken
    if found.embedded is not None:
        width = next(len(v) for v in found.embedded if v is not None)
        columns.embedded = _embedded([np.zeros(width) if v is None else v for v in found.embedded], columns.file)
    for row, why in list(found.broken.items())[:_MOST_BROKEN]:
        ids = plan.columns("id")
        called = columns.frame[ids[0]].iloc[row] if ids else _reference(cells[row], row)
        notes.append(f"row {row} (from 0), {called!r:.60}: {why}; its row is left out where pictures are clustered by")
    if len(found.broken) > _MOST_BROKEN:
        notes.append(f"{len(found.broken) - _MOST_BROKEN:,} more pictures can't be read")
    if all(isinstance(cell, str) or _is_missing(cell) for cell in cells):
        return frame
    names = unique_names(frame.columns)
    table = frame.copy(deep=False)
    references = [None if j in found.broken else _reference(c, j) for j, c in enumerate(cells)]
    table.isetitem(names.index(column), references)
    return table


def _reference(cell: Any, row: int) -> str:
    path = cell.get("path") if isinstance(cell, dict) else cell if isinstance(cell, str) else None
    return Path(path).name if path else f"picture {row}"


def _embedded(cells: Iterable[Any], file: str) -> np.ndarray:
    vectors = [np.asarray(cell, dtype=float).ravel() for cell in cells]
    unlike = [row for row, vector in enumerate(vectors) if len(vector) != len(vectors[0])]
    if unlike:
        raise ValueError(
            f"{file}: embed gave {len(vectors[unlike[0]])} numbers for row {unlike[0]}, {len(vectors[0])} for row 0"
        )
    return np.array(vectors)


def _target_name(frame: pd.DataFrame, target: Any, file: str) -> str | None:
    """What the column of the truth is called once all names differ, or None."""
    columns = list(frame.columns)
    if target is None:
        return None
    if not isinstance(target, Hashable):
        raise ValueError(f"target must be the name of a column of {file}, got {type(target).__name__}")
    if target not in columns:
        hint = did_you_mean(repr(target), map(repr, columns), "none is called like that.")
        some = ", ".join(map(str, columns[:20]))
        raise ValueError(f"{file} has no column {target!r} for the target; {hint} Its columns: {some}")
    if columns.count(target) > 1:
        raise ValueError(f"{file} has {columns.count(target)} columns called {target!r}; rename the target")
    return unique_names(columns)[columns.index(target)]


def _is_named(index: pd.Index) -> bool:
    return index.inferred_type == "string" and index.is_unique


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell)


def _as_name(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _dropped(features: Features, n_rows: int) -> DroppedRows | None:
    """A warning about the rows that are no samples, or None."""
    filled = features.filled
    said = [
        f"{counted(len(bad), 'row')} with {kind} values dropped (from 0: {_first(bad)})"
        for bad, kind in ((filled.missing, "missing"), (filled.infinite, "infinite"))
        if len(bad)
    ]
    if not said:
        return None
    column, lacking = filled.worst
    if lacking > 1:
        said.append(f"column {column!r} lacks most ({lacking} of {n_rows})")
    counts = {"missing": len(filled.missing), "infinite": len(filled.infinite)}
    return DroppedRows("; ".join(said), counts, np.sort(np.concatenate([filled.missing, filled.infinite])))


def _first(rows: np.ndarray) -> str:
    return ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")


def _depth_outside() -> int:
    """How many calls up the code is that asked for the data: a warning points there."""
    package = Path(__file__).parents[1]
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and package in Path(frame.f_code.co_filename).parents:
        depth, frame = depth + 1, frame.f_back
    return depth
