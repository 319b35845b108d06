"""Nasty input, much of it: `make fuzz`, or `python -m tests.fuzz [part ...] [--count N] [--seed S]`.

Each file beside this one is a part. It has a `COUNT` (how many cases a full run tries; of what, its docstring says) and
a function `attempts(count, seed)` that yields an `Attempt` for each. A valid result or a sentence is well, anything
else is not. `_workers.tried` makes the attempts, on all cores.
"""

from collections.abc import Callable
from typing import NamedTuple


class Case(NamedTuple):
    """One case that was tried."""

    name: str
    outcome: str  # how it ended, in a word or two, to be counted: "result", "sentence", "slow", "crash" ...
    fault: str | None = None  # what is wrong, in words; None when it ended well
    seconds: float = 0.0  # of the processor


class Attempt(NamedTuple):
    """A case to be tried by `work(*given)`, in another process, which may leave files in its working folder."""

    name: str
    work: Callable[..., Case]
    given: tuple
