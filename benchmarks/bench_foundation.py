"""Link operators, closure, FCM, history."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from benchmarks import Row, best_time, compare
from cclab import FCM, ConstraintSet, Problem, Session
from cclab.datasets import Dataset


def bench_group() -> Iterator[Row]:
    rng, g = np.random.default_rng(0), 10_000
    Y = rng.normal(size=(g, 3))
    operator = ConstraintSet(g).with_group(np.arange(g)).must
    members = np.arange(g)
    yield compare(
        "must @ Y, a group of 10,000 / a column sum over its rows",
        lambda: operator @ Y,
        lambda: Y[members].sum(axis=0),
        5,
        repeats=20,
    )
    # Among a million samples `@` has to make a result of a million rows; `apply` is what solvers use, on the rows that
    # links touch.
    n = 1_000_000
    scattered = np.sort(rng.choice(n, g, replace=False))
    wide = ConstraintSet(n).with_group(scattered).must
    Z = rng.normal(size=(n, 3))
    yield compare(
        "must.apply, a group of 10,000 of 1,000,000 samples / a column sum over its rows",
        lambda: wide.apply(Z[wide.samples]),
        lambda: Z[scattered].sum(axis=0),
        5,
        repeats=20,
    )


def bench_pairs() -> Iterator[Row]:
    rng, n = np.random.default_rng(0), 1_000_000
    ends = rng.integers(n, size=(1_000_000, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    operator = ConstraintSet(n).with_must_link(ends).must
    Y = rng.normal(size=(n, 3))
    both = np.concatenate([ends, ends[:, ::-1]])
    matrix = sparse.csr_array((np.ones(len(both)), both.T), shape=(n, n))
    yield compare("must @ Y, 1e6 pairs on 1e6 samples / one CSR product", lambda: operator @ Y, lambda: matrix @ Y, 3)


def bench_closure() -> Iterator[Row]:
    rng, n = np.random.default_rng(0), 1_000_000
    ends = rng.integers(n, size=(1_000_000, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    must = ConstraintSet(n).with_must_link(ends)
    yield compare(
        "closure of 1e6 must-links / sorting their 2e6 ends",
        must.closure,
        lambda: np.sort(ends, axis=None),
        100,
        repeats=2,
    )
    # Links that agree with a hidden truth, half of them cannot-links between small components.
    truth = rng.integers(3, size=n)
    i, j = rng.integers(n, size=(2, 1_000_000))
    i, j = i[i != j], j[i != j]
    same = truth[i] == truth[j]
    mixed = ConstraintSet(n).with_must_link(np.c_[i, j][same]).with_cannot_link(np.c_[i, j][~same])
    yield Row("closure of 1e6 mixed links, seconds", best_time(mixed.closure, 1), 30)


def bench_fcm() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 10))
    init = X[:8].copy()
    problem = Problem(X)
    solver = FCM(8, init=init)
    state = solver.start(problem)

    def lloyd(iterations: int) -> None:
        KMeans(8, init=init, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd").fit(X)

    # The difference of two runs leaves out validation and the first pass.
    few, many = best_time(lambda: lloyd(2), 3), best_time(lambda: lloyd(12), 3)
    ours = best_time(lambda: solver.step(problem, state), 3)
    per_iteration = (many - few) / 10
    yield Row(
        "FCM iteration / Lloyd iteration of scikit-learn, n = 1e6, p = 10, k = 8",
        ours / per_iteration,
        8,
        detail=f"({1e3 * ours:.0f} ms, {1e3 * per_iteration:.0f} ms)",
    )


def bench_history() -> Iterator[Row]:
    data = Dataset("clouds", np.random.default_rng(0).normal(size=(150, 4)))
    sessions = {}
    for steps in (10, 1000):
        session = Session(data, FCM(3, tol=0))
        session.step(steps)
        sessions[steps] = session

    def undo_redo(session: Session) -> None:
        for _ in range(5):
            session.undo()
        for _ in range(5):
            session.redo()

    def rewind(session: Session) -> None:
        for position in (0, 5, session.position):
            session.rewind(position)
            session.partition.labels()

    yield compare("undo and redo after 1,000 steps / after 10", *_both(undo_redo, sessions), 2, repeats=20)
    yield compare("rewind after 1,000 steps / after 10", *_both(rewind, sessions), 2, repeats=20)


def _both(work, sessions):
    return (lambda: work(sessions[1000])), (lambda: work(sessions[10]))


def bench_import() -> Iterator[Row]:
    def run(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    needed = "import numpy, scipy.sparse, sklearn.cluster, sklearn.metrics, pandas, psygnal, scipy.optimize"
    # `import cclab` alone loads next to nothing: names are loaded when they are asked for.
    touched = "import cclab; [getattr(cclab, name) for name in cclab.__all__]"
    yield compare(
        "import cclab with all its names / import of what it needs",
        lambda: run(touched),
        lambda: run(needed),
        2,
        repeats=3,
        clock=time.perf_counter,
    )
