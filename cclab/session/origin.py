"""What a session is about, and what its problems are made from: `Origin`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cclab.core import Problem, Solver
from cclab.datasets import Dataset
from cclab.datasets.columns.plan import Plan
from cclab.datasets.tables import columns_of, rebuilt
from cclab.session.cluster_names import NO_NAMES, ClusterNames
from cclab.session.outcome import Difference
from cclab.session.subject import Data, is_subject

Setting = tuple[Problem, Solver]
Poser = Callable[[Mapping[str, Any]], Setting]
# So many ways to use the columns are kept at hand.
_MOST_MADE = 3


@dataclass(eq=False)
class Origin:
    """What all problems of a session are made from, and what differed when they were made again.

    Parameters
    ----------
    data : Dataset or Subject
    poser : callable or None
        Makes ``(problem, solver)`` from the recipe of `pose`, where the data don't.
    """

    data: Data
    poser: Poser | None = None
    _made: dict[str, Dataset] = field(default_factory=dict, init=False)
    differences: list[Difference] = field(default_factory=list)
    #: Whether states that were not at hand have been made again since someone last asked.
    replayed: bool = False
    #: What clusters are called now.
    names: ClusterNames = NO_NAMES

    @property
    def has_recipes(self) -> bool:
        """Whether recipes are the subject's own, and can be changed bit by bit."""
        return self.poser is None and is_subject(self.data)

    @property
    def can_pose(self) -> bool:
        """Whether problems can be posed from recipes."""
        return self.poser is not None or self.has_recipes

    def read_recipe(self, written: Mapping[str, Any]) -> Any:
        """A whole recipe."""
        return self.data.read_recipe(written) if self.poser is None and is_subject(self.data) else written

    def pose(self, recipe: Any) -> Setting:
        """The problem that a recipe poses, and its solver."""
        if self.poser is None and is_subject(self.data):
            return self.data.setting(recipe)
        assert self.poser is not None
        return self.poser(recipe)

    @cached_property
    def plan(self) -> Plan:
        """What the columns of the table are used for to begin with."""
        return columns_of(self._table)[1]

    @property
    def _table(self) -> Dataset:
        if not isinstance(self.data, Dataset):
            raise ValueError(f"{self.data.name} is no table but a {self.data.kind}: it has no columns")
        return self.data

    def data_by(self, changes: Mapping[str, Any]) -> Any:
        """The data with so much changed about the use of their columns."""
        if not changes:
            return self.data
        key = self.plan.changed(**changes).key
        if key not in self._made:
            made = rebuilt(self._table, **changes)
            self._made = dict([*self._made.items(), (key, made)][-_MOST_MADE:])
        return self._made[key]
