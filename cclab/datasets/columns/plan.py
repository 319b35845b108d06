"""What is done with each column of a table: `Plan`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cclab.core.words import did_you_mean

#: What a column can be used for, each with a sentence for a person.
ROLES = {
    "feature": "clustered by; categories as one feature each, dates as days, texts by their words, pictures by pixels",
    "class": "the truth: never clustered by, only compared with",
    "id": "names the samples",
    "text": "read by you; clustered by only where there is nothing else",
    "picture": "looked at; clustered by only where there is nothing else",
    "group": "kept to colour and search by",
    "ignored": "kept in the table, not used",
}
#: What becomes of missing values of a feature.
MISSING = {
    "drop": "rows without a value are left out; they stay in what is exported",
    "median": "filled with the median of the column",
    "neighbours": "filled from the five samples that are nearest in the other features",
}
#: How the numbers of a feature are scaled.
SCALES = {
    "none": "as they are",
    "standardise": "mean 0 and variance 1",
    "robust": "median 0 and interquartile range 1, for columns with outliers",
    "log": "the logarithm of 1 + x, for counts and prices",
}
#: How distances are measured: cosine means that all rows are scaled to length 1.
METRICS = ("euclidean", "cosine")
#: The column that numbers beside a table are called by: of an array, of a matrix in a file of its own.
MATRIX = "vectors"
_SINGLE = ("class", "id", "picture")
_MOST_COMPONENTS = 10_000


@dataclass(frozen=True)
class Plan:
    """What is done with the columns of a table on their way to features. A frozen value, ready for JSON.

    Attributes
    ----------
    roles : mapping from column to role
        One of `ROLES` for every column.
    missing : mapping from column to str
        One of `MISSING`, for features that are filled; rows that lack any other are left out.
    scale : mapping from column to str
        One of `SCALES`, for features that are scaled.
    metric : {"euclidean", "cosine"}
    n_components : int or "auto"
        Features are reduced to so many by PCA; 0 means that they are left as they are, and "auto" that hundreds are
        reduced to 50.

    Examples
    --------
    >>> plan = Plan({"x": "feature", "kind": "class", "sort": "group"})
    >>> plan.changed(roles={"sort": "class"}, scale="robust")
    Plan(roles={'x': 'feature', 'kind': 'group', 'sort': 'class'}, missing={}, scale={'x': 'robust'}, ...)
    >>> plan.changed(roles={"sort": "clas"})
    Traceback (most recent call last):
    ...
    ValueError: column 'sort' can't have the role 'clas'; did you mean class?
    """

    roles: Mapping[str, str]
    missing: Mapping[str, str] = field(default_factory=dict)
    scale: Mapping[str, str] = field(default_factory=dict)
    metric: str = "euclidean"
    n_components: int | str = "auto"

    def __post_init__(self) -> None:
        for column, role in self.roles.items():
            _check_choice(role, ROLES, f"column {column!r:.60} can't have the role {role!r:.40}")
        for name, known in (("missing", MISSING), ("scale", SCALES)):
            for column, choice in getattr(self, name).items():
                self._check_known(column)
                _check_choice(choice, known, f"column {column!r:.60} can't have {name}={choice!r:.40}")
        for role in _SINGLE:
            several = self.columns(role)
            if len(several) > 1:
                raise ValueError(f"only one column can be the {role}, not {several[0]!r:.60} and {several[1]!r:.60}")
        _check_choice(self.metric, METRICS, f"there is no metric {self.metric!r:.40} for features")
        n = self.n_components
        if n != "auto" and (isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= _MOST_COMPONENTS):
            raise ValueError(f"n_components must be a whole number from 0, or 'auto', got {n!r:.40}")

    def _check_known(self, column: str) -> None:
        if column not in self.roles:
            hint = did_you_mean(repr(column), map(repr, self.roles), f"there are {', '.join(list(self.roles)[:20])}")
            raise ValueError(f"there is no column {column!r:.60}; {hint}")

    def columns(self, role: str) -> list[str]:
        """The columns that have this role, in order."""
        return [column for column, has in self.roles.items() if has == role]

    def changed(
        self,
        *,
        roles: Mapping[str, str] | None = None,
        missing: str | Mapping[str, str] | None = None,
        scale: str | Mapping[str, str] | None = None,
        metric: str | None = None,
        n_components: int | str | None = None,
    ) -> Plan:
        """Another plan, in which so much is different.

        A single word for `missing` or `scale` holds for every feature. Where another column becomes the class, the one
        before is kept as a group; one that named the samples before another does is ignored.
        """
        new = dict(self.roles)
        for column, role in (roles or {}).items():
            self._check_known(column)
            if role in _SINGLE and column not in (before := self.columns(role)):
                for other in before:
                    if other not in (roles or {}):
                        new[other] = "group" if role == "class" else "ignored"
            new[column] = role
        features = [column for column, role in new.items() if role == "feature"]

        def merged(old: Mapping[str, str], given: str | Mapping[str, str] | None, usual: str) -> dict[str, str]:
            every = given if isinstance(given, Mapping) else dict.fromkeys(features, given) if given else {}
            return {column: choice for column, choice in {**old, **every}.items() if choice != usual}

        return replace(
            self,
            roles=new,
            missing=merged(self.missing, missing, "drop"),
            scale=merged(self.scale, scale, "none"),
            metric=metric or self.metric,
            n_components=self.n_components if n_components is None else n_components,
        )

    @classmethod
    def check_changes(cls, changes: Mapping[str, Any]) -> None:
        """Raise ValueError or TypeError where there is no plan that could be changed so: a file may hold anything."""
        parts = [changes.get(part) for part in ("roles", "missing", "scale")]
        named = [column for part in parts if isinstance(part, Mapping) for column in part]
        if not all(isinstance(column, str) for column in named):
            raise ValueError("a column is not named by a text")
        cls(dict.fromkeys(named, "feature")).changed(**changes)

    def changes_to(self, other: Plan) -> dict[str, Any]:
        """What `changed` has to be given here to make `other` of it; ready for JSON."""
        roles = {column: role for column, role in other.roles.items() if self.roles.get(column) != role}
        said: dict[str, Any] = {"roles": roles} if roles else {}
        for name, usual in (("missing", "drop"), ("scale", "none")):
            old, new = getattr(self, name), getattr(other, name)
            differs = {c: new.get(c, usual) for c in {**old, **new} if old.get(c, usual) != new.get(c, usual)}
            said |= {name: differs} if differs else {}
        for name in ("metric", "n_components"):
            if getattr(self, name) != getattr(other, name):
                said[name] = getattr(other, name)
        return said

    def to_json(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "roles": dict(self.roles),
            "missing": dict(self.missing),
            "scale": dict(self.scale),
            "metric": self.metric,
            "n_components": self.n_components,
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Plan:
        """The inverse of `to_json`, each part checked to be what it claims to be."""
        plan = cls(**written)
        texts = [*plan.roles.items(), *plan.missing.items(), *plan.scale.items()]
        if not all(isinstance(text, str) for pair in texts for text in pair):
            raise ValueError("what the columns are used for is not said in words")
        return plan

    @property
    def key(self) -> str:
        """A text that is the same for the same plan."""
        return json.dumps(self.to_json(), sort_keys=True)


def _check_choice(choice: Any, known: Any, said: str) -> None:
    if not isinstance(choice, str) or choice not in known:
        hint = did_you_mean(choice, known, f"it takes {', '.join(known)}")
        raise ValueError(f"{said}; {hint}")
