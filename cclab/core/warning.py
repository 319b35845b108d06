"""Warnings that point at the line of whoever called the package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

PACKAGE = __name__.partition(".")[0]
P = ParamSpec("P")
R = TypeVar("R")


def warn_caller(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the nearest line that is not the package's own."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)


def renamed(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function be called with parameters by their old names too, with a warning: for one release.

    >>> @renamed(truth="oracle")
    ... def ask(oracle): return oracle
    >>> with warnings.catch_warnings(action="ignore"):
    ...     ask(truth=3)
    3
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def called(*args: Any, **options: Any) -> R:
            for old in names.keys() & options.keys():
                warn_caller(f"{function.__name__}({old}=...) is now {names[old]}=...", FutureWarning)
                options[names[old]] = options.pop(old)
            return function(*args, **options)

        return called

    return decorate
