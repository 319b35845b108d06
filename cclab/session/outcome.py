"""What a command led to, as it is written beside it; and what differs, or fails, where it is done again."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cclab.core import Gauge, State

# Rounding differs between processors; more than this is another result.
_TOLERANCE = 1e-6
_PACKAGES = ("cclab", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Summary:
    """The little of a state that stays at hand when the state itself is dropped."""

    iteration: int
    objective: float
    terms: dict[str, float]
    gauges: tuple[Gauge, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, state: State) -> Summary:
        """The summary of a state."""
        return cls(state.iteration, state.objective, dict(state.terms), state.gauges(), state.notes)


@dataclass(frozen=True)
class Outcome:
    """Where a verb has led, so that it can be shown without doing the verb again, and checked when it is.

    Attributes
    ----------
    summary : Summary
    converged : bool
    labels : str
        The digest of all labels.
    """

    summary: Summary
    converged: bool
    labels: str

    def to_json(self) -> dict[str, Any]:
        """As it is written beside its command."""
        s = self.summary
        return {
            "iteration": s.iteration,
            "objective": _number(s.objective),
            "terms": {name: _number(value) for name, value in s.terms.items()},
            "gauges": [[g.name, list(g.labels), [_number(v) for v in g.values]] for g in s.gauges],
            "notes": list(s.notes),
            "converged": self.converged,
            "labels": self.labels,
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Outcome:
        """Read back what `to_json` gave."""
        gauges = tuple(
            Gauge(str(name), tuple(map(str, labels)), tuple(map(float, values)))
            for name, labels, values in written["gauges"]
        )
        terms = {str(name): float(value) for name, value in written["terms"].items()}
        notes = tuple(map(str, written["notes"]))
        summary = Summary(int(written["iteration"]), float(written["objective"]), terms, gauges, notes)
        return cls(summary, bool(written["converged"]), str(written["labels"]))

    def same_objective(self, objective: float) -> bool:
        """Whether an objective is the same but for rounding."""
        mine = self.summary.objective
        if math.isnan(mine) or math.isnan(objective):
            return math.isnan(mine) and math.isnan(objective)
        return math.isclose(mine, objective, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE**2)


def _number(value: float) -> float | str:
    """JSON has neither infinity nor NaN."""
    return float(value) if math.isfinite(value) else str(float(value))


def digest_of(labels: ArrayLike) -> str:
    """A short text that is another for other labels."""
    content = np.ascontiguousarray(labels, dtype="<i4").tobytes()
    return hashlib.blake2b(content, digest_size=8).hexdigest()


@cache
def versions() -> dict[str, str]:
    """The versions that decide what a step gives."""
    return {"Python": platform.python_version(), **{name: version_of(name) for name in _PACKAGES}}


def version_of(package: str) -> str:
    """The version of a package that is installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from a folder, without being installed
        return "unknown"


@dataclass(frozen=True)
class Written:
    """What a journal or a file tells of a command: its place there, what it led to, and with which versions."""

    number: int
    result: Mapping[str, Any]
    versions: Mapping[str, str]


class CantReplay(ValueError):
    """A command that can't be done again.

    Attributes
    ----------
    number : int
        Its place among the session's commands.
    why : str
    """

    def __init__(self, number: int, error: Exception) -> None:
        self.number, self.why = number, _in_words(error)
        super().__init__(f"command {number} can't be replayed: {self.why}")


def _in_words(error: Exception) -> str:
    match error:
        case CantReplay():
            return error.why
        case KeyError():
            return f"{error!s:.100} is missing"
        case MemoryError():
            return "it asks for more memory than there is"
        case RecursionError():
            return "it is nested too deeply"
        case ValueError():
            return f"{error!s:.300}"
    return f"it makes no sense ({error!s:.300})"


@dataclass(frozen=True)
class Difference:
    """A command that, done again, led elsewhere than when it was first done.

    Attributes
    ----------
    command : int
        Its number among the session's commands.
    verb : str
    what : {"objective", "labels"}
    was, now : float or str
        The objective, or the digest of the labels.
    versions_then, versions_now : mapping from str to str
    """

    command: int
    verb: str
    what: str
    was: float | str
    now: float | str
    versions_then: Mapping[str, str]
    versions_now: Mapping[str, str]

    def __str__(self) -> str:
        gives = "other labels"
        if self.what == "objective":
            gives = f"an objective of {self.now:.8g} in place of {self.was:.8g}"
        return f"Command {self.command} ({self.verb}), done again, gives {gives}. {self._why()}"

    def _why(self) -> str:
        others = [name for name, then in self.versions_then.items() if self.versions_now.get(name) != then]
        if not others:
            return "The versions are the same: another machine, or a solver that was changed."
        then = ", ".join(f"{name} {self.versions_then[name]}" for name in others)
        now = ", ".join(f"{name} {self.versions_now.get(name, 'is not here')}" for name in others)
        return f"It was first done with {then}; now it is {now}."
