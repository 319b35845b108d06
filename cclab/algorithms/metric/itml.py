"""Information-theoretic metric learning: the metric nearest to a prior one under which links hold [1]_.

Notation
--------
=======  ============  ===========================================================================
paper    here          meaning
=======  ============  ===========================================================================
A, A_0   ``A``         the metric, and the prior one
u, l     ``bounds``    must-linked samples are to be nearer than u, cannot-linked further than l
ξ_c      ``ξ``         these bounds, with slack
λ_c      ``λ``         dual variables
γ        ``gamma``     what slack costs
p, α, β  ``p, α, β``   squared distance of a link, and the two factors of a projection
=======  ============  ===========================================================================

References
----------
.. [1] J. Davis, B. Kulis, P. Jain, S. Sra, I. Dhillon, Information-theoretic metric learning, ICML 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dger
from scipy.spatial.distance import pdist

from cclab.algorithms.metric.learned_metric import Learning, _MetricSolver, metric_root, ridged, scaled_samples
from cclab.core import ConstraintSet, Problem
from cclab.core.parameters import anything, choice, real, whole
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.linked_pairs import LinkedPairs

# Distances among so many samples, drawn where there are more, give the default bounds.
MOST_SAMPLES = 500
# Default bounds are at least so large, as a share of the mean of all squared distances.
LEAST_BOUND = 1e-9
MOST_LONGER, MOST_SHRUNK = 1e9, 1e-30
# A Newton step is tried for up to so many links: its cost grows with the cube of their number.
MOST_AT_ONCE = 500


@dataclass(eq=False, repr=False, kw_only=True)
class ITML(_MetricSolver):
    """The metric nearest to a prior one in which must-links are short and cannot-links long, then k-means by it.

    Parameters
    ----------
    gamma : float
        What slack costs against nearness to the prior metric; a link of less weight costs less. Infinity for none.
    prior : {"identity", "covariance"}
        The prior metric: Euclidean, or the inverse of the covariance of all samples.
    bounds : pair of float or None
        Squared distances in the units of the data: must-linked samples are to be nearer than the first, cannot-linked
        ones further than the second. None for the 5th and 95th percentile of all squared distances.
    max_sweeps : int
        How many sweeps over all links the metric takes at most.

    Notes
    -----
    A step is a sweep of Bregman projections (Algorithm 1), must-links first and short ones before long ones: neither
    the order of the samples nor that of the statements decides. Sweeps alone take hundreds of steps to the end; so each
    ends with a Newton step for the dual variables above 0, where that raises the dual objective. A metric is learned
    when the dual variables change by less than `metric_tol` of their size. Of groups and separations of more than
    2,000 pairs so many are drawn. Links between coinciding samples have no say.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.2, 4.0], [1.0, 4.1], [1.2, 0.1]])
    >>> model = ITML(2, gamma=10.0, random_state=0).fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[1, 2]])
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    """

    # The objective is one of the metric first, and of k-means after; projections lower neither.
    descends = False
    parameters = {
        "gamma": real(0, open_low=True, infinite=True),
        "prior": choice("identity", "covariance"),
        "bounds": anything(),
        "max_sweeps": whole(1),
    }

    max_iter: int = 500
    gamma: float = 1.0
    prior: str = "identity"
    bounds: ArrayLike | None = None
    max_sweeps: int = 200
    metric_tol: float = 1e-3

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if self.bounds is None:
            return
        wanted = "bounds must be two squared distances above 0, for must-links and for cannot-links, or None"
        try:
            bounds = np.asarray(self.bounds, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{wanted}, got {self.bounds!r}") from None
        if bounds.shape != (2,) or not (np.isfinite(bounds) & (bounds > 0)).all():
            raise ValueError(f"{wanted}, got {self.bounds!r}")

    def first(self, problem: Problem) -> Learning:
        V, must, _ = self._links(problem)
        ξ = np.where(must, *self._bounds(problem))
        return Learning(self._prior(problem), 0.0, memory=(np.zeros(len(V)), ξ))

    def improved(self, problem: Problem, learning: Learning) -> Learning:
        V, must, weight = self._links(problem)
        before, ξ = learning.memory
        γ = self.gamma * weight
        A, λ, ξ = sweep(learning.metric, V, must, γ, before, ξ)
        A, λ, ξ = leap(self._prior(problem), V, must, γ, np.where(must, *self._bounds(problem)), A, λ, ξ)
        A = kept_positive(A)
        size = np.linalg.norm(λ) + np.linalg.norm(before)
        change = np.abs(λ - before).sum()
        return Learning(
            A,
            self._objective(problem, A, ξ, γ, must),
            settled=bool(change <= self.metric_tol * size),
            memory=(λ, ξ),
        )

    def unit(self, problem: Problem) -> float:
        return 1.0 if self.prior == "identity" else problem.spread**-2

    def _objective(self, problem: Problem, A: NDArray, ξ: NDArray, γ: NDArray, must: NDArray) -> float:
        """Equation 7: the LogDet divergences of the metric from the prior, and of the bounds from the given ones."""
        nearer = A if self.prior == "identity" else np.linalg.solve(self._prior(problem), A)
        slack = ξ / np.where(must, *self._bounds(problem))
        paid = 0.0 if self.gamma == np.inf else γ @ (slack - np.log(slack) - 1)
        return float(np.trace(nearer) - np.linalg.slogdet(nearer)[1] - len(A) + paid)

    def _prior(self, problem: Problem) -> NDArray:
        if self.prior == "identity":
            return np.eye(problem.n_features)

        def inverse_covariance() -> NDArray:
            Z, w = scaled_samples(problem), problem.weights / problem.weights.sum()
            return np.linalg.inv(ridged(Z.T @ (w[:, None] * Z), 1e-9, problem))

        return problem.derived("metric: inverse covariance", inverse_covariance)

    def _bounds(self, problem: Problem) -> tuple[float, float]:
        """``u`` and ``l`` in the units of `scaled_samples`."""
        if self.bounds is not None:
            u, l = np.asarray(self.bounds, dtype=float) / problem.spread**2
            return u, l

        def percentiles() -> tuple[float, float]:
            Z = scaled_samples(problem)
            if len(Z) > MOST_SAMPLES:
                Z = Z[np.random.default_rng(problem.seed).choice(len(Z), MOST_SAMPLES, replace=False)]
            root = metric_root(self._prior(problem))
            squares = pdist(Z @ root, "sqeuclidean") if len(Z) > 1 else np.ones(1)
            u, l = np.percentile(squares, (5, 95))
            # Where a sample lies far off, nearly all distances are as nothing beside its own; links ask no more of a
            # metric than what numbers can hold.
            least = LEAST_BOUND * max(squares.mean(), 1e-12)
            return max(u, least), max(l, least)

        return problem.derived(f"metric: bounds for prior {self.prior}", percentiles)

    def _links(self, problem: Problem) -> tuple[NDArray, NDArray, NDArray]:
        """Differences of linked samples, whether they are must-links, and weights; must-links and short ones first."""

        def differences(known: ConstraintSet) -> tuple[NDArray, NDArray, NDArray]:
            pairs, Z = LinkedPairs.of(known), scaled_samples(problem)
            V = Z[pairs.i] - Z[pairs.j]
            squares = np.einsum("ij,ij->i", V, V)
            # Below this, differences are rounding alone.
            order = np.lexsort((squares, ~pairs.must))
            order = order[squares[order] > 1e-24]
            return V[order], pairs.must[order], pairs.weight[order]

        return of_constraints(problem, "metric: differences of links", differences)


def sweep(
    A: NDArray, V: NDArray, must: NDArray, γ: NDArray, λ: NDArray, ξ: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Steps 3.1 to 3.7 of Algorithm 1 for each link in turn: the metric, the dual variables and the bounds after.

    Links that hold and have no dual variable are passed over: their projections change nothing, unless others break
    them meanwhile, and then the next sweep comes to them.
    """
    A, λ, ξ, δ = np.array(A, order="F"), np.array(λ), np.array(ξ), np.where(must, 1.0, -1.0)
    broken = δ * (np.einsum("ij,ij->i", V @ A, V) - ξ) > 0
    (turns,) = np.nonzero(broken | (λ > 0))
    rows = zip(turns.tolist(), V[turns], δ[turns].tolist(), γ[turns].tolist(), (1 / (1 + 1 / γ[turns])).tolist())
    duals, bounds = λ.tolist(), ξ.tolist()
    for c, v, sign, cost, damped in rows:
        Av = A.dot(v)
        p = float(v.dot(Av))
        if p < MOST_SHRUNK:
            continue
        α = min(duals[c], sign * damped * (1 / p - 1 / bounds[c]))
        # No turn makes a distance, or a bound, longer than so many times itself: beyond that, digits are lost.
        α = sign * min(sign * α, (1 - 1 / MOST_LONGER) / p)
        duals[c] -= α
        bounds[c] = 1 / max(1 / bounds[c] + sign * α / cost, 1 / (MOST_LONGER * bounds[c]))
        dger(sign * α / (1 - sign * α * p), Av, Av, a=A, overwrite_a=1)
    return A, np.array(duals), np.array(bounds)


def leap(
    A_0: NDArray, V: NDArray, must: NDArray, γ: NDArray, ξ_0: NDArray, A: NDArray, λ: NDArray, ξ: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """A Newton step for all dual variables above 0 at once; what was given, where it would not raise the dual.

    With ``M = A_0^-1 + sum_c δ_c λ_c v_c v_c'``, which is the inverse of the metric, the dual to be raised is
    ``log det M + sum_c γ_c log(1 / ξ_0c - δ_c λ_c / γ_c)``.
    """
    unchanged = A, λ, ξ
    (some,) = np.nonzero(λ > 0)
    cost = γ[some]
    with np.errstate(over="ignore"):
        give = ξ[some] ** 2 / cost
    # Where slack costs nothing or no link may have any, sweeps alone lead there.
    if not 0 < len(some) <= MOST_AT_ONCE or not np.isfinite([cost, give]).all():
        return unchanged
    v, δ, free = V[some], np.where(must[some], 1.0, -1.0), np.linalg.inv(A_0)

    def at(duals: NDArray) -> tuple[float, NDArray, NDArray]:
        M, η = free + (v.T * (δ * duals)) @ v, 1 / ξ_0[some] - δ * duals / cost
        if η.min() <= 0:
            return -np.inf, M, η
        # Raises LinAlgError where M is not positive definite.
        return float(2 * np.log(np.diag(np.linalg.cholesky(M))).sum() + cost @ np.log(η)), M, η

    try:
        here, M, _ = at(λ[some])
        if np.abs(M @ A - np.eye(len(A))).max() > 1e-6:  # sweeps were held back, and the two no longer agree
            return unchanged
        products = δ[:, None] * (v @ A @ v.T) ** 2 * δ
        slope = δ * (np.einsum("ij,ij->i", v @ A, v) - ξ[some])
        products[np.diag_indices(len(some))] += give
        way = np.linalg.solve(products, slope)
        falling = way < 0
        step = min(1.0, float((λ[some][falling] / -way[falling]).min(initial=1.0)))
        duals = np.maximum(λ[some] + step * way, 0.0)
        there, M, η = at(duals)
        if not there > here:
            return unchanged
        A = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return unchanged
    λ, ξ = λ.copy(), ξ.copy()
    λ[some], ξ[some] = duals, 1 / η
    return (A + A.T) / 2, λ, ξ


def kept_positive(A: NDArray) -> NDArray:
    """`A`, with what rounding has taken from it where links differ by many orders of magnitude."""
    values, vectors = np.linalg.eigh(A)
    least = 1e-15 * values[-1]
    return A if values[0] >= least else (vectors * np.maximum(values, least)) @ vectors.T
