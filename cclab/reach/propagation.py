"""`propagate`: let what is said about a few samples move the others, where held-out links show that it helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import ConstraintSet, HeldOut, Problem, Solver
from cclab.core.constraints.folds import Fold
from cclab.core.cross_validation import gathered, split_for
from cclab.core.scales import all_alike
from cclab.core.words import counted
from cclab.maths.link_scatters import DRAWN_IN_A_VIEW
from cclab.reach.anchors import too_large, with_anchored_links, with_harmonic_labels
from cclab.reach.link_metric import LinkMetric, learned, mapped, quick_answer

#: Fewer links than this prove nothing.
FEWEST_LINKS = 20
#: The map is a square table of the features, and its root takes the cube of their number in time.
MOST_FEATURES = 500


@dataclass(frozen=True, eq=False)
class Report:
    """What the gate found.

    Attributes
    ----------
    step : str
        What was taken: "" where the gate stays closed, else "metric", "metric and graph" or "metric and labels".
    why : str
        Why, in words.
    before, after : HeldOut or None
        How quick answers did on links that they were not told of: to the problem as it was, and after the step that
        did best.
    lead, margin : float
        By how much more of these links were kept after the step, and how much more is asked for.
    """

    step: str
    why: str
    before: HeldOut | None = field(default=None, repr=False)
    after: HeldOut | None = field(default=None, repr=False)
    lead: float = np.nan
    margin: float = np.nan

    @property
    def is_open(self) -> bool:
        """Whether the step was taken."""
        return bool(self.step)

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True, eq=False)
class Propagated:
    """A problem in which links reach further, or the same object where they don't.

    Attributes
    ----------
    problem : Problem
    report : Report
    metric : LinkMetric or None
        How its samples follow from those of the data; None where they are the same.
    """

    problem: Problem
    report: Report
    metric: LinkMetric | None = None

    def centers(self, centers: NDArray) -> NDArray:
        """Centres of a solver of `problem`, in the units of the data."""
        return centers if self.metric is None else self.metric.back(centers)

    def samples(self, X: NDArray) -> NDArray:
        """New samples, as a solver of `problem` takes them."""
        return X if self.metric is None else self.metric.apply(X)


def propagate(
    problem: Problem, solver: Solver, *, graph: bool = False, gate: float = 1.0, folds: int = 3
) -> Propagated:
    """Let what is known of some samples move the others, if that is seen to help.

    A metric is learned in which samples that links join are close and those that links part are far
    (`cclab.reach.link_metric`). Whether it is used is decided by links that it has not seen: of each part of what is
    known, held back in turn, more must be kept with it than without.

    Parameters
    ----------
    problem : Problem
    solver : Solver
        Who is to solve it: says how many clusters there are, and whether labels are taken as such.
    graph : bool
        Whether links, too, are carried on to neighbours on the anchored graph (`cclab.reach.anchors`), for clusters of
        odd shapes; for solvers that take labels, labels always are. Never by links that were drawn in a view.
    gate : float
        How many standard errors the lead must have; infinity keeps the gate closed.
    folds : int
        In how many parts what is known is split.

    Returns
    -------
    Propagated
        With `problem` itself, not a copy, where the gate stays closed; `report` says why in words.

    Examples
    --------
    >>> from cclab import COPKMeans
    >>> problem = Problem([[0.0], [0.1], [1.0], [1.1]])
    >>> reached = propagate(problem, COPKMeans(2))
    >>> reached.problem is problem
    True
    >>> print(reached.report)
    The links don't reach further: no links are stated.
    """
    if not gate >= 0:
        raise ValueError(f"gate must be at least 0, got {gate!r}")
    n_clusters = getattr(solver, "n_clusters", None)
    closed = _unfit(problem, n_clusters)
    split = None if closed else split_for(problem, folds, seed=problem.seed)
    if split is None or isinstance(split, HeldOut) or n_clusters is None:
        why = split.why_not if isinstance(split, HeldOut) else closed
        return Propagated(problem, Report("", f"The links don't reach further: {why}."))
    report = _judged(problem, split, n_clusters, _ways(problem, solver, graph), gate)
    if not report.is_open:
        return Propagated(problem, report)
    metric, _ = learned(problem, quick_answer(problem, n_clusters), n_clusters)
    added = _STEPS[report.step](problem.constraints, metric.apply(problem.X))
    return Propagated(mapped(problem, metric, added), report, metric)


_STEPS: dict[str, Callable[[ConstraintSet, NDArray], ConstraintSet]] = {
    "metric": lambda known, X: known,
    "metric and graph": with_anchored_links,
    "metric and labels": with_harmonic_labels,
}


def _unfit(problem: Problem, n_clusters: int | None) -> str:
    """Why nothing can be learned from this problem, whatever the links say; empty where it can."""
    if sparse.issparse(problem.X):
        return "the samples are sparse, and a metric would fill them"
    if n_clusters is None:
        return "the number of clusters is not given"
    if n_clusters < 2 or problem.n_samples <= n_clusters:
        return f"{counted(problem.n_samples, 'sample')} in {counted(n_clusters, 'cluster')} leave nothing to tell apart"
    if problem.n_features > MOST_FEATURES:
        return f"{problem.n_features:,} features are too many for a metric (at most {MOST_FEATURES:,})"
    if all_alike(problem.X):
        return "all samples are the same"
    conflicts = problem.constraints.conflicts(n_clusters)
    return f"the statements contradict each other ({conflicts[0]})" if conflicts else ""


def _ways(problem: Problem, solver: Solver, graph: bool) -> list[str]:
    """The steps to be tried."""
    known = problem.constraints
    drawn = any(source in DRAWN_IN_A_VIEW for table in known.tables for source in table.source)
    ways = ["metric"]
    if not drawn and not too_large(problem):
        if len(known.labels) and "labels" in solver.uses:
            ways.append("metric and labels")
        elif graph:
            ways.append("metric and graph")
    return ways


def _judged(problem: Problem, split: tuple[Fold, ...], n_clusters: int, ways: list[str], gate: float) -> Report:
    """Which of the ways leads, and whether by enough."""
    kept: dict[str, list[NDArray]] = {way: [] for way in ["", *ways]}
    for fold in split:
        told = problem.with_constraints(fold.known)
        plain = quick_answer(told, n_clusters)
        kept[""].append(fold.held.kept(plain))
        metric, labels = learned(told, plain, n_clusters)
        for way in ways:
            if way != "metric":
                added = _STEPS[way](fold.known, metric.apply(problem.X)).links_from_labels()
                labels = quick_answer(mapped(problem, metric, added), n_clusters)
            kept[way].append(fold.held.kept(labels))
    answers = {way: gathered(split, degrees) for way, degrees in kept.items()}
    fair = _fair(answers[""])
    answers = {way: answer.of(fair) for way, answer in answers.items()}
    return _verdict(answers, gate)


def _fair(held: HeldOut) -> NDArray[np.bool_]:
    """Which links prove something: not those drawn in a view, where all that are near it look easy."""
    return ~np.isin(held.source.astype(str), DRAWN_IN_A_VIEW)


def _verdict(answers: dict[str, HeldOut], gate: float) -> Report:
    before = answers.pop("")
    n = before.n_must + before.n_cannot
    if n < FEWEST_LINKS or not before:
        why = f"{counted(n, 'link')} to hold back {'is' if n == 1 else 'are'} too few, {FEWEST_LINKS} are needed"
        if before.why_not and n >= FEWEST_LINKS:
            why = before.why_not
        return Report("", f"The links don't reach further: {why} (what was drawn in a view proves nothing).", before)
    leads = {way: answer.lead_over(before) for way, answer in answers.items()}
    best = max(leads, key=lambda way: leads[way][0] - gate * leads[way][1])
    lead, margin = leads[best][0], gate * leads[best][1]
    shares = f"{100 * answers[best].share:.0f} % of the links it has not seen, {100 * before.share:.0f} % without"
    if lead > margin:
        why = f"The links reach further, by {_WORDS[best]}: with it a quick answer keeps {shares}."
        return Report(best, why, before, answers[best], lead, margin)
    why = (
        f"The links don't reach further: with {_WORDS[best]} a quick answer keeps {shares}, "
        f"and {100 * margin:.0f} % more would be needed to be sure."
    )
    return Report("", why, before, answers[best], lead, margin)


_WORDS = {
    "metric": "a metric of their own",
    "metric and graph": "a metric of their own and links to neighbours",
    "metric and labels": "a metric of their own and labels of neighbours",
}
