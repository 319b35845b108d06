"""A session as a Python script."""

from __future__ import annotations

import math
import platform
import pprint
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scipy import sparse

from cclab.core import Statement
from cclab.core.beliefs.numbering import numbers_in
from cclab.core.constraints.statement import from_json
from cclab.core.registry import solvers
from cclab.datasets import Dataset, load_dataset
from cclab.datasets.catalogue import FOLDER, at_hand
from cclab.datasets.limits import MOST_EMBEDDED_BYTES
from cclab.datasets.load import is_path
from cclab.datasets.rows import Reading
from cclab.session.outcome import version_of
from cclab.session.statements import Change, keywords
from cclab.session.storage.serialize import pack_dataset, pack_estimator

if TYPE_CHECKING:
    from cclab.session.session import Session

# Of a fingerprint, in a script: enough that no two data sets share them.
_DIGITS = 16


def to_code(session: Session) -> str:
    """A script that makes the same session again and prints its labels.

    Raises
    ------
    ValueError
        A solver that no script can import, or a verb that only an app has.
    """
    data = session.first_data
    if not isinstance(data, Dataset):
        raise ValueError(
            "a painting can't be written as a script of verbs; the painter exports one, or save it as a file"
        )
    way = [*session.current.back()][::-1]
    recast = any(snapshot.command.verb == "columns" for snapshot in way)
    data_lines, data_imports = _data_lines(data, whole=recast)
    body: list[str] = []
    for how, snapshots in groupby(way, lambda snapshot: snapshot.how):
        lines = [snapshot.command.as_code(snapshot.problem.n_samples) for snapshot in snapshots]
        body += [f"session.step({len(lines)})"] if how == "step" else lines
    body += _naming_lines(session)
    names, imports = _solver_imports({cls for s in way for cls in _classes(s.solver)})
    names.insert(0, "Session")
    if any("ConstraintSet" in line for line in body):
        names.insert(0, "ConstraintSet")
    lines = [
        f"# Written by cclab {version_of('cclab')} with Python {platform.python_version()}, "
        + ", ".join(f"{name} {version_of(name)}" for name in ("numpy", "scipy", "scikit-learn", "pandas")),
        f"from cclab import {', '.join(names)}",
        *data_imports,
        *imports,
        "",
        *data_lines,
        *body,
        "print(session.labels.tolist())  # session.to_frame() has them beside the rows of the data",
    ]
    return "\n".join(lines) + "\n"


def _naming_lines(session: Session) -> list[str]:
    """What clusters are called at the end."""
    numbers = numbers_in(session.current.order)
    given = sorted((int(numbers[place]), name) for place, name in session.current.cluster_names.items())
    colors = (f", color={name.color}" if name.color else "" for _, name in given)
    return [f"session.name({number}, {name.name!r}{color})" for (number, name), color in zip(given, colors)]


def _classes(solver: Any) -> set[type]:
    """The class of a solver, and of one inside it."""
    inside = getattr(solver, "solver", None)
    return {type(solver)} | (_classes(inside) if inside is not None else set())


def _solver_imports(classes: set[type]) -> tuple[list[str], list[str]]:
    """Names to import from cclab, and lines that import what comes from elsewhere."""
    names, lines = [], []
    for cls in sorted(classes, key=lambda cls: cls.__name__):
        if cls.__module__.startswith(f"{solvers.room}."):
            names.append(cls.__name__)
            continue
        module = sys.modules.get(cls.__module__)
        if cls.__module__ == "__main__" or getattr(module, cls.__qualname__, None) is not cls:
            raise ValueError(
                f"{cls.__name__} is defined in a notebook or inside a function, so no script can import it; put the "
                "class into a file, import it from there, and write the script again"
            )
        lines.append(f"from {cls.__module__} import {cls.__name__}")
    return names, lines


def _data_lines(data: Dataset, whole: bool) -> tuple[list[str], list[str]]:
    """Lines that make `data`, and their imports: by name or from their file where that gives the same, else in full.

    Nothing is opened or fetched to find out: only names of sets that are on this machine are tried. What is not
    clustered is written out only where the `whole` table is needed, since its columns are used otherwise later.
    """
    made = _by_name(data)
    if made is not None:
        return [f"data = {made}"], ["from cclab import load_dataset"]
    packed = pack_dataset(data if whole else replace(data, meta=None, text_column=None))  # type: ignore[arg-type]
    if packed["rows"] is not None and not whole:
        packed["rows"]["table"] = packed["rows"]["matrix"] = None
    text = "\n".join(f"    {name!r}: {value!r}," for name, value in packed.items() if value)
    reading = data.rows.reading
    again = reading is not None and reading.result == data.fingerprint
    if again and len(text) > MOST_EMBEDDED_BYTES:
        assert reading is not None
        told = f"# The data are read from {reading.file!r}, beside this script; if it holds other data, that is said."
        return [told, f"data = {_read_again(reading)}"], ["from cclab import load_dataset"]
    whence = f"they are small (from {reading.file!r})" if again and reading else "they are in no file that is known"
    return [
        f"# The data ({data.n_samples} samples x {data.n_features} features) are written out here: {whence}.",
        f"data = unpack_dataset({{\n{text}\n}}, 'this script')",
    ], ["from cclab.session.storage.serialize import unpack_dataset"]


def _read_again(reading: Reading) -> str:
    target = "" if reading.target is None else f", target={reading.target!r}"
    options = "".join(f", {name}={_literal(value)}" for name, value in reading.options.items())
    check = f", fingerprint={reading.fingerprint[:_DIGITS]!r}" if reading.fingerprint else ""
    return f"load_dataset({reading.file!r}{target}{options}{check}){'.standardized()' if reading.standardized else ''}"


def _by_name(data: Dataset) -> str | None:
    """The expression that gives these data by name, if there is one."""
    name = data.name.split(" (")[0].split(",")[0]
    try:
        source = at_hand().get(name)
        if source is None or is_path(name):
            return None
        made = load_dataset(name)
    except (ValueError, OSError):  # a folder that is named but is not there, or is damaged
        return None
    # What is in a folder may be something else on another machine.
    check = f", fingerprint={made.fingerprint[:_DIGITS]!r}" if source == FOLDER else ""
    if made.fingerprint == data.fingerprint:
        return f"load_dataset({name!r}{check})"
    if not sparse.issparse(made.X) and made.standardized().fingerprint == data.fingerprint:
        return f"load_dataset({name!r}{check}).standardized()"
    return None


def call(packed: Mapping[str, Any]) -> str:
    """The constructor call of a packed solver, with the parameters that differ from their defaults."""
    defaults = pack_estimator(solvers.get(packed["name"])())["params"]
    said = [f"{k}={_argument(value)}" for k, value in packed["params"].items() if value != defaults[k]]
    return f"{packed['name']}({', '.join(said)})"


def _argument(value: Any) -> str:
    inside = value.get("estimator") if isinstance(value, dict) else None
    return call(inside) if inside else _literal(_unpacked(value))


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


def _constrain_line(statements: Iterable[Statement], **said: str) -> str:
    """One call for all that was stated at once, so that the solver hears it at once too."""
    said |= {name: _literal(value) for name, value in keywords(statements).items()}
    return f"session.constrain({', '.join(f'{name}={value}' for name, value in said.items())})"


def changes_line(changes: list[Change], n_samples: int) -> str:
    """The call of `constrain` that makes these changes."""
    whole, said = {}, []
    for change in changes:
        match change["kind"]:
            case "all":
                whole["constraints"] = f"ConstraintSet.from_json({_literal(change['constraints'])})"
            case "forget":
                whole["forget"] = _literal(change["ids"])
            case _:
                said.append(change)
    return _constrain_line(from_json(said, n_samples), **whole)
