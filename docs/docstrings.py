"""Docstrings as the reference shows them: with what a class takes from its bases, and with its module's papers."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

from cclab.core.parameters import Parametrized

_ENTRY = re.compile(r"^(\w[\w, ]*?) :([^\n]*)\n((?:[ ]+[^\n]*\n?|\n)*)", re.M)
Entries = dict[str, str]


def complete(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Let a page stand for itself (a listener to Sphinx's ``autodoc-process-docstring``)."""
    text = "\n".join(lines)
    if what == "class" and issubclass(found, Parametrized):
        text = with_inherited(text, found)
    if what in ("class", "function"):
        text = with_papers(text, found)
    lines[:] = text.splitlines()


def with_inherited(text: str, cls: type) -> str:
    """Add the parameters and attributes that bases explain: whoever looks up an argument need not climb to them."""
    arguments = list(inspect.signature(cls).parameters)
    for title in ("Parameters", "Attributes"):
        above: Entries = {}
        for base in reversed(cls.__mro__[1:]):
            above |= entries(inspect.cleandoc(base.__dict__.get("__doc__") or ""), title)
        wanted = arguments if title == "Parameters" else list(above)
        own = entries(text, title)
        missing = "".join(above[name] for name in wanted if name in above and name not in own)
        if not missing:
            continue
        # The papers of a base are in another list.
        missing = re.sub(r"\[(\d)\]_", r"[\1]", missing)
        if section := _section(text, title):
            text = f"{text[: section.end()].rstrip()}\n{missing}\n{text[section.end() :]}"
        else:
            text = f"{text.rstrip()}\n\n{title}\n{'-' * len(title)}\n{missing}\n"
    return text


def with_papers(text: str, found: Any) -> str:
    """Add the references, which a module lists once for all that is in it."""
    module = sys.modules.get(getattr(found, "__module__", None) or "")
    listed = _section(inspect.cleandoc(getattr(module, "__doc__", None) or ""), "References")
    if not listed or "\nReferences\n" in text:
        return text
    return f"{text.rstrip()}\n\nReferences\n----------\n{listed[1].rstrip()}\n"


def entries(text: str, title: str) -> Entries:
    """What a section of a docstring explains, each name with its lines."""
    section = _section(text, title)
    found = _ENTRY.findall(section[1] + "\n") if section else []
    return {
        name.strip(): f"{name.strip()} :{kind}\n{body.rstrip()}\n"
        for names, kind, body in found
        for name in names.split(",")
    }


def _section(text: str, title: str) -> re.Match[str] | None:
    return re.search(rf"^{title}\n-+\n(.*?)(?=^\w[^\n]*\n-{{3,}}|\Z)", text, re.M | re.S)
