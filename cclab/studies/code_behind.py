"""Which code of this package stands behind a class or a function, so that results are known to come from it."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from pkgutil import walk_packages
from typing import NamedTuple

from cclab.core.registry import Registry

PACKAGE = __name__.partition(".")[0]
# What only speaks of results: no trial runs it, so better words cost nobody a night of trials.
REPORTS = frozenset(f"{PACKAGE}.studies.{name}" for name in ("claims", "result_tables", "results_page", "terminal"))


def code_behind(modules: Iterable[str]) -> str:
    """One digest for the source of `modules` and of all that they import from this package, at any distance.

    Imports count wherever they stand, in functions too. Of a package that passes names on (``from cclab import FCM``)
    the module that a name comes from counts. A module that looks solvers or strategies up by name may run any of them.
    """
    files: dict[str, File] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in files and module not in REPORTS and (path := _path_of(module)) is not None:
            files[module] = _read(module, path, os.stat(path).st_mtime_ns)
            waiting += files[module].imports
    said = [f"{module} {file.digest}" for module, file in sorted(files.items())]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def has_file(module: str) -> bool:
    """Whether a module was read from a file, so that `code_behind` knows its source."""
    return _path_of(module) is not None


class File(NamedTuple):
    """What counts of a module: its content, and the modules of this package that it imports."""

    digest: str
    imports: frozenset[str]


def _path_of(module: str) -> str | None:
    """The file of a module; None for one that was typed at a prompt, or compiled."""
    loaded = sys.modules.get(module)
    origin = getattr(loaded, "__file__", None) if loaded is not None else getattr(find_spec(module), "origin", None)
    return origin if origin is not None and origin.endswith(".py") else None


@lru_cache(maxsize=1024)
def _read(module: str, path: str, changed: int) -> File:
    """A module's file, read once for as long as it has not changed."""
    text = Path(path).read_bytes()
    home = module if Path(path).name == "__init__.py" else module.rpartition(".")[0]
    imports: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names if _is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), home)
            if _is_ours(source):
                imports |= {name for alias in node.names for name in _homes(module, source, alias.name)}
    return File(hashlib.sha256(text).hexdigest(), frozenset(imports))


def _homes(importer: str, source: str, name: str) -> Iterator[str]:
    """The modules behind ``from source import name``."""
    there = importlib.import_module(source)
    thing = getattr(there, name, None)
    if thing is None or inspect.ismodule(thing):
        yield f"{source}.{name}"
        return
    home = getattr(thing, "__module__", None) if hasattr(there, "__path__") else source
    yield home if isinstance(home, str) and _is_ours(home) else source
    if isinstance(thing, Registry) and not importer.startswith((f"{PACKAGE}.core.", f"{thing.room}.")):
        room = importlib.import_module(thing.room)
        yield from (found.name for found in walk_packages(room.__path__, f"{thing.room}."))


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE
