"""Work done in a thread of its own, while the loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from cclab.session.commands import Command
from cclab.session.history import Moment
from cclab.session.threads import UnderWay

Pace = Callable[[], Awaitable[None]]


@dataclass
class Runner:
    """Prepares a command in the worker, again and again, and commits it each time on the loop's own thread.

    Parameters
    ----------
    now : callable
        The moment the session is at.
    prepare : callable
        ``prepare(command, moment)`` gives the moment that the command leads to.
    commit : callable
        ``commit(command, moment)`` lets it take effect.
    """

    now: Callable[[], Moment]
    prepare: Callable[[Command, Moment], Moment]
    commit: Callable[[Command, Moment], None]
    _pause: asyncio.Event | None = field(default=None, init=False)
    _once: set[asyncio.Event] = field(default_factory=set, init=False)

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._pause is not None

    def pause(self) -> None:
        """End the run, and what is to be done once, at once; the step in flight is dropped."""
        for event in (self._pause, *self._once):
            if event is not None:
                event.set()

    async def once(self, command: Command, *, asking: bool = False) -> bool:
        """Do a command; False where it was dropped: paused, or what it builds on was changed meanwhile.

        One that asks neither waits for steps nor holds them up, and is not paused.
        """
        base, work = self._begin(command, "question" if asking else "step")
        if not asking:
            self._once.add(pause := asyncio.Event())
            try:
                await _until(work.future, pause)
            finally:
                self._once.discard(pause)
                work.drop()
            if pause.is_set():
                return False
        moment = (await work.future).following(base, self.now())
        if moment is not None:
            self.commit(command, moment)
        return moment is not None

    async def run(self, limit: int, command: Command, pace: Pace | None) -> None:
        """At most `limit` steps. One that was begun before the session moved on is dropped and made anew."""
        if not limit:
            return
        self._pause = pause = asyncio.Event()
        base, work = self._begin(command)
        try:
            while limit and not pause.is_set():
                if base.snapshot is not self.now().snapshot:
                    base, work = self._begin(command)
                await _until(work.future, pause)
                if pause.is_set() or base.snapshot is not self.now().snapshot:
                    continue
                moment = work.future.result().following(base, self.now())
                assert moment is not None  # a step says nothing
                self.commit(command, moment)
                limit -= 1
                if moment.snapshot.converged or not limit:
                    break
                base, work = self._begin(command)  # it is worked out while this one is drawn
                if pace is not None:
                    await pace()
        finally:
            self._pause = None
            work.drop()

    def _begin(self, command: Command, line: str = "step") -> tuple[Moment, UnderWay[Moment]]:
        """Where we are, and the step from there, under way."""
        base = self.now()
        return base, UnderWay(lambda: self.prepare(command, base), line)


async def _until(work: asyncio.Future[Any], pause: asyncio.Event) -> None:
    """Wait until the work is done, or someone pauses."""
    paused = asyncio.ensure_future(pause.wait())
    await asyncio.wait([work, paused], return_when=asyncio.FIRST_COMPLETED)
    paused.cancel()
