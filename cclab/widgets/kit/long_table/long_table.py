"""A table of any length: the browser asks for the rows that are in sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
from traitlets import Int, Unicode

from cclab.widgets.kit.bundle import bundle
from cclab.widgets.kit.html import Html
from cclab.widgets.kit.rows import Action

#: So many rows are given at a time, whatever the browser asks for.
MOST_AT_ONCE = 200


class LongTable(anywidget.AnyWidget):
    """A table whose rows are made as they come into sight.

    Clicks on elements with ``data-action`` are reported as by `Rows`.

    Parameters
    ----------
    head : Html
        One ``tr`` of ``th``.
    label : str
        Name for screen readers.

    Attributes
    ----------
    make_row : callable
        ``make_row(place)`` gives the ``tr`` at a place, from 0.
    """

    _esm = bundle("kit/send.js", "kit/long_table/long_table.js")

    head = Unicode().tag(sync=True)
    label = Unicode().tag(sync=True)
    n_rows = Int(0).tag(sync=True)
    # Another number when rows are no longer what they were.
    edition = Int(0).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.make_row: Callable[[int], Html] = lambda place: Html("<tr></tr>")
        self._callbacks: list[Callable[[Action], object]] = []
        self.on_msg(self._receive)

    def show(self, n_rows: int, head: Html, make_row: Callable[[int], Html]) -> None:
        """Show so many rows, each made when it is seen."""
        self.make_row = make_row
        with self.hold_sync():
            self.head, self.n_rows = str(head), n_rows
            self.edition += 1

    def refresh(self) -> None:
        """Make those in sight anew."""
        self.edition += 1

    def on_action(self, callback: Callable[[Action], object]) -> None:
        """Call ``callback(action)`` on clicks and key activations."""
        self._callbacks.append(callback)

    def _receive(self, _widget: Any, message: dict, _buffers: list) -> None:
        match message.get("type"):
            case "window":
                first = min(max(0, int(message["first"])), self.n_rows)
                end = min(self.n_rows, first + min(max(0, int(message["count"])), MOST_AT_ONCE))
                rows = [str(self.make_row(place)) for place in range(first, end)]
                self.send({"type": "rows", "first": first, "edition": self.edition, "rows": rows})
            case "act":
                modifiers = {name: bool(message.get(name)) for name in ("shift", "ctrl")}
                for callback in self._callbacks:
                    callback(Action(message["action"], str(message.get("id") or ""), None, **modifiers))
