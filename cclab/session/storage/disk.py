"""Files that are there in whole, or not at all: after a kill, a power cut or a full disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, content: bytes | Iterable[bytes], *, sync: bool = True) -> None:
    """Write under another name and rename, so that there is either the old file or the new one.

    Parameters
    ----------
    path : Path
    content : bytes or iterable of bytes
        In pieces it need not be in memory whole.
    sync : bool
        Come back only when it would survive a power cut too; without it, one may leave a broken file.
    """
    unfinished = path.with_name(path.name + ".new")
    try:
        with unfinished.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            if sync:  # before the rename, or a power cut may leave an empty file under the new name
                file.flush()
                os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """See the names in a folder onto the disk."""
    if os.name == "nt":  # Windows opens no folders; its renames are in its own log
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
