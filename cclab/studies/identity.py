"""What a declaration says, as plain values: so that results of another declaration are never taken for its own."""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


def fingerprint(*values: Any) -> str:
    """A short name that changes whenever `values` do, the same in every process."""
    return _digest(json.dumps(describe(values)))


def describe(value: Any) -> Any:
    """`value` in JSON's terms. Functions and classes count by their source, so that changed code is run again."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, _digest(value.tobytes())]
    if isinstance(value, Mapping):
        return [[describe(k), describe(v)] for k, v in sorted(value.items(), key=lambda item: str(item[0]))]
    if isinstance(value, list | tuple):
        return [describe(v) for v in value]
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(describe(v)) for v in value)
    if isinstance(value, type):
        return [f"{value.__module__}.{value.__qualname__}", _sources(value)]
    if isinstance(value, BaseEstimator):
        return [describe(type(value)), describe(value.get_params(deep=False))]
    if is_dataclass(value):
        said = {f.name: describe(getattr(value, f.name)) for f in fields(value)}
        return [type(value).__qualname__, _source(type(value)), said]
    if isinstance(value, functools.partial):
        return [describe(value.func), describe(value.args), describe(value.keywords)]
    if inspect.isfunction(value):
        return [value.__qualname__, _source(value), describe(inspect.getclosurevars(value).nonlocals)]
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    raise TypeError(
        f"a declaration holds plain values, arrays, estimators, classes and functions, but not a {type(value).__name__}"
    )


def _sources(cls: type) -> str:
    """One digest for the files of a class and of those of its bases that live in the same room."""
    room = cls.__module__.split(".")[:2]
    modules = {base.__module__ for base in cls.__mro__ if base.__module__.split(".")[:2] == room}
    return _digest("".join(_source(importlib.import_module(name)) for name in sorted(modules)))


def _source(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed at a prompt, or compiled
        code = getattr(thing, "__code__", None)
        return "" if code is None else code.co_code.hex() + repr(code.co_names)


def _digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]
