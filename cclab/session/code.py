"""A session as a Python script."""

from __future__ import annotations

import pprint
import textwrap
from collections.abc import Iterator
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
    names = sorted({type(s.solver).__name__ for s in way})
    body = [f"session = Session(data, {_call(first.solver)}, seed={first.problem.seed})"]
    steps = 0
    for snapshot in way[1:]:
        if snapshot.how == "step":
            steps += 1
            continue
        if steps:
            body.append(f"session.step({steps})")
            steps = 0
        body.append(_verb_line(snapshot))
    if steps:
        body.append(f"session.step({steps})")
    lines = [
        f"from cclab import {', '.join(['Session', *names])}",
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
    packed = pprint.pformat(pack_dataset(data), width=1000, compact=True)
    return [f"data = unpack_dataset({packed}, 'this script')"], ["from cclab.session.packing import unpack_dataset"]


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
    said = []
    for key, value in params.items():
        if value != defaults[key]:
            said.append(f"{key}={_literal(value)}")
    return f"{name}({', '.join(said)})"


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        if "array" in value:
            return repr(value["array"])
        return "{" + ", ".join(f"{k!r}: {_literal(v)}" for k, v in value["mapping"]) + "}"
    return repr(value)


def _verb_line(snapshot: Snapshot) -> str:
    command = snapshot.command
    match command["verb"]:
        case "constrain":
            return "\n".join(_constrain_line(said) for said in command["statements"])
        case "answer":
            about = f"source='query'{_weight(command)}"
            samples, answer = command["samples"], command["answer"]
            if answer == "same":
                return f"session.constrain(must_link=[{samples}], {about})"
            if answer == "different":
                return f"session.constrain(cannot_link=[{samples}], {about})"
            return f"session.constrain(labels={{{samples[0]}: {answer}}}, {about})"
        case "switch":
            return f"session.switch({_call(snapshot.solver)})"
        case "restart":
            return "session.restart()"
    raise ValueError(f"a session with the verb {command['verb']!r} can't be written as a script; save it as a file")


def _constrain_line(said: dict[str, Any]) -> str:
    source = f", source={said['source']!r}" if said.get("source", "code") != "code" else ""
    about = source + _weight(said)
    match said["kind"]:
        case "forget":
            return f"session.constrain(forget={said['ids']})"
        case "must_link" | "cannot_link":
            return _wrapped(f"session.constrain({said['kind']}={said['pairs']}{about})")
        case "group":
            return _wrapped(f"session.constrain(group={said['samples']}{about})")
        case "separation":
            return _wrapped(f"session.constrain(separation=({said['a']}, {said['b']}){about})")
        case "labels":
            labels = unpack_labels(said["labels"])
            if isinstance(labels, dict):
                return _wrapped(f"session.constrain(labels={labels}{about})")
            values = labels.tolist()
            return _wrapped(f"session.constrain(labels={values}{about})".replace("nan", "float('nan')"))
    raise ValueError(
        "a session whose constraints were replaced as a whole can't be written as a script; save it as a file"
    )


def _weight(said: dict[str, Any]) -> str:
    return f", weight={said['weight']!r}" if said.get("weight", 1.0) != 1.0 else ""


def _wrapped(line: str) -> str:
    return "\n    ".join(textwrap.wrap(line, 110, break_long_words=False)) if len(line) > 110 else line
