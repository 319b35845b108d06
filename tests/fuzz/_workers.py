"""A worker for each core tries one case after the other; where one dies or hangs, another one goes on.

Each is a process with so much memory and time for a case: one that kills its worker, or keeps it busy, is told with its
name as any other fault. Time is the processor's: on a machine that others use, too, a case is not slower.
"""

import math
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Iterable, Iterator
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue
from signal import SIGXCPU, Signals

from tests.fuzz import Attempt, Case

CPU_SECONDS = 30
SECONDS = 600  # for one that waits, and does not compute
BYTES = 2 * 2**30  # beyond what the worker itself takes


def tried(attempts: Iterable[Attempt]) -> Iterator[Case]:
    """How each attempt ended, as soon as it has, in no order."""
    with tempfile.TemporaryDirectory() as place:
        workers = [Worker(Path(place, str(number))) for number in range(os.cpu_count() or 1)]
        idle = SimpleQueue[Worker]()
        for worker in workers:
            idle.put(worker)

        def try_one(attempt: Attempt) -> Case:
            worker = idle.get()
            try:
                return worker.tried(attempt)
            finally:
                idle.put(worker)

        with ThreadPool(len(workers)) as pool:
            try:
                yield from pool.imap_unordered(try_one, attempts)
            finally:
                for worker in workers:
                    worker.stop()


class Worker:
    """A process with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload([f"tests.fuzz.{part}" for part in ("_reading", "kills", "solvers")])
        self._process = None

    def tried(self, attempt: Attempt) -> Case:
        if self._process is None:
            self._start()
        try:
            self._ours.send(attempt)
            if self._ours.poll(SECONDS):
                return self._ours.recv()
            outcome, fault = "hung", f"not done after {SECONDS} s"
        except (EOFError, ConnectionError):
            outcome, fault = self._end()
        self.stop()
        return Case(attempt.name, outcome, fault)

    def _end(self) -> tuple[str, str]:
        self._process.join()
        code = self._process.exitcode
        if code == -SIGXCPU:
            return "hung", f"not done after {CPU_SECONDS} s of the processor"
        return "killed its worker", f"ended by {Signals(-code).name if code < 0 else f'exit {code}'}"

    def _start(self) -> None:
        self._ours, theirs = self._processes.Pipe()
        self._process = self._processes.Process(target=_work, args=(theirs, self._folder))
        self._process.start()
        theirs.close()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._ours.close()
            self._process = None


def _work(connection, folder: Path) -> None:
    os.chdir(folder)
    most = status("VmSize") + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        attempt = connection.recv()
        begun = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(begun) + CPU_SECONDS, resource.RLIM_INFINITY))
        case = attempt.work(*attempt.given)
        connection.send(case._replace(seconds=time.process_time() - begun))


def status(name: str) -> int:
    """A figure of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
