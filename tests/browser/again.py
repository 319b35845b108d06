"""The files of journeys that failed, once more and one at a time: a machine may be too busy for two browsers at once.

What failed the first time stays in what was printed, and what fails here fails for good.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAILED = ROOT / ".pytest_cache/v/cache/lastfailed"


def files_that_failed() -> list[str]:
    names = json.loads(FAILED.read_text()) if FAILED.exists() else {}
    return sorted({name.partition("::")[0] for name in names if name.startswith("tests/browser/")})


if __name__ == "__main__":
    files = files_that_failed()
    if not files:
        sys.exit("The journeys did not end.")
    print("Once more, by themselves:", *files, flush=True)
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-m", "browser", *files], cwd=ROOT).returncode)
