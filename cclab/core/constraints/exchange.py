"""Constraint sets as tables and as JSON."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cclab.core.constraints.naming import Naming
from cclab.core.constraints.ragged import Ragged
from cclab.core.constraints.set import ConstraintSet
from cclab.core.constraints.statement import Statement
from cclab.core.constraints.tables import Array, Groups, Labels, Pairs, Separations, provenance

COLUMNS = ["id", "kind", "i", "j", "samples", "cluster", "degree", "weight", "source", "shares"]
SCHEMA = 1
_FROM_1 = "cluster (from 1)"
_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
_SAMPLES = ("i", "j", "samples")
# What cells of the wrong kind raise; each becomes a sentence.
_WRONG = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def to_frame(known: ConstraintSet, by: Naming | None = None, *, first: int = 0) -> pd.DataFrame:
    """One row per statement.

    Columns: ``id``, ``kind`` (must, cannot, group, separation, label), ``i`` and ``j`` (samples; for a separation a
    list each; for a label only ``i``), ``samples`` (of a group), ``cluster`` and ``degree`` (of a label: one degree for
    all named clusters denies the others, a list of degrees says nothing about them), ``weight``, ``source``, ``shares``
    (where a member stands for several samples). Cells without meaning hold None.

    Samples are named by their position from 0. Given a data set `by`, they are named by what they are called in its
    table, and a column ``by`` says which that is: "id", "row" (of the table, from 0) or "position" (where row and
    sample are the same). With ``first=1`` clusters are counted from 1, in a column ``cluster (from 1)`` that takes the
    place of ``cluster``.
    """
    called: Callable[[int], Any] = int
    if by is not None:
        samples = np.flatnonzero(known.constrained).tolist()
        called = dict(zip(samples, by.names_of(samples))).__getitem__
    rows = [_row(statement, called, first) for statement in known.statements()]
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object).astype({"id": np.int64, "weight": float})
    if by is not None:
        frame.insert(2, "by", by.naming)
    if first:
        frame = frame.rename(columns={"cluster": _FROM_1})
    return frame.where(frame.notna(), None)


def _row(statement: Statement, called: Callable[[int], Any], first: int) -> dict[str, Any]:
    """The cells of a statement that mean something."""
    cells = {name: getattr(statement, name) for name in ("id", "kind", "weight", "source")}
    shares = statement.shares
    samples = [called(sample) for sample in statement.samples]
    match statement.kind:
        case "must" | "cannot":
            return cells | {"i": samples[0], "j": samples[1]}
        case "group":
            return cells | {"samples": samples, "shares": None if shares is None else list(shares)}
        case "separation":
            both = None if shares is None else [list(side) for side in shares]
            return cells | {"i": samples, "j": [called(sample) for sample in statement.others], "shares": both}
    clusters = [cluster + first for cluster in statement.clusters]
    if statement.degrees is not None:
        return cells | {"i": samples[0], "cluster": clusters, "degree": list(statement.degrees)}
    return cells | {"i": samples[0], "cluster": clusters[0] if len(clusters) == 1 else clusters, "degree": 1.0}


def from_frame(frame: pd.DataFrame, n_samples: int | None = None, *, by: Naming | None = None) -> ConstraintSet:
    """Read statements from a table such as `to_frame` gives.

    Only ``kind`` and the columns that the kind needs are required, so a CSV with ``kind,i,j`` will do; lists may be
    written as JSON text. New ids are given in order.

    Parameters
    ----------
    frame : DataFrame
    n_samples : int
        How many samples there are; that of `by` by default.
    by : Dataset, optional
        Who knows the samples by name. A column ``by`` says what they are named by: "id", "index", "row" (of the
        data's table, from 0) or "position"; without one a sample is named by whichever it can only be, and what could
        be two of them is refused. Without `by` samples are named by their position from 0.
    """
    if n_samples is None:
        if by is None:
            raise ValueError("say how many samples there are (n_samples), or whose statements these are (by=data)")
        n_samples = by.n_samples
    if "kind" not in frame.columns:
        raise ValueError("the table of constraints needs a column 'kind' (must, cannot, group, separation or label)")
    rows = [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
    nothing = ConstraintSet(n_samples)
    try:
        return nothing.with_statements([_statement(_read(row, by)) for row in rows])
    except _WRONG:
        for position, row in enumerate(rows):
            try:
                nothing.with_statements([_statement(_read(row, by))])
            except _WRONG as error:
                raise ValueError(f"row {position} of the table of constraints: {error!s:.300}") from None
        raise


def _read(row: Mapping[str, Any], by: Naming | None) -> dict[str, Any]:
    """A row with all columns, None in the cells that are empty or missing; samples by position."""
    naming = _cell("by", row.get("by"))
    if naming is not None and naming != "position" and by is None:
        raise ValueError(f"it names samples by {naming!r}, so the data must be given: from_frame(frame, by=data)")
    named = by is not None and naming != "position"
    readers = dict.fromkeys((*COLUMNS, _FROM_1), _cell) | (dict.fromkeys(_SAMPLES, _name) if named else {})
    cells = {name: read(name, row.get(name)) for name, read in readers.items()}
    if named:
        finder = by if naming is None else by.by(naming)  # type: ignore[union-attr]
        for name in _SAMPLES:
            if cells[name] is not None:
                entries = cells[name] if isinstance(cells[name], list) else [cells[name]]
                found = finder.find(entries, f"column {name!r}").tolist()  # type: ignore[union-attr]
                cells[name] = found if isinstance(cells[name], list) else found[0]
    return cells


def _cell(name: str, value: Any) -> Any:
    """A cell, None where it is empty; lists may be written as JSON text."""
    if isinstance(value, int):  # nearly all of them
        return value
    if _is_empty(value):
        return None
    if isinstance(value, str) and name not in ("kind", "source", "by"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"column {name!r} holds {value!r:.80}, which is neither a number nor a list") from None
    return value


def _name(name: str, value: Any) -> Any:
    """A cell that names one sample or a list of them: what is no list is a name as it stands."""
    if _is_empty(value):
        return None
    if isinstance(value, float) and abs(value) >= 2**53:
        raise ValueError(f"column {name!r} holds {value:.17g}, a number too long to be read exactly; write it as text")
    if isinstance(value, str) and value.lstrip().startswith("["):
        for read in (json.loads, ast.literal_eval):  # as JSON, or as pandas writes a list of words to a CSV
            try:
                return read(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                pass
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)  # pandas reads a column of numbers and lists as text
    return value


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value == "") or (np.ndim(value) == 0 and bool(pd.isna(value)))


def _need(row: Mapping[str, Any], name: str) -> Any:
    if row[name] is None:
        raise ValueError(f"a statement of kind {row['kind']!r} needs a value in column {name!r}")
    return row[name]


def _statement(row: Mapping[str, Any]) -> Statement:
    """What a row says; whether that makes sense is for `ConstraintSet` to say."""
    kind, weight = row["kind"], 1.0 if row["weight"] is None else float(row["weight"])
    about: dict[str, Any] = {"weight": weight, "source": row["source"] or "file"}
    match kind:
        case "must" | "cannot":
            return Statement(kind, (_need(row, "i"), _need(row, "j")), **about)
        case "group":
            return Statement(kind, _need(row, "samples"), shares=row["shares"], **about)
        case "separation":
            return Statement(kind, _need(row, "i"), _need(row, "j"), shares=row["shares"], **about)
        case "label":
            about["degrees"] = row["degree"] if isinstance(row["degree"], list) else None
            return Statement(kind, (_need(row, "i"),), clusters=_clusters(row), **about)
    return Statement(kind, ())


def _clusters(row: Mapping[str, Any]) -> Any:
    """The clusters that a row names, from 0."""
    column, first = ("cluster", 0) if row[_FROM_1] is None else (_FROM_1, 1)
    clusters = (np.atleast_1d(_need(row, column)) - first).tolist()
    if first and row["cluster"] is not None:
        raise ValueError(f"it has a value both in 'cluster', which counts from 0, and in {_FROM_1!r}; leave one empty")
    return [int(k) if k == int(k) else k for k in clusters]


def to_json(known: ConstraintSet) -> dict[str, Any]:
    """A JSON-ready dictionary, column by column."""

    def plain(column: Any) -> Any:
        if isinstance(column, Ragged):
            return {
                "indptr": column.indptr.tolist(),
                "items": column.items.tolist(),
                "values": column.values.tolist(),
            }
        return column.tolist()

    names = ("pairs", "groups", "separations", "labels")
    tables = {
        name: {column: plain(values) for column, values in table.columns().items()}
        for name, table in zip(names, known.tables)
    }
    return {
        "schema": SCHEMA,
        "n_samples": known.n_samples,
        "next_id": known.next_id,
        "blocks": plain(known.blocks),
        **tables,
    }


def from_json(document: Mapping[str, Any]) -> ConstraintSet:
    """Read what `to_json` wrote; anything else gets an error that says what is wrong."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(schema, int):
        raise ValueError("this is no constraint set: it has no schema number")
    if schema > SCHEMA:
        raise ValueError(
            f"this constraint set has schema {schema}, written by a newer cclab; "
            f"this one reads up to {SCHEMA}: upgrade cclab"
        )

    def ragged(columns: Mapping[str, Any]) -> Ragged:
        values = np.array(columns["values"], dtype=float)
        return Ragged(_whole(columns["indptr"], "indptr"), _whole(columns["items"], "items"), values)

    try:
        p, g, s, l = (document[name] for name in ("pairs", "groups", "separations", "labels"))
        known = ConstraintSet(
            n_samples=document["n_samples"],
            pairs=Pairs(**_provenance(p), **_integers(p, "i", "j"), must=np.array(p["must"], dtype=bool)),
            groups=Groups(**_provenance(g), **_integers(g, "block")),
            separations=Separations(**_provenance(s), **_integers(s, "a", "b")),
            labels=Labels(
                **_provenance(l),
                **_integers(l, "sample"),
                closed=np.array(l["closed"], dtype=bool),
                degrees=ragged(l["degrees"]),
            ),
            blocks=ragged(document["blocks"]),
            next_id=document["next_id"],
        )
        _check(known)
    except KeyError as error:
        raise ValueError(f"this constraint set is damaged: it has no {error}") from None
    except _WRONG as error:
        raise ValueError(f"this constraint set is damaged: {error!s:.300}") from None
    return known


def _provenance(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": _whole(columns["id"], "id"),
        "weight": np.array(columns["weight"], dtype=float),
        "source": np.array(columns["source"], dtype=object),
    }


def _integers(columns: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: _whole(columns[name], name) for name in names}


def _whole(values: Any, name: str) -> Array:
    """Whole numbers as they are: numpy would cut 1.5 to 1."""
    array = np.array(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name!r} holds something else than whole numbers")
    return array.astype(np.int64)


def _check(known: ConstraintSet) -> None:
    """Raise ValueError where parts of a document don't fit together, or say what no statement can."""
    if not isinstance(known.next_id, int):
        raise ValueError(f"next_id is {known.next_id!r:.40}, not a whole number")
    for ragged in (known.blocks, known.labels.degrees):
        counts = ragged.indptr.ndim == 1 and len(ragged.indptr) and not ragged.indptr[0] and (ragged.lengths >= 0).all()
        if not counts or not ragged.indptr[-1] == len(ragged.items) == len(ragged.values):
            raise ValueError("its lists of samples or of degrees have impossible lengths")
        if ragged.items.min(initial=0) < 0 or not ((ragged.values >= 0) & np.isfinite(ragged.values)).all():
            raise ValueError("its lists of samples, clusters, shares or degrees hold a number below 0 or not finite")
    if not (known.labels.degrees.values <= 1).all():
        raise ValueError("it has a degree above 1")
    for table in known.tables:
        if {len(column) for column in table.columns().values()} != {len(table)}:
            raise ValueError("its columns differ in length")
        if any(column.ndim != 1 for column in table.columns().values() if not isinstance(column, Ragged)):
            raise ValueError("a column of its tables is no flat list")
        provenance(0, len(table), table.weight, "file", type(table).__name__.lower())
    if len(np.unique(known.ids)) != len(known) or known.ids.max(initial=-1) >= known.next_id:
        raise ValueError("its ids are not all different and below next_id")
    if not known.blocks.lengths.all():
        raise ValueError("it has a group or a side of a separation with no samples")
    for blocks in (known.groups.block, known.separations.a, known.separations.b):
        if len(blocks) and not (blocks.min() >= 0 and blocks.max() < len(known.blocks)):
            raise ValueError(f"it names block {blocks.max()} of {len(known.blocks)}")
    for samples in (known.pairs.i, known.pairs.j, known.blocks.items, known.labels.sample):
        if len(samples) and (samples.min() < 0 or samples.max() >= known.n_samples):
            bad = samples[(samples < 0) | (samples >= known.n_samples)][0]
            raise ValueError(f"it names sample {bad} of {known.n_samples}")
    if not (known.pairs.i < known.pairs.j).all():
        raise ValueError("it links a sample to itself")
