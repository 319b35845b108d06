"""What to ask next, one strategy a file."""

import importlib
import pkgutil
from typing import Any

from cclab.core.registry import strategies

# Every module of this room, so that a new strategy is one new file and nothing else.
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = [
    "ASCQueries",
    "COBRASQueries",
    "FarthestFirst",
    "GroupQueries",
    "MinMax",
    "NPUQueries",
    "OverlapQueries",
    "PairMassQueries",
    "Random",
    "TripletQueries",
    "TypicalityQueries",
    "UncertaintyQueries",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return strategies.get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
