"""Every solver in one table: a step beside an iteration of Lloyd's, how it grows, what it holds.

``python -m benchmarks.table [--sizes 1000 10000 ...] [--only FCM ECM ...] [--peers] [--json FILE]``. Times are ratios
to one iteration of scikit-learn's KMeans on the same data. A solver is tried on no more samples once a step takes long.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from benchmarks import best_time
from benchmarks.rivals import NotToBeHad, ask, python_of
from cclab import ConstraintSet, Problem
from cclab.core.registry import solvers

SIZES = (1_000, 10_000, 100_000, 1_000_000)
N_CLUSTERS, N_FEATURES, N_LINKS, N_LABELS = 5, 10, 100, 30
# A size is tried if a start or a step should take no more than so many seconds: so many times more than at the last.
PATIENCE, GROWTH = 5.0, 10

# What other libraries take for all steps, over the number of steps: each in an environment of its own.
PEERS: dict[str, tuple[str, list[str], str]] = {
    "scikit-fuzzy cmeans": (
        "skfuzzy",
        ["scikit-fuzzy", "setuptools"],
        "u = skfuzzy.cmeans(X.T, k, 2, error=0, maxiter=5, seed=0)",
    ),
    "evclust ecm": ("evclust", ["evclust"], "from evclust.ecm import ecm; ecm(x=X, c=k, maxit=5, epsi=0, disp=False)"),
}
PEER = """
import json, sys, time, warnings, io, contextlib
warnings.simplefilter("ignore")
import numpy as np
import {module}
from sklearn.datasets import make_blobs
given = json.load(sys.stdin)
k = given["k"]
X = make_blobs(given["n"], given["p"], centers=k, random_state=0)[0]
with contextlib.redirect_stdout(io.StringIO()):
    begun = time.process_time()
    {call}
print(json.dumps((time.process_time() - begun) / 5))
"""


def problem_of(n: int, uses: frozenset[str]) -> Problem:
    X, truth = make_blobs(n, N_FEATURES, centers=N_CLUSTERS, random_state=0)
    rng, known = np.random.default_rng(0), ConstraintSet(n)
    if uses & {"must", "cannot"}:
        pairs = rng.choice(n, (N_LINKS, 2), replace=False)
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        known = known.with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    elif "labels" in uses:
        some = rng.choice(n, N_LABELS, replace=False)
        known = known.with_labels({int(i): int(truth[i]) for i in some})
    return Problem(X, known, seed=0)


def lloyd(X: Any) -> float:
    """Seconds of one iteration: what ten more of them take, over ten."""
    start = X[:N_CLUSTERS]

    def run(steps: int) -> Callable[[], Any]:
        return lambda: KMeans(N_CLUSTERS, init=start, n_init=1, max_iter=steps, tol=0, algorithm="lloyd").fit(X)

    more, few = best_time(run(11), 3), best_time(run(1), 3)
    return max(more - few, 1e-9) / 10


def measured(cls: type, n: int) -> tuple[float, float, float]:
    """Seconds of a step, bytes that it takes for a sample at most, and seconds of the start."""
    clusters = {"n_clusters": N_CLUSTERS} if "n_clusters" in cls.all_parameters() else {}
    solver, problem = cls(**clusters, random_state=0), problem_of(n, cls.uses)
    problem = solver.adapt(problem)
    begun = time.process_time()
    state = solver.start(problem)
    started = time.process_time() - begun
    step = best_time(lambda: solver.step(problem, state), 3 if started < 1 else 1)
    tracemalloc.start()
    solver.step(problem, state)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return step, peak / n, started


def row_of(cls: type, sizes: Sequence[int], iterations: dict[int, float]) -> dict[str, Any]:
    """The ratios of a solver by size, its exponent and its memory."""
    row: dict[str, Any] = {"solver": cls.__name__, "ratio": {}, "bytes": None, "why": ""}
    seconds: dict[int, float] = {}
    for n in sizes:
        try:
            with warnings.catch_warnings(action="ignore"):
                step, held, started = measured(cls, n)
        except (ValueError, MemoryError, ImportError) as error:
            row["why"] = str(error)[:80]
            break
        seconds[n] = step
        row["ratio"][n], row["bytes"] = step / iterations[n], held
        if max(step, started) * GROWTH > PATIENCE:
            break
    if len(seconds) > 1:
        few, *_, many = seconds
        first, last = seconds[few], seconds[many]
        row["exponent"] = math.log(max(last, 1e-9) / max(first, 1e-9)) / math.log(many / few)
    return row


def peer_rows(sizes: Sequence[int], iterations: dict[int, float]) -> list[dict[str, Any]]:
    """What other libraries take, up to 10,000 samples; why not, where they can't be had."""
    rows = []
    for name, (module, needs, call) in PEERS.items():
        row: dict[str, Any] = {"solver": name, "ratio": {}, "bytes": None, "why": ""}
        try:
            python = python_of(name.replace(" ", "-"), module, [*needs, "scikit-learn"])
            for n in (n for n in sizes if n <= 10_000):
                given = {"n": n, "p": N_FEATURES, "k": N_CLUSTERS}
                took = ask(python, PEER.format(module=module, call=call), given, 60.0)
                if took is None:
                    row["why"] = f"more than a minute for {n:,} samples"
                    break
                row["ratio"][n] = took / iterations[n]
        except NotToBeHad as error:
            row["why"] = str(error)[:120]
        rows.append(row)
    return rows


def printed(row: dict[str, Any], sizes: Sequence[int]) -> str:
    """A row of the table."""
    cells = [f"{row['ratio'][n]:>9.3g}" if n in row["ratio"] else f"{'-':>9}" for n in sizes]
    exponent = f"{row['exponent']:>6.2f}" if "exponent" in row else f"{'-':>6}"
    held = f"{row['bytes']:>8.0f}" if row["bytes"] is not None else f"{'-':>8}"
    return f"{row['solver']:<24}{''.join(cells)}{exponent}{held}  {row['why']}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.table", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--peers", action="store_true", help="other libraries too, each in an environment of its own")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    given = parser.parse_args(words)
    iterations = {n: lloyd(problem_of(n, frozenset()).X) for n in given.sizes}
    print(f"{'a step / a Lloyd iteration, n =':<24}{''.join(f'{n:>9,}' for n in given.sizes)}{'n^':>6}{'bytes':>8}")
    rows = []
    for name in given.only or solvers.names():
        rows.append(row_of(solvers.get(name), given.sizes, iterations))
        print(printed(rows[-1], given.sizes), flush=True)
    for row in peer_rows(given.sizes, iterations) if given.peers else []:
        rows.append(row)
        print(printed(row, given.sizes), flush=True)
    if given.json is not None:
        kept = {"machine": platform.machine(), "python": platform.python_version(), "lloyd": iterations, "rows": rows}
        given.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
