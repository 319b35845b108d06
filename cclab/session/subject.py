"""What a session can be about besides a table: a subject, such as a picture, that problems are posed from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self, TypeGuard, runtime_checkable

from cclab.core import Problem, Solver
from cclab.datasets import Dataset


@runtime_checkable
class Subject(Protocol):
    """Something that problems are posed from, by a recipe: all that a person has done to it so far.

    A session owns one, keeps it once, and keeps of the recipe only what each command changes.

    Attributes
    ----------
    kind : str
        What it is called in files.
    name, notes, fingerprint, target
        As of a `Dataset`; a subject without classes has no target.
    n_samples, n_features : int
    """

    kind: ClassVar[str]

    @property
    def name(self) -> str: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def target(self) -> None: ...

    @property
    def n_samples(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    def pack(self) -> dict[str, Any]:
        """All of it, as arrays and values that are ready for JSON."""

    @classmethod
    def unpack(cls, packed: Mapping[str, Any]) -> Self:
        """The inverse of `pack`; raises ValueError in words."""

    def read_recipe(self, written: Mapping[str, Any]) -> Any:
        """A whole recipe, from JSON; an empty mapping gives the one that nothing was done by."""

    def begin(self) -> tuple[Problem, Solver]:
        """What a session begins with, before there is a recipe."""

    def setting(self, recipe: Any) -> tuple[Problem, Solver]:
        """The problem that a recipe poses, and the solver for it."""


Data = Dataset | Subject


def is_subject(data: Any) -> TypeGuard[Subject]:
    """Whether a session can be about it as it is, with no table made of it."""
    return isinstance(data, Subject)


def subject_class(kind: Any) -> type[Subject]:
    """The class of subjects that files call by this name."""
    if kind == "picture":
        from cclab.images import Painting

        return Painting
    raise ValueError(f"they are of the kind {kind!r:.40}, which this version does not know: upgrade cclab")
