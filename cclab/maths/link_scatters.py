"""How samples scatter that links join, and how those do that links part; and the metric that tells them apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet
from cclab.core.constraints.folds import MOST_OF_ONE_STATEMENT

#: Where statements come from that are made in a view. Samples that were drawn around there are close to each other in
#: the directions of the view, whatever their cluster is like.
DRAWN_IN_A_VIEW = ("lasso", "stroke")


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


def telling_apart(within: NDArray, across: NDArray, emphasis: float) -> NDArray:
    """(p, p) the map ``x -> x matrix`` that makes distances small within clusters and large across them.

    With W the scatter `within` and B that `across`::

        matrix = W^(-1/2) (W^(-1/2) B W^(-1/2))^(emphasis / 2)

    Parameters
    ----------
    emphasis : float
        How much directions count in which clusters are far apart: 0 is whitening within clusters.
    """
    whiten = _power(within, -0.5)
    return whiten @ _power(whiten @ across @ whiten, emphasis / 2)


def _power(matrix: NDArray, exponent: float) -> NDArray:
    """A power of a symmetric matrix that is positive definite, or would be but for rounding."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * np.maximum(values, 1e-9 * values[-1]) ** exponent) @ vectors.T
