"""A banner over the panel that it concerns: what went wrong, and what would help."""

from __future__ import annotations

from cclab.session import Moment
from cclab.widgets.kit.html import join, tag
from cclab.widgets.kit.layout import button, row, show, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Fix, Notice
from cclab.widgets.model.view import View

#: A banner lies over the data; what is longer than this is cut.
MOST_CHARACTERS = 1_000


class Banner(View):
    """Shows warnings and errors until the next verb, or until it is closed.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._fix: Fix | None = None
        self.words = text()
        self.fix_button = button("Fix", self._help, hint="Do what helps")
        close = button(icon="close", hint="Close (Esc)", on_click=self.hide)
        self.widget = row(self.words, self.fix_button, close, css="cc-banner cc-hidden")
        self.is_open = False
        self.listen(desk.told, self._told)

    def _told(self, notice: Notice) -> None:
        if notice.kind == "info":
            return
        self._fix, bad = notice.fix, notice.kind == "bad"
        show(self.fix_button, self._fix is not None)
        if self._fix is not None:
            self.fix_button.description = self.fix_button.tooltip = self._fix.words
        first, colon, rest = _cut(notice.words).partition(": ")
        said = join(tag("b", first + colon), rest) if colon and bad else join(first, colon, rest)
        self.words.value = tag("div", said, role="alert" if bad else "status")
        (self.widget.remove_class if bad else self.widget.add_class)("cc-warning")
        self.is_open = True
        show(self.widget, True)

    def _help(self) -> None:
        self.hide()
        if self._fix is not None:
            self._fix.act()

    def hide(self) -> None:
        """Put it away."""
        self.is_open = False
        show(self.widget, False)

    def update(self, old: Moment | None, new: Moment) -> None:
        if self.is_open and (old is None or old.snapshot is not new.snapshot):
            self.hide()


def _cut(words: str) -> str:
    """What a banner has room for; the number of characters that it has not.

    >>> _cut("Rather long: " + "ab " * 2_000)[-40:]
    'ab ab ab ab … and 5,014 characters more.'
    """
    if len(words) <= MOST_CHARACTERS:
        return words
    shown = words[:MOST_CHARACTERS].rpartition(" ")[0] or words[:MOST_CHARACTERS]
    return f"{shown} … and {len(words) - len(shown):,} characters more."
