"""Interactive constrained clustering: knowledge in, belief out, one step at a time.

Names are imported when they are first used, so that the command line and the server of the dashboards start at once.
"""

import difflib
from typing import Any

import lazy_loader

__version__ = "0.2.0"

#: Where the classes are defined that menus and files call by name; `cclab.core.registry` looks there.
HOMES = {
    "solver": "cclab.algorithms",
    "solver around another": "cclab.reach",
    "kind of state": "cclab.algorithms",
    "query strategy": "cclab.queries",
    "part of the Watch panel": "cclab.widgets.watch",
}

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _load(name)
    close = difflib.get_close_matches(name, __all__, n=3)
    meant = f"; did you mean {', '.join(close)}?" if close else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{meant}")
