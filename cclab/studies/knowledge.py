"""How a trial comes to its knowledge: drawn at random from the truth, or asked for by a strategy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from cclab.core import ConstraintSet
from cclab.oracles import Truth
from cclab.queries.base import Strategy
from cclab.studies.drawing import n_pairs, random_pairs


class Knowledge(ABC):
    """A way to draw knowledge. A subclass gives `label` and `draw`; make it a frozen dataclass.

    Attributes
    ----------
    label : str
        What tables call it: "20 pairs".
    """

    label: str

    @property
    def drawn_by(self) -> str:
        """What draws it, however much: one learning curve."""
        return type(self).__name__

    @property
    def labels(self) -> tuple[str, ...]:
        """What tables may call it, by how much of it is there."""
        return (self.label,)

    def label_after(self, count: int) -> str:
        """What tables call it when there are `count` statements."""
        return self.label

    @abstractmethod
    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """What is known about the samples of `data` (a Dataset)."""


@dataclass(frozen=True)
class NoKnowledge(Knowledge):
    """Nothing is known: "nothing" in tables."""

    label: str = "nothing"

    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """No statement."""
        return ConstraintSet(data.X.shape[0])


@dataclass(frozen=True)
class _RandomDraw(Knowledge):
    """So many statements, or a share of all that could be made.

    Parameters
    ----------
    count : int, optional
    share : float in [0, 1], optional
        In place of `count`.
    noise : float in [0, 1]
        The probability that a statement is wrong.
    label : str, optional
    """

    noun: ClassVar[str]

    count: int | None = None
    share: float | None = field(default=None, kw_only=True)
    noise: float = field(default=0.0, kw_only=True)
    label: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if (self.count is None) == (self.share is None):
            raise ValueError(f"{type(self).__name__} needs either a count or share=, got {self.count} and {self.share}")
        if self.share is not None and not 0 <= self.share <= 1:
            raise ValueError(f"share is a part of all, from 0 to 1, got {self.share}; 5 % is share=0.05")
        if not self.label:
            wrong = f", {100 * self.noise:g} % wrong" if self.noise else ""
            amount = str(self.count) if self.share is None else f"{100 * self.share:g} %"
            object.__setattr__(self, "label", f"{amount} {self.noun}{wrong}")

    def amount(self, of: int) -> int:
        return self.count if self.count is not None else round((self.share or 0.0) * of)


class RandomPairs(_RandomDraw):
    """Pairs drawn at random without replacement among the samples that have a class.

    ``RandomPairs(20)`` is called "20 pairs" in tables, ``RandomPairs(share=0.05)`` "5 % pairs" (of all pairs).
    Parameters: ``count`` or ``share=``, ``noise=`` (the probability of a wrong answer), ``label=``.
    """

    noun: ClassVar[str] = "pairs"

    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """Pairs drawn at random, and whether they belong together."""
        samples = np.flatnonzero(_truth(data) >= 0)
        pairs = samples[random_pairs(len(samples), self.amount(n_pairs(len(samples))), rng)]
        return Truth(data.target, self.noise, rng).link(ConstraintSet(len(data.target)), pairs)


class RandomLabels(_RandomDraw):
    """The classes of samples drawn at random among those that have one.

    ``RandomLabels(share=0.3)`` is called "30 % labels" in tables, ``RandomLabels(10)`` "10 labels".
    Parameters: as for `RandomPairs`.
    """

    noun: ClassVar[str] = "labels"

    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """Labels of samples drawn at random."""
        samples = np.flatnonzero(_truth(data) >= 0)
        chosen = rng.choice(samples, size=self.amount(len(samples)), replace=False)
        labels = np.full(len(data.target), -1)
        labels[chosen] = Truth(data.target, self.noise, rng).labels(data.target[chosen])
        return ConstraintSet(len(labels)).with_labels(labels)


@dataclass(frozen=True)
class Asked(Knowledge):
    """Questions of a strategy, answered by the truth: see `cclab.oracles.ask`.

    Each round is a row of the results, called "40 by UncertaintyQueries" after 40 questions: a learning curve.

    Parameters
    ----------
    strategy : Strategy
    budget : int
        How many questions may be asked.
    per_round : int
        How many before the solver goes on.
    steps_per_round : int, optional
        Steps of the solver after each round; None: until it has converged, as it does after the last in any case.
    warm : bool
        Whether the solver goes on from where it is, or starts anew after each round.
    noise : float
        The probability of a wrong answer.
    first : Knowledge
        What is known before the first question.
    record_every : int
        A row after every so many questions, and after the last.
    name : str, optional
        What tables call the strategy; default: its class.
    """

    strategy: Strategy
    budget: int
    per_round: int = field(default=1, kw_only=True)
    steps_per_round: int | None = field(default=None, kw_only=True)
    warm: bool = field(default=True, kw_only=True)
    noise: float = field(default=0.0, kw_only=True)
    first: Knowledge = field(default=NoKnowledge(), kw_only=True)
    record_every: int = field(default=1, kw_only=True)
    name: str = field(default="", kw_only=True)

    @property
    def drawn_by(self) -> str:
        """Who asks, in words."""
        return self.name or type(self.strategy).__name__

    @property
    def label(self) -> str:  # type: ignore[override]
        """The label after the whole budget."""
        return self.label_after(self.budget)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels after each number of answers."""
        return tuple(self.label_after(count) for count in range(self.budget + 1))

    def label_after(self, count: int) -> str:
        """The label after so many answers."""
        return f"{count} by {self.drawn_by}"

    def draw(self, data: Any, rng: np.random.Generator) -> ConstraintSet:
        """What is known before the first question."""
        return self.first.draw(data, rng)


def _truth(data: Any) -> np.ndarray:
    if data.target is None:
        raise ValueError(f"{data.name} has no truth to draw knowledge from; give it one by with_target")
    return data.target
