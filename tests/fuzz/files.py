"""Broken files of every kind that cclab reads; `COUNT` is their number.

`broken_file(seed, number)` gives the file of a case again.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from tests.fuzz import Attempt, Case
from tests.fuzz._mutations import broken
from tests.fuzz._samples import good_files
from tests.fuzz._workers import status

COUNT = 10_000
PEAK_BYTES = 1.25 * 2**30

# Of a hundred files.
SHARES = {
    "table": 28,
    "constraints": 8,
    "session": 20,
    "painting": 4,
    "journal": 12,
    "painting journal": 2,
    "picture": 18,
    "recipe": 3,
    "folder": 5,
}


def attempts(count: int, seed: int, kinds: tuple[str, ...] = tuple(SHARES)) -> Iterator[Attempt]:
    """`count` broken files."""
    for number in range(count):
        yield Attempt(f"file {number}, seed {seed}", _read, (seed, number, kinds))


def broken_file(seed: int, number: int, kinds: tuple[str, ...] = tuple(SHARES)) -> tuple[str, str, bytes]:
    """The kind, the name and the content of a case."""
    rng = np.random.default_rng([seed, number])
    shares = np.array([SHARES[kind] for kind in kinds], dtype=float)
    files = _good_files()
    kind = str(rng.choice(kinds, p=shares / shares.sum()))
    name, content = files[kind][rng.integers(len(files[kind]))]
    others = [content for several in files.values() for _, content in several]
    return kind, name, broken(rng, content, others)


_good_files = cache(good_files)


def _read(seed: int, number: int, kinds: tuple[str, ...]) -> Case:
    from tests.fuzz._reading import read

    kind, name, content = broken_file(seed, number, kinds)
    before = _reset_peak()
    outcome, fault = read(kind, name, content, Path.cwd())
    taken = status("VmHWM") - before
    if fault is None and taken > PEAK_BYTES:
        fault = f"took {taken / 2**20:,.0f} MB for a file of {len(content) / 2**20:.3f} MB"
    return Case(f"{kind} {name}, seed {seed}, number {number}", outcome, fault)


def _reset_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")
