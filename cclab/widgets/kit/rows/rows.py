"""One widget for everything that is rows of text: tables, lists, cards, legends, the status line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import anywidget
from traitlets import Enum, List, Unicode

from cclab.widgets.kit.bundle import bundle
from cclab.widgets.kit.html import Html

#: A row: a key, whose text tells it from the others, and one element of HTML.
Row = tuple[object, Html]


@dataclass(frozen=True)
class Action:
    """What someone did: the ``data-action`` and ``data-id`` of the element ("" without), and the value of a field."""

    name: str
    id: str
    value: object = None
    shift: bool = False
    ctrl: bool = False


class Rows(anywidget.AnyWidget):
    """Rows of HTML, built with `kit.html.tag`; rows that stay the same keep their place, focus and scroll.

    Elements with ``data-action`` (and ``data-id``) report clicks, Enter and Space; fields report their new value;
    elements with ``data-hover`` report the pointer.

    Parameters
    ----------
    kind : {"list", "table"}
        In a table the head is a ``tr`` of ``th`` and each row a ``tr``.
    head : Html
        What stands above the rows.
    label : str
        Name for screen readers.
    """

    _esm = bundle("kit/send.js", "kit/rows/rows.js")

    kind = Enum(("list", "table"), "list").tag(sync=True)
    head = Unicode().tag(sync=True)
    label = Unicode().tag(sync=True)
    # (key, html) of each row.
    rows = List(List(Unicode())).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._action_callbacks: list[Callable[[Action], object]] = []
        self._hover_callbacks: list[Callable[[str | None], object]] = []
        self.on_msg(self._receive)

    def show(self, rows: Iterable[Row]) -> None:
        """Show these rows: pairs of a key (its text must be unique) and one element of HTML."""
        shown = [[str(key), _checked(html)] for key, html in rows]
        keys = [key for key, _ in shown]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"Row keys must be unique; {twice!r} comes twice.")
        self.rows = shown

    def reveal(self, key: object) -> None:
        """Scroll until a row is seen."""
        self.send({"type": "reveal", "key": str(key)})

    def on_action(self, callback: Callable[[Action], object]) -> None:
        """Call ``callback(action)`` on clicks, key activations and changed fields."""
        self._action_callbacks.append(callback)

    def on_hover(self, callback: Callable[[str | None], object]) -> None:
        """Call ``callback(id)`` with the ``data-hover`` below the pointer, None when it leaves."""
        self._hover_callbacks.append(callback)

    def _receive(self, _widget: object, message: dict, _buffers: list) -> None:
        if message.get("type") == "act":
            modifiers = {name: bool(message.get(name)) for name in ("shift", "ctrl")}
            action = Action(message["action"], message.get("id") or "", message.get("value"), **modifiers)
            for act in self._action_callbacks:
                act(action)
        elif message.get("type") == "hover":
            for hover in self._hover_callbacks:
                hover(message["id"])


def _checked(html: str) -> str:
    if not isinstance(html, Html):
        raise TypeError(f"A row must be Html, built with tag(); got the plain text {html!r}.")
    return str(html)
