"""What solvers really take on large data beside what was said before: ``python -m benchmarks.estimates``.

Also from how many samples on a start and a step take more than half a minute, which is what the menu of solvers goes
by: the table `cclab.looks.solver_guide.SLOW_FROM`.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab import ConstraintSet
from cclab.core import Problem, Solver
from cclab.core.registry import solvers
from cclab.session.estimate import carried_on, estimate, timed, trials

HALF_A_MINUTE = 30.0
N_FEATURES, N_CLUSTERS, N_LINKS = 10, 5, 100


def blobs(n: int) -> Problem:
    """Five clusters in ten features, with a hundred links that are right."""
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=4, size=(N_CLUSTERS, N_FEATURES))
    kind = rng.integers(N_CLUSTERS, size=n)
    known = ConstraintSet(n)
    for a, b in rng.integers(n, size=(N_LINKS, 2)).tolist():
        if a != b:
            known = known.with_must_link([[a, b]]) if kind[a] == kind[b] else known.with_cannot_link([[a, b]])
    return Problem(centers[kind] + rng.normal(size=(n, N_FEATURES)), constraints=known, seed=0)


def solver_of(name: str) -> Solver:
    """The solver of a name, which looks for five clusters where it takes a number."""
    solver = solvers.get(name)()
    return solver.set_params(n_clusters=N_CLUSTERS) if hasattr(solver, "n_clusters") else solver


def compare(names: list[str], n: int, most: float) -> None:
    """Print estimate and truth of each solver that should take less than `most` seconds."""
    problem, ratios = blobs(n), []
    for name in names:
        said = estimate(solver_of(name), problem)
        if said is None or said.start + said.step > most:
            print(f"{name:<22} {said}: not run", flush=True)
            continue
        with warnings.catch_warnings(action="ignore"):
            took = sum(timed(solver_of(name), problem))
        ratios.append((said.start + said.step) / took)
        print(f"{name:<22} said {said.start + said.step:8.2f} s, took {took:8.2f} s: {ratios[-1]:.2f}", flush=True)
    spread = np.quantile(ratios, [0, 0.1, 0.5, 0.9, 1])
    within = np.mean([1 / 2 <= ratio <= 2 for ratio in ratios])
    print(f"\n{len(ratios)} solvers on {n:,} samples, said / took (least, 10 %, median, 90 %, most): {spread.round(2)}")
    print(f"within a factor of two: {within:.0%}")


def sizes(names: list[str]) -> None:
    """Print from how many samples on each takes half a minute, where these are fewer than a million."""
    problem = blobs(100_000)
    for name in names:
        tried = trials(solver_of(name), problem)
        if tried is None:
            print(f"    # {name} fails on a part", flush=True)
            continue
        for n in np.geomspace(1_000, 1_000_000, 61).astype(int).tolist():
            said = carried_on(tried, n)
            if said.start + said.step > HALF_A_MINUTE:
                digits = 10 ** (len(str(n)) - 1)
                print(f'    "{name}": {n // digits * digits:_},', flush=True)
                break


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("solvers", nargs="*", default=solvers.names())
    parser.add_argument("-n", type=int, default=20_000, help="samples")
    parser.add_argument("--most", type=float, default=10.0, help="seconds that a solver may take")
    parser.add_argument("--sizes", action="store_true", help="from how many samples on each takes half a minute")
    options = parser.parse_args(words)
    if options.sizes:
        sizes(options.solvers)
    else:
        compare(options.solvers, options.n, options.most)


if __name__ == "__main__":
    main(sys.argv[1:])
