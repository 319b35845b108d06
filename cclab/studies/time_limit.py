"""A limit to how long a trial may take, which holds in compiled code too."""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

try:
    import resource
except ImportError:  # pragma: no cover (Windows)
    resource = None  # type: ignore[assignment]


def can_limit() -> bool:
    """Whether this system can stop a process after some processor time."""
    return resource is not None and "fork" in multiprocessing.get_all_start_methods()


def within(seconds: float, run: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """What `run` gives, in a process of its own; None if it takes longer than so many seconds of processor time.

    Solvers spend their time in compiled code, an integer programme say, where no signal and no thread reaches them: the
    system stops the process. Where it can't, there is no limit.
    """
    if not can_limit():
        return run()
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_tell, args=(there, run, seconds))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return None
    finally:
        process.join()
        here.close()


def _tell(there: Connection, run: Callable[[], dict[str, Any]], seconds: float) -> None:
    # Processor time counts from the start of this process; the system counts in whole seconds.
    whole = math.ceil(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    there.send(run())
    there.close()
