"""States as JSON and plain arrays, and back.

The classes are never named by a file: the state's own is looked up among those that are known, and the classes of its
parts stand in its annotations.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import State
from cclab.core.registry import states

Arrays = dict[str, NDArray]


class CantSerialize(TypeError):
    """A state holds something that is neither numbers, texts, arrays nor dataclasses of these."""


def pack_state(state: State, samples: Any) -> tuple[dict[str, Any], Arrays]:
    """A state as a structure ready for JSON, and its arrays by name.

    Parameters
    ----------
    state : State
    samples : array or sparse matrix
        Those of the problem, which are not written with it.
    """
    arrays: Arrays = {}
    structure = {"class": type(state).__name__, "fields": _pack_fields(state, samples, arrays)}
    return structure, arrays


def _pack_fields(value: Any, samples: Any, arrays: Arrays) -> dict[str, Any]:
    return {f.name: _pack(getattr(value, f.name), samples, arrays) for f in dataclasses.fields(value) if f.init}


def _pack(value: Any, samples: Any, arrays: Arrays) -> Any:
    if _is_samples(value, samples):
        return {"samples": True}
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_pack(part, samples, arrays) for part in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[_pack(k, samples, arrays), _pack(v, samples, arrays)] for k, v in value.items()]}
    if isinstance(value, State):  # of the solver inside another
        return {"state": {"class": type(value).__name__, "fields": _pack_fields(value, samples, arrays)}}
    if dataclasses.is_dataclass(value):
        return {"fields": _pack_fields(value, samples, arrays)}
    raise CantSerialize(f"a {type(value).__name__} can't be written with a state")


def _is_samples(value: Any, samples: Any) -> bool:
    if sparse.issparse(samples):
        return value is samples
    return (
        isinstance(value, np.ndarray)
        and value.shape == samples.shape
        and value.dtype == samples.dtype
        and value.__array_interface__["data"] == samples.__array_interface__["data"]
    )


def unpack_state(structure: Mapping[str, Any], arrays: Mapping[str, NDArray], samples: Any) -> State:
    """The inverse of `pack_state`. Whatever is wrong with a structure, it is an Exception and nothing is run."""
    return _unpack_fields(states.get(structure["class"]), structure["fields"], arrays, samples)


def _unpack_fields(cls: type, written: Mapping[str, Any], arrays: Mapping[str, NDArray], samples: Any) -> Any:
    hints = get_type_hints(cls)
    return cls(**{name: _unpack(value, hints[name], arrays, samples) for name, value in written.items()})


def _unpack(written: Any, hint: Any, arrays: Mapping[str, NDArray], samples: Any) -> Any:
    if not isinstance(written, dict):
        return written
    ((kind, content),) = written.items()
    match kind:
        case "samples":
            return samples
        case "array":
            arrays[content].setflags(write=False)
            return arrays[content]
        case "state":
            return unpack_state(content, arrays, samples)
        case "fields":
            return _unpack_fields(_dataclass_of(hint), content, arrays, samples)
        case "mapping":
            return {_unpack(k, Any, arrays, samples): _unpack(v, Any, arrays, samples) for k, v in content}
        case "tuple" | "list":
            parts = [_unpack(part, hint, arrays, samples) for part in content]
            return tuple(parts) if kind == "tuple" else parts
    raise ValueError(f"unknown kind of value {kind!r}")


def _dataclass_of(hint: Any) -> type:
    """The one dataclass that an annotation speaks of: ``Verdict`` in ``Verdict | None`` or ``tuple[Verdict, ...]``."""
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return hint
    if get_origin(hint) in (Union, types.UnionType, tuple, list):
        (found,) = {cls for part in get_args(hint) if (cls := _maybe_dataclass_of(part)) is not None}
        return found
    raise ValueError(f"{hint} is no dataclass")


def _maybe_dataclass_of(hint: Any) -> type | None:
    try:
        return _dataclass_of(hint)
    except ValueError:
        return None
