"""What to ask next, one strategy a file."""

import importlib
import pkgutil

from cclab.core.registry import strategies

# Every module of this room, so that a new strategy is one new file and nothing else.
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = list(strategies.names())


def __getattr__(name: str):
    if name in __all__:
        return strategies.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
