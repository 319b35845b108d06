"""The one door to threads. In a browser without a server there are none: work is then done in turns with the page.

``CCLAB_THREADS=0`` in the environment does without them anywhere.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from typing import Any, Generic, Protocol, TypeVar

Result = TypeVar("Result")


class Timer(Protocol):
    """Something that will be done."""

    def cancel(self) -> None:
        """Leave it undone."""


def has_threads() -> bool:
    """Whether threads can be started here, and are wanted."""
    return sys.platform != "emscripten" and os.environ.get("CCLAB_THREADS") != "0"


@cache
def _worker(line: str) -> Executor:
    """One thread of each line for all sessions of a process: steps never run side by side, nor wait for a question."""
    return ThreadPoolExecutor(1, thread_name_prefix=f"cclab-{line}")


class Dropped(BaseException):
    """Raised in the worker thread: no one waits for its result any more."""


class UnderWay(Generic[Result]):
    """Work that was begun in the worker thread, or that will be done in turn with the page, which is heard first.

    Parameters
    ----------
    work : callable
        It takes no arguments.
    line : str
        What is of one line is done one after the other.

    Attributes
    ----------
    future : asyncio.Future
        What it gives.
    """

    def __init__(self, work: Callable[[], Result], line: str = "step") -> None:
        self.future: asyncio.Future[Result]
        self._line = line
        self._thread: int | None = None
        self._submitted: Future[Result] | None = None
        if has_threads():
            self._submitted = _worker(line).submit(self._do, work)
            self.future = asyncio.wrap_future(self._submitted)
        else:
            self.future = asyncio.get_running_loop().create_task(_in_turn(work))
        self.future.add_done_callback(_hear)

    def _do(self, work: Callable[[], Result]) -> Result:
        self._thread = threading.get_ident()
        try:
            return work()
        except Dropped:
            raise RuntimeError("dropped") from None
        finally:
            self._thread = None

    def drop(self) -> None:
        """No one waits for this any more: what comes next in its line must not wait for it either."""
        if self.future.done():
            return
        if self._submitted is None:
            self.future.cancel()
        elif not self._submitted.cancel():
            _worker(self._line).shutdown(wait=False)
            _worker.cache_clear()
            if (thread := self._thread) is not None:
                # It ends between two lines of Python; what numpy has begun comes to its end first.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Dropped))


def _hear(work: asyncio.Future) -> None:
    """Let work that is dropped end without a word about what it raised."""
    if not work.cancelled():
        work.exception()


async def in_thread(work: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """What `work` gives, done in a thread of its own, or in turn with the page."""
    do = partial(work, *arguments, **options)
    return await (asyncio.to_thread(do) if has_threads() else _in_turn(do))


async def _in_turn(work: Callable[[], Result]) -> Result:
    await asyncio.sleep(0)
    return work()


def when_there_is_time(work: Callable[[], Any]) -> None:
    """Do `work` in the worker thread when its turn comes, or at once; no one waits for it."""
    if not has_threads():
        work()
        return
    with suppress(RuntimeError):  # the interpreter is about to end
        _worker("step").submit(work)


def after(seconds: float, work: Callable[[], Any]) -> Timer | None:
    """Do `work` after some time, whatever else goes on; None where there is nothing that could do it."""
    if has_threads():
        timer = threading.Timer(seconds, work)
        timer.daemon = True
        timer.start()
        return timer
    try:
        return asyncio.get_running_loop().call_later(seconds, work)
    except RuntimeError:
        return None
