"""One file per published algorithm."""

import importlib
import pkgutil

from cclab.core.registry import solvers

# Every module of this room, so that a new algorithm is one new file and nothing else.
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = list(solvers.names())


def __getattr__(name: str):
    if name in __all__:
        return solvers.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
