"""Answers that are kept in a file, one line of JSON each, so that a kill loses none and nothing is asked twice."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from cclab.core.warning import warn_caller
from cclab.core.words import counted
from cclab.oracles.answers import Answer

_HEAD = {"cclab": "answers", "version": 1}


class DamagedAnswers(UserWarning):
    """Some lines of a file of answers can't be read."""


class AnswersOfOtherData(UserWarning):
    """All answers of a file are about other data."""


class AnswerFile:
    """Answers by the content of what was asked; in memory, and in a file where there is a path.

    Before each call a line says that it is made, so that calls are counted even if the process is killed in one; after
    it a line has the answer. Both are on the disk before anything else is done.

    Parameters
    ----------
    path : path or None
    by : str
        Whose answers these are: others in the same file are not looked at.
    """

    def __init__(self, path: str | Path | None, by: str) -> None:
        self.path = None if path is None else Path(path)
        self.by = by
        self._answers: dict[str, Mapping[str, Any]] = {}
        self._calls: Counter[str] = Counter()
        self._about: set[str] = set()
        self._file: Any = None
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def n_calls(self) -> int:
        """How many calls were made for these answers, those of earlier processes included."""
        return self._calls.total()

    def get(self, key: str) -> Mapping[str, Any] | None:
        """What was answered before: ``verdict``, ``confidence``, ``note``; or None."""
        return self._answers.get(key)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """While answers come in: no other process may write to the same file."""
        if self.path is None or self._file is not None:
            yield
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(f"{self.path}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise ValueError(
                f"{self.path} is being written by another process; wait for it, or give another cache"
            ) from None
        try:
            self._file = self._opened(self.path)
            yield
        finally:
            if self._file is not None:
                self._file.close()
            self._file = None
            lock.release()

    def calling(self, key: str) -> None:
        """A call is about to be made."""
        self._calls[key] += 1
        self._write({"asked": key, "by": self.by})

    def add(self, key: str, answer: Answer, verdict: Any, data: str) -> None:
        """Keep an answer; `verdict` is what is written of it."""
        line = {"key": key, "by": self.by, "verdict": verdict, "confidence": answer.confidence, "note": answer.note}
        self._answers[key] = line
        self._write(line | {"data": data})

    def check_data(self, data: str) -> None:
        """Warn where all that is there is about other data."""
        if self._about and data and data not in self._about:
            self._about = set()  # once is enough
            warn_caller(
                f"{self.path} has {counted(len(self), 'answer')}, all of them about other data; they are kept, and one "
                "is taken only where a question is about the very same content",
                AnswersOfOtherData,
            )

    # ------------------------------------------------------------------ the file

    def _opened(self, path: Path) -> Any:
        new = not path.exists() or path.stat().st_size == 0
        file = path.open("a+b")
        if new:
            file.write(json.dumps(_HEAD).encode() + b"\n")
        else:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")  # a kill has cut the last line off; what comes now begins a new one
        return file

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def _read(self, path: Path) -> None:
        lines = path.read_bytes().split(b"\n")
        if not any(lines):
            return
        if _loaded(lines[0]).get("cclab") != "answers":
            raise ValueError(f"{path} is no file of answers, and nothing is written to it; give another path as cache")
        version = _loaded(lines[0]).get("version")
        if version != 1:
            raise ValueError(f"{path} was written by a later version of cclab (format {version!r:.20})")
        damaged = []
        for number, text in enumerate(lines[1:-1], start=2):
            if not text:
                continue
            line = _loaded(text)
            if not line:
                damaged.append(number)
            elif line.get("by") == self.by:
                self._take(line)
        if damaged:
            where = ", ".join(map(str, damaged[:5])) + (" and others" if len(damaged) > 5 else "")
            warn_caller(
                f"{path}: {counted(len(damaged), 'line')} can't be read ({where}); these questions are asked anew",
                DamagedAnswers,
            )

    def _take(self, line: Mapping[str, Any]) -> None:
        if "asked" in line:
            self._calls[str(line["asked"])] += 1
        elif "key" in line and "verdict" in line:
            self._answers[str(line["key"])] = line
            self._about.add(str(line.get("data", "")))


def _loaded(text: bytes) -> dict[str, Any]:
    """A line as a mapping; an empty one where it is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
