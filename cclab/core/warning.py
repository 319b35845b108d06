"""Warnings that point at the line of whoever called the package."""

from __future__ import annotations

import sys
import warnings

PACKAGE = __name__.partition(".")[0]


def warn_caller(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the nearest line that is not the package's own."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)
