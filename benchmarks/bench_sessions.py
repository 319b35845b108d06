"""Opening what is kept against opening the data fresh, and what it costs to see a statement onto the disk."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks import Row, best_time, compare
from cclab import FCM, COPKMeans, Session, load_dataset
from cclab.datasets import Dataset
from cclab.images import Painting, Stroke, load_image

N, P, STEPS = 60_000, 30, 24


def clouds() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = rng.normal(scale=2, size=(5, P))[np.arange(N) % 5] + rng.normal(size=(N, P))
    return pd.DataFrame(X, columns=[f"feature {j}" for j in range(P)])


def bench_opening_a_table() -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        table, kept = Path(folder) / "clouds.csv", Path(folder) / "kept"
        clouds().to_csv(table, index=False)
        for name in ("FCM", "COPKMeans", "CECM"):
            session = Session(load_dataset(table), name, journal=kept)
            session.constrain(must_link=[[0, 5], [10, 15]], cannot_link=[[0, 1]])
            session.step(STEPS)
            session.close()
            yield compare(
                f"opening {name} after {STEPS} steps, over opening the file fresh",
                lambda: Session.open(kept, read_only=True).labels,
                lambda name=name: Session(load_dataset(table), name).labels,
                2,
                repeats=3,
                clock=time.perf_counter,
            )


def bench_opening_with_proposals() -> Iterator[Row]:
    """Questions are kept with what they asked, so that opening a session asks no strategy again."""
    rng = np.random.default_rng(0)
    data = Dataset("clouds", rng.normal(scale=2, size=(5, 4))[np.arange(200_000) % 5] + rng.normal(size=(200_000, 4)))
    with TemporaryDirectory() as folder:
        kept = {n: Path(folder) / str(n) for n in (0, 50)}
        for n, place in kept.items():
            session = Session(data, FCM(5), journal=place)
            session.step(3)
            for _ in range(n):
                session.propose()
            session.close()
        yield compare(
            "opening 200,000 samples with 50 proposals, over opening them with none",
            lambda: Session.open(kept[50], read_only=True).labels,
            lambda: Session.open(kept[0], read_only=True).labels,
            2,
            repeats=3,
        )


def bench_opening_a_painting() -> Iterator[Row]:
    """Fresh is the picture with its superpixels and the first of the strokes; kept are twelve, some undone."""
    rng = np.random.default_rng(0)
    picture = load_image(np.kron(rng.random((16, 16)), np.ones((32, 32))) * 0.8 + 0.2 * rng.random((512, 512)))
    strokes = tuple(
        Stroke("brush", 1 + k % 2, 6, [[int(y), int(x)], [int(y) + 20, int(x) + 10]])
        for k, (y, x) in enumerate(rng.integers(20, 480, size=(12, 2)))
    )
    with TemporaryDirectory() as folder:
        session = Session(Painting(picture), journal=folder)
        session.paint(strokes[0], options={"objects": "superpixels"})
        for stroke in strokes[1:]:
            session.paint(stroke)
            session.run()
            for solver in ("CECM", "SFCM"):
                session.set_options(solver=solver)
                session.run()
                session.undo()
                session.undo()
        session.close()

        def fresh() -> np.ndarray:
            session = Session(Painting(picture))
            session.paint(strokes[0], options={"objects": "superpixels"})
            return session.paint(strokes[1]).labels()

        yield compare(
            "opening a painting of 512 x 512 after 12 strokes, over opening the picture",
            lambda: Session.open(folder, read_only=True).labels,
            fresh,
            2,
            repeats=3,
            clock=time.perf_counter,
        )


def bench_many_strokes() -> Iterator[Row]:
    """Strokes of 80 points on 512 x 512: what the 50th takes against the 2nd, and what the journal holds after 100."""
    rng = np.random.default_rng(0)
    seconds = []
    with TemporaryDirectory() as folder:
        session = Session(Painting(load_image("camera")), journal=folder)
        for k in range(100):
            path = np.clip(rng.uniform(60, 450, 2) + np.cumsum(rng.normal(scale=2, size=(80, 2)), axis=0), 0, 511)
            run, began = session.new_run(), time.process_time()
            session.paint(Stroke("brush", 1 + k % 2, 7, path), options={"objects": "superpixels"}, run=run)
            session.run()
            session.set_options(objects="pixels", run=run)
            session.run()
            seconds.append(time.process_time() - began)
        session.close()
        size = (Path(folder) / "journal.jsonl").stat().st_size
    late, early = (float(np.median(some)) for some in (seconds[46:53], seconds[1:4]))
    times = f"({1e3 * late:.0f} ms, {1e3 * early:.0f} ms)"
    yield Row("work for the 50th stroke, over that for the 2nd", late / early, 1.5, detail=times)
    yield Row("journal of 100 strokes of 80 points, over 400 kB", size / 400e3, 1, detail=f"({size / 1e3:.0f} kB)")


def bench_syncing_a_statement() -> Iterator[Row]:
    """In units of 20 ms, which is what syncing may add."""
    data = Dataset("clouds", np.random.default_rng(0).normal(size=(1000, 2)))
    with TemporaryDirectory(dir=".") as folder:
        kept, plain = Session(data, COPKMeans(3), journal=folder), Session(data, COPKMeans(3))
        pairs = itertools.count()

        def state(session: Session) -> None:
            k = next(pairs) % 499
            session.constrain(must_link=[[2 * k, 2 * k + 1]])

        with_sync = best_time(lambda: state(kept), 20, clock=time.perf_counter)
        without = best_time(lambda: state(plain), 20, clock=time.perf_counter)
        added = with_sync - without
        yield Row("what syncing adds to a statement, over 20 ms", added / 0.02, 1, detail=f"({1e3 * added:.3g} ms)")
        kept.close()


def bench_a_step_in_a_session() -> Iterator[Row]:
    """Labels are made, and their digest taken, where a journal is kept, so that a replay can be compared."""
    data = load_dataset(clouds())
    with TemporaryDirectory() as folder:
        for name in ("FCM", "CECM"):
            for kept, limit in ((None, 1.3), (Path(folder) / name, 2.5)):
                session = Session(data, name, journal=kept)
                solver, problem, state = session.solver, session.problem, session.state
                what = f"a step of {name} in a session{' with a journal' if kept else ''}, over the solver's own"
                yield compare(what, session.step, partial(solver.step, problem, state), limit)
                session.close()
