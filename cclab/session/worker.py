"""Work done in a thread of its own, while the loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from cclab.session.snapshot import Snapshot
from cclab.session.verbs import Command, stepped

T = TypeVar("T")
Pace = Callable[[], Awaitable[None]]


@cache
def _worker() -> Executor:
    """One thread for all sessions of a process: steps never run side by side."""
    return ThreadPoolExecutor(1, thread_name_prefix="cclab-step")


def aside(work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
    """The result of ``work(*arguments)``, worked out in the worker thread."""
    return asyncio.get_running_loop().run_in_executor(_worker(), work, *arguments)


class Runner:
    """Makes steps aside, one after the other, and hands each over on the loop's own thread.

    Parameters
    ----------
    current : callable
        The snapshot the session is at.
    take : callable
        Takes a command and the snapshot it led to over.
    """

    def __init__(self, current: Callable[[], Snapshot], take: Callable[[Command, Snapshot], None]) -> None:
        self._current = current
        self._take = take
        self._pause: asyncio.Event | None = None

    @property
    def running(self) -> bool:
        return self._pause is not None

    def pause(self) -> None:
        """End the run at once; the step in flight is dropped."""
        if self._pause is not None:
            self._pause.set()

    async def run(self, limit: int, command: Command, pace: Pace | None) -> None:
        """At most `limit` steps. One that was begun before the session moved on is dropped and made anew."""
        if not limit:
            return
        self._pause = pause = asyncio.Event()
        base, work = self._begin(command)
        try:
            while limit and not pause.is_set():
                if base is not self._current():
                    base, work = self._begin(command)
                await _until(work, pause)
                if pause.is_set() or base is not self._current():
                    continue
                snapshot = work.result()
                self._take(command, snapshot)
                limit -= 1
                if snapshot.converged or not limit:
                    break
                base, work = self._begin(command)  # it is worked out while this one is drawn
                if pace is not None:
                    await pace()
        finally:
            self._pause = None

    def _begin(self, command: Command) -> tuple[Snapshot, asyncio.Future[Snapshot]]:
        """Where we are, and the step from there, under way."""
        base = self._current()
        work = aside(stepped, base, command)
        work.add_done_callback(_hear)
        return base, work


async def _until(work: asyncio.Future[Any], pause: asyncio.Event) -> None:
    """Wait until the work is done, or someone pauses."""
    paused = asyncio.ensure_future(pause.wait())
    await asyncio.wait([work, paused], return_when=asyncio.FIRST_COMPLETED)
    paused.cancel()


def _hear(work: asyncio.Future) -> None:
    """Let a step that is dropped end without a word about what it raised."""
    if not work.cancelled():
        work.exception()
