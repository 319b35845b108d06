"""The sheet that lists the keys of a page."""

from __future__ import annotations

from collections.abc import Mapping

from cclab.apps.page.popover import Popover
from cclab.widgets.kit.html import join, tag
from cclab.widgets.kit.layout import text


class KeySheet(Popover):
    """Floats over the page when asked for.

    Parameters
    ----------
    entries : mapping from str to str
        Keys as they are written on a keyboard, separated by blanks, and what they do.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        rows = [
            join(tag("dt", [join(tag("kbd", key), " ") for key in keys.split()]), tag("dd", what))
            for keys, what in entries.items()
        ]
        sheet = tag("div", tag("b", "Keys"), tag("dl", rows), class_="cc-sheet", role="dialog", aria_label="Keys")
        super().__init__(text(sheet, css="cc-over"), "cc-sheet-layer")
