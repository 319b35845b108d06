"""A journal on disk: every verb a line, flushed before it takes effect."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from typing import Any

from cclab.datasets import Dataset
from cclab.session.packing import pack_dataset, unpack_dataset

SCHEMA = 1
JOURNAL, DATA = "journal.jsonl", "data.json"


class Journal:
    """A folder with the data (written once) and the lines of a session.

    Parameters
    ----------
    folder : path
        Made by `begin` where it does not exist.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.path = self.folder / JOURNAL
        self.written_at: float | None = None
        self._file: FileIO | None = None

    def begin(self, data: Dataset, commands: Iterable[dict[str, Any]] = ()) -> None:
        """Write the data and the commands so far, in place of what is there."""
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        header = {"format": "cclab journal", "schema": SCHEMA}
        lines = [json.dumps(line) + "\n" for line in (header, *commands)]
        new_data, new_journal = self.folder / (DATA + ".new"), self.folder / (JOURNAL + ".new")
        new_data.write_text(json.dumps(pack_dataset(data)), encoding="utf-8")
        new_journal.write_text("".join(lines), encoding="utf-8")
        # The old journal goes first and the new one comes last: a kill never leaves one session's verbs with
        # another's data.
        self.path.unlink(missing_ok=True)
        new_data.replace(self.folder / DATA)
        new_journal.replace(self.path)
        self.written_at = time.time()

    def write(self, command: dict[str, Any]) -> None:
        """Add one line, and see it out of this process; where that fails, the journal stays as it was."""
        line = (json.dumps(command) + "\n").encode()
        if self._file is None:
            self._file = FileIO(self.path, "a")
        end = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, "there is no room left for the journal", str(self.path))
        except OSError:
            self._file.truncate(end)
            raise
        self.written_at = time.time()

    def read(self) -> tuple[Dataset, list[dict[str, Any]]]:
        """The data and all commands. A last line cut short by a crash is left out (and cut off the file)."""
        if not self.path.exists() or not (self.folder / DATA).exists():
            raise ValueError(f"there is no session in {self.folder}")
        whole, _, cut = self.path.read_bytes().rpartition(b"\n")
        if not whole:
            raise ValueError(f"{self.path} is empty: there is no session to open")
        commands = [_parse(line, f"{self.path}, line {number}") for number, line in enumerate(whole.split(b"\n"), 1)]
        check_schema(commands[0], "cclab journal", str(self.path))
        document = _parse((self.folder / DATA).read_bytes(), str(self.folder / DATA))
        data = unpack_dataset(document, str(self.folder / DATA))
        if cut:
            os.truncate(self.path, len(whole) + 1)
        self.written_at = self.path.stat().st_mtime
        return data, commands[1:]

    def place_of(self, command: int) -> str:
        """Where the command with this number stands: file and line."""
        return f"{self.path}, line {command + 2}"

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _parse(text: bytes, where: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{where}: this is no valid JSON ({error})") from None
    if not isinstance(document, dict):
        raise ValueError(f"{where}: a JSON object was expected, got {document!r:.40}")
    return document


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
