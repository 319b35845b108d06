"""A limit to how long a trial may take, which holds in compiled code too."""

from __future__ import annotations

import math
import os
import pickle
import signal
from collections.abc import Callable
from typing import Any, NoReturn

try:
    import resource
except ImportError:  # pragma: no cover (Windows)
    resource = None  # type: ignore[assignment]


def can_limit() -> bool:
    """Whether this system can stop a process after some processor time."""
    return resource is not None and hasattr(os, "fork")


class Ended(RuntimeError):
    """A process has ended before it had anything to tell."""


def within(seconds: float, run: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """What `run` gives, in a process of its own; None if it takes longer than so many seconds of processor time.

    Solvers spend their time in compiled code, an integer programme say, where no signal and no thread reaches them: the
    system stops the process. Where it can't, there is no limit.

    Raises
    ------
    Ended
        The process has ended by something else, for want of memory say.
    """
    if not can_limit():
        return run()
    # By hand: multiprocessing would let no worker of Dask have a child.
    here, there = os.pipe()
    child = os.fork()
    if not child:
        _tell(there, run, seconds)
    os.close(there)
    with open(here, "rb") as pipe:
        told = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0:
        return pickle.loads(told)
    if code == -signal.SIGXCPU:
        return None
    called = f"status {code}" if code > 0 else signal.Signals(-code).name
    raise Ended(f"its process has ended, with {called}; was there enough memory?")


def _tell(there: int, run: Callable[[], dict[str, Any]], seconds: float) -> NoReturn:
    """What a child does: it runs, tells, and ends without a look at what its parent had in hand."""
    code = 1
    try:
        if math.isfinite(seconds):
            # Processor time counts from the start of this process; the system counts in whole seconds.
            whole = math.ceil(seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
        with open(there, "wb") as pipe:
            pipe.write(pickle.dumps(run()))
        code = 0
    finally:
        os._exit(code)
