"""Questions that a solver may put to a person, and what is settled already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Partition, Problem, State
from cclab.core.parameters import Parametrized
from cclab.core.registry import strategies

Asked = frozenset[tuple[int, ...]]


@dataclass(frozen=True)
class Query:
    """One question.

    Attributes
    ----------
    kind : {"pair", "label", "triplet", "group", "name"}
        Do these two belong together? To which cluster does this one belong? Is the first closer to the second or to
        the third? Which of these do not belong? What is this one called?
    samples : tuple of int
        Two samples in rising order; one; three, of which the last two are in rising order; at least three in rising
        order; one.
    reason : str
        Why it is asked, for a person. Clusters are counted from 1.
    score : float
        How much the strategy wants to know it; larger is more.
    again : bool
        Whether it is asked although something was answered before, which the new answer then replaces.
    """

    kind: str
    samples: tuple[int, ...]
    reason: str
    score: float
    again: bool = False

    @classmethod
    def pair(cls, i: int, j: int, reason: str, score: float) -> Query:
        """Whether two samples belong together."""
        return cls("pair", (int(min(i, j)), int(max(i, j))), reason, float(score))

    @classmethod
    def label(cls, i: int, reason: str, score: float) -> Query:
        """Which cluster a sample belongs to."""
        return cls("label", (int(i),), reason, float(score))

    @classmethod
    def triplet(cls, a: int, b: int, c: int, reason: str, score: float) -> Query:
        """The question whether `a` is closer to `b` or to `c`."""
        if len({a, b, c}) < 3:
            raise ValueError(f"a question about a triplet needs three samples, got {a}, {b} and {c}")
        return cls("triplet", (int(a), int(min(b, c)), int(max(b, c))), reason, float(score))

    @classmethod
    def group(cls, samples: Iterable[int], reason: str, score: float) -> Query:
        """The question which of these do not belong."""
        chosen = tuple(sorted({int(i) for i in samples}))
        if len(chosen) < 3:
            raise ValueError(f"a question about a group needs at least three samples, got {len(chosen)}")
        return cls("group", chosen, reason, float(score))

    @classmethod
    def name(cls, i: int, reason: str, score: float) -> Query:
        """The question what this one is called."""
        return cls("name", (int(i),), reason, float(score))

    @classmethod
    def of(cls, kind: str, samples: Sequence[int], reason: str, score: float, again: bool = False) -> Query:
        """A question of any kind, as it was written down."""
        made = _MAKERS.get(kind)
        if made is None:
            raise ValueError(f"there are no questions about a {kind!r:.40}; there are: {', '.join(_MAKERS)}")
        return replace(made(samples, reason, score), again=again)


_MAKERS: dict[str, Callable[[Sequence[int], str, float], Query]] = {
    "pair": lambda samples, *why: Query.pair(*samples, *why),
    "label": lambda samples, *why: Query.label(*samples, *why),
    "triplet": lambda samples, *why: Query.triplet(*samples, *why),
    "group": Query.group,
    "name": lambda samples, *why: Query.name(*samples, *why),
}


class Strategy(Parametrized, ABC):
    """Chooses what to ask. A subclass gives `propose`, which is pure and begins with `check_parameters`.

    Attributes
    ----------
    kind : {"pair", "label", "triplet", "group", "name"}
        What it asks about.
    title : str
        Its name for a person.
    """

    kind: ClassVar[str] = "pair"
    title: ClassVar[str]

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if not cls.__name__.startswith("_"):
            strategies.add(cls)

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        """Whether it can ask anything about such a belief."""
        return True

    @abstractmethod
    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        """At most `n` questions, the most wanted first.

        Parameters
        ----------
        problem : Problem
        state : State
        n : int
        asked : frozenset of tuples of samples
            What was asked before (and answered, or set aside); it is not asked again.
        """


class Settled:
    """Which pairs need no question: their answer follows from what is stated, or they were asked before."""

    def __init__(self, constraints: ConstraintSet, asked: Asked = frozenset()) -> None:
        links = constraints.links_from_labels()
        self.component = links.must_components
        self._cannot = links.cannot
        self._asked_with: dict[int, list[int]] = {}
        for samples in asked:
            if len(samples) == 2:
                i, j = samples
                self._asked_with.setdefault(i, []).append(j)
                self._asked_with.setdefault(j, []).append(i)
        self._apart: dict[int, NDArray[np.bool_]] = {}

    def apart(self, i: int) -> NDArray[np.bool_]:
        """(n,) the samples that surely belong apart from sample `i`."""
        own = int(self.component[i])
        if own not in self._apart:
            mask = np.zeros(len(self.component), dtype=bool)
            samples = self._cannot.samples
            if len(samples):
                partners = samples[self._cannot.apply((self.component[samples] == own).astype(float)) > 0]
                apart = np.zeros(len(self.component), dtype=bool)  # of them that are components
                apart[self.component[partners]] = True
                mask = apart[self.component]
            self._apart[own] = mask
        return self._apart[own]

    def together(self, i: int) -> NDArray[np.bool_]:
        """(n,) the samples that surely belong together with sample `i`, itself among them."""
        return self.component == self.component[i]

    def with_sample(self, i: int) -> NDArray[np.bool_]:
        """(n,) the samples about which, together with `i`, there is nothing to ask."""
        mask = self.together(i) | self.apart(i)
        mask[self._asked_with.get(int(i), [])] = True
        return mask

    def __call__(self, i: int, j: int) -> bool:
        """Whether there is nothing to ask about the pair `i`, `j`."""
        return bool(self.with_sample(i)[j])


def draw_rng(problem: Problem, state: State, asked: Asked) -> np.random.Generator:
    """Random numbers for a proposal: the same for the same situation."""
    return np.random.default_rng([problem.seed, state.restart, state.iteration, len(asked), len(problem.constraints)])
