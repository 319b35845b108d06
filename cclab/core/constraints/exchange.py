"""Constraint sets as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cclab.core.constraints import ConstraintSet
from cclab.core.ragged import Ragged
from cclab.core.statements import Groups, Labels, Pairs, Separations, provenance

COLUMNS = ["id", "kind", "i", "j", "samples", "cluster", "degree", "weight", "source", "shares"]
SCHEMA = 1


def to_frame(known: ConstraintSet) -> pd.DataFrame:
    """One row a statement.

    Columns: ``id``, ``kind`` (must, cannot, group, separation, label), ``i`` and ``j`` (samples; for a separation a
    list each; for a label only ``i``), ``samples`` (of a group), ``cluster`` and ``degree`` (of a label: one degree for
    all named clusters denies the others, a list of degrees says nothing about them), ``weight``, ``source``, ``shares``
    (where a member stands for several samples). Cells without meaning hold None.
    """
    rows: list[dict[str, Any]] = []

    def block(r: int) -> tuple[list[int], list[float] | None]:
        members, values = known.blocks.row(r)
        return members.tolist(), None if np.all(values == 1) else values.tolist()

    p, g, s, l = known.tables
    rows += [
        {"kind": "must" if must else "cannot", "i": i, "j": j}
        for must, i, j in zip(p.must.tolist(), p.i.tolist(), p.j.tolist())
    ]
    for r in range(len(g)):
        members, shares = block(g.block[r])
        rows.append({"kind": "group", "samples": members, "shares": shares})
    for r in range(len(s)):
        (a, a_shares), (b, b_shares) = block(s.a[r]), block(s.b[r])
        both = None if a_shares is b_shares is None else [a_shares or [1.0] * len(a), b_shares or [1.0] * len(b)]
        rows.append({"kind": "separation", "i": a, "j": b, "shares": both})
    for r, (clusters, degrees) in enumerate(l.degrees.rows()):
        whole = bool(l.closed[r]) and np.all(degrees == 1)
        one = whole and len(clusters) == 1
        rows.append(
            {
                "kind": "label",
                "i": int(l.sample[r]),
                "cluster": int(clusters[0]) if one else clusters.tolist(),
                "degree": 1.0 if whole else degrees.tolist(),
            }
        )
    frame = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    frame["id"] = known.ids
    frame["weight"] = np.concatenate([table.weight for table in known.tables])
    frame["source"] = np.concatenate([table.source for table in known.tables])
    return frame.where(frame.notna(), None)


def from_frame(frame: pd.DataFrame, n_samples: int) -> ConstraintSet:
    """Read statements from a table such as `to_frame` gives.

    Only ``kind`` and the columns that the kind needs are required, so a CSV with ``kind,i,j`` will do; lists may be
    written as JSON text. New ids are given in order.
    """
    if "kind" not in frame.columns:
        raise ValueError("the table of constraints needs a column 'kind' (must, cannot, group, separation or label)")
    rows = [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
    known = ConstraintSet(n_samples)
    position = 0
    while position < len(rows):
        run = _run(rows, position)
        if len(run) > 1:
            try:
                known = _state_run(known, [_read(row) for row in run])
                position += len(run)
                continue
            except (ValueError, TypeError):
                pass  # one of them is wrong: state them one by one to say which
        try:
            known = _state(known, _read(rows[position]))
        except (ValueError, TypeError) as error:
            raise ValueError(f"row {position} of the table of constraints: {error}") from None
        position += 1
    return known


def _run(rows: list[dict[str, Any]], start: int) -> list[dict[str, Any]]:
    """The longest run of pairs or labels of one kind from `start` on: a million must not be stated one by one."""
    kind = rows[start]["kind"]
    end = start
    while kind in ("must", "cannot", "label") and end < len(rows) and rows[end]["kind"] == kind:
        end += 1
    return rows[start:end]


def _state_run(known: ConstraintSet, run: list[dict[str, Any]]) -> ConstraintSet:
    kind = run[0]["kind"]
    if kind == "label":
        # Of two labels of a sample the last counts.
        run = list({_need(row, "i"): row for row in run}.values())
    about: dict[str, Any] = {
        "weight": [1.0 if row["weight"] is None else float(row["weight"]) for row in run],
        "source": [row["source"] or "file" for row in run],
    }
    if kind == "label":
        return known.with_labels({_need(row, "i"): _possible(row) for row in run}, **about)
    state = known.with_must_link if kind == "must" else known.with_cannot_link
    return state([[_need(row, "i"), _need(row, "j")] for row in run], **about)


def _read(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with all columns, None in the cells that are empty or missing; lists may be written as JSON text."""
    return {name: _cell(name, row.get(name)) for name in COLUMNS}


def _cell(name: str, value: Any) -> Any:
    if isinstance(value, int):  # nearly all of them
        return value
    if value is None or value == "" or (np.ndim(value) == 0 and pd.isna(value)):
        return None
    if isinstance(value, str) and name not in ("kind", "source"):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            raise ValueError(f"column {name!r} holds {value!r}, which is neither a number nor a list") from None
    return value


def _need(row: Mapping[str, Any], name: str) -> Any:
    if row[name] is None:
        raise ValueError(f"a statement of kind {row['kind']!r} needs a value in column {name!r}")
    return row[name]


def _state(known: ConstraintSet, row: Mapping[str, Any]) -> ConstraintSet:
    kind = row["kind"]
    if kind in ("must", "cannot", "label"):
        return _state_run(known, [dict(row)])
    about: dict[str, Any] = {
        "weight": 1.0 if row["weight"] is None else float(row["weight"]),
        "source": row["source"] or "file",
    }
    if kind == "group":
        return known.with_group(_need(row, "samples"), shares=row["shares"], **about)
    if kind == "separation":
        return known.with_separation(_need(row, "i"), _need(row, "j"), shares=row["shares"] or (None, None), **about)
    raise ValueError(f"unknown kind {kind!r}; use must, cannot, group, separation or label")


def _possible(row: Mapping[str, Any]) -> Any:
    """What a row says of its sample: the clusters it may be in, or their degrees."""
    clusters = np.atleast_1d(_need(row, "cluster")).tolist()
    clusters = [int(k) if k == int(k) else k for k in clusters]
    if isinstance(row["degree"], list):
        return dict(zip(clusters, row["degree"], strict=True))
    return set(clusters)


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
        return Ragged(*(np.array(columns[name]) for name in ("indptr", "items", "values")))

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
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"this constraint set is damaged: {error}") from None
    return known


def _provenance(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": np.array(columns["id"], dtype=np.int64),
        "weight": np.array(columns["weight"], dtype=float),
        "source": np.array(columns["source"], dtype=object),
    }


def _integers(columns: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: np.array(columns[name], dtype=np.int64) for name in names}


def _check(known: ConstraintSet) -> None:
    """Raise ValueError where parts of a document don't fit together."""
    for ragged in (known.blocks, known.labels.degrees):
        counts = ragged.indptr.ndim == 1 and len(ragged.indptr) and not ragged.indptr[0] and (ragged.lengths >= 0).all()
        if not counts or not ragged.indptr[-1] == len(ragged.items) == len(ragged.values):
            raise ValueError("its lists of samples or of degrees have impossible lengths")
    for table in known.tables:
        if {len(column) for column in table.columns().values()} != {len(table)}:
            raise ValueError("its columns differ in length")
        provenance(0, len(table), table.weight, "file", type(table).__name__.lower())
    if len(np.unique(known.ids)) != len(known) or known.ids.max(initial=-1) >= known.next_id:
        raise ValueError("its ids are not all different and below next_id")
    for blocks in (known.groups.block, known.separations.a, known.separations.b):
        if len(blocks) and not (blocks.min() >= 0 and blocks.max() < len(known.blocks)):
            raise ValueError(f"it names block {blocks.max()} of {len(known.blocks)}")
    for samples in (known.pairs.i, known.pairs.j, known.blocks.items, known.labels.sample):
        if len(samples) and (samples.min() < 0 or samples.max() >= known.n_samples):
            bad = samples[(samples < 0) | (samples >= known.n_samples)][0]
            raise ValueError(f"it names sample {bad} of {known.n_samples}")
