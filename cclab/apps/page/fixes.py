"""What helps against what a solver complains of."""

from __future__ import annotations

from numpy.linalg import LinAlgError
from sklearn.base import clone

from cclab.apps.page.loading import solver_for
from cclab.core import Conflict, IgnoredKnowledge
from cclab.core.registry import solvers
from cclab.looks.solver_guide import RECOMMENDED_FOR_LINKS
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Fix
from cclab.widgets.model.wrapping import inside, wrapped_like

# These take nearly all that can be stated; the first that takes what was ignored is offered.
_TAKE_MOST = (RECOMMENDED_FOR_LINKS, "CECM", "CMKIPCM")


def fix_for(desk: Desk, trouble: Exception) -> Fix | None:
    """A way out of an error or a warning, by its type; None where there is none."""
    session = desk.session
    solver = inside(session.solver)

    def use(words: str, **params: object) -> Fix:
        other = wrapped_like(session.solver, clone(solver).set_params(**params))
        return Fix(words, lambda: desk.attempt(session.switch, other))

    if isinstance(trouble, LinAlgError) and getattr(solver, "metric", "euclidean") != "euclidean":
        return use("Use euclidean", metric="euclidean")
    if isinstance(trouble, IgnoredKnowledge):
        hears = [n for n in _TAKE_MOST if n in solvers.names() and trouble.counts.keys() <= solvers.get(n).uses]
        if hears and type(solver).__name__ not in hears:
            other = solver_for(session.data, hears[0], getattr(solver, "n_clusters", None))
            return Fix(f"Use {hears[0]}", lambda: desk.attempt(session.switch, other))
    conflict: Conflict | None = getattr(trouble, "conflict", None)
    if conflict is not None and conflict.needed and hasattr(solver, "n_clusters"):
        return use(f"Use {conflict.needed} clusters", n_clusters=conflict.needed)
    if conflict is not None and conflict.chain and session.can_undo:
        return Fix("Undo", lambda: desk.attempt(session.undo))
    return None
