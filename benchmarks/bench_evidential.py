"""ECM and CECM: against k-means, against their own growth, and against the package evclust."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from benchmarks import Row, best_time, compare
from cclab import CECM, ECM, ConstraintSet, Problem
from cclab.algorithms.evidential.linked_masses import LinkPenalty
from cclab.algorithms.evidential.linked_samples import LinkedSamples


def blobs(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three clouds of four features, and the cloud of each sample."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    return rng.normal(size=(n, 4)) + 3 * np.eye(3, 4)[truth], truth


def step_of(solver: ECM, problem: Problem) -> Callable[[], object]:
    """One step from the third state: the same work each time."""
    state = solver.start(problem)
    for _ in range(2):
        state = solver.step(problem, state)
    return lambda: solver.step(problem, state)


def bench_ecm() -> Iterator[Row]:
    # One cloud: k-means has no reason to stop early.
    large = np.random.default_rng(0).normal(size=(1_000_000, 4))
    X, start = large[:100_000], large[:3]
    few, many = (KMeans(3, init=start, n_init=1, tol=0, max_iter=m, algorithm="lloyd") for m in (2, 42))
    more = best_time(lambda: many.fit(X), 5) - best_time(lambda: few.fit(X), 5)
    lloyd = more / (many.n_iter_ - few.n_iter_)
    for metric, limit in (("euclidean", 8), ("mahalanobis", 16)):
        ours = best_time(step_of(ECM(3, init=start, metric=metric), Problem(X)), 15)
        detail = f"({1e3 * ours:.3g} ms, {1e3 * lloyd:.3g} ms)"
        yield Row(f"a step of ECM, {metric}, 1e5 x 4, c = 3 / one of Lloyd", ours / lloyd, limit, detail=detail)
        yield compare(
            f"a step of ECM, {metric}, 1e6 samples / 1e5 samples",
            step_of(ECM(3, init=start, metric=metric), Problem(large)),
            step_of(ECM(3, init=start, metric=metric), Problem(X)),
            12,
            repeats=4,
        )


def bench_links() -> Iterator[Row]:
    added = {}
    for n in (10_000, 100_000, 1_000_000):
        X, truth = blobs(n)
        pairs = np.random.default_rng(1).choice(n, size=(100, 2), replace=False)
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        known = ConstraintSet(n).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
        problem = Problem(X, known)
        plain, linked = ECM(3, init=X[:3]), CECM(3, init=X[:3])
        state = linked.step(problem, linked.start(problem))
        # The masses of linked samples are all that is added to a step of ECM.
        masses = partial(linked._linked, problem, state.following, state.rho2, state)
        added[n] = best_time(masses, 15)
        if n == 100_000:
            ecm = best_time(step_of(plain, problem), 15)
            detail = f"({1e3 * added[n]:.3g} ms, {1e3 * ecm:.3g} ms)"
            yield Row("what 100 links add to a step / the step of ECM, 1e5 samples", added[n] / ecm, 1, detail=detail)
    yield Row("what 100 links add, 1e6 samples / 1e4 samples", added[1_000_000] / added[10_000], 2)


def bench_groups() -> Iterator[Row]:
    n = 200_000
    X, truth = blobs(n)
    a, b = (np.flatnonzero(truth == k)[:10_000] for k in (0, 1))
    problem = Problem(X, ConstraintSet(n).with_group(a).with_group(b).with_separation(a, b))
    cecm = CECM(3, init=X[:3])
    state = cecm.start(problem)
    linked = LinkedSamples.of(problem)
    penalty = LinkPenalty(problem, linked, state.geometry.focal, 0.5, 1e-6, relieved=False)
    w = np.full(state.linked_masses.shape, 1e-6)
    masses = state.linked_masses.copy()
    yield compare(
        "a sweep over two groups of 10,000 kept apart / a step of ECM, 2e5 samples",
        lambda: penalty.sweep(w, masses),
        step_of(ECM(3, init=X[:3]), Problem(X)),
        1,
        repeats=10,
    )


THEIR_STEP = """
import io, sys, time
from contextlib import redirect_stdout
import numpy as np
from evclust.ecm import ecm
X = np.load(sys.argv[1])
best = np.inf
for _ in range(3):
    shown = io.StringIO()
    begun = time.process_time()
    with redirect_stdout(shown):
        ecm(x=X, c=3, g0=X[:3].copy(), beta=2, alpha=1, delta=100, epsi=1e-2, disp=True)
    best = min(best, (time.process_time() - begun) / shown.getvalue().count("["))
print(best)
"""


def bench_evclust() -> Iterator[Row]:
    """Beside the ECM of the package evclust, in an environment of its own (needs an index to install from)."""
    X, _ = blobs(1000)
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "env", "Scripts" if sys.platform == "win32" else "bin", "python")
        venv.create(python.parents[1], with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, "numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "seaborn"], check=True)
        subprocess.run([*install, "--no-deps", "evclust==0.2.1"], check=True)
        np.save(Path(folder, "X.npy"), X)
        ran = subprocess.run(
            [python, "-c", THEIR_STEP, Path(folder, "X.npy")], check=True, capture_output=True, text=True
        )
    theirs = float(ran.stdout.split()[-1])
    ours = best_time(step_of(ECM(3, init=X[:3], rho2=1e4), Problem(X)), 30)
    detail = f"({1e3 * ours:.3g} ms, {1e3 * theirs:.3g} ms)"
    yield Row("a step of evclust's ecm / of ours, 1000 samples", theirs / ours, 300, at_least=True, detail=detail)
