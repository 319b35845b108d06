"""A journal on disk: every verb a line, flushed before it takes effect."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import IO, Any

from cclab.datasets import Dataset
from cclab.session.packing import pack_dataset, unpack_dataset

SCHEMA = 1
JOURNAL, DATA = "journal.jsonl", "data.json"


class Journal:
    """A folder with the data (written once) and the lines of a session.

    Parameters
    ----------
    folder : path
        Made where it does not exist.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.written_at: float | None = None
        self._file: IO[str] | None = None

    @property
    def exists(self) -> bool:
        return (self.folder / JOURNAL).exists()

    def begin(self, data: Dataset) -> None:
        """Write the data and start an empty journal."""
        self.close()
        # Written aside and renamed, so that a kill leaves either the old file or the new one.
        aside = self.folder / (DATA + ".new")
        aside.write_text(json.dumps(pack_dataset(data)))
        aside.replace(self.folder / DATA)
        self._file = open(self.folder / JOURNAL, "w", encoding="utf-8")  # noqa: SIM115
        self.write({"format": "cclab journal", "schema": SCHEMA})

    def write(self, command: dict[str, Any]) -> None:
        """Add one line, and see it out of this process."""
        if self._file is None:
            self._file = open(self.folder / JOURNAL, "a", encoding="utf-8")  # noqa: SIM115
        self._file.write(json.dumps(command) + "\n")
        self._file.flush()
        self.written_at = time.time()

    def read(self) -> tuple[Dataset, list[dict[str, Any]]]:
        """The data and all commands. A last line cut short by a crash is left out (and cut off the file)."""
        path = self.folder / JOURNAL
        if not self.exists or not (self.folder / DATA).exists():
            raise ValueError(f"there is no session in {self.folder}")
        lines = path.read_text(encoding="utf-8").split("\n")
        whole, cut = lines[:-1], lines[-1]
        commands = [_parse(line, path, number) for number, line in enumerate(whole, 1) if line.strip()]
        if cut:
            path.write_text("".join(line + "\n" for line in whole), encoding="utf-8")
        if not commands:
            raise ValueError(f"{path} is empty: there is no session to open")
        check_schema(commands[0], "cclab journal", str(path))
        self.written_at = path.stat().st_mtime
        document = _parse((self.folder / DATA).read_text(encoding="utf-8"), self.folder / DATA, 1)
        return unpack_dataset(document, str(self.folder / DATA)), commands[1:]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _parse(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {number}: this is no valid JSON ({error.msg})") from None


def check_schema(document: Any, format_: str, where: str) -> None:
    """Raise ValueError if `document` is not of this format, or was written by a newer version."""
    if not isinstance(document, dict) or document.get("format") != format_:
        raise ValueError(f"{where} is no {format_}")
    if not isinstance(document.get("schema"), int):
        raise ValueError(f"{where} has no schema number")
    if document["schema"] > SCHEMA:
        raise ValueError(
            f"{where} has schema {document['schema']}, written by a newer cclab; "
            f"this one reads up to {SCHEMA}: upgrade cclab"
        )
