"""The results file of a study: one line of JSON a finished trial, so that a kill loses only trials in flight."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

TrialKey = tuple[str, int]


class Results:
    """Finished trials by the fingerprint of their cell and their number.

    Parameters
    ----------
    path : Path or None
        The file; None keeps them in memory only.

    Attributes
    ----------
    unreadable : int
        How many lines of the file hold no trial: those that a kill cut short.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._records: dict[TrialKey, dict[str, Any]] = {}
        # The fingerprints of the cells that had each name, by the number of the trial.
        self._prints: dict[tuple[Any, ...], set[str]] = {}
        self.unreadable = 0
        if path is not None and path.is_file():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                record = _parsed(line)
                if record is None:
                    self.unreadable += 1
                else:
                    self._put((record["cell"], record["trial"]), record)

    def _put(self, key: TrialKey, record: dict[str, Any]) -> None:
        self._records[key] = record
        called = tuple(record.get(name) for name in ("dataset", "method", "knowledge"))
        self._prints.setdefault((*called, key[1]), set()).add(key[0])

    def __getitem__(self, key: TrialKey) -> dict[str, Any]:
        """The record of a trial that is there."""
        return self._records[key]

    def __contains__(self, key: TrialKey) -> bool:
        return key in self._records

    def done(self, key: TrialKey, limit: float | None = None) -> bool:
        """Whether this trial has succeeded, or took longer than `limit`; one that failed is worth another try."""
        record = self._records.get(key)
        if record is None:
            return False
        return record["error"] is None or (limit is not None and limit <= record.get("limit", -1))

    def done_otherwise(self, key: TrialKey, called: tuple[str, str, str]) -> bool:
        """Whether there is such a trial only of a cell that had the same name but another fingerprint."""
        prints = self._prints.get((*called, key[1]), set())
        return bool(prints) and key[0] not in prints

    def add(self, key: TrialKey, record: dict[str, Any]) -> None:
        """Keep a trial, on disk before this returns."""
        record = {"cell": key[0], "trial": key[1], "date": date.today().isoformat(), **record}
        self._put(key, record)
        self._write(json.dumps(record).encode() + b"\n")

    def open(self) -> None:
        """Make sure that trials can be kept, before one is run."""
        self._write(b"")

    def _write(self, line: bytes) -> None:
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file:
                # A line that a kill has cut short must not swallow the next one.
                file.write(b"" if _ends_well(file) else b"\n")
                file.write(line)
        except OSError as error:
            raise OSError(f"results can't be written to {self.path}: {error.strerror}") from error


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
