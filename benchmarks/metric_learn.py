"""Metrics beside those of metric-learn, on Iris with 100 pairs: the same matrices, and how long they take.

metric-learn 0.7 doesn't run on a current scikit-learn, so it gets a virtual environment of its own with an older one.
``python -m benchmarks.metric_learn`` makes it (see `benchmarks.rivals`), prints both sides, and writes what it
found to ``tests/algorithms/metric/metric_learn.json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import best_time
from benchmarks.rivals import NotToBeHad, ask, python_of
from cclab import ITML, MMC, RCA, ConstraintSet, Problem, load_dataset

NEEDS = ["metric-learn==0.7.0", "scikit-learn==1.5.2", "numpy<2.3", "scipy<1.14"]
FOUND = Path(__file__).parent.parent / "tests/algorithms/metric/metric_learn.json"
# What both are told: enough sweeps to see where each ends.
SETTINGS = {"gamma": 1.0, "max_sweeps": 3000, "metric_tol": 1e-4}

RIVAL = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from metric_learn import ITML, MMC, RCA

given = json.load(sys.stdin)
X, pairs, y = np.array(given["X"]), np.array(given["pairs"]), np.array(given["y"])
bounds, settings = given["bounds"], given["settings"]

def itml():
    model = ITML(gamma=settings["gamma"], max_iter=settings["max_sweeps"], tol=settings["metric_tol"])
    return model.fit(X[pairs], y, bounds=np.array(bounds))

tasks = {
    "RCA": lambda: RCA().fit(X, np.array(given["chunks"])),
    "ITML": itml,
    "MMC": lambda: MMC().fit(X[pairs], y),
    "MMC, diagonal": lambda: MMC(diagonal=True).fit(X[pairs], y),
}
found = {}
for name, task in tasks.items():
    times = []
    for _ in range(given["repeats"]):
        begun = time.process_time()
        model = task()
        times.append(time.process_time() - begun)
    found[name] = {"metric": model.get_mahalanobis_matrix().tolist(), "seconds": min(times)}
json.dump(found, sys.stdout)
"""


def rival_python() -> str:
    """The interpreter of an environment that has metric-learn, made if need be."""
    return python_of("metric-learn", "metric_learn", NEEDS)


def iris_with_pairs(count: int = 100, seed: int = 0) -> tuple[Problem, np.ndarray]:
    """Iris with different pairs drawn from the truth, and whether they are must-links, in the order of the pairs."""
    iris, rng = load_dataset("iris"), np.random.default_rng(seed)
    i, j = np.triu_indices(iris.n_samples, 1)
    # One flower is in the data twice: two coinciding samples have no place in ITML's logarithms.
    differ = (iris.X[i] != iris.X[j]).any(axis=1)
    chosen = rng.choice(np.flatnonzero(differ), count, replace=False)
    pairs = np.stack([i[chosen], j[chosen]], axis=1)
    same = iris.target[pairs[:, 0]] == iris.target[pairs[:, 1]]
    known = ConstraintSet(iris.n_samples).with_must_link(pairs[same]).with_cannot_link(pairs[~same])
    return Problem(iris.X, known), np.concatenate([pairs[same], pairs[~same]])


def rival_metrics(problem: Problem, pairs: np.ndarray, repeats: int = 5) -> dict[str, Any]:
    """What metric-learn makes of the same pairs: a matrix and seconds for each method."""
    X, known = problem.X, problem.constraints
    n_must = int(known.pairs.must.sum())
    # ITML takes links in turn: both sides go from the shortest to the longest, must-links first.
    length = ((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2).sum(axis=1)
    order = np.lexsort((length, np.arange(len(pairs)) >= n_must))
    chunks = np.full(len(X), -1)
    for number, row in enumerate(known.rows(known.pairs.must).closure().groups.block):
        chunks[known.rows(known.pairs.must).closure().blocks.row(row)[0]] = number
    given = {
        "X": X.tolist(),
        "pairs": pairs[order].tolist(),
        "y": np.where(order < n_must, 1, -1).tolist(),
        "chunks": chunks.tolist(),
        "bounds": bounds(problem),
        "settings": SETTINGS,
        "repeats": repeats,
    }
    return ask(rival_python(), RIVAL, given)


def bounds(problem: Problem) -> list[float]:
    """Percentiles of squared distances, for both sides."""
    X = problem.X
    squares = ((X[:, None] - X) ** 2).sum(axis=2)[np.triu_indices(len(X), 1)]
    return np.percentile(squares, (5, 95)).tolist()


def our_solvers(problem: Problem) -> dict[str, Any]:
    """The same methods here, with the same settings."""
    return {
        "RCA": RCA(3, ridge=0.0),
        "ITML": ITML(3, bounds=bounds(problem), **SETTINGS),
        "MMC": MMC(3, ridge=0.0),
        "MMC, diagonal": MMC(3, ridge=0.0, diagonal=True),
    }


def our_metric(solver: Any, problem: Problem) -> np.ndarray:
    """The learned metric alone, in the units of the data."""
    return solver.learned(fresh(problem)).metric * solver.unit(problem)


def fresh(problem: Problem) -> Problem:
    """The same problem, with nothing worked out before."""
    return Problem(problem.X, problem.constraints, seed=problem.seed)


def alike(one: np.ndarray, other: np.ndarray) -> float:
    """The cosine between two metrics: 1 where they differ by a factor alone."""
    return float(np.sum(one * other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def ratio(M: np.ndarray, problem: Problem, pairs: np.ndarray) -> float:
    """What MMC lowers: squared distances of must-links over the square of the summed distances of cannot-links."""
    V = problem.X[pairs[:, 0]] - problem.X[pairs[:, 1]]
    squares, n_must = np.einsum("ij,jk,ik->i", V, M, V), int(problem.constraints.pairs.must.sum())
    return float(squares[:n_must].sum() / np.sqrt(squares[n_must:]).sum() ** 2)


def main() -> int:
    problem, pairs = iris_with_pairs()
    try:
        theirs = rival_metrics(problem, pairs)
    except NotToBeHad as error:
        print(f"{error}\nNothing to compare with.")
        return 1
    heads = f"{'cosine':>9} {'largest difference':>20} {'ratio: here':>12} {'there':>8} {'ms: here':>9} {'there':>8}"
    print(f"{'':15} {heads}")
    for name, solver in our_solvers(problem).items():
        ours, other = our_metric(solver, problem), np.array(theirs[name]["metric"])
        off = np.abs(ours / np.linalg.norm(ours) - other / np.linalg.norm(other)).max()
        seconds = best_time(lambda: our_metric(solver, problem))  # noqa: B023
        print(
            f"{name:15} {alike(ours, other):9.6f} {off:20.2g} {ratio(ours, problem, pairs):12.4g} "
            f"{ratio(other, problem, pairs):8.4g} {1e3 * seconds:9.3g} {1e3 * theirs[name]['seconds']:8.3g}"
        )
    metrics = {name: found["metric"] for name, found in theirs.items()}
    FOUND.write_text(json.dumps({"made by": "python -m benchmarks.metric_learn", "needs": NEEDS, **metrics}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
