"""What the parts of the Watch panel have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from ipywidgets import DOMWidget

from cclab.core.registry import Registry
from cclab.datasets import Dataset
from cclab.session import Moment, Snapshot
from cclab.widgets.kit.throttle import Throttle
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View

watch_parts = Registry("part of the Watch panel")


def put_away(widget: DOMWidget, away: bool) -> None:
    """Take a widget that holds charts out of sight, or bring it back."""
    (widget.add_class if away else widget.remove_class)("cc-away")


class Part(View):
    """A view that is drawn only while it is seen, and only where the belief has what it shows.

    A subclass makes `widget` and gives `draw`; it ends its constructor with `start`. One that names a `tab` is on
    every Watch panel that is made from then on.
    """

    title: ClassVar[str] = ""
    #: The tab of the Watch panel that it belongs to, one of those that are there or a new one; "" is none.
    tab: ClassVar[str] = ""
    #: Parts, and tabs, stand in this order: those of the package come first.
    order: ClassVar[int] = 100

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.tab:
            watch_parts.add(cls)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._seen = True
        self._stale = True
        self._throttle = Throttle()

    @classmethod
    def suits(cls, data: Dataset) -> bool:
        """Whether it can ever have anything to show on these data; a tab without such parts is left out."""
        return True

    def applies(self, snapshot: Snapshot) -> bool:
        """Whether there is anything to show."""
        return True

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        """Show another snapshot: what is not the same in `new` as in `old`; all of it when `old` is None."""
        raise NotImplementedError

    def start(self) -> None:
        """Draw for the first time."""
        self.update(None, self.desk.moment)

    def redraw(self) -> None:
        """Draw all, if it is seen."""
        self.update(None, self.desk.moment)

    @property
    def seen(self) -> bool:
        """Whether the part is on a page that is open; what happens meanwhile is drawn when it is again."""
        return self._seen

    @seen.setter
    def seen(self, seen: bool) -> None:
        self._seen = seen
        if seen and self._stale:
            self.redraw()

    def update(self, old: Moment | None, new: Moment) -> None:
        before = None if old is None or old.names is not new.names else old.snapshot
        if before is new.snapshot and not self._stale:
            return
        applies = self.applies(new.snapshot)
        put_away(self.widget, not applies)
        if not (self._seen and applies) or self._throttle.holds(new):
            self._stale = True
            return
        self.draw(None if self._stale else before, new.snapshot)
        self._stale = False
