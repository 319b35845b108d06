"""The verb that changes what the columns of a table are used for; all that was stated stays."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cclab.core import ConstraintSet, Problem
from cclab.core.constraints.restrict import renumbered
from cclab.core.words import counted
from cclab.datasets import Dataset
from cclab.datasets.columns.plan import Plan
from cclab.session.commands import Leading
from cclab.session.history import Dialogue, History, Moment
from cclab.session.origin import Origin, Setting
from cclab.session.outcome import Written
from cclab.session.snapshot import Snapshot
from cclab.session.storage.stored import StoredSession


@dataclass(frozen=True)
class SetColumns(Leading):
    """Start anew on the same table, its columns used otherwise.

    Attributes
    ----------
    changes : dict
        What `Plan.changed` is given.
    before : dict
        What it is given to make the plan that held until now of the one that the session began with.
    """

    verb = "columns"
    changes: dict[str, Any]
    before: dict[str, Any]

    def __post_init__(self) -> None:
        for part in (self.changes, self.before):
            Plan.check_changes(part)

    def data(self, origin: Origin) -> Dataset:
        """The data from now on."""
        return origin.data_by(_together(origin, self.before, self.changes))

    def setting(self, before: Setting | None, here: Snapshot) -> Setting:
        assert before is not None
        problem, solver = before
        old, new = here.origin.data_by(self.before), self.data(here.origin)
        known = carried_over(problem.constraints, old, new)
        changed = Problem(new.X, known, sample_weight=new.sample_weight, seed=problem.seed)
        solver.check(changed)
        return changed, solver

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        # Questions name samples, and these may have other numbers now.
        return replace(super().prepare(moment, history, written), dialogue=Dialogue())

    def warn(self, before: Snapshot, after: Snapshot) -> None:
        after.solver.warn(after.problem)
        lost = len(before.problem.constraints) - len(after.problem.constraints)
        if lost:
            warnings.warn(
                f"{counted(lost, 'statement')} about rows that are left out now; undo brings them back", stacklevel=2
            )

    def as_code(self, n_samples: int) -> str:
        return f"session.set_columns({', '.join(f'{name}={value!r}' for name, value in self.changes.items())})"


def _together(origin: Origin, before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return origin.plan.changes_to(origin.plan.changed(**before).changed(**changes))


def carried_over(known: ConstraintSet, old: Dataset, new: Dataset) -> ConstraintSet:
    """What was stated about samples of one data set, about the same rows of the table as samples of another."""
    if np.array_equal(old.rows.positions, new.rows.positions):
        return known
    sample_of = np.full(max(old.rows.n_rows, new.rows.n_rows), -1)
    sample_of[new.rows.positions] = np.arange(new.n_samples)
    return renumbered(known, sample_of[old.rows.positions], new.n_samples)


class Recasting(StoredSession):
    """What a session does with the columns of its table."""

    def set_columns(self, **changes: Any) -> Snapshot:
        """Use the columns of the table otherwise, and start anew; what was stated stays.

        Parameters
        ----------
        **changes
            ``roles``, ``missing``, ``scale``, ``metric`` and ``n_components``, as `load_dataset` takes them; what is
            not given stays as it is.

        Examples
        --------
        >>> from cclab import Session
        >>> session = Session("iris", "FCM")
        >>> _ = session.set_columns(roles={"sepal width (cm)": "ignored"}, scale="standardise")
        >>> session.data.n_features, session.undo().problem.n_features
        (3, 4)
        """
        return self._do(self._columns_command(changes))

    async def aset_columns(self, **changes: Any) -> Snapshot | None:
        """As `set_columns`, worked out in the worker thread; dropped (None) if the session has moved on meanwhile."""
        return self.current if await self._runner.once(self._columns_command(changes)) else None

    def _columns_command(self, changes: Mapping[str, Any]) -> SetColumns:
        origin = self._history.origin
        given = {name: value for name, value in changes.items() if value is not None}
        now = origin.plan.changed(**self.current.columns_changed)
        wanted = now.changes_to(now.changed(**given))
        if not wanted:
            raise ValueError("the columns are used like that already")
        return SetColumns(wanted, dict(self.current.columns_changed))
