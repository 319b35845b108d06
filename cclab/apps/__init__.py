"""The dashboards: functions that compose a session and views into a page.

Each app is a function in the module of its own name, imported when first asked for, so that the server can
list them without loading any of them. `cclab.apps.NAME` is the function, also after ``import cclab.apps.NAME``.
"""

import importlib
import importlib.util
from typing import Any

import lazy_loader

_load, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = ["workbench", "painter", "compare", "ask_me", "how_many", "credal"]


def is_built(name: str) -> bool:
    """Whether the app called `name` can be opened here; nothing is imported to find out."""
    return name in __all__ and importlib.util.find_spec(f"{__name__}.{name}") is not None


def preload() -> None:
    """Import every app, so that a kernel that waits for a visitor has the slow imports behind it."""
    for name in filter(is_built, __all__):
        # An app whose extra is missing says so on its own page, to whoever opens it.
        try:
            importlib.import_module(f"{__name__}.{name}")
        except ImportError:
            continue


def __getattr__(name: str) -> Any:
    if is_built(name):
        return _load(name)
    raise AttributeError(f"cclab.apps has no app called {name!r}; there are: {', '.join(__all__)}")
