"""The dashboards: functions that compose a session and views into a page.

Each app is a function in the module of its own name, imported when first asked for, so that the server can
list them without loading any of them.
"""

import importlib
import importlib.util
import sys
from types import ModuleType

__all__ = ["workbench", "painter", "compare", "ask_me", "how_many", "credal"]


def is_built(name):
    """Whether the app called `name` can be opened here; nothing is imported to find out."""
    return name in __all__ and importlib.util.find_spec(f"{__name__}.{name}") is not None


def preload():
    """Import every app, so that a kernel that waits for a visitor has the slow imports behind it."""
    for name in filter(is_built, __all__):
        # An app whose extra is missing says so on its own page, to whoever opens it.
        try:
            importlib.import_module(f"{__name__}.{name}")
        except ImportError:
            continue


class _Apps(ModuleType):
    """`cclab.apps.NAME` is the function, also after `import cclab.apps.NAME` has bound the module."""

    def __getattr__(self, name):
        if is_built(name):
            importlib.import_module(f"{self.__name__}.{name}")
            return self.__dict__[name]
        raise AttributeError(f"cclab.apps has no app called {name!r}; there are: {', '.join(__all__)}")

    def __setattr__(self, name, value):
        if name in __all__ and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Apps
