"""Packages that take long to import and are hardly ever called: imported when they are."""

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any


def postpone(package: str, function: str) -> None:
    """Let ``from package import function`` give a stand-in, which imports the package when it is called.

    Nothing happens where the package is not installed, or imported already.

    Parameters
    ----------
    package : str
    function : str
        The one name that others import from it.
    """
    if package in sys.modules or importlib.util.find_spec(package) is None:
        return
    stand_in = ModuleType(package)

    def call(*args: Any, **kwargs: Any) -> Any:
        if sys.modules.get(package) is stand_in:
            del sys.modules[package]
        return getattr(importlib.import_module(package), function)(*args, **kwargs)

    setattr(stand_in, function, call)
    sys.modules[package] = stand_in
