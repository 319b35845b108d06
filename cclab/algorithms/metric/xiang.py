"""A metric that keeps must-linked samples near and cannot-linked ones far: the best ratio of traces [1]_.

Notation
--------
=======  ==================  ==================================================
paper    here                meaning
=======  ==================  ==================================================
Ŝ_w      ``S_w``             scatter of must-linked samples
Ŝ_b      ``S_b``             scatter of cannot-linked samples
W        ``W``               orthonormal directions; the metric is ``W W'``
d        ``n_components``    how many
λ*       ``λ``               the ratio
=======  ==================  ==================================================

References
----------
.. [1] S. Xiang, F. Nie, C. Zhang, Learning a Mahalanobis distance metric for data clustering and classification,
   Pattern Recognition 41(12), 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.metric.learned_metric import Learning, _MetricSolver, link_scatter, ridged, scaled_samples
from cclab.core import Problem
from cclab.core.parameters import whole


@dataclass(eq=False, repr=False, kw_only=True)
class XiangMetric(_MetricSolver):
    """The directions in which cannot-links are long and must-links short, then k-means along them.

    Parameters
    ----------
    n_components : int or None
        In how many directions distances are taken (d); None for one less than there are clusters or features, whichever
        are fewer.

    Notes
    -----
    ``max tr(W' S_b W) / tr(W' S_w W)`` over orthonormal ``W``. The paper brackets the ratio and halves the bracket;
    here each step takes the ratio that the last ``W`` reached, which never falls and ends at the same place in a few
    steps. The ridge on ``S_w`` stands for the paper's separate case of a null space. With all directions
    (`n_components` as many as features) the metric is the Euclidean one. Without cannot-links, ``S_b`` is the scatter
    of all samples.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 4.0], [1.0, 4.1], [1.2, 0.1]])
    >>> model = XiangMetric(2, random_state=0).fit(X, must_link=[[0, 1]], cannot_link=[[1, 2]])
    >>> model.metric_.round(1)
    array([[ 1., -0.],
           [-0.,  0.]])
    """

    # The objective is one of the metric first, and of k-means after.
    descends = False
    parameters = {"n_components": whole(1, or_none=True)}

    n_components: int | None = None
    metric_tol: float = 1e-6
    ridge: float = 1e-3

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if self.n_components is not None and self.n_components > problem.n_features:
            raise ValueError(
                f"n_components={self.n_components} but there are only {problem.n_features} features; ask for fewer"
            )

    def improved(self, problem: Problem, learning: Learning) -> Learning:
        S_w, S_b = self._scatters(problem)
        λ = _ratio(learning.metric, S_b, S_w)
        p = problem.n_features
        d = self.n_components or max(1, min(self.n_clusters, p) - 1)
        W = np.linalg.eigh(S_b - λ * S_w)[1][:, p - d :]
        A = W @ W.T
        after = _ratio(A, S_b, S_w)
        return Learning(A, 1 / after if after > 0 else 0.0, settled=bool(after <= (1 + self.metric_tol) * λ))

    def _scatters(self, problem: Problem) -> tuple[NDArray, NDArray]:
        Z, known = scaled_samples(problem), problem.constraints
        p = problem.n_features
        S_w = ridged(link_scatter(known.must, Z) if known.must else np.zeros((p, p)), self.ridge, problem)
        if known.cannot:
            return S_w, link_scatter(known.cannot, Z)
        w = problem.weights / problem.weights.sum()
        return S_w, Z.T @ (w[:, None] * Z)


def _ratio(A: NDArray, S_b: NDArray, S_w: NDArray) -> float:
    """Squared distances of cannot-links over those of must-links; finite where the latter are lost to rounding."""
    apart, together = float(np.sum(A * S_b)), float(np.sum(A * S_w))
    return apart / max(together, 1e-30 * apart) if apart > 0 else 0.0
