"""Interactive constrained clustering: knowledge in, belief out, one step at a time.

Names are imported when they are first used, so that the command line and the server of the dashboards start at once.
"""

from importlib import import_module

__version__ = "0.1.0"

_ROOMS = {
    "ConstraintSet": "cclab.core",
    "Problem": "cclab.core",
    "iterate": "cclab.core",
    "load_dataset": "cclab.datasets",
    "Session": "cclab.session",
}


def __getattr__(name: str):
    if name in _ROOMS:
        value = getattr(import_module(_ROOMS[name]), name)
    elif name == "__all__":
        value = sorted([*_ROOMS, *import_module("cclab.algorithms").__all__])
    elif name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = getattr(import_module("cclab.algorithms"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__getattr__("__all__")]
