"""What a process keeps in memory."""

from __future__ import annotations

import os
from pathlib import Path


def resident(process: int | str = "self") -> float:
    """Megabytes that a process keeps in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
