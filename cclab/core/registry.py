"""Solvers and query strategies by name, so that views and files need not import them."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any


class Registry:
    """Classes by their names, entered as they are defined.

    Parameters
    ----------
    what : str
        What they are, for error messages.
    room : str
        The package whose modules define them; it is imported when a name is first looked up.
    """

    def __init__(self, what: str, room: str) -> None:
        self.what = what
        self.room = room
        self._classes: dict[str, type] = {}

    def add(self, cls: type) -> None:
        self._classes[cls.__name__] = cls

    def names(self) -> tuple[str, ...]:
        import_module(self.room)
        return tuple(sorted(self._classes))

    def get(self, name: str) -> Any:
        """The class of this name, or an error that lists the close names."""
        if name not in self._classes:
            import_module(self.room)
        if name not in self._classes:
            close = difflib.get_close_matches(name, self._classes, n=3, cutoff=0.4) or self.names()
            raise ValueError(f"there is no {self.what} called {name!r}; did you mean {', '.join(close)}?")
        return self._classes[name]


solvers = Registry("solver", "cclab.algorithms")
strategies = Registry("query strategy", "cclab.queries")
