"""A session as a Python script."""

from __future__ import annotations

import math
import pprint
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from cclab.datasets import Dataset, load_dataset
from cclab.session.packing import pack_dataset, pack_estimator
from cclab.session.snapshot import Snapshot
from cclab.session.statements import unpack_labels

if TYPE_CHECKING:
    from cclab.session.session import Session


def to_code(session: Session) -> str:
    """A script that makes the same session again and prints its labels."""
    way = _way_to(session.current)
    first = way[0]
    data_lines, data_imports = _data_lines(session.data)
    body = [f"session = Session(data, {_call(first.solver)}, seed={first.problem.seed})"]
    for stepping, snapshots in groupby(way[1:], lambda snapshot: snapshot.how == "step"):
        if stepping:
            body.append(f"session.step({len(list(snapshots))})")
        else:
            body += [_verb_line(snapshot) for snapshot in snapshots]
    names = ["Session", *sorted({type(s.solver).__name__ for s in way})]
    if any("ConstraintSet" in line for line in body):
        names.insert(0, "ConstraintSet")
    lines = [
        f"from cclab import {', '.join(names)}",
        *data_imports,
        "",
        *data_lines,
        *body,
        "print(session.labels.tolist())",
    ]
    return "\n".join(lines) + "\n"


def _way_to(snapshot: Snapshot | None) -> list[Snapshot]:
    way = []
    while snapshot is not None:
        way.append(snapshot)
        snapshot = snapshot.previous
    return way[::-1]


def _data_lines(data: Dataset) -> tuple[list[str], list[str]]:
    """Lines that make `data`, and their imports: by name where that gives the same samples, else as they are."""
    for expression, made in _by_name(data):
        if _same(made.X, data.X):
            return [f"data = {expression}"], ["from cclab import load_dataset"]
    packed = "\n".join(f"    {name!r}: {value!r}," for name, value in pack_dataset(data).items() if value)
    return [f"data = unpack_dataset({{\n{packed}\n}}, 'this script')"], [
        "from cclab.session.packing import unpack_dataset"
    ]


def _by_name(data: Dataset) -> Iterator[tuple[str, Dataset]]:
    name = data.name.split(" (")[0].split(",")[0]
    try:
        made = load_dataset(name)
        yield f"load_dataset({name!r})", made
        if not sparse.issparse(made.X):
            yield f"load_dataset({name!r}).standardized()", made.standardized()
    except (ValueError, OSError):
        return


def _same(a: Any, b: Any) -> bool:
    if a.shape != b.shape or sparse.issparse(a) != sparse.issparse(b):
        return False
    return (a != b).nnz == 0 if sparse.issparse(a) else bool(np.array_equal(a, b))


def _call(estimator: Any) -> str:
    """The constructor call, with the parameters that differ from their defaults."""
    name, params = type(estimator).__name__, pack_estimator(estimator)["params"]
    defaults = pack_estimator(type(estimator)())["params"]
    said = [f"{key}={_literal(_unpacked(value))}" for key, value in params.items() if value != defaults[key]]
    return f"{name}({', '.join(said)})"


def _unpacked(value: Any) -> Any:
    """A packed parameter as plain lists and dictionaries."""
    if isinstance(value, dict):
        return value["array"] if "array" in value else {k: _unpacked(v) for k, v in value["mapping"]}
    return [_unpacked(v) for v in value] if isinstance(value, list) else value


def _literal(value: Any) -> str:
    """Python text for numbers, words, lists and dictionaries, broken into lines where it is long."""
    return _Printer(width=100, compact=True, sort_dicts=False).pformat(value)


class _Printer(pprint.PrettyPrinter):
    """As pprint, with numbers that are not finite as Python can read them."""

    def format(self, object: Any, context: Any, maxlevels: Any, level: Any) -> tuple[str, bool, bool]:
        if isinstance(object, float) and not math.isfinite(object):
            return f"float('{object}')", True, False
        return super().format(object, context, maxlevels, level)


def _verb_line(snapshot: Snapshot) -> str:
    command = snapshot.command
    match command["verb"]:
        case "constrain":
            return _constrain_line(command["statements"])
        case "answer":
            return _constrain_line([_answered(command)])
        case "switch":
            return f"session.switch({_call(snapshot.solver)})"
        case "restart":
            return "session.restart()"
    raise ValueError(f"a session with the verb {command['verb']!r} can't be written as a script; save it as a file")


def _answered(command: dict[str, Any]) -> dict[str, Any]:
    """The statement that an answer makes."""
    samples, answer = command["samples"], command["answer"]
    about = {"weight": command["weight"], "source": "query"}
    if answer in ("same", "different"):
        return {"kind": "must_link" if answer == "same" else "cannot_link", "pairs": [samples], **about}
    return {"kind": "labels", "labels": {"of": [[samples[0], answer]]}, **about}


def _constrain_line(statements: list[dict[str, Any]]) -> str:
    """One call for all that was stated at once, so that the solver hears it at once too."""
    said: dict[str, str] = {}
    for statement in statements:
        said |= _argument(statement)
        # All statements of a call share their weight and their source.
        if statement.get("weight", 1.0) != 1.0:
            said["weight"] = _literal(statement["weight"])
        if statement.get("source", "code") != "code":
            said["source"] = repr(statement["source"])
    return f"session.constrain({', '.join(f'{name}={value}' for name, value in said.items())})"


def _argument(statement: dict[str, Any]) -> dict[str, str]:
    match kind := statement["kind"]:
        case "all":
            return {"constraints": f"ConstraintSet.from_json({_literal(statement['constraints'])})"}
        case "forget":
            return {"forget": _literal(statement["ids"])}
        case "must_link" | "cannot_link":
            return {kind: _literal(statement["pairs"])}
        case "group":
            return {"group": _literal(statement["samples"])}
        case "separation":
            return {"separation": f"({_literal(statement['a'])}, {_literal(statement['b'])})"}
        case "labels":
            labels = unpack_labels(statement["labels"])
            return {"labels": _literal(labels if isinstance(labels, dict) else labels.tolist())}
    raise ValueError(f"unknown kind of statement {kind!r}")
