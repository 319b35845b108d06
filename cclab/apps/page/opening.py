"""What is seen while something large is opened: a cover with a bar, from half a second on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cclab.apps.page.cover import Cover

#: Seconds after which a person wants to know what is going on.
PATIENCE = 0.5
STAGES = 3
_SHOW_SECONDS = 0.1


class Stages:
    """How far opening is: `begin` says each stage of it, in words, and `tell` how many rows of it are done.

    Both may be called in any thread.
    """

    def __init__(self, cover: Cover, name: str) -> None:
        self._cover, self._loop = cover, asyncio.get_running_loop()
        self._title = f"Opening {name}" if name else "Opening"
        self._n_begun, self._words, self._rows = 0, "", (0, 0)
        self._told = 0.0
        self.shown = self._ended = False

    def begin(self, words: str) -> None:
        """Begin the next stage."""
        self._n_begun, self._words, self._rows = self._n_begun + 1, words, (0, 0)
        if self.shown:
            self._loop.call_soon_threadsafe(self.show)

    def tell(self, done: int, total: int) -> None:
        """So many rows are done; said as often as one likes."""
        self._rows = (done, total)
        if self.shown and time.monotonic() - self._told > _SHOW_SECONDS:
            self._told = time.monotonic()
            self._loop.call_soon_threadsafe(self.show)

    def show(self) -> None:
        """Show the cover, unless something else covers the page, or it is opened already."""
        if self._ended or (not self.shown and self._cover.is_open):
            return
        self.shown = True
        done, total = self._rows
        words = f"{self._words}: {done:,} of {total:,} rows" if total else self._words
        self._cover.show(self._title, words, opaque=False, busy=True)
        self._cover.advance(self._n_begun - 1 + (done / total if total else 0.5), STAGES)

    def end(self) -> None:
        """Let the page be used again."""
        self._ended = True
        if self.shown:
            self._cover.hide()


@asynccontextmanager
async def covered(cover: Cover, name: str) -> AsyncIterator[Stages]:
    """Cover the page while something is opened; what is given says how far that is."""
    stages = Stages(cover, name)

    async def show_later() -> None:
        await asyncio.sleep(PATIENCE)
        stages.show()

    waiting = asyncio.ensure_future(show_later())
    try:
        yield stages
    finally:
        waiting.cancel()
        stages.end()
