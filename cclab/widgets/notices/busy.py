"""What is under way that a person waits for, over the picture that is about to be replaced; it can be stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from cclab.session import Moment
from cclab.widgets.kit.background import Tasks, is_looping
from cclab.widgets.kit.html import join, tag
from cclab.widgets.kit.layout import button, row, show, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View

#: What takes no longer than this is not worth a word.
SHORT = 0.2


class Busy(View):
    """Words, seconds and a button that stops it, shown while the desk is busy.

    Parameters
    ----------
    desk : Desk
    on_stop : callable
    """

    def __init__(self, desk: Desk, on_stop: Callable[[], object]) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self._began = 0.0
        self.words = text()
        stop = button("Stop", on_stop, hint="Stop, and keep what is there")
        self.widget = row(self.words, stop, css="cc-busy cc-hidden")
        self.listen(desk.busied, self._busied)

    def _busied(self, words: str) -> None:
        if not words:
            self._tasks.cancel()
            show(self.widget, False)
        elif is_looping():
            self._began = time.monotonic()
            self._tasks.cancel()
            self._tasks.start(self._count(words))

    async def _count(self, words: str) -> None:
        await asyncio.sleep(SHORT)
        show(self.widget, True)
        while self.desk.busy == words:
            seconds = time.monotonic() - self._began
            said = tag("b", words), f", {seconds:.0f} s" if seconds >= 1 else ""
            self.words.value = tag("div", join(*said), role="status")
            await asyncio.sleep(1)

    def update(self, old: Moment | None, new: Moment) -> None:
        pass

    def close(self) -> None:
        self._tasks.cancel()
        super().close()
