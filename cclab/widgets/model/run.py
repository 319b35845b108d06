"""Running a session from a page: in its worker thread, with errors told in words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import ended, in_words

Pace = Callable[[], Awaitable[Any]]

# A step that takes no longer than this is over before anyone could press Pause.
_SHORT = 0.2


async def run(desk: Desk, max_steps: int | None = None, *, pace: Pace | None = None, number: int | None = None) -> bool:
    """Step until the solver has converged, `max_steps` are made, or someone pauses.

    Views hear of the beginning and of the end by moments that differ in nothing else. A solver that fails is told of,
    and what was reached before is kept. A second run does nothing. A run with the `number` of another (see
    `Session.new_run`) is undone together with it.

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
            desk.catch_up()
        await work
        return True
    except asyncio.CancelledError:
        session.pause()
        raise
    except Exception as error:
        kept = session.current.summary.iteration
        said = f"The solver stopped at iteration {kept + 1}: {ended(in_words(error))} Iteration {kept} is kept."
        desk.tell_of(error, said)
        desk.stopped.emit(session.current)
        return False
    finally:
        if desk.session is session:
            desk.catch_up()
