"""What a process keeps in memory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def resident(process: int | str = "self") -> float:
    """Megabytes that a process keeps in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def largest_child() -> tuple[float, float]:
    """Of the processes that this one has started, and theirs, the one that needed most: megabytes now, and at most."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            facts = dict(line.split(":", 1) for line in status.read_text().splitlines())
            parents[int(facts["Pid"])] = int(facts["PPid"]), facts["Name"].strip(), facts.get("VmHWM", "0")
    mine = {os.getpid()}
    while grown := {child for child, (parent, *_) in parents.items() if parent in mine} - mine:
        mine |= grown
    peaks = {child: int(parents[child][2].split()[0]) / 1024 for child in mine if "python" in parents[child][1]}
    largest = max(peaks.keys() - {os.getpid()}, key=peaks.__getitem__)
    return resident(largest), peaks[largest]
