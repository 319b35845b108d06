"""Which covariance suits the data, by links that a mixture has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.gaussians import Gaussians, Samples
from cclab.algorithms.mixture.linked_fit import (
    DRAWS,
    SWEEPS,
    Linked,
    Model,
    from_centers,
    numbered_by_labels,
    rested,
    seeded_by_labels,
    starts,
)
from cclab.core import ConstraintSet, HeldOut, Problem
from cclab.core.constraints.folds import Fold
from cclab.core.cross_validation import gathered, split_for

#: The choices: first the one that is taken where links can't tell.
MODELS = (
    Model("shared"),
    Model("spherical"),
    Model("equal volume"),
    Model("free"),
    Model("shared", linked=False),
)
#: By how many standard errors another must lead over the first on links that it has not seen.
MARGIN = 1.0
#: Fewer links than this prove nothing.
FEWEST_LINKS = 20
#: So many that are held back say enough: no other part has to be.
ENOUGH_LINKS = 1_000
#: Each trial goes on from so many starts.
STARTS = 3
#: Samples times clusters from which on only the first model is tried from all starts.
MANY = 5_000


@dataclass(frozen=True, eq=False)
class Judge:
    """Parts of what is known, each held back in turn.

    Attributes
    ----------
    folds : tuple of Fold
    told : tuple of Linked
        What is told in each.
    untold : tuple of ConstraintSet
        The pairs that are not.
    centers : tuple of lists of arrays
        Where to start.
    thorough : bool
        Whether each model is tried from all starts.
    why_not : str
        Why there is nothing to judge by, in words; empty where there is.
    """

    folds: tuple[Fold, ...]
    told: tuple[Linked, ...]
    untold: tuple[ConstraintSet, ...]
    centers: tuple[list[NDArray], ...]
    thorough: bool = True
    why_not: str = ""

    @classmethod
    def of(cls, problem: Problem, samples: Samples, n_clusters: int) -> Judge:
        """The judge of all models on these samples."""
        split = split_for(problem, seed=problem.seed) if n_clusters > 1 else None
        if split is None:
            return cls((), (), (), (), why_not="there is only one cluster")
        if isinstance(split, HeldOut):
            return cls((), (), (), (), why_not=split.why_not)
        n = sum(len(fold.held) for fold in split)
        if n < FEWEST_LINKS:
            return cls((), (), (), (), why_not=f"{n} links to hold back are too few, {FEWEST_LINKS} are needed")
        if len(split[0].held) >= ENOUGH_LINKS:
            split = split[:1]
        told = tuple(Linked.of(samples, fold.known, n_clusters) for fold in split)
        centers = tuple(
            [seeded_by_labels(about, numbered_by_labels(about, V)) for V in drawn[:STARTS]]
            for about, drawn in ((about, starts(about, problem.rng(0, 0), DRAWS)) for about in told)
        )
        untold = tuple(_untold(problem.constraints, fold.known) for fold in split)
        return cls(split, told, untold, centers, problem.n_samples * n_clusters <= MANY)

    @cached_property
    def _answers(self) -> dict[int, tuple[HeldOut, list[Gaussians]]]:
        return {}

    @cached_property
    def _margin(self) -> float:
        """`MARGIN`, wider where links share their samples: they repeat each other, and prove less than their number."""
        held = [fold.held for fold in self.folds]
        named = {*chain.from_iterable((*each.asker.tolist(), *each.blocks.items.tolist()) for each in held)}
        return MARGIN * max(1.0, sum(map(len, held)) / max(len(named), 1)) ** 0.5

    def held_out(self, place: int) -> HeldOut:
        """How the model at this place of `MODELS` does on links that it was not told of."""
        return self._answer(place)[0]

    def unseen(self, place: int) -> list[tuple[ConstraintSet, Gaussians]]:
        """Pairs that were held back, with the Gaussians of this model that were fitted without them."""
        return [*zip(self.untold, self._answer(place)[1])]

    def _answer(self, place: int) -> tuple[HeldOut, list[Gaussians]]:
        """What a model makes of all but each part; worked out once."""
        if place not in self._answers:
            model, degrees, densities = MODELS[place], [], []
            for fold, about, centers in zip(self.folds, self.told, self._starts(place)):
                fits = [rested(about, model, from_centers(about, model, V), SWEEPS) for V in centers]
                best = max(fits, key=lambda fit: fit.sound)
                degrees.append(fold.held.kept(best.memberships.argmax(axis=1)))
                densities.append(best.gaussians)
            self._answers[place] = gathered(self.folds, degrees), densities
        return self._answers[place]

    def _starts(self, place: int) -> Sequence[Sequence[NDArray]]:
        """Where a model starts: of many samples where the first has come to rest, so that luck is the same for all.

        What is found without links starts where that would.
        """
        if self.thorough or not place:
            return self.centers
        if not MODELS[place].linked:
            return [centers[:1] for centers in self.centers]
        return [[gaussians.means] for gaussians in self._answer(0)[1]]

    def lead(self, place: int) -> float:
        """By how much a model keeps more links than the first, less its margin."""
        if not place:
            return 0.0
        lead, error = self.held_out(place).lead_over(self.held_out(0))
        return lead - self._margin * error

    def settled(self, n_tried: int) -> bool:
        """Whether no model that was not tried yet could lead by enough, even if it kept every link."""
        first = self.held_out(0)
        most, error = replace(first, degrees=np.ones_like(first.degrees)).lead_over(first)
        return n_tried == len(MODELS) or most - self._margin * error <= max(map(self.lead, range(n_tried)))

    def chosen(self, n_tried: int) -> int:
        """The place of the model that leads most, of those tried."""
        return int(np.argmax([self.lead(place) for place in range(n_tried)]))

    @property
    def best(self) -> HeldOut:
        """How the model does that is chosen in the end."""
        n_tried = next(n for n in range(1, len(MODELS) + 1) if self.settled(n))
        return self.held_out(self.chosen(n_tried))


def _untold(known: ConstraintSet, told: ConstraintSet) -> ConstraintSet:
    """The pairs of `known` that are not in `told`."""
    said, heard = ((c.pairs.i * c.n_samples + c.pairs.j) * 2 + c.pairs.must for c in (known, told))
    return ConstraintSet(known.n_samples, known.pairs.rows(~np.isin(said, heard)))
