"""Nasty input, much of it: `make fuzz`, or `python -m tests.fuzz [part ...] [--count N] [--seed S]`.

Each file beside this one is a part. It has a `COUNT` (how many cases a full run tries; of what, its docstring says) and
a function `fuzz(count, seed)` that yields a `Case` for each that it tried: a valid result or a sentence is well,
anything else is not.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """One case that was tried."""

    name: str
    outcome: str  # how it ended, in a word or two, to be counted: "result", "sentence", "slow", "crash" ...
    fault: str | None = None  # what is wrong, in words; None when it ended well
