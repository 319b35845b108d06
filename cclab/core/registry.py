"""Solvers, their states and query strategies by name, so that views and files need not import them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cclab.core.words import did_you_mean

_PACKAGE = __name__.partition(".")[0]


class Registry:
    """Classes by their names, entered as they are defined.

    The package's own are never replaced: a class of the same name that is defined elsewhere is refused. Of one's own
    classes the latest of a name counts, so a notebook's cell may be run again.

    Parameters
    ----------
    what : str
        What they are, for error messages.
    also : Registry, optional
        Where `get` looks for a name that it does not have; `names` has only its own.
    """

    def __init__(self, what: str, also: Registry | None = None) -> None:
        self.what = what
        self._also = also
        self._classes: dict[str, type] = {}

    @property
    def room(self) -> str:
        """The package whose modules define them, as the whole says; it is imported when a name is first looked up."""
        return import_module(_PACKAGE).HOMES[self.what]

    def add(self, cls: type) -> None:
        """Enter a class by its name."""
        if not self._is_own(cls):
            import_module(self.room)  # so that the names of the package's own are known
        other = self._classes.get(cls.__name__)
        if other is not None and self._is_own(other) and other.__module__ != cls.__module__:
            raise TypeError(
                f"there is a {self.what} {cls.__name__} in {other.__module__} already, and menus and session files "
                f"know it by that name; call the class in {cls.__module__} something else"
            )
        self._classes[cls.__name__] = cls

    def remove(self, name: str) -> None:
        """Forget a class of one's own; the package's are not to be missed."""
        if self._is_own(self.get(name)):
            raise ValueError(f"{name} is a {self.what} of {_PACKAGE}'s own, which menus and session files rely on")
        del self._classes[name]

    def _is_own(self, cls: type) -> bool:
        # By the whole package: families share states that are at home in other rooms.
        return cls.__module__.startswith(f"{_PACKAGE}.")

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        import_module(self.room)
        return tuple(sorted(self._classes))

    def get(self, name: str) -> Any:
        """The class of this name, or an error that lists the close names."""
        if name not in self._classes:
            import_module(self.room)
        if name not in self._classes and self._also is not None and name in self._also.names():
            return self._also.get(name)
        if name not in self._classes:
            hint = did_you_mean(name, self._classes, f"known are {', '.join(self.names())}")
            raise ValueError(f"there is no {self.what} called {name!r:.60}; {hint}")
        return self._classes[name]


#: Solvers that are made around another one; menus of solvers don't list them.
wrappers = Registry("solver around another")
solvers = Registry("solver", also=wrappers)
#: Classes of states, so that what was kept on disk is read without importing what a file names.
states = Registry("kind of state")
strategies = Registry("query strategy")
