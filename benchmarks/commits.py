"""Two commits side by side: ``make bench-compare A=v0.1.0 B=HEAD``, or ``python -m benchmarks.commits A B [word ...]``.

Each commit's own benchmarks run in a copy of its own, in turns, several times. Printed are the median ratio of each row
in both, and how much it grew; rows that only one commit has are named at the end. With ``--json FILE`` every run is
kept as soon as it is done, and the same call made again goes on where the last one ended.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

#: A ratio may grow by this much before it is called slower: the noise of medians on a shared machine.
TOLERANCE = 0.1
#: These two run in the copy of a commit, so they use nothing that old commits may lack.
NAMES = """
import importlib, pkgutil
import benchmarks
for module in sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_")):
    for name in vars(importlib.import_module(f"benchmarks.{module}")):
        if name.startswith("bench_"):
            print(f"{module}.{name}")
"""
ROWS = """
import importlib, json, sys
module, name = sys.argv[1].split(".")
for row in getattr(importlib.import_module(f"benchmarks.{module}"), name)():
    print(json.dumps([row.what, float(row.ratio), row.at_least]), flush=True)
"""

#: By benchmark, then by commit: the rows of each run, as (what, ratio, whether more is better).
Measured = dict[str, dict[str, list[list[tuple[str, float, bool]]]]]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commits", description=__doc__.splitlines()[0])
    parser.add_argument("a", help="a commit")
    parser.add_argument("b", help="another")
    parser.add_argument("words", nargs="*", help="only benchmarks whose names hold one of these")
    parser.add_argument("--runs", type=int, default=5, help="of each commit, in turns (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="keep every run in this file, and go on from what it holds")
    given = parser.parse_intermixed_args(words)
    measured: Measured = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    with tempfile.TemporaryDirectory(prefix="cclab-bench-") as folder:
        places = {_commit(name): _copy(name, Path(folder, side)) for side, name in (("a", given.a), ("b", given.b))}
        for name in _names(places, given.words):
            for _ in _measure(measured.setdefault(name, {}), name, places, given.runs):
                if given.json:
                    given.json.write_text(json.dumps(measured, indent=1))
        a, b = places
    return _report(*(_ratios(measured, commit) for commit in (a, b)))


def _commit(name: str) -> str:
    """What a name stands for now: a branch that grows is another commit tomorrow."""
    found = subprocess.run(["git", "rev-parse", "--short=12", f"{name}^{{commit}}"], check=True, capture_output=True)
    return found.stdout.decode().strip()


def _copy(commit: str, place: Path) -> Path:
    packed = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(place, filter="data")
    return place


def _names(places: dict[str, Path], words: list[str]) -> list[str]:
    """The benchmarks that both commits have, then those of one alone."""
    a, b = ([name for name in _run(place, NAMES) if _wanted(name, words)] for place in places.values())
    return [name for name in a if name in b] + [name for name in a if name not in b] + [n for n in b if n not in a]


def _wanted(name: str, words: list[str]) -> bool:
    return not words or any(word in name for word in words)


def _measure(runs_of: dict[str, list], name: str, places: dict[str, Path], runs: int):
    """Run one benchmark of both commits in turns, as often as is missing; a pause after each."""
    for turn in range(runs):
        for commit, place in list(places.items())[:: -1 if turn % 2 else 1]:  # none is always first
            done = runs_of.setdefault(commit, [])
            if len(done) <= turn:
                print(f"run {turn + 1} of {runs}: {name}, {commit}", file=sys.stderr, flush=True)
                done.append([tuple(json.loads(line)) for line in _run(place, ROWS, name) if line.startswith("[")])
                yield


def _run(place: Path, program: str, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(place)},
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        print(f"the benchmarks of {place.name} ended early (see above)", file=sys.stderr)
    return done.stdout.splitlines()


def _ratios(measured: Measured, commit: str) -> dict[str, tuple[bool, list[float]]]:
    """For each row of a commit: whether more is better, and the ratio of each run."""
    found: dict[str, tuple[bool, list[float]]] = {}
    for runs_of in measured.values():
        for rows in runs_of.get(commit, []):
            for what, ratio, at_least in rows:
                found.setdefault(what, (at_least, []))[1].append(ratio)
    return found


def _report(a: dict[str, tuple[bool, list[float]]], b: dict[str, tuple[bool, list[float]]]) -> int:
    print(f"{'median ratio':<72} {'a':>9} {'b':>9} {'b / a':>7}  runs")
    slower = 0
    for what in a:
        if what in b:
            at_least, ours = b[what]
            before, after = statistics.median(a[what][1]), statistics.median(ours)
            growth = before / after if at_least else after / before
            slower += growth > 1 + TOLERANCE
            mark = "  SLOWER" if growth > 1 + TOLERANCE else ""
            print(f"{what:<72} {before:>9.3g} {after:>9.3g} {growth:>7.2f}  {min(len(a[what][1]), len(ours))}{mark}")
    for side, rows, others in (("a", a, b), ("b", b, a)):
        for what in [what for what in rows if what not in others]:
            print(f"only in {side}: {what}")
    print(f"\n{slower} grew by more than {TOLERANCE:.0%}" if slower else f"\nnone grew by more than {TOLERANCE:.0%}")
    return min(slower, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
