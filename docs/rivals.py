"""Put what ``cclab study rivals`` has found into the pages that speak of it: ``python docs/rivals.py [results]``.

A page says where it wants what, by a comment, and one that says ``end`` after it: ``rivals: PCP SPCL`` for the rows of
these solvers, ``rivals: report`` for all of the report. Pictures go to ``docs/images``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd

from cclab.studies.rivals import STUDY

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- rivals: (.+?) -->\n).*?(<!-- end -->)", re.S)
PICTURES = {"rivals-free": "ari_free level 5 %", "rivals-wrong": "ari level 5 %, 10 % wrong"}


def filled(page: str, frame: pd.DataFrame) -> str:
    """A page with its blocks as these trials have it."""

    def block(found: re.Match[str]) -> str:
        if found[2] == "report":
            said = STUDY.report(frame).partition("\n")[2].strip()
        else:
            said = STUDY.some_rows(frame, found[2].split())
        return f"{found[1]}{said}\n\n{found[3]}"

    return BLOCK.sub(block, page)


def main(results: Path) -> None:
    """Write the pages and the pictures."""
    frame = pd.read_csv(results / "rivals" / "trials.csv", keep_default_na=True)
    for path in sorted(DOCS.rglob("*.md")):
        before = path.read_text(encoding="utf-8")
        after = filled(before, frame)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(path)
    drawn = STUDY.pictures(frame)
    for name, picture in PICTURES.items():
        drawn[picture].savefig(DOCS / "images" / f"{name}.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))
