"""The sheet that lists the keys of a page."""

from __future__ import annotations

from collections.abc import Mapping

from cclab.widgets.html import join, tag
from cclab.widgets.layout import button, column, show, text


class KeySheet:
    """Floats over the page when asked for.

    Parameters
    ----------
    entries : mapping from str to str
        Keys as they are written on a keyboard, separated by blanks, and what they do.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.is_open = False
        rows = [
            join(tag("dt", [join(tag("kbd", key), " ") for key in keys.split()]), tag("dd", what))
            for keys, what in entries.items()
        ]
        behind = button(hint="Close (Esc)", on_click=self.hide, css="cc-behind")
        sheet = tag("div", tag("b", "Keys"), tag("dl", rows), class_="cc-sheet", role="dialog", aria_label="Keys")
        self.widget = column(behind, text(sheet, css="cc-over"), css="cc-sheet-layer cc-hidden")

    def toggle(self) -> None:
        """Show it, or put it away."""
        self.is_open = not self.is_open
        show(self.widget, self.is_open)

    def hide(self) -> None:
        """Put it away."""
        self.is_open = False
        show(self.widget, False)
