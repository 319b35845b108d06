"""How samples scatter that belong together, and how those do that belong apart, from links and from a partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Problem
from cclab.core.constraints.folds import MOST_OF_ONE_STATEMENT
from cclab.maths.lloyd import cluster_means

#: Where statements come from that are made in a view. Samples that were drawn around there are close to each other in
#: the directions of the view, whatever their cluster is like.
DRAWN_IN_A_VIEW = ("lasso", "stroke")
#: The least share of a round covariance in one that a partition gives.
_ROUND = 0.1


@dataclass(frozen=True, eq=False)
class Scatter:
    """A sum of outer products, and how many there are.

    Attributes
    ----------
    total : (p, p) array
    count : float
    """

    total: NDArray
    count: float

    def shrunk(self, towards: NDArray, strength: float) -> NDArray:
        """(p, p) the mean, where `towards` counts for as many as `strength`."""
        return (self.total + strength * towards) / (self.count + strength)


def must_scatter(X: NDArray, known: ConstraintSet) -> Scatter:
    """About half the squared difference of samples that belong together: one for each pair, g - 1 for g in a group.

    What was drawn in a view is left out.
    """
    p = known.pairs.rows(known.pairs.must)
    off = X[p.i] - X[p.j]
    total, count = (off * (p.weight / 2)[:, None]).T @ off, float(p.weight.sum())
    for block, weight, source in zip(known.groups.block, known.groups.weight, known.groups.source):
        if source in DRAWN_IN_A_VIEW:
            continue
        samples, shares = known.blocks.row(block)
        _, spread = _moments(X[samples], shares)
        worth = weight * min(len(samples) - 1.0, _most(source))
        total, count = total + worth * spread * (len(samples) / (len(samples) - 1)), count + worth
    return Scatter(total, count)


def cannot_scatter(X: NDArray, known: ConstraintSet) -> Scatter:
    """The same of samples that belong apart; a separation counts as one statement.

    Links that share samples repeat each other, so they count for no more than there are samples, less one.
    """
    p = known.pairs.rows(~known.pairs.must)
    off = X[p.i] - X[p.j]
    total, count = (off * (p.weight / 2)[:, None]).T @ off, float(p.weight.sum())
    named = len(np.unique(np.concatenate([p.i, p.j])))
    if count > max(named - 1, 0):
        total, count = total * ((named - 1) / count), float(named - 1)
    s = known.separations
    for a, b, weight, source in zip(s.a, s.b, s.weight, s.source):
        if source in DRAWN_IN_A_VIEW:
            continue
        (one, of_one), (other, of_other) = (_moments(X[rows], w) for rows, w in map(known.blocks.row, (a, b)))
        worth = weight * (min(known.blocks.lengths[[a, b]]) if source == "labels" else 1.0)
        total = total + worth / 2 * (of_one + of_other + np.outer(one - other, one - other))
        count += worth
    return Scatter(total, count)


def _moments(X: NDArray, shares: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and covariance."""
    mean = shares @ X / shares.sum()
    off = X - mean
    return mean, (off * (shares / shares.sum())[:, None]).T @ off


def _most(source: str) -> float:
    # Labels are given one by one; a group is made at one stroke.
    return np.inf if source == "labels" else MOST_OF_ONE_STATEMENT


def covariance(problem: Problem) -> NDArray:
    """(p, p) the covariance of all samples, worked out once."""

    def compute() -> NDArray:
        w = problem.weights / problem.weights.sum()
        off = problem.X - w @ problem.X
        return (off * w[:, None]).T @ off

    return problem.derived("covariance", compute)


def partition_scatters(problem: Problem, labels: NDArray, n_clusters: int) -> tuple[NDArray, NDArray]:
    """Two (p, p) arrays: what `must_scatter` and `cannot_scatter` would give for all pairs of a partition, per pair."""
    X, w = problem.X, problem.weights
    p = X.shape[1]
    size = np.bincount(labels, w, minlength=n_clusters)
    means = cluster_means(X, labels, w, np.zeros((n_clusters, p)))
    share = size / size.sum()
    mean = share @ means
    between = (means - mean).T @ ((means - mean) * share[:, None])
    # Samples vary within clusters as they do in all, less what the clusters' means do.
    within = covariance(problem) - between
    few = min(1.0, _ROUND + p / problem.n_samples)  # a covariance of few samples is mostly noise
    within = (1 - few) * within + few * np.trace(within) / p * np.eye(p)
    # Over all pairs of samples of different clusters, the mean of outer products of the differences of their means.
    apart = 1 - share @ share
    return within, within + (between / apart if apart > 1e-12 else 0.0)
