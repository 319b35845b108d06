"""Running a session from a page: in its worker thread, with errors told in words."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from typing import Any

from cclab.session import Session
from cclab.widgets.desk import Desk, in_words

Pace = Callable[[], Awaitable[Any]]

# A step that takes no longer than this is over before anyone could press Pause.
_SHORT = 0.2
# Between two drawings of a view during a run: at the usual speed every step is drawn.
_REST = 0.19


async def run(desk: Desk, max_steps: int | None = None, *, pace: Pace | None = None, number: int | None = None) -> bool:
    """Step until the solver has converged, `max_steps` are made, or someone pauses.

    Views hear of the beginning and of the end as a change from a snapshot to itself: all that is new is whether the
    session runs. A solver that fails is told of, and what was reached before is kept. A second run does nothing. A run
    with the `number` of another (see `Session.new_run`) is undone together with it.

    Returns
    -------
    bool
        Whether the solver did not fail.
    """
    session = desk.session
    if session.running:
        return True
    work = asyncio.ensure_future(session.arun(max_steps, pace=pace, run=number))
    try:
        done, _ = await asyncio.wait([work], timeout=_SHORT if max_steps == 1 else 0)
        if not done:
            desk.changed.emit(session.current, session.current)
        await work
        return True
    except asyncio.CancelledError:
        session.pause()
        raise
    except Exception as error:
        kept = session.current.summary.iteration
        desk.tell(
            "bad", f"The solver stopped at iteration {kept + 1}: {_sentence(in_words(error))} Iteration {kept} is kept."
        )
        desk.stopped.emit(session.current)
        return False
    finally:
        if desk.session is session:
            desk.changed.emit(session.current, session.current)


class Restraint:
    """While a session runs, lets a view draw a few times a second only: frames are for the scatter.

    A view that was held back draws what it has missed at the end of the run, of which `run` tells all.
    """

    def __init__(self) -> None:
        self._drawn = -math.inf
        self._running = False

    def holds(self, session: Session) -> bool:
        """Whether to leave this change out."""
        now = time.monotonic()
        if session.running and self._running and now - self._drawn < _REST:
            return True
        self._drawn, self._running = now, session.running
        return False


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
