"""A metric for clustering with side-information: cannot-linked samples far apart, must-linked ones near [1]_.

Notation
--------
===============  ============  ===============================================================
paper            here          meaning
===============  ============  ===============================================================
A                ``R R'``      the metric, as the square of a matrix
S                ``S``         scatter of must-linked samples, ``tr(A S)`` their squared distances
D                ``V``         differences of cannot-linked samples, a row each
===============  ============  ===============================================================

References
----------
.. [1] E. Xing, A. Ng, M. Jordan, S. Russell, Distance metric learning with application to clustering with
   side-information, NIPS 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.metric.learned_metric import Learning, _MetricSolver, link_scatter, ridged, scaled_samples
from cclab.core import ConstraintSet, Problem
from cclab.core.parameters import flag, whole
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.linked_pairs import MOST_PAIRS, LinkedPairs


@dataclass(eq=False, repr=False, kw_only=True)
class MMC(_MetricSolver):
    """The metric with the least squared distances of must-links for a given distance of cannot-links, then k-means.

    Parameters
    ----------
    diagonal : bool
        Whether features are only weighted, and not mixed.
    max_sweeps : int
        How many steps the metric takes at most.

    Notes
    -----
    The problem is the paper's (its equations 3 to 5): least ``tr(A S)`` with ``sum_D sqrt(v' A v) >= 1``; its diagonal
    case (section 2.2) is the same among diagonal matrices. Only directions matter, so what is lowered is the ratio of
    the mean squared distance of must-links to the square of the mean distance of cannot-links. In place of gradient
    steps and alternating projections, ``A = R R'`` and ``R <- S^-1 sum_D v v' R / |R' v|``: the sum of the distances is
    convex in ``R``, so the best point of ``tr(R' S R) = 1`` for its tangent never lowers it, and no length of step has
    to be found. The metric is scaled so that cannot-linked samples are as far apart, on the average, as in the data.

    Without cannot-links, D are pairs of samples drawn at random, as the paper suggests; of a separation of more than
    2,000 pairs, so many are drawn.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 4.0], [1.0, 4.1], [1.2, 0.1]])
    >>> model = MMC(2, random_state=0).fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[1, 2]])
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    # The objective is one of the metric first, and of k-means after.
    descends = False
    parameters = {"diagonal": flag(), "max_sweeps": whole(1)}

    max_iter: int = 500
    diagonal: bool = False
    max_sweeps: int = 200
    metric_tol: float = 1e-4
    ridge: float = 1e-3

    def first(self, problem: Problem) -> Learning:
        p = problem.n_features
        return Learning(np.eye(p), 0.0, memory=(np.eye(p),))

    def improved(self, problem: Problem, learning: Learning) -> Learning:
        V, weight = self._far(problem)
        (R,) = learning.memory
        if not len(V):  # all samples are the same: any metric will do
            return Learning(learning.metric, 0.0, settled=True, memory=(R,))
        S = self._near(problem)
        before, G = _ratio(R, S, V, weight), _tangent(R, V, weight)
        R = np.diag(np.diagonal(G) / np.diagonal(S)) if self.diagonal else np.linalg.solve(S, G)
        R = R / np.sqrt(np.sum(R * (S @ R)))
        after = _ratio(R, S, V, weight)
        scale = (weight @ _lengths(V) / (weight @ _lengths(V @ R))) ** 2
        return Learning(scale * (R @ R.T), after, settled=bool(before - after <= self.metric_tol * before), memory=(R,))

    def _near(self, problem: Problem) -> NDArray:
        p, must = problem.n_features, problem.constraints.must
        S = link_scatter(must, scaled_samples(problem)) if must else np.zeros((p, p))
        return ridged(np.diag(np.diagonal(S)) if self.diagonal else S, self.ridge, problem)

    def _far(self, problem: Problem) -> tuple[NDArray, NDArray]:
        """Differences of cannot-linked samples that differ at all, and their weights, adding up to 1."""

        def differences(known: ConstraintSet) -> tuple[NDArray, NDArray]:
            pairs = LinkedPairs.of(known)
            apart, Z = ~pairs.must, scaled_samples(problem)
            V, weight = Z[pairs.i[apart]] - Z[pairs.j[apart]], pairs.weight[apart]
            if not V.any():
                rng = np.random.default_rng(problem.seed)
                V, weight = Z[rng.integers(len(Z), size=MOST_PAIRS)] - Z[rng.integers(len(Z), size=MOST_PAIRS)], None
            if weight is None:
                weight = np.ones(len(V))
            some = V.any(axis=1)
            return V[some], weight[some] / weight[some].sum()

        return of_constraints(problem, "metric: cannot-links", differences)


def _lengths(V: NDArray) -> NDArray:
    return np.sqrt(np.einsum("ij,ij->i", V, V))


def _tangent(R: NDArray, V: NDArray, weight: NDArray) -> NDArray:
    """The slope of the mean distance of cannot-links at ``R``: the mean of ``v v' R / |R' v|``."""
    seen = V @ R
    lengths = _lengths(seen)
    return V.T @ (seen * np.divide(weight, lengths, out=np.zeros_like(weight), where=lengths > 0)[:, None])


def _ratio(R: NDArray, S: NDArray, V: NDArray, weight: NDArray) -> float:
    return float(np.sum(R * (S @ R)) / (weight @ _lengths(V @ R)) ** 2)
