"""What a person states, as the changes that a command holds, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cclab.core import ConstraintSet, Statement
from cclab.core.constraints.statement import argument, from_json, runs, said, to_json

Change = Mapping[str, Any]


def pack_changes(n_samples: int, *, constraints: ConstraintSet | None, forget: Any, **stated: Any) -> list[Change]:
    """The arguments of `Session.constrain`, ready for JSON: all that was known replaced, some forgotten, some stated.

    Samples that are named otherwise (`by`) become positions here: a journal knows no other names.
    """
    packed: list[Change] = []
    if constraints is not None:
        if not isinstance(constraints, ConstraintSet):
            raise ValueError(f"constraints must be a ConstraintSet, got {type(constraints).__name__}")
        packed.append({"kind": "all", "constraints": constraints.to_json()})
    if forget is not None:
        packed.append({"kind": "forget", "ids": np.atleast_1d(forget).tolist()})
    return packed + to_json(said(n_samples, **stated))


def changed(known: ConstraintSet, changes: Iterable[Change]) -> ConstraintSet:
    """`known` after all the changes."""
    for change in changes:
        match change["kind"]:
            case "all":
                known = ConstraintSet.from_json(change["constraints"])
            case "forget":
                known = known.without(change["ids"])
            case _:
                known = known.with_statements(from_json([change], known.n_samples))
    return known


def keywords(statements: Iterable[Statement]) -> dict[str, Any]:
    """The arguments of `Session.constrain` that say the same; those of a call share weight and source."""
    words: dict[str, Any] = {}
    for run in runs(statements):
        name, value = argument(run)
        weights = [statement.weight for statement in run]
        words |= {name: value, "weight": weights[0] if len(set(weights)) == 1 else weights, "source": run[0].source}
    return {name: value for name, value in words.items() if (name, value) not in (("weight", 1.0), ("source", "code"))}
