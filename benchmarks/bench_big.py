"""Data beyond memory: steps in chunks, streamed predictions, coresets, trials on a cluster."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from benchmarks import Row, best_time, compare
from cclab import ECM, FCM, PCKMeans, Problem, load_dataset
from cclab.datasets import ParquetRows, write_beliefs

# Three steps on ten million samples that are not in memory, made as they are needed (a Dask array) or in a file; prints
# the peak of the process, in MB, and its seconds for the shortest step of one sample, less those that it takes to make
# the sample. As in memory, the spread of the data, which is worked out once a fit, is there before.
_MANY = """
import resource, sys
import dask.array as da
from benchmarks import best_time
from cclab import ECM, FCM, Problem
from cclab.datasets import ParquetRows
name, path = sys.argv[1:]
N = 10_000_000
X = ParquetRows(path) if path else da.random.default_rng(0).normal(size=(N, 10), chunks=(100_000, 10))
problem, first = Problem(X), X[[0, 1, 2]]
solver = {"ECM": ECM, "FCM": FCM}[name](3, init=first if path else first.compute())
state = solver.start(problem)
problem.spread
took = best_time(lambda: solver.step(problem, state), 3)
if not path:
    took -= best_time(lambda: problem.total(lambda block: (float(block.X[0, 0]),)), 2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, took / N)
"""


def bench_memory() -> Iterator[Row]:
    X = np.random.default_rng(0).normal(size=(1_000_000, 10))
    here = Problem(X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ten-million.parquet"
        table = pa.Table.from_pandas(pd.DataFrame(X, columns=[f"x{j}" for j in range(10)]))
        with pq.ParquetWriter(path, table.schema) as file:
            for _ in range(10):
                file.write_table(table)
        for cls in (FCM, ECM):
            solver = cls(3, init=X[:3])
            state = solver.start(here)
            in_memory = best_time(lambda: solver.step(here, state), 3) / len(X)  # noqa: B023
            for what, source in (("a Dask array", ""), ("a Parquet file", str(path))):
                command = [sys.executable, "-c", _MANY, cls.__name__, source]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                peak, a_sample = map(float, done.stdout.split())
                steps = f"{cls.__name__}: steps on {what} of 1e7 x 10"
                yield Row(f"{steps}, peak over 1 GB", peak / 1024, 1, detail=f"({peak:.0f} MB)")
                times = f"({1e9 * a_sample:.0f} ns, {1e9 * in_memory:.0f} ns)"
                yield Row(f"{steps}, a sample / one of 1e6 in memory", a_sample / in_memory, 2, detail=times)


def bench_steps() -> Iterator[Row]:
    import dask.array as da

    X = np.random.default_rng(0).normal(size=(1_000_000, 10))
    for cls in (FCM, ECM):
        solver = cls(3, init=X[:3])
        here, there = Problem(X), Problem(da.from_array(X, chunks=(100_000, 10)))
        states = [solver.start(problem) for problem in (here, there)]
        yield compare(
            f"{cls.__name__}: a step on a Dask array of 1e6 x 10 in chunks / in memory",
            lambda: solver.step(there, states[1]),  # noqa: B023
            lambda: solver.step(here, states[0]),  # noqa: B023
            2,
            repeats=3,
        )


def bench_predict() -> Iterator[Row]:
    X = np.random.default_rng(0).normal(size=(1_000_000, 10))
    fcm = FCM(3, init=X[:3], max_iter=1, tol=np.inf).fit(X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.parquet"
        pd.DataFrame(X, columns=[f"x{j}" for j in range(10)]).to_parquet(path)
        rows = ParquetRows(path)
        yield compare(
            "predict over a Parquet file of 1e6 x 10 / in memory",
            lambda: fcm.predict(rows),
            lambda: fcm.predict(X),
            2,
            repeats=3,
        )
        yield compare(
            "memberships written, streamed from Parquet to Parquet / in memory, then written",
            lambda: write_beliefs(Path(folder) / "a.parquet", fcm.beliefs(rows)),
            lambda: fcm.believe(X, fcm.state_).to_frame().to_parquet(Path(folder) / "b.parquet"),
            2,
            repeats=2,
        )


def _blobs(n: int) -> np.ndarray:
    return make_blobs(n, 8, centers=5, random_state=0)[0]


def _like_covertype(n: int, correlated: bool = True) -> np.ndarray:
    """Ten measurements, some of them skew, that depend on each other; seven kinds of very different size that overlap.

    Where they don't depend on each other a large kind is as wide one way as another: which way it is cut is chance.
    """
    rng = np.random.default_rng(0)
    kind = rng.choice(7, n, p=[0.49, 0.36, 0.06, 0.035, 0.03, 0.015, 0.01])
    middle, shared = rng.normal(0, 2, (7, 10)), rng.normal(0, 0.3, (10, 10))
    noise = np.where(np.arange(10) < 5, rng.normal(size=(n, 10)), rng.exponential(size=(n, 10)) - 1)
    return middle[kind] + (noise @ shared if correlated else noise)


def _like_letters(n: int) -> np.ndarray:
    """Sixteen whole numbers from 0 to 15, 26 kinds that overlap."""
    rng = np.random.default_rng(0)
    letter, shapes = rng.integers(26, size=n), rng.uniform(2, 13, (26, 16))
    return np.clip(np.rint(shapes[letter] + rng.normal(0, 2, (n, 16))), 0, 15)


def bench_coreset_of_blobs() -> Iterator[Row]:
    yield from _against_full_fit("blobs", _blobs(1_000_000), 5)


def bench_coreset_like_covertype() -> Iterator[Row]:
    yield from _against_full_fit("covertype-like", _like_covertype(1_000_000), 7)


def bench_coreset_of_round_kinds() -> Iterator[Row]:
    yield from _against_full_fit("round kinds", _like_covertype(200_000, correlated=False), 7)


def bench_coreset_like_letters() -> Iterator[Row]:
    yield from _against_full_fit("letters-like", _like_letters(1_000_000), 26)


def _against_full_fit(name: str, X: np.ndarray, k: int, size: int = 50_000) -> Iterator[Row]:
    """How far a fit of a coreset is from that of all rows, both from the best of many starts on the coreset.

    Beside it stands the yardstick: how far the fit of all rows is from that of as many rows drawn from them at random,
    with replacement. Where that differs as much, it is the data that don't say where the clusters are. And what is left
    after one step on all rows from where the coreset's fit has ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, names = Path(folder) / "all.parquet", [f"x{j}" for j in range(X.shape[1])]
        pd.DataFrame(X, columns=names).astype(float).to_parquet(path)
        data = load_dataset(path, coreset=size, roles=dict.fromkeys(names, "feature"))
    weight = data.sample_weight
    start = KMeans(k, n_init=30, random_state=0).fit(data.X, sample_weight=weight).cluster_centers_
    again = np.random.default_rng(1).poisson(1, len(X)).astype(float)
    problem = Problem(X)

    # Softer, centres of so many clusters come to lie upon each other, and labels between them are chance.
    soft = {"focal_sets": "singletons", "beta": 1.3}
    for cls, more in ((FCM, {"fuzzifier": 1.3}), (ECM, soft), (PCKMeans, {})):
        solver = cls(k, init=start, max_iter=100, tol=1e-4, **more)
        with warnings.catch_warnings(action="ignore"):
            full = clone(solver).fit(X)
            part, drawn = clone(solver).fit(data.X, sample_weight=weight), clone(solver).fit(X, sample_weight=again)
            near = clone(solver).set_params(init=part.state_.centers)
            stepped = near.step(problem, near.start(problem))

        def off(centers: np.ndarray, full: np.ndarray = full.state_.centers) -> float:
            return float(np.linalg.norm(centers - full, axis=1).max() / problem.spread)

        def ari(labels: np.ndarray, full: np.ndarray = full.labels_) -> float:
            return float(adjusted_rand_score(labels, full))

        what = f"{cls.__name__} on {size:,} of {len(X):,} {name}"
        yardstick = f"(all rows drawn again: {off(drawn.state_.centers):.2g})"
        yield Row(f"{what}: farthest centre, over the spread", off(part.state_.centers), 0.02, detail=yardstick)
        yardstick = f"(all rows drawn again: {ari(drawn.predict(X)):.3f})"
        yield Row(f"{what}: ARI with the full fit", ari(part.predict(X)), 0.98, at_least=True, detail=yardstick)
        yield Row(f"{what}, one step on all rows: farthest centre", off(stepped.centers), 0.02)
        yield Row(f"{what}, one step on all rows: ARI", ari(stepped.partition.labels()), 0.98, at_least=True)


def bench_cluster() -> Iterator[Row]:
    from distributed import LocalCluster

    from cclab.studies import Data, Method, RandomPairs, Study, grid

    study = Study("bench", "Trials here and there", grid(Data("wine"), Method("ECM", ECM), RandomPairs(20)), trials=40)
    with (
        warnings.catch_warnings(action="ignore"),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster,
    ):
        there, here = {"scheduler": cluster.scheduler_address}, {"n_jobs": 2}
        for where in (there, here):
            study.run(4, out=None, **where)  # both have imported all they need
        yield compare(
            "40 trials on a LocalCluster of two / by two processes",
            lambda: study.run(out=None, **there),
            lambda: study.run(out=None, **here),
            1.3,
            repeats=5,
            clock=time.perf_counter,
        )
