"""Try all: which solver suits the data, by the links that each keeps without having seen them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from cclab.core import HeldOut, Problem, Solver
from cclab.core.constraints.folds import Fold
from cclab.core.cross_validation import gathered, judged, split_for
from cclab.core.registry import solvers

#: Solvers that compare all samples with each other take no more than so many.
MOST_FOR_ALL_PAIRS = 3_000
_ALL_PAIRS = ("CMKIPCM", "IPCM")


@dataclass(frozen=True, eq=False)
class Tried:
    """What came of one solver.

    Attributes
    ----------
    name : str
    solver : Solver
        With the parameters that it was tried with.
    held_out : HeldOut or None
        On how many links that it has not seen it agrees; None where it was not tried.
    why_not : str
        Why it was not tried, or failed, in words.
    """

    name: str
    solver: Solver
    held_out: HeldOut | None = None
    why_not: str = ""

    @property
    def share(self) -> float:
        """The share of links kept, NaN where nothing can be said."""
        return np.nan if self.held_out is None else self.held_out.share

    def __str__(self) -> str:
        return f"{self.name}: {self.why_not or self.held_out}"


@dataclass(frozen=True, eq=False)
class Progress:
    """How far trying has come.

    Attributes
    ----------
    done, total : int
        Answers that are there, and all.
    now : str
        Who is being tried.
    ranking : tuple of Tried
        Those that are finished, best first; then those that were skipped.
    """

    done: int
    total: int
    now: str
    ranking: tuple[Tried, ...]


def try_all(
    problem: Problem,
    n_clusters: int,
    *,
    among: Iterable[Solver] | None = None,
    folds: int = 3,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Progress]:
    """Rank solvers by how much of what is known they keep without having been told.

    Parameters
    ----------
    problem : Problem
    n_clusters : int
        How many clusters each is to look for.
    among : iterable of Solver, optional
        Default: each solver there is, with its default parameters.
    folds : int
        In how many parts what is known is split.
    cancelled : callable
        Asked before each answer; once it says True, nothing more is tried.

    Yields
    ------
    Progress
        Before each answer, and at the end. Where it was cancelled the last one stands.

    Examples
    --------
    >>> from cclab import COPKMeans, ConstraintSet, FCM
    >>> known = ConstraintSet(6).with_must_link([[0, 1], [3, 4], [1, 2]]).with_cannot_link([[0, 5], [2, 3], [1, 4]])
    >>> problem = Problem([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], known)
    >>> *_, last = try_all(problem, 2, among=[COPKMeans(2), FCM(2)])
    >>> for tried in last.ranking:
    ...     print(tried)
    COPKMeans: on links it has not seen: 100 % kept
    FCM: takes neither links nor labels
    """
    candidates = _all(n_clusters) if among is None else list(among)
    split = split_for(problem, folds, seed=problem.seed)
    nothing = split.why_not if isinstance(split, HeldOut) else ""
    parts: tuple[Fold, ...] = () if isinstance(split, HeldOut) else split
    reasons = [nothing or _unfit(problem, solver) for solver in candidates]
    suited = [solver for solver, why_not in zip(candidates, reasons) if not why_not]
    skipped = [Tried(type(s).__name__, s, why_not=why_not) for s, why_not in zip(candidates, reasons) if why_not]
    finished: list[Tried] = []

    def progress(now: str, done: int) -> Progress:
        return Progress(done, len(suited) * len(parts), now, (*sorted(finished, key=_rank), *skipped))

    for number, solver in enumerate(suited):
        name, degrees = type(solver).__name__, []
        try:
            for f, fold in enumerate(parts):
                yield progress(name, number * len(parts) + f)
                if cancelled():
                    return
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    degrees.append(judged(problem, solver, fold))
        except ValueError as error:  # links that it can't keep, say: others may
            skipped.append(Tried(name, solver, why_not=str(error)))
        else:
            finished.append(Tried(name, solver, gathered(parts, degrees)))
    yield progress("", len(suited) * len(parts))


def _rank(tried: Tried) -> tuple[float, str]:
    return -tried.share, tried.name


def _all(n_clusters: int) -> list[Solver]:
    made = []
    for name in solvers.names():
        cls = solvers.get(name)
        made.append(cls(n_clusters=n_clusters) if "n_clusters" in cls.all_parameters() else cls())
    return made


def _unfit(problem: Problem, solver: Solver) -> str:
    """Why this solver is not tried on this problem; empty where it is."""
    name = type(solver).__name__
    if not solver.uses & {"must", "cannot", "labels"}:
        return "takes neither links nor labels"
    ignored = solver.ignored(problem).keys() & {"must", "cannot", "labels"}
    if ignored:
        return str(solver.explain_ignored(problem)).removeprefix(f"{name} ")
    if name in _ALL_PAIRS and problem.n_samples > MOST_FOR_ALL_PAIRS:
        return f"compares all samples with each other, and takes at most {MOST_FOR_ALL_PAIRS:,} of them"
    try:
        solver.check(solver.adapt(problem))
    except ValueError as error:
        return str(error)
    return ""
