"""A journal on disk: every verb a line, written before it takes effect."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from cclab.session.storage.disk import sync_folder, write_whole
from cclab.session.storage.lock import FolderLock, InUse
from cclab.session.storage.serialize import array_text, json_pieces, read_json
from cclab.session.storage.subjects import pack_data, unpack_data
from cclab.session.subject import Data

SCHEMA = 3
JOURNAL, DATA = "journal.jsonl", "data.json"
#: The data of a session that takes the place of one whose data are in DATA.
OTHER_DATA = "data-2.json"
CHECKPOINT, ABOUT = "checkpoint.npz", "about.json"


@dataclass(frozen=True)
class Kept:
    """What a journal or a session file holds.

    Attributes
    ----------
    data : Dataset or Subject
    records : list of dict
        The commands with what they led to.
    versions : mapping from str to str
        With which the first of them was done; empty where that was not written.
    schema : int
    """

    data: Data
    records: list[dict[str, Any]]
    versions: Mapping[str, str]
    schema: int


@dataclass(frozen=True)
class Mark:
    """A place in a journal: the number of its lines up to there, and a digest of them."""

    lines: int
    digest: str


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
        self.lock = FolderLock(self.folder)
        self._file: FileIO | None = None
        # Another thread syncs what was written.
        self._guard = threading.RLock()
        self._synced = True
        # How long the file is, with a last line that was cut short and without it; None before we know it.
        self._size: int | None = None
        self._end = 0
        self._lines = 0
        self._digest = hashlib.sha256()

    # ------------------------------------------------------------------ writing

    def begin(self, data: Data, records: Iterable[Mapping[str, Any]], versions: Mapping[str, str]) -> None:
        """Write the data and the records so far, in place of what is there; one rename decides."""
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock.acquire()
        try:
            # The present journal's data stay until the new journal, which names its own, is in its place.
            present = data_path(self.folder).name if self.path.exists() else None
            name = DATA if present != DATA else OTHER_DATA
            write_whole(self.folder / name, json_pieces(pack_data(data, array_text)))
            self._replace(name, records, versions)
            if present is not None:
                (self.folder / present).unlink(missing_ok=True)
        except BaseException:
            self.lock.release()
            raise

    def rewrite(self, records: Iterable[Mapping[str, Any]], versions: Mapping[str, str]) -> None:
        """Write the records anew, as this version does it; the data stay as they are."""
        self._replace(data_path(self.folder).name, records, versions)

    def _replace(self, data_name: str, records: Iterable[Mapping[str, Any]], versions: Mapping[str, str]) -> None:
        header = {"format": "cclab journal", "schema": SCHEMA, "data": data_name, "versions": dict(versions)}
        lines = [_line(entry) for entry in (header, *records)]
        for beside in (CHECKPOINT, ABOUT):
            (self.folder / beside).unlink(missing_ok=True)
        write_whole(self.path, b"".join(lines))
        self._know(lines)
        self.written_at = time.time()

    def _know(self, lines: list[bytes], cut: int = 0) -> None:
        """These are the lines, and so many bytes of a last one that was cut short."""
        content = b"".join(lines)
        self._end, self._size, self._lines = len(content), len(content) + cut, len(lines)
        self._digest = hashlib.sha256(content)

    def write(self, record: Mapping[str, Any], *, sync: bool) -> None:
        """Add one line, and see it out of this process; where that fails, the journal stays as it was.

        Parameters
        ----------
        record : mapping
        sync : bool
            Come back only when a power cut would not lose it; else `sync` is to be called soon.
        """
        line = _line(record)
        with self._guard:
            if self._file is None:
                self._file = self._opened()
            try:
                if self._file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, "there is no room left for the journal", str(self.path))
                if sync:
                    os.fsync(self._file.fileno())
            except BaseException:  # an interrupt too: a line that was not heard of must not stay
                self._file.truncate(self._end)
                raise
            self._end = self._size = self._end + len(line)
            self._lines += 1
            self._digest.update(line)
            self._synced = sync
        self.written_at = time.time()

    def _opened(self) -> FileIO:
        """The file, ours to write to; no one has written to it since we let go of it."""
        if not self.lock.held:
            self.lock.acquire()
        file = FileIO(self.path, "a")
        if self._size != file.seek(0, os.SEEK_END):
            file.close()
            self.lock.release()
            raise InUse(f"the session in {self.folder} has gone on elsewhere; open it anew")
        file.truncate(self._end)
        return file

    def sync(self) -> None:
        """See all lines onto the disk."""
        with self._guard:
            if self._file is not None and not self._synced:
                os.fsync(self._file.fileno())
                self._synced = True

    @property
    def mark(self) -> Mark:
        """Where the journal ends now."""
        with self._guard:
            return Mark(self._lines, self._digest.hexdigest())

    def close(self) -> None:
        """Let go of the folder; the next `write` takes it again, if no one has written to it meanwhile."""
        with self._guard:
            if self._file is not None:
                self.sync()
                self._file.close()
                self._file = None
            self.lock.release()

    # ------------------------------------------------------------------ reading

    @property
    def writable(self) -> bool:
        """Whether this process may write here; True where there is nothing yet."""
        return all(os.access(path, os.W_OK) for path in (self.folder, self.path) if path.exists())

    def resume(self) -> Kept:
        """As `read`, and ours to write to from now on."""
        self._check_there()
        self.lock.acquire()
        try:
            return self.read()
        except BaseException:
            self.lock.release()
            raise

    def _check_there(self) -> None:
        if not self.path.exists() or not data_path(self.folder).exists():
            raise ValueError(f"there is no session in {self.folder}")

    def read(self) -> Kept:
        """All that is kept. A last line cut short by a crash is left out, and cut off by the next `write`."""
        self._check_there()
        lines, cut = whole_lines(self.path)
        if not lines:
            raise ValueError(f"{self.path} is empty: there is no session to open")
        header, *records = [read_json(line, f"{self.path}, line {place}") for place, line in enumerate(lines, 1)]
        schema = check_schema(header, "cclab journal", str(self.path))
        path = data_path(self.folder)
        data, records = unpack_data(read_json(path.read_bytes(), str(path)), str(path), records)
        self._know(lines, cut)
        self.written_at = self.path.stat().st_mtime
        return Kept(data, records, read_versions(header), schema)

    def begins_with(self, mark: Mark) -> bool:
        """Whether the lines up to a mark are still those that they were."""
        lines, _ = whole_lines(self.path)
        return hashlib.sha256(b"".join(lines[: mark.lines])).hexdigest() == mark.digest

    def place_of(self, command: int) -> str:
        """Where the command with this number stands: file and line."""
        return f"{self.path}, line {command + 2}"


def whole_lines(path: Path) -> tuple[list[bytes], int]:
    """The lines of a journal, and how many bytes there are of a last one that was cut short."""
    *lines, cut = path.read_bytes().split(b"\n")
    return [line + b"\n" for line in lines], len(cut)


def data_path(folder: Path) -> Path:
    """The file with the data of the journal in a folder."""
    with (folder / JOURNAL).open("rb") as file:
        first = file.readline()
    # By its name alone: a journal names no other file.
    return folder / (OTHER_DATA if f'"{OTHER_DATA}"'.encode() in first else DATA)


def copy_session(folder: str | Path, target: str | Path) -> None:
    """Copy the session in a folder, which may be open, to a folder that is not there yet: as a whole, or not at all."""
    folder, target = Path(folder), Path(target)
    if not (folder / JOURNAL).exists():
        raise ValueError(f"there is no session in {folder}")
    unfinished = target.with_name(target.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        unfinished.mkdir(parents=True)
        lines, _ = whole_lines(folder / JOURNAL)
        write_whole(unfinished / JOURNAL, b"".join(lines))
        for path in (data_path(folder), folder / CHECKPOINT, folder / ABOUT):
            if path.exists():
                write_whole(unfinished / path.name, path.read_bytes())
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    sync_folder(target.parent)


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"


def check_schema(document: Any, format_: str, where: str) -> int:
    """The schema's number; raise ValueError if `document` is not of this format, or written by a newer version."""
    if not isinstance(document, dict) or document.get("format") != format_:
        raise ValueError(f"{where} is no {format_}")
    schema = document.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise ValueError(f"{where} has no schema number")
    if schema > SCHEMA:
        raise ValueError(
            f"{where} has schema {schema}, written by a newer cclab; this one reads up to {SCHEMA}: upgrade cclab"
        )
    return schema


def read_versions(document: Mapping[str, Any]) -> dict[str, str]:
    """The versions that a header, a session file or a record tells of."""
    written = document.get("versions")
    return {str(name): str(version) for name, version in written.items()} if isinstance(written, dict) else {}
