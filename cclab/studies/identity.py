"""What a declaration says, as plain values: so that results of another declaration are never taken for its own."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from cclab.studies.code_behind import code_behind, has_file


def fingerprint(*values: Any) -> str:
    """A short name that changes whenever `values` do, the same in every process."""
    return _digest(json.dumps(describe(values)))


def describe(value: Any) -> Any:
    """`value` in JSON's terms. Functions and classes count by all code that they run, files by what is in them."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, _digest(value.tobytes())]
    if isinstance(value, Path):
        return [value.name, _digest(value.read_bytes()) if value.is_file() else ""]
    if isinstance(value, Mapping):
        return [[describe(k), describe(v)] for k, v in sorted(value.items(), key=lambda item: str(item[0]))]
    if isinstance(value, list | tuple):
        return [describe(v) for v in value]
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(describe(v)) for v in value)
    if isinstance(value, type):
        typed = "" if has_file(value.__module__) else _source(value)
        return [f"{value.__module__}.{value.__qualname__}", typed, code_behind(_modules_behind(value))]
    if isinstance(value, BaseEstimator):
        return [describe(type(value)), describe(value.get_params(deep=False))]
    if is_dataclass(value):
        said = {f.name: describe(getattr(value, f.name)) for f in fields(value)}
        return [describe(type(value)), said]
    if isinstance(value, functools.partial):
        return [describe(value.func), describe(value.args), describe(value.keywords)]
    if inspect.isfunction(value):
        around = describe(inspect.getclosurevars(value).nonlocals)
        return [value.__qualname__, _source(value), code_behind(_modules_behind(value)), around]
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    raise TypeError(
        "a declaration holds plain values, arrays, estimators, classes, functions and paths, but not a "
        f"{type(value).__name__}"
    )


def _modules_behind(thing: Any) -> set[str]:
    """The modules in which a class and its bases, or a function and what it names, are at home."""
    if isinstance(thing, type):
        room = thing.__module__.split(".")[:2]
        near = {base.__module__ for base in thing.__mro__ if base.__module__.split(".")[:2] == room}
        return near | {base.__module__ for base in thing.__mro__ if base.__module__.startswith("cclab.")}
    named = (getattr(value, "__module__", None) for value in inspect.getclosurevars(thing).globals.values())
    return {thing.__module__, *(module for module in named if module and module.startswith("cclab."))}


def _source(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or compiled
        code = getattr(thing, "__code__", None)
        return "" if code is None else code.co_code.hex() + repr(code.co_names)


def _digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]
