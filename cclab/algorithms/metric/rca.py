"""Relevant component analysis: what varies among samples that belong together is irrelevant, and counts less [1]_.

Notation
--------
=======  ==============  ==========================================================
paper    here            meaning
=======  ==============  ==========================================================
H_j      ``chunklet``    samples joined by must-links
m_j      ``means``       their mean
Ĉ        ``C``           covariance within chunklets
=======  ==============  ==========================================================

References
----------
.. [1] A. Bar-Hillel, T. Hertz, N. Shental, D. Weinshall, Learning a Mahalanobis metric from equivalence constraints,
   Journal of Machine Learning Research 6, 2005.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.metric.learned_metric import Learning, _MetricSolver, ridged, scaled_samples
from cclab.core import ConstraintSet, Problem
from cclab.core.constraints.tables import Separations


@dataclass(eq=False, repr=False, kw_only=True)
class RCA(_MetricSolver):
    """The inverse of the covariance within must-linked samples as metric, then k-means by it.

    Notes
    -----
    It takes must-links alone; samples that they join form a chunklet, which counts by the weakest link that holds it
    together. With `ridge` 0 it is the published one where there are enough links to invert the covariance. The paper's
    reduction to fewer features is left out: the ridge does what it is for.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 4.0], [1.0, 4.1], [1.2, 0.1]])
    >>> model = RCA(2, random_state=0).fit(X, must_link=[[0, 1], [2, 3]])
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    uses = frozenset({"must", "weights", "sample_weight"})
    # The objective is one of the metric first, and of k-means after.
    descends = False

    ridge: float = 1e-3

    def improved(self, problem: Problem, learning: Learning) -> Learning:
        """Equation 1 of the paper, and the inverse; the objective is the log-volume of what is irrelevant."""
        C = ridged(within_chunklets(problem.constraints, scaled_samples(problem)), self.ridge, problem)
        return Learning(np.linalg.inv(C), np.linalg.slogdet(C)[1], settled=True)

    def unit(self, problem: Problem) -> float:
        return problem.spread**-2


def within_chunklets(known: ConstraintSet, Z: NDArray) -> NDArray:
    """(p, p) ``Ĉ``: the mean of ``(x - m_j) (x - m_j)'`` over the samples of all chunklets."""
    must = replace(known, pairs=known.pairs.rows(known.pairs.must), separations=Separations())
    groups = must.closure()
    chunklets = groups.groups.block
    members = groups.blocks[chunklets]
    chunklet = members.row_of_entry
    joined = Z[members.items]
    means = (members.matrix(len(Z)) @ Z) / members.lengths[:, None]
    away = joined - means[chunklet]
    heaviest = groups.groups.weight.max()
    # Weights too small to be told from 0 count alike.
    weight = groups.groups.weight / heaviest if heaviest > 0 else np.ones(len(chunklets))
    return away.T @ (weight[chunklet, None] * away) / weight[chunklet].sum()
