"""Products with families of kernels, and steps of CMKIPCM, against plain matrix products."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks import Row, best_time, compare
from cclab import CMKIPCM, ConstraintSet, Problem, iterate
from cclab.algorithms.multikernel.kernels import choose_kernels

KERNELS = "spectral 5, rbf 7"
C = 3


def clouds(n: int, p: int = 10) -> Problem:
    """Three clouds, and a hundred true links."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % C
    X = rng.normal(scale=1.5, size=(C, p))[truth] + rng.normal(size=(n, p))
    pairs = rng.permutation(n)[:200].reshape(-1, 2)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Problem(X, ConstraintSet(n).with_must_link(pairs[same]).with_cannot_link(pairs[~same]))


def shares(n: int) -> np.ndarray:
    return np.random.default_rng(1).random((n, C))


def bench_exact_distances() -> Iterator[Row]:
    n = 4000
    problem, W, K = clouds(n), shares(n), np.random.default_rng(2).random((n, n))
    for method, limit in (("stored", 8), ("blocks", 15)):
        kernels = choose_kernels(problem, KERNELS, method=method)
        what = f"distances for 12 kernels, {method}, over one N x N by N x C product"
        yield compare(what, lambda kernels=kernels: kernels.distances(W), lambda: K @ W, limit)


def bench_exact_memory() -> Iterator[Row]:
    n = 3000
    problem, W = clouds(n), shares(n)
    tracemalloc.start()
    choose_kernels(problem, KERNELS, method="stored").distances(W)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Row("memory for 12 kernels, over one N x N matrix", peak / (8 * n * n), 1.2, detail=f"({peak / 1e6:.0f} MB)")


def bench_against_one_kernel_and_sample_at_a_time() -> Iterator[Row]:
    """Equation 9 as printed, a vectorised sum for each cluster, kernel and sample (of which 50 are timed)."""
    n, timed = 400, 50
    problem, W = clouds(n), shares(n)
    kernels = choose_kernels(problem, KERNELS)
    K = kernels.matmul(np.eye(n))

    def printed() -> None:
        for k in range(len(kernels)):
            for c in range(C):
                a = W[:, c]
                for i in range(timed):
                    _ = K[k, i, i] - 2 * (a @ K[k, i]) / a.sum() + np.sum(np.outer(a, a) * K[k]) / a.sum() ** 2

    ours, theirs = best_time(lambda: kernels.distances(W)), best_time(printed, 1) * n / timed
    yield Row("distances over the printed sums", theirs / ours, 100, at_least=True)


def bench_landmarks_against_exact() -> Iterator[Row]:
    n = 10_000
    problem, W = clouds(n), shares(n)
    near = choose_kernels(problem, KERNELS, method="landmarks")
    exact = choose_kernels(problem, KERNELS, method="stored")
    yield compare(
        "300 landmarks against a stored base, N = 10,000",
        lambda: near.distances(W),
        lambda: exact.distances(W),
        8,
        at_least=True,
        repeats=3,
    )


def bench_landmarks_agree() -> Iterator[Row]:
    problem = clouds(4000)
    labels = [
        list(iterate(CMKIPCM(C, kernel_method=method), problem))[-1].partition.labels()
        for method in ("stored", "landmarks")
    ]
    agreement = adjusted_rand_score(*labels)
    yield Row("agreement of labels, 300 landmarks and exact (ARI)", agreement, 0.995, at_least=True)


def bench_a_hundred_thousand_samples() -> Iterator[Row]:
    problem = clouds(100_000)
    solver = CMKIPCM(C, max_iter=5)
    tracemalloc.start()
    state = solver.step(problem, solver.start(problem))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield Row("memory at 100,000 samples, in units of 2 GB", peak / 2e9, 1, detail=f"({peak / 1e9:.2f} GB)")
    seconds = best_time(lambda: solver.step(problem, state), 3, clock=time.process_time)
    yield Row("a step at 100,000 samples, in seconds", seconds, 1)


def bench_links() -> Iterator[Row]:
    """The sweep over links beside the kernels: it must not be what takes the time."""
    problem = clouds(20_000)
    rng = np.random.default_rng(3)
    known = problem.constraints.with_must_link(np.unique(np.sort(rng.choice(20_000, (5000, 2), False), axis=1), axis=0))
    group = problem.constraints.with_group(np.arange(5000))
    solver = CMKIPCM(C, max_iter=5, kernel_method="landmarks")
    state = solver.start(problem)
    for what, more in (("5,000 links", known), ("a group of 5,000", group)):
        linked = problem.with_constraints(more)
        rebased = solver.rebase(problem, linked, state)
        yield compare(
            f"a step with {what} over one with 100 links, N = 20,000",
            lambda linked=linked, rebased=rebased: solver.step(linked, rebased),
            lambda: solver.step(problem, state),
            2,
            repeats=3,
        )
