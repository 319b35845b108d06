"""A possibilistic iteration against one of fuzzy c-means."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import Row, compare
from cclab import FCM, SPFCM, SRPCM, ConstraintSet, Problem
from cclab.algorithms.possibilistic.terms import Terms


def bench_possibilistic() -> Iterator[Row]:
    rng, n, k = np.random.default_rng(0), 1_000_000, 5
    X = rng.normal(size=(n, 10))
    labels = np.where(rng.random(n) < 0.01, rng.integers(k, size=n), -1)
    problem = Problem(X, ConstraintSet(n).with_labels(labels))
    init = X[:k].copy()
    fcm = FCM(k, init=init)
    fcm_state = fcm.start(problem)
    for cls in (SRPCM, SPFCM):
        # The first centres come from many steps of FCM, which are not what is measured here.
        solver = cls(k, init=init, gamma=np.full(k, 10.0))
        state = solver._state_at(problem, init, _settings(solver, k))
        yield compare(
            f"{cls.__name__} iteration / FCM iteration, n = 1e6, p = 10, k = 5, 1 % labels",
            lambda s=solver, at=state: s.step(problem, at),
            lambda: fcm.step(problem, fcm_state),
            2,
            repeats=3,
        )


def _settings(solver, k):
    repulsion = np.full(k, 1e3) if isinstance(solver, SRPCM) else np.zeros(k)
    return Terms(solver.a, solver.b, 2.0, 2.0, np.asarray(solver.gamma), repulsion)
