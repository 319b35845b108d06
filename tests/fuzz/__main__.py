"""Run the parts, count how their cases ended, and end with 1 if one did not end well."""

import argparse
import importlib
import pkgutil
import sys
import time
from collections import Counter

from tests import fuzz
from tests.fuzz import Case
from tests.fuzz._workers import tried

SHOWN = 20  # faults printed in full; the rest are counted


def parts() -> list[str]:
    return [found.name for found in pkgutil.iter_modules(fuzz.__path__) if not found.name.startswith(("_", "test_"))]


def run(name: str, count: int | None, seed: int) -> bool:
    """Whether every case of a part ended well."""
    part = importlib.import_module(f"tests.fuzz.{name}")
    start, outcomes, faults, slowest = time.monotonic(), Counter[str](), 0, Case("none", "")
    for case in tried(part.attempts(part.COUNT if count is None else count, seed)):
        outcomes[case.outcome] += 1
        slowest = max(slowest, case, key=lambda case: case.seconds)
        if case.fault is not None:
            faults += 1
            if faults <= SHOWN:
                print(f"  {case.name}: {case.fault}", flush=True)
    seconds, counts = time.monotonic() - start, ", ".join(f"{n:,} {outcome}" for outcome, n in outcomes.most_common())
    print(f"{name}: {outcomes.total():,} cases in {seconds:.0f} s ({counts}); {faults} ended badly", flush=True)
    print(f"  slowest: {slowest.name}, {slowest.seconds:.1f} s of the processor", flush=True)
    return faults == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=fuzz.__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(parts())}; all when none is named")
    parser.add_argument("--count", type=int, help="how many cases, in place of each part's own number")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if unknown := set(given.parts) - set(parts()):
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(parts())}")
    start = time.monotonic()
    well = [run(name, given.count, given.seed) for name in given.parts or parts()]
    print(f"{(time.monotonic() - start) / 60:.0f} minutes in all")
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
