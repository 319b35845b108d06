"""What helps against what a solver complains of."""

from __future__ import annotations

import re

from sklearn.base import clone

from cclab.apps.opening import solver_for
from cclab.core.registry import solvers
from cclab.widgets.banner import Remedy
from cclab.widgets.desk import Desk

# These take all that can be stated; the first that is there is offered.
_TAKE_ALL = ("CECM", "CMKIPCM")


def remedy_for(desk: Desk, words: str) -> Remedy | None:
    """A way out of the trouble that `words` tell of, or None."""
    session = desk.session
    solver = session.solver

    def use(label: str, **params: object) -> Remedy:
        return label, lambda: desk.attempt(session.switch, clone(solver).set_params(**params))

    if "singular" in words and getattr(solver, "metric", "euclidean") != "euclidean":
        return use("Use euclidean", metric="euclidean")
    more = re.search(r"ask for at least (\d+) clusters", words)
    if more and hasattr(solver, "n_clusters"):
        return use(f"Use {more[1]} clusters", n_clusters=int(more[1]))
    if "has no use for" in words:
        others = [name for name in _TAKE_ALL if name in solvers.names() and name != type(solver).__name__]
        if others:
            other = solver_for(session.data, others[0], getattr(solver, "n_clusters", None))
            return f"Use {others[0]}", lambda: desk.attempt(session.switch, other)
    if "join them" in words and session.can_undo:
        return "Undo", lambda: desk.attempt(session.undo)
    return None
