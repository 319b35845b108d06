"""Run the benchmarks and print their ratios."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main(words: list[str]) -> int:
    over = 0
    for module in sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_")):
        members = vars(importlib.import_module(f"benchmarks.{module}"))
        for name in [n for n in members if n.startswith("bench_")]:
            if words and not any(word in f"{module}.{name}" for word in words):
                continue
            print(f"\n{module}.{name}", flush=True)
            for row in members[name]():
                print(f"  {row}", flush=True)
                over += not row.ok
    print(f"\n{over} over their limits" if over else "\nall within their limits")
    return min(over, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
