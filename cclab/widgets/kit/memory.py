"""Memory that is no longer needed, back to the system."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Give back what was freed: the C library keeps it, hundreds of megabytes after a million rows were read.

    Where it is another C library than GNU's, nothing is done.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
