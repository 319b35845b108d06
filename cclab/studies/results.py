"""The results file of a study: one line of JSON a finished trial, so that a kill loses only trials in flight."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TrialKey = tuple[str, int]


class Results:
    """Finished trials by the fingerprint of their cell and their number.

    Parameters
    ----------
    path : Path or None
        The file; None keeps them in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._records: dict[TrialKey, dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                record = _parsed(line)
                if record is not None:
                    self._records[record["cell"], record["trial"]] = record

    def get(self, key: TrialKey) -> dict[str, Any] | None:
        return self._records.get(key)

    def done(self, key: TrialKey) -> bool:
        """Whether this trial has succeeded; one that failed is worth another try."""
        record = self._records.get(key)
        return record is not None and record["error"] is None

    def add(self, key: TrialKey, record: dict[str, Any]) -> None:
        """Keep a trial, on disk before this returns."""
        record = {"cell": key[0], "trial": key[1], **record}
        self._records[key] = record
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file:
                # A line that a kill has cut short must not swallow the next one.
                file.write(b"" if _ends_well(file) else b"\n")
                file.write(json.dumps(record).encode() + b"\n")


def _ends_well(file: Any) -> bool:
    if file.seek(0, 2) == 0:
        return True
    file.seek(-1, 2)
    return file.read(1) == b"\n"


def _parsed(line: str) -> dict[str, Any] | None:
    """The record of a line, or None for one that was cut short."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    return record if isinstance(record, dict) and record.keys() >= {"cell", "trial", "rows", "error"} else None
