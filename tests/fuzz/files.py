"""Broken files of every kind that cclab reads; `COUNT` is their number.

Each is read in another process, with so much memory and time: a file that kills its reader, or keeps it busy, is
counted and named as any other fault. `broken_file(seed, number)` gives the file of a case again.
"""

import multiprocessing
import resource
import tempfile
from functools import cache
from pathlib import Path
from signal import Signals

import numpy as np

from tests.fuzz import Case
from tests.fuzz._mutations import broken
from tests.fuzz._samples import good_files

COUNT = 10_000
SECONDS = 30
BYTES = 2 * 2**30  # beyond what the reader itself takes
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


def fuzz(count: int, seed: int, kinds: tuple[str, ...] = tuple(SHARES)):
    """Read `count` broken files."""
    reader = Reader(seed, kinds)
    try:
        for number in range(count):
            yield reader.read(number)
    finally:
        reader.stop()


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


class Reader:
    """A process that reads one file after the other; where it dies or hangs, another one goes on."""

    def __init__(self, seed: int, kinds: tuple[str, ...]) -> None:
        self._given = seed, kinds
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["tests.fuzz._reading", "tests.fuzz.files"])
        self._folder = tempfile.TemporaryDirectory()
        self._process = None

    def read(self, number: int) -> Case:
        seed, kinds = self._given
        kind, name, _ = broken_file(seed, number, kinds)
        case = f"{kind} {name}, seed {seed}, number {number}"
        if self._process is None:
            self._start()
        try:
            self._ours.send(number)
            if not self._ours.poll(SECONDS):
                self.stop_process()
                return Case(case, "hung", f"not read after {SECONDS} s")
            return Case(case, *self._ours.recv())
        except (EOFError, ConnectionError):
            self._process.join()
            code = self._process.exitcode
            self.stop_process()
            return Case(case, "killed its reader", f"ended by {Signals(-code).name if code < 0 else f'exit {code}'}")

    def _start(self) -> None:
        self._ours, theirs = self._processes.Pipe()
        given = (theirs, *self._given, self._folder.name)
        self._process = self._processes.Process(target=_work, args=given, daemon=True)
        self._process.start()
        theirs.close()

    def stop_process(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._ours.close()
            self._process = None

    def stop(self) -> None:
        self.stop_process()
        self._folder.cleanup()


def _work(connection, seed, kinds, folder) -> None:
    from tests.fuzz._reading import read

    most = _status("VmSize") + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        kind, name, content = broken_file(seed, connection.recv(), kinds)
        before = _reset_peak()
        outcome, fault = read(kind, name, content, Path(folder))
        taken = _status("VmHWM") - before
        if fault is None and taken > PEAK_BYTES:
            fault = f"took {taken / 2**20:,.0f} MB for a file of {len(content) / 2**20:.3f} MB"
        connection.send((outcome, fault))


def _reset_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> int:
    """A figure of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
