"""What the parts of the Watch panel have in common."""

from __future__ import annotations

from typing import ClassVar

from ipywidgets import DOMWidget

from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.running import Restraint


def put_away(widget: DOMWidget, away: bool) -> None:
    """Take a widget that holds charts out of sight, or bring it back."""
    (widget.add_class if away else widget.remove_class)("cc-away")


class Part(View):
    """A view that is drawn only while it is seen, and only where the belief has what it shows.

    A subclass makes `widget` and gives `draw`; it ends its constructor with `start`.
    """

    title: ClassVar[str] = ""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._seen = True
        self._stale = True
        self._restraint = Restraint()

    def applies(self, snapshot: Snapshot) -> bool:
        """Whether there is anything to show."""
        return True

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        """Redraw what is not the same in `new` as in `old`; all of it when `old` is None."""
        raise NotImplementedError

    def start(self) -> None:
        """Draw for the first time."""
        self.update(None, self.desk.session.current)

    def redraw(self) -> None:
        """Draw all, if it is seen."""
        self.update(None, self.desk.session.current)

    @property
    def seen(self) -> bool:
        """Whether the part is on a page that is open; what happens meanwhile is drawn when it is again."""
        return self._seen

    @seen.setter
    def seen(self, seen: bool) -> None:
        self._seen = seen
        if seen and self._stale:
            self.redraw()

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        applies = self.applies(new)
        put_away(self.widget, not applies)
        if not (self._seen and applies) or self._restraint.holds(self.desk.session):
            self._stale = True
            return
        self.draw(None if self._stale else old, new)
        self._stale = False
