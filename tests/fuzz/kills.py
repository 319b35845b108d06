"""Processes killed at any moment while they work on a kept session; `COUNT` is the number of kills.

A process makes verbs on a journal and tells us through a pipe when each is done. After the kill the session opens, has
every verb that we were told of, and stands where the dead process stood, bit by bit. Others are killed while they keep
a session in a folder that holds another one: afterwards the folder holds the one or the other, whole.
"""

import hashlib
import multiprocessing
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from cclab import Session
from cclab.core import IgnoredKnowledge
from tests.fuzz import Attempt, Case

COUNT = 1000
SECONDS = 60
KILLS_A_FOLDER = (
    40  # those while keeping among them; then a new session is begun: opening one does all of its verbs again
)
LONGEST_LIFE = 0.08  # seconds after the first verb
SOLVERS = ("FCM", "COPKMeans", "SeededKMeans", "CKM")


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """`count` processes to be killed, every fourth of them while it keeps a session over another."""
    for number in range(count):
        yield Attempt(f"seed {seed}, kill {number}", _kill, (seed, number))


def _kill(seed: int, number: int) -> Case:
    rng = np.random.default_rng([seed, number])
    if number % 4 == 3:
        outcome, fault = _kill_keeping(rng, Path(f"keeping{number}").absolute())
    else:
        outcome, fault = _kill_working(rng, Path(f"working{number // KILLS_A_FOLDER}").absolute())
    return Case(f"seed {seed}, kill {number}", outcome, fault)


# ---------------------------------------------------------------------- the side that kills


def _kill_working(rng, folder):
    life = rng.random() ** 2 * LONGEST_LIFE  # many die early
    with _process(_work, folder, int(rng.integers(2**31))) as (process, told):
        told.poll(SECONDS)
        time.sleep(life)
        process.kill()
        done, digest = _last_told(told)
    outcome = "killed while working"
    try:
        session = Session.open(folder)
    except Exception as error:
        return outcome, f"does not open after {done} verbs: {type(error).__name__}: {error}"
    with _closing(session):
        if len(session.commands) < done:
            return outcome, f"{done} verbs were done, {len(session.commands)} are left"
        if len(session.commands) == done and _digest(session) != digest:
            return outcome, f"after {done} verbs it stands elsewhere than it stood"
        return outcome, None


def _kill_keeping(rng, folder):
    first, second = (Session("iris", solver) for solver in ("FCM", "COPKMeans"))
    first.step(5)
    first.keep(folder)
    first.close()
    second.step(3)
    source = folder.with_name(folder.name + ".json")
    second.save(source)
    delay = rng.random() * _seconds_to_keep()
    with _process(_keep, folder, source) as (process, told):
        told.poll(SECONDS)
        time.sleep(delay)
        process.kill()
        stage, _ = _last_told(told)
    outcome = "killed while keeping" if stage < 2 else "killed when kept"
    try:
        session = Session.open(folder)
    except Exception as error:
        return outcome, f"neither session opens: {type(error).__name__}: {error}"
    with _closing(session):
        whole = [_digest(session) == _digest(kept) for kept in (first, second)]
        if not any(whole):
            return outcome, "it holds neither of the two sessions"
        if stage == 2 and not whole[1]:
            return outcome, "the session was kept, and is not there"
        return outcome, None


def _seconds_to_keep() -> float:
    """How long keeping takes here, with some to spare; measured once."""
    global _measured
    if _measured is None:
        with tempfile.TemporaryDirectory() as place:
            session = Session("iris", "FCM")
            session.keep(place)
            session.close()
            start = time.monotonic()
            session.keep(place)
            _measured = 2 * (time.monotonic() - start)
            session.close()
    return _measured


_measured = None


@contextmanager
def _process(work, *given):
    """A process that works, and the pipe through which it tells us how far it is."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.fuzz.kills", "cclab.algorithms", "cclab.queries"])
    told, tell = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(tell, *given), daemon=True)
    process.start()
    tell.close()
    try:
        yield process, told
    finally:
        process.kill()
        process.join()
        told.close()


def _last_told(told):
    last = 0, ""
    while True:
        try:
            last = told.recv()
        except (EOFError, OSError):  # the last message may be cut short
            return last


@contextmanager
def _closing(session):
    try:
        yield
    finally:
        session.close()


def _digest(session) -> str:
    """Where a session stands, bit by bit."""
    state = [session.labels.tobytes(), np.float64(session.current.summary.objective).tobytes()]
    state += [repr((session.position, len(session.snapshots), session.constraints.to_json())).encode()]
    return hashlib.sha256(b"".join(state)).hexdigest()


# ---------------------------------------------------------------------- the side that is killed


def _work(tell, folder, seed):
    warnings.simplefilter("ignore", IgnoredKnowledge)
    rng = np.random.default_rng(seed)
    session = Session.open(folder) if folder.exists() else Session("iris", "FCM", journal=folder)
    while True:
        tell.send((len(session.commands), _digest(session)))
        with suppress(ValueError):  # not everything can be done everywhere
            _do_something(session, rng)


def _do_something(session, rng):
    act = rng.integers(12)
    i, j = rng.choice(session.data.n_samples, size=2, replace=False).tolist()
    if act < 4:
        session.step()
    elif act == 4:
        session.constrain(must_link=[[i, j]], source="lasso")
    elif act == 5:
        session.constrain(labels={i: int(rng.integers(3))})
    elif act == 6:
        session.undo()
    elif act == 7:
        session.redo()
    elif act == 8:
        session.rewind(int(rng.integers(len(session.snapshots))))
    elif act == 9:
        session.switch(str(rng.choice(SOLVERS)))
    elif act == 10:
        session.restart()
    else:
        for query in session.propose(n=1):
            session.answer(query, str(rng.choice(["same", "different"])))


def _keep(tell, folder, source):
    session = Session.load(source)
    tell.send((1, ""))
    session.keep(folder)
    tell.send((2, ""))
    time.sleep(SECONDS)
