"""What values a solver's parameters may take, said once: for error messages and for forms alike."""

from __future__ import annotations

import inspect
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator


@dataclass(frozen=True)
class Parameter:
    """The values that one parameter may take.

    Attributes
    ----------
    kind : {"whole", "real", "choice", "flag", "any"}
    low, high : float or None
        Bounds of a number.
    open_low, open_high : bool
        Whether the bound itself is excluded.
    choices : tuple of str
        For "choice".
    or_none : bool
        Whether None is a value too.
    infinite : bool
        Whether infinity is a value too.
    also : tuple of type
        Other types that are let through (an array of centres, a callable kernel).
    """

    kind: str
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()
    or_none: bool = False
    infinite: bool = False
    also: tuple[type, ...] = ()

    def problem_with(self, value: Any) -> str | None:
        """What is wrong with `value`, in words that follow "must", or None."""
        if (value is None and self.or_none) or isinstance(value, self.also) or self.kind == "any":
            return None
        if self.kind == "choice":
            ok = isinstance(value, str) and value in self.choices
            return None if ok else "be one of " + ", ".join(map(repr, self.choices))
        if self.kind == "flag":
            return None if isinstance(value, bool | np.bool_) else "be True or False"
        kind: Any = numbers.Integral if self.kind == "whole" else numbers.Real
        if not isinstance(value, kind) or isinstance(value, bool) or value != value:
            return "be a whole number" if self.kind == "whole" else "be a number"
        if abs(value) == np.inf and not self.infinite:
            return "be finite"
        if self.low is not None and (value <= self.low if self.open_low else value < self.low):
            return f"be above {self.low:g}" if self.open_low else f"be at least {self.low:g}"
        if self.high is not None and (value >= self.high if self.open_high else value > self.high):
            return f"be below {self.high:g}" if self.open_high else f"be at most {self.high:g}"
        return None


def whole(low: int | None = None, high: int | None = None, **more: Any) -> Parameter:
    """A whole number from `low` to `high`."""
    return Parameter("whole", low, high, **more)


def real(low: float | None = None, high: float | None = None, **more: Any) -> Parameter:
    """A number from `low` to `high`; `open_low` and `open_high` exclude the bounds, `infinite` admits infinity."""
    return Parameter("real", low, high, **more)


def choice(*choices: str, **more: Any) -> Parameter:
    """One of several words."""
    return Parameter("choice", choices=choices, **more)


def flag() -> Parameter:
    """True or False."""
    return Parameter("flag")


def seed() -> Parameter:
    """A whole number that seeds a random generator, such a generator, or None."""
    return whole(0, 2**32 - 1, or_none=True, also=(np.random.RandomState, np.random.Generator))


def anything() -> Parameter:
    """Whatever the algorithm checks by itself."""
    return Parameter("any")


# What randomness may come from.
Seed = int | np.random.RandomState | np.random.Generator | None


class Parametrized(BaseEstimator):
    """An estimator that says what values the parameters of its constructor may take.

    A subclass declares in `parameters` those that it adds or narrows.
    """

    parameters: ClassVar[Mapping[str, Parameter]] = {}

    @classmethod
    def all_parameters(cls) -> dict[str, Parameter]:
        """The constructor's parameters in its order, each with the values it may take."""
        return dict(_parameters_of(cls))  # type: ignore[arg-type]  # a class is hashable

    def check_parameters(self) -> None:
        """Raise ValueError, in words, if a parameter has a value that makes no sense."""
        for name, parameter in self.all_parameters().items():
            value = getattr(self, name)
            wrong = parameter.problem_with(value)
            if wrong:
                raise ValueError(f"{name} must {wrong}, got {value!r}")


@cache
def _parameters_of(cls: Any) -> dict[str, Parameter]:
    declared: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__):
        declared |= base.__dict__.get("parameters", {})
    names = [] if cls.__init__ is object.__init__ else inspect.signature(cls.__init__).parameters
    return {name: declared.get(name, anything()) for name in names if name != "self"}


def parameter_docs(cls: type) -> dict[str, str]:
    """The help text of each parameter, from the numpydoc ``Parameters`` sections of a class and its bases."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        text = inspect.cleandoc(base.__dict__.get("__doc__") or "")
        section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}|\Z)", text, re.M | re.S)
        if section is None:
            continue
        for names, body in re.findall(r"^(\w[\w, ]*?) :[^\n]*\n((?:[ ]+[^\n]*\n?|\n)*)", section[1], re.M):
            for name in names.split(","):
                docs[name.strip()] = " ".join(body.split())
    return docs
