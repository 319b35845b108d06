"""K-means with links beside active-semi-supervised-clustering: the same data and links, one start each.

``python -m benchmarks.active_semi_clustering`` makes an environment for it (see `benchmarks.rivals`) and prints both
sides; numbers of samples and names of solvers may follow, to run some of it. All times are of one fit.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from benchmarks.rivals import NotToBeHad, ask_for_lines, python_of
from cclab import ConstraintSet, COPKMeans, MPCKMeans, PCKMeans

NEEDS = ["active-semi-supervised-clustering==0.0.1", "metric-learn==0.7.0", "scikit-learn==1.4.2"]
NEEDS += ["numpy<2", "scipy<1.13"]
SIZES = (150, 1_000, 10_000)
N_LINKS, N_CLUSTERS, N_FEATURES = 200, 5, 10
# How often to run each side; the quickest run counts.
REPEATS = {150: 5, 1_000: 5, 10_000: 1}
# The other library begins with no further fit after so many seconds, and is stopped after half as many more.
PATIENCE = 40.0
AT_LEAST = 20.0
SOLVERS = (PCKMeans, MPCKMeans, COPKMeans)

RIVAL = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from active_semi_clustering.semi_supervised import pairwise_constraints
from active_semi_clustering.exceptions import EmptyClustersException, ClusteringNotFoundException

def tell(**said):
    print(json.dumps(said), flush=True)

given = json.load(sys.stdin)
X = np.array(given["X"])
model = getattr(pairwise_constraints, given["name"])
start, found = time.perf_counter(), 0
for seed in range(20):
    passed = time.perf_counter() - start
    if passed > given["patience"] or found == given["repeats"]:
        break
    tell(begun=passed)
    np.random.seed(seed)
    begun = time.process_time()
    try:
        labels = model(n_clusters=given["k"], max_iter=100).fit(X, ml=given["ml"], cl=given["cl"]).labels_
    except (EmptyClustersException, ClusteringNotFoundException) as none:
        tell(failed=type(none).__name__, seconds=time.process_time() - begun)
        continue
    found += 1
    tell(seconds=time.process_time() - begun, labels=np.asarray(labels).tolist())
"""


def clouds(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping clouds, their truth, and true must-links and cannot-links."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(N_CLUSTERS, size=n)
    X = 1.2 * rng.normal(size=(N_CLUSTERS, N_FEATURES))[truth] + rng.normal(size=(n, N_FEATURES))
    i, j = np.triu_indices(min(n, 2000), 1)
    chosen = rng.choice(len(i), N_LINKS, replace=False)
    pairs = np.stack([i[chosen], j[chosen]], axis=1)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return X, truth, pairs[same], pairs[~same]


def main(*wanted: str) -> int:
    try:
        python = python_of("active-semi-clustering", "active_semi_clustering", NEEDS)
    except NotToBeHad as error:
        print(f"{error}\nNothing to compare with.")
        return 1
    warnings.simplefilter("ignore", ConvergenceWarning)
    sizes = [n for n in SIZES if str(n) in wanted] or SIZES
    chosen = [solver for solver in SOLVERS if solver.__name__ in wanted] or SOLVERS
    short = 0
    print(f"{N_LINKS} links, {N_CLUSTERS} clusters, {N_FEATURES} features, one start, at most 100 steps")
    print(f"{'':12} {'n':>7} {'s: here':>9} {'there':>9} {'ratio':>9} {'ARI: here':>10} {'there':>7}")
    for n in sizes:
        X, truth, must, cannot = clouds(n)
        known = ConstraintSet(n).with_must_link(must).with_cannot_link(cannot)
        for solver in chosen:
            times = []
            for seed in range(REPEATS[n]):
                begun = time.process_time()
                ours = solver(N_CLUSTERS, n_init=1, max_iter=100, random_state=seed).fit(X, constraints=known)
                times.append(time.process_time() - begun)
            given = {"X": X.tolist(), "ml": must.tolist(), "cl": cannot.tolist(), "k": N_CLUSTERS}
            given |= {"name": solver.__name__, "repeats": REPEATS[n], "patience": PATIENCE}
            theirs = Theirs.of(*ask_for_lines(python, RIVAL, given, 1.5 * PATIENCE))
            here, score = min(times), adjusted_rand_score(truth, ours.labels_)
            sign = "" if theirs.labels else "> "
            other = f"{adjusted_rand_score(truth, theirs.labels):.3f}" if theirs.labels else ""
            ratio = theirs.seconds / here
            short += n == 1_000 and ratio < AT_LEAST
            print(
                f"{solver.__name__:12} {n:7} {here:9.3g} {f'{sign}{theirs.seconds:.3g}':>9} {f'{sign}{ratio:.3g}':>9} "
                f"{score:10.3f} {other:>7}  {theirs.said}",
                flush=True,
            )
    print(f"{short} of {len(chosen)} less than {AT_LEAST:g} times as quick at n = 1,000" if short else "none too slow")
    return min(short, 1)


@dataclass
class Theirs:
    """What came of the other library: the quickest fit, or how long one at least takes where none has ended."""

    seconds: float
    labels: list[int]
    said: str

    @classmethod
    def of(cls, lines: list[dict], ended: bool) -> Theirs:
        fits = [line for line in lines if "labels" in line]
        failed = [line["seconds"] for line in lines if "failed" in line]
        said = f"{len(failed)} fits there found no clusters" if failed else ""
        if fits:
            return cls(min(fit["seconds"] for fit in fits), fits[-1]["labels"], said)
        running = 0.0 if ended else 1.5 * PATIENCE - [line["begun"] for line in lines if "begun" in line][-1]
        return cls(max(running, *failed, 0.0), [], said or "no fit there has ended")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
