"""Freeing widgets. Closing one leaves what it holds (children, layout, marks, scales) behind, on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ipywidgets import Widget


def close_all(widget: Widget) -> None:
    """Close a widget and all that it holds."""
    found: dict[int, Widget] = {}
    waiting = [widget]
    while waiting:
        held = waiting.pop()
        if id(held) in found:
            continue
        found[id(held)] = held
        waiting += [inner for name in held.keys for inner in _widgets_in(getattr(held, name, None))]
    for held in found.values():
        held.unobserve_all()
        held.close()


def _widgets_in(value: Any) -> Iterator[Widget]:
    if isinstance(value, Widget):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _widgets_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _widgets_in(item)
