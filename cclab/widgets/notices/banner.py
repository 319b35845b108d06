"""A banner over the panel that it concerns: what went wrong, and what would help."""

from __future__ import annotations

from collections.abc import Callable

from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.html import join, tag
from cclab.widgets.layout import button, row, show, text

#: What would help: the words of a button, and what it does.
Remedy = tuple[str, Callable[[], object]]


class Banner(View):
    """Shows warnings and errors until the next verb, or until it is closed.

    Parameters
    ----------
    desk : Desk
    remedy_for : callable, optional
        ``remedy_for(text)`` gives a `Remedy` for a message, or None.
    """

    def __init__(self, desk: Desk, remedy_for: Callable[[str], Remedy | None] | None = None) -> None:
        super().__init__(desk)
        self._remedy_for = remedy_for
        self._remedy: Callable[[], object] = lambda: None
        self._words = text()
        self.remedy_button = button("Remedy", self._help, hint="Do what helps")
        close = button(icon="close", hint="Close (Esc)", on_click=self.hide)
        self.widget = row(self._words, self.remedy_button, close, css="cc-banner cc-hidden")
        self.is_open = False
        self.listen(desk.told, self._told)

    def _told(self, kind: str, words: str) -> None:
        if kind == "info":
            return
        if not words:
            self.hide()
            return
        remedy = self._remedy_for(words) if self._remedy_for is not None else None
        show(self.remedy_button, remedy is not None)
        if remedy is not None:
            self.remedy_button.description, self._remedy = remedy
            self.remedy_button.tooltip = remedy[0]
        first, colon, rest = words.partition(": ")
        said = join(tag("b", first + colon), rest) if colon and kind == "bad" else join(words)
        self._words.value = tag("div", said, role="alert" if kind == "bad" else "status")
        (self.widget.add_class if kind == "warning" else self.widget.remove_class)("cc-warning")
        self.is_open = True
        show(self.widget, True)

    def _help(self) -> None:
        self.hide()
        self._remedy()

    def hide(self) -> None:
        """Put it away."""
        self.is_open = False
        show(self.widget, False)

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if self.is_open and old is not new:
            self.hide()
