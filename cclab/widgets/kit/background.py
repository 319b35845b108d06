"""Work that must not hold up the page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


def is_looping() -> bool:
    """Whether an event loop is under way, as it always is in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class Tasks:
    """Coroutines that a view has started. With no loop under way (a script, a test) each runs to its end at once."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start `work`; what it raises is logged."""
        if not is_looping():
            asyncio.run(self._to_the_end(work))
            return
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def _to_the_end(self, work: Coroutine[Any, Any, Any]) -> None:
        """`work`, and what it has started in turn, of whichever view."""
        await work
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)

    def _ended(self, task: asyncio.Task) -> None:
        self._running.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("work of a view failed", exc_info=task.exception())

    def cancel(self) -> None:
        """Stop all that is under way."""
        for task in tuple(self._running):
            task.cancel()
