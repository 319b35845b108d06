"""On how many links that it has not seen a solver's answer agrees: a number that needs no truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cclab.core.arrays import readonly
from cclab.core.constraints.folds import Fold, folds
from cclab.core.problem import Problem
from cclab.core.words import counted

if TYPE_CHECKING:
    from cclab.core.solver import Solver


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How an answer does on links that it was not told of.

    Attributes
    ----------
    degrees : (m,) float array
        To which degree each link that was held back is kept.
    must : (m,) bool array
        Whether it says "together".
    weight : (m,) float array
        How many links it counts for; see `cclab.core.constraints.folds.Held`.
    source : (m,) object array
        Who said it.
    why_not : str
        Why nothing can be said, in words; empty where something can.
    """

    degrees: NDArray[np.float64] = field(repr=False)
    must: NDArray[np.bool_] = field(repr=False)
    weight: NDArray[np.float64] = field(repr=False)
    source: NDArray[np.object_] = field(repr=False)
    why_not: str = ""

    def __post_init__(self) -> None:
        for name in ("degrees", "must", "weight", "source"):
            object.__setattr__(self, name, readonly(getattr(self, name)))

    def __bool__(self) -> bool:
        """Whether anything can be said."""
        return not self.why_not

    @property
    def share(self) -> float:
        """The mean of the shares of must-links and of cannot-links that are kept; NaN where nothing can be said.

        Both count alike: an answer of one cluster keeps every must-link, and one of many keeps every cannot-link.
        """
        return self._balanced(self.degrees)

    @property
    def standard_error(self) -> float:
        """How far `share` may be off by chance; a kind that has all kept may have been lucky."""
        if not self:
            return np.nan
        variances = []
        for kind in (self.must, ~self.must):
            n = self.weight[kind].sum()
            p = (self.weight[kind] @ self.degrees[kind] + 1) / (n + 2)
            variances.append(p * (1 - p) / n)
        return float(np.sqrt(sum(variances)) / 2)

    @property
    def must_share(self) -> float:
        """The share of must-links that are kept, NaN without any."""
        return self._share(self.degrees, self.must)

    @property
    def cannot_share(self) -> float:
        """The share of cannot-links that are kept, NaN without any."""
        return self._share(self.degrees, ~self.must)

    @property
    def n_must(self) -> int:
        """How many must-links were held back."""
        return int(self.must.sum())

    @property
    def n_cannot(self) -> int:
        """How many cannot-links were held back."""
        return int((~self.must).sum())

    def lead_over(self, other: HeldOut) -> tuple[float, float]:
        """By how much `share` is above that of another answer to the same folds, and the standard error of that.

        Each link is compared with itself, so that what is hard for both answers does not blur the difference.
        """
        if len(self.degrees) != len(other.degrees):
            raise ValueError("these were not judged by the same folds, so no link can be compared with itself")
        difference = self.degrees - other.degrees
        variances = [
            (self.weight[kind] @ difference[kind] ** 2 + 1) / max(self.weight[kind].sum(), 1e-100) ** 2
            for kind in (self.must, ~self.must)
            if kind.any()
        ]
        return self._balanced(difference), float(np.sqrt(sum(variances)) / 2) if self else np.nan

    def of(self, rows: NDArray[np.bool_]) -> HeldOut:
        """The same, of some of the links."""
        parts = self.degrees[rows], self.must[rows], self.weight[rows], self.source[rows]
        return HeldOut(*parts, why_not=self.why_not or _one_sided(parts[1]))

    def __str__(self) -> str:
        """In words.

        >>> from cclab import CFCM, Problem, held_out
        >>> print(held_out(Problem([[0.0], [0.1], [1.0]]), CFCM(n_clusters=2)))
        no links are stated
        """
        return self.why_not or f"on links it has not seen: {100 * self.share:.0f} % kept"

    def _balanced(self, degrees: NDArray) -> float:
        return (self._share(degrees, self.must) + self._share(degrees, ~self.must)) / 2 if self else np.nan

    def _share(self, degrees: NDArray, kind: NDArray) -> float:
        total = self.weight[kind].sum()
        return float(self.weight[kind] @ degrees[kind] / total) if total else np.nan


def held_out(problem: Problem, solver: Solver, folds: int = 3, *, seed: int = 0) -> HeldOut:
    """Hold back each part of what is known in turn, and ask on how much of it the answer to the rest agrees.

    Parameters
    ----------
    problem : Problem
    solver : Solver
        Any: one that takes no links is judged by them all the same.
    folds : int
        In how many parts to split what is known: see `cclab.core.constraints.folds.folds`.
    seed : int
        How it is split.

    Returns
    -------
    HeldOut
        False, with `why_not` in words, where nothing can be said.

    Examples
    --------
    >>> from cclab import COPKMeans, ConstraintSet, Problem
    >>> known = ConstraintSet(6).with_must_link([[0, 1], [3, 4], [1, 2]]).with_cannot_link([[0, 5], [2, 3], [1, 4]])
    >>> problem = Problem([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], known)
    >>> print(held_out(problem, COPKMeans(n_clusters=2)))
    on links it has not seen: 100 % kept
    """
    split = split_for(problem, folds, seed=seed)
    if isinstance(split, HeldOut):
        return split
    solver.check(problem)
    return gathered(split, [judged(problem, solver, fold) for fold in split])


def split_for(problem: Problem, n_folds: int = 3, *, seed: int = 0) -> tuple[Fold, ...] | HeldOut:
    """The folds of what is known, or why there is nothing to judge by."""
    known = problem.constraints
    n = len(known)
    if not n:
        return _nothing("no links are stated")
    split = folds(known, n_folds, seed=seed)
    must = np.concatenate([fold.held.must for fold in split])
    if len(must) < n_folds:
        said = counted(len(must), "link")
        return _nothing(f"{said} to hold back {'is' if len(must) == 1 else 'are'} too few for {n_folds} folds")
    one_sided = _one_sided(must)
    return _nothing(one_sided) if one_sided else split


def judged(problem: Problem, solver: Solver, fold: Fold) -> NDArray[np.float64]:
    """To which degree the answer to what one fold tells keeps each link that it holds back."""
    return fold.held.kept(solver.solve(problem.with_constraints(fold.known)).partition.labels())


def gathered(split: Sequence[Fold], degrees: Sequence[NDArray[np.float64]]) -> HeldOut:
    """What all folds say together."""
    held = [fold.held for fold in split]
    must, weight, source = (np.concatenate([getattr(h, c) for h in held]) for c in ("must", "weight", "source"))
    return HeldOut(np.concatenate(degrees), must, weight, source)


def _one_sided(must: NDArray[np.bool_]) -> str:
    if not len(must):
        return "none of these links can be held back"
    if must.all():
        return "only must-links are stated: an answer of one cluster would keep them all; state some cannot-links"
    return "" if must.any() else "only cannot-links are stated: state some must-links"


def _nothing(why: str) -> HeldOut:
    none = np.empty(0)
    return HeldOut(none, none.astype(bool), none, none.astype(object), why)
