"""Every solver in one table: a step beside an iteration of Lloyd's, how it grows, what it holds.

``make bench``, or ``python -m benchmarks.table [--sizes 1000 10000 ...] [--only FCM ECM ...] [--peers]``.
Times are ratios to one iteration of scikit-learn's KMeans on the same data. A solver is tried on no more samples once a
step takes long. Figures are kept, and a run goes on from those of the same code and versions.
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
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from benchmarks import active_semi_clustering, best_time, metric_learn
from benchmarks.rivals import NotToBeHad, ask_for_lines, python_of
from cclab import ConstraintSet, Problem
from cclab.core.registry import solvers
from cclab.studies.identity import fingerprint
from cclab.studies.result_tables import markdown

SIZES = (1_000, 10_000, 100_000, 1_000_000)
N_CLUSTERS, N_FEATURES, N_LINKS, N_LABELS = 5, 10, 100, 30
# So wide that clusters overlap: Lloyd's is then still on its way after ten iterations.
SPREAD = 6.0
# A size is tried if a start or a step should take no more than so many seconds: as they grew so far, at first squared.
PATIENCE = 20.0

# What other libraries take for five steps, over five: what to install, to import, and to call.
PEERS: dict[str, tuple[list[str], str, str]] = {
    "scikit-fuzzy cmeans": (
        ["scikit-fuzzy", "setuptools", "packaging", "networkx", "scikit-learn"],
        "from skfuzzy import cmeans",
        "cmeans(X.T, k, 2, error=0, maxiter=5, seed=0)",
    ),
    "evclust ecm": (
        ["evclust", "scikit-learn"],
        "from evclust.ecm import ecm",
        "for _ in range(5): ecm(x=X, c=k, epsi=np.inf, disp=False)",  # can't be told how many steps to make
    ),
    "active-semi-supervised PCKMeans": (
        active_semi_clustering.NEEDS,
        "from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans",
        "PCKMeans(k, max_iter=5).fit(X, ml=must, cl=cannot)",
    ),
    "metric-learn ITML": (
        metric_learn.NEEDS,
        "from metric_learn import ITML",
        "ITML(max_iter=5, random_state=0).fit(X[must + cannot], [1] * len(must) + [-1] * len(cannot))",
    ),
}
# They are tried on no more samples than this.
MOST_FOR_PEERS = 10_000
PEER = """
import contextlib, io, json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from sklearn.datasets import make_blobs
{importing}
given = json.load(sys.stdin)
k, must, cannot = given["k"], given["must"], given["cannot"]
X = make_blobs(given["n"], given["p"], centers=k, cluster_std=given["spread"], random_state=0)[0]
np.random.seed(0)
with contextlib.redirect_stdout(io.StringIO()):
    begun = time.process_time()
    {call}
    took = time.process_time() - begun
print(json.dumps(took / 5))
"""


def problem_of(n: int, uses: frozenset[str]) -> Problem:
    X, truth = make_blobs(n, N_FEATURES, centers=N_CLUSTERS, cluster_std=SPREAD, random_state=0)
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

    assert run(11)().n_iter_ == 11
    more, few = best_time(run(11)), best_time(run(1))
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


def _exponent(seconds: dict[int, float]) -> float:
    """By which power of the number of samples seconds have grown."""
    few, many = min(seconds), max(seconds)
    return math.log(max(seconds[many], 1e-9) / max(seconds[few], 1e-9)) / math.log(many / few)


def _expected(n: int, seconds: dict[int, float]) -> float:
    """Seconds for `n` samples, given those for fewer."""
    most = max(seconds)
    return seconds[most] * (n / most) ** (_exponent(seconds) if len(seconds) > 1 else 2)


def row_of(name: str, sizes: Sequence[int], iterations: dict[str, float]) -> dict[str, Any]:
    """The ratios of a solver by size, its exponent and its memory."""
    row: dict[str, Any] = {"solver": name, "ratio": {}, "bytes": None, "why": ""}
    took: dict[int, tuple[float, float]] = {}  # a step, and the longer of a step and the start
    for n in sizes:
        if took and _expected(n, {m: longer for m, (_, longer) in took.items()}) > PATIENCE:
            break
        try:
            with warnings.catch_warnings(action="ignore"):
                step, held, started = measured(solvers.get(name), n)
        except (ValueError, MemoryError, ImportError) as error:
            row["why"] = str(error)[:80]
            break
        took[n] = step, max(step, started)
        row["ratio"][str(n)], row["bytes"] = step / iterations[str(n)], held
    if len(took) > 1:
        row["exponent"] = _exponent({n: step for n, (step, _) in took.items()})
    return row


def peer_row(name: str, sizes: Sequence[int], iterations: dict[str, float]) -> dict[str, Any]:
    """What another library takes; why not, where it can't be had."""
    needs, importing, call = PEERS[name]
    row: dict[str, Any] = {"solver": name, "ratio": {}, "bytes": None, "why": ""}
    try:
        python = python_of(name.replace(" ", "-"), importing.split()[1].partition(".")[0], needs)
        for n in (n for n in sizes if n <= MOST_FOR_PEERS):
            said = problem_of(n, frozenset({"must", "cannot"})).constraints.pairs
            pairs = np.stack([said.i, said.j], axis=1)
            links = {"must": pairs[said.must].tolist(), "cannot": pairs[~said.must].tolist()}
            given = {"n": n, "p": N_FEATURES, "k": N_CLUSTERS, "spread": SPREAD, **links}
            told, ended = ask_for_lines(python, PEER.format(importing=importing, call=call), given, 60.0)
            if not ended:
                row["why"] = f"more than a minute for {n:,} samples"
                break
            row["ratio"][str(n)] = told[0] / iterations[str(n)]
    except NotToBeHad as error:
        row["why"] = str(error)[:120]
    return row


def as_page(about: dict[str, Any], rows: Sequence[dict[str, Any]], sizes: Sequence[int]) -> str:
    """The table as a page of the documents."""
    table = pd.DataFrame(
        [
            {
                "solver": row["solver"],
                **{f"{n:,}": f"{row['ratio'][str(n)]:.3g}" if str(n) in row["ratio"] else "" for n in sizes},
                "grows by n^": f"{row['exponent']:.2f}" if "exponent" in row else "",
                "bytes a sample": "" if row["bytes"] is None else f"{row['bytes']:.0f}",
                "note": row["why"],
            }
            for row in rows
        ]
    )
    lloyd_ms = ", ".join(f"{1e3 * about['lloyd'][str(n)]:.3g}" for n in sizes)
    many = ", ".join(f"{n:,}" for n in sizes)
    return f"""# How long a step takes

Every solver, by `make bench` on {about["date"]} with {about["versions"]}: one step on
{N_FEATURES} features and {N_CLUSTERS} clusters that overlap, over one iteration of Lloyd's in scikit-learn's KMeans on
the same data ({lloyd_ms} ms for {many} samples), all in seconds of one
processor. Solvers of links are given {N_LINKS} of them, those of labels {N_LABELS}. A solver is tried on ten times as
many samples as long as a start and a step should then take {PATIENCE:g} seconds at most; memory is what a step holds at
its peak, on the most samples. What a step is differs: that of an ensemble is a round, that of a metric learner a metric
and a clustering by it. At the end other libraries, each in an environment of its own: five steps with their start, over
five (evclust: one step with its start), on up to {MOST_FOR_PEERS:,} samples.

{markdown(table)}
"""


def printed(row: dict[str, Any], sizes: Sequence[int]) -> str:
    """A row of the table."""
    cells = [f"{row['ratio'][str(n)]:>11.3g}" if str(n) in row["ratio"] else f"{'-':>11}" for n in sizes]
    exponent = f"{row['exponent']:>6.2f}" if "exponent" in row else f"{'-':>6}"
    held = f"{row['bytes']:>8.0f}" if row["bytes"] is not None else f"{'-':>8}"
    return f"{row['solver']:<32}{''.join(cells)}{exponent}{held}  {row['why']}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.table", description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--peers", action="store_true", help="other libraries too, each in an environment of its own")
    parser.add_argument("--json", type=Path, default=Path("results/bench.json"), help="where figures are kept")
    parser.add_argument("--page", type=Path, help="write the table into this file, in Markdown")
    given = parser.parse_args(words)
    versions = ", ".join(f"{name} {version(name)}" for name in ("cclab", "numpy", "scipy", "scikit-learn"))
    earlier = json.loads(given.json.read_text(encoding="utf-8"))["rows"] if given.json.exists() else []
    known = {row["of"]: row for row in earlier}
    iterations = {str(n): lloyd(problem_of(n, frozenset()).X) for n in given.sizes}
    about = {"date": date.today().isoformat(), "machine": platform.machine(), "versions": versions, "lloyd": iterations}
    rows: list[dict[str, Any]] = []
    print(f"{'a step / a Lloyd iteration, n =':<32}{''.join(f'{n:>11,}' for n in given.sizes)}{'n^':>6}{'bytes':>8}")
    for name in [*(given.only or solvers.names()), *(PEERS if given.peers else ())]:
        what = PEERS[name] if name in PEERS else solvers.get(name)
        of = fingerprint(what, versions, given.sizes)
        measure = peer_row if name in PEERS else row_of
        row = known.get(of) or {"of": of, **measure(name, given.sizes, iterations)}
        rows.append(row)
        print(printed(row, given.sizes), flush=True)
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(about | {"rows": rows}, indent=1) + "\n", encoding="utf-8")
    if given.page is not None:
        given.page.write_text(as_page(about, rows, given.sizes), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
