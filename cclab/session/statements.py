"""Statements as JSON-ready commands, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cclab.core import ConstraintSet


def pack_statements(*, weight: Any = 1.0, source: str = "code", **said: Any) -> list[dict[str, Any]]:
    """What was said, as a list of commands; the keys of `said` are those of `Session.constrain`."""
    about = {"weight": _plain(weight), "source": source}
    packed: list[dict[str, Any]] = []
    if said.get("constraints") is not None:
        if not isinstance(said["constraints"], ConstraintSet):
            raise ValueError(f"constraints must be a ConstraintSet, got {type(said['constraints']).__name__}")
        packed.append({"kind": "all", "constraints": said["constraints"].to_json()})
    if said.get("forget") is not None:
        packed.append({"kind": "forget", "ids": np.atleast_1d(said["forget"]).tolist()})
    packed += [
        {"kind": kind, "pairs": _plain(said[kind]), **about}
        for kind in ("must_link", "cannot_link")
        if said.get(kind) is not None
    ]
    if said.get("group") is not None:
        packed.append({"kind": "group", "samples": _plain(said["group"]), **about})
    if said.get("separation") is not None:
        if len(said["separation"]) != 2:
            raise ValueError(f"a separation keeps two sets of samples apart, got {len(said['separation'])}")
        a, b = said["separation"]
        packed.append({"kind": "separation", "a": _plain(a), "b": _plain(b), **about})
    if said.get("labels") is not None:
        packed.append({"kind": "labels", "labels": _pack_labels(said["labels"]), **about})
    return packed


def _plain(value: Any) -> Any:
    """Numbers and lists as JSON has them, unchanged: whether they make sense is for `ConstraintSet` to say."""
    value = list(value) if isinstance(value, set | frozenset) else value
    try:
        return np.asarray(value).tolist()
    except ValueError:  # rows of different lengths
        return [_plain(row) for row in value]


def _pack_labels(labels: Any) -> Any:
    if not isinstance(labels, Mapping):
        array = np.asarray(labels)
        # JSON has no NaN.
        return [[None if v != v else v for v in row] for row in array.tolist()] if array.ndim == 2 else array.tolist()

    def known(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {"degrees": [[_plain(k), _plain(d)] for k, d in value.items()]}
        return _plain(value)

    return {"of": [[_plain(sample), known(value)] for sample, value in labels.items()]}


def unpack_labels(packed: Any) -> Any:
    if isinstance(packed, dict):
        return {sample: dict(value["degrees"]) if isinstance(value, dict) else value for sample, value in packed["of"]}
    # A table of degrees holds None where nothing is known.
    return np.array(packed, dtype=float) if packed and isinstance(packed[0], list) else np.array(packed)


def state_all(known: ConstraintSet, statements: list[dict[str, Any]]) -> ConstraintSet:
    """`known`, with all the statements made."""
    for said in statements:
        about = {name: said[name] for name in ("weight", "source") if name in said}
        match said["kind"]:
            case "all":
                known = ConstraintSet.from_json(said["constraints"])
            case "forget":
                known = known.without(said["ids"])
            case "must_link":
                known = known.with_must_link(said["pairs"], **about)
            case "cannot_link":
                known = known.with_cannot_link(said["pairs"], **about)
            case "group":
                known = known.with_group(said["samples"], **about)
            case "separation":
                known = known.with_separation(said["a"], said["b"], **about)
            case "labels":
                known = known.with_labels(unpack_labels(said["labels"]), **about)
            case other:
                raise ValueError(f"unknown kind of statement {other!r}")
    return known
