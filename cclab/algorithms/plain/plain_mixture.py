"""Gaussian mixtures as scikit-learn fits them, for comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.mixture import GaussianMixture

from cclab.core import Fuzzy, Problem, Solver, State
from cclab.core.parameters import Seed, choice, real
from cclab.core.scales import all_alike
from cclab.maths.distances import squared_distances
from cclab.maths.seeding import initial_centers

# scikit-learn warns where it ends after one iteration, so a step has two.
ITERATIONS = 2
# A tolerance that every change is below; scikit-learn takes no infinite one.
ANY_CHANGE = 1e300


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianState(State):
    """A mixture, and what it says about the samples.

    Attributes
    ----------
    weights : (k,) array
        Shares of the components.
    precisions : array
        Inverse covariances, in the form that the covariance's type has in scikit-learn.
    memberships : (n, k) array
    """

    centers: NDArray = field(repr=False)
    weights: NDArray = field(repr=False)
    precisions: NDArray = field(repr=False)
    memberships: NDArray = field(repr=False)

    def _partition(self) -> Fuzzy:
        return Fuzzy(self.memberships)


@dataclass(eq=False, repr=False, kw_only=True)
class PlainGaussianMixture(Solver):
    """A mixture of Gaussians by scikit-learn, for comparison: it takes no links and no labels.

    A step is two iterations of `sklearn.mixture.GaussianMixture`, from where the last step ended; the objective is
    minus the logarithm of the likelihood.

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "spherical"}
        One covariance for each cluster, one for all, one for each that doesn't turn, or one radius for each.
    tol : float
        Stop when a step changes the logarithm of the likelihood by no more than this, per sample.
    ridge : float
        What is added to the variances, over the mean variance of the features: clusters can't shrink to a point.
    """

    # The likelihood never falls but for what the ridge adds to the variances.
    descends = False
    parameters = {"covariance_type": choice("full", "tied", "diag", "spherical"), "ridge": real(0)}

    n_clusters: int = field(default=3, kw_only=False)
    init: Any = "k-means++"
    n_init: int = 10
    max_iter: int = 100
    tol: float = 1e-3
    random_state: Seed = None
    covariance_type: str = "full"
    ridge: float = 1e-6

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if problem.n_samples < 2:
            raise ValueError("there is one sample only: a mixture of Gaussians needs two at least")

    def start(self, problem: Problem, restart: int = 0) -> GaussianState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        nearest = np.eye(self.n_clusters)[squared_distances(_double(problem), V).argmin(axis=1)]
        variance = problem.spread**2 / problem.n_features
        shares = (nearest.sum(axis=0) + 1) / (problem.n_samples + self.n_clusters)
        return self._state_at(problem, shares, V, self._round(1 / variance, problem.n_features), restart=restart)

    def step(self, problem: Problem, state: Any) -> GaussianState:
        if all_alike(problem.X):  # there is nothing to fit, and scikit-learn would refuse
            progress = state.progress_to(state.centers, problem.spread)
            return self._state_at(problem, state.weights, state.centers, state.precisions, **progress)
        model = self._model(
            problem,
            weights_init=np.array(state.weights),
            means_init=np.array(state.centers),
            precisions_init=np.array(state.precisions),
        )
        try:
            model.fit(_double(problem))
            progress = state.progress_to(model.means_, problem.spread)
            return self._state_at(problem, model.weights_, model.means_, model.precisions_, **progress)
        except ValueError:  # of scikit-learn, or no positive definite matrix
            raise ValueError(
                "a Gaussian has become too flat to be computed: give the mixture fewer clusters, a larger ridge, or "
                "covariances of another type; samples that lie far from 0 are better moved there"
            ) from None

    def converged(self, previous: GaussianState, state: GaussianState) -> bool:
        return abs(previous.objective - state.objective) <= self.tol * len(state.memberships)

    def _model(self, problem: Problem, **start: Any) -> GaussianMixture:
        variance = problem.spread**2 / problem.n_features
        return GaussianMixture(
            self.n_clusters,
            covariance_type=self.covariance_type,
            reg_covar=max(self.ridge * variance, np.finfo(float).tiny),
            max_iter=ITERATIONS,
            tol=ANY_CHANGE,
            init_params="random_from_data",
            random_state=0,
            **start,
        )

    def _round(self, precision: float, p: int) -> NDArray:
        """Precisions of round clusters, in the form of the covariance's type."""
        k = self.n_clusters
        if self.covariance_type == "spherical":
            return np.full(k, precision)
        if self.covariance_type == "diag":
            return np.full((k, p), precision)
        tied = precision * np.eye(p)
        return tied if self.covariance_type == "tied" else np.tile(tied, (k, 1, 1))

    def _state_at(
        self, problem: Problem, weights: NDArray, V: NDArray, precisions: NDArray, **progress: Any
    ) -> GaussianState:
        model = self._fitted(weights, V, precisions)
        return GaussianState(
            weights=weights,
            centers=V,
            precisions=precisions,
            memberships=_shares(model, _double(problem)),
            objective=-float(model.score_samples(_double(problem)).sum()),
            **progress,
        )

    def _fitted(self, weights: NDArray, V: NDArray, precisions: NDArray) -> GaussianMixture:
        """scikit-learn's model with these parameters."""
        model = GaussianMixture(len(weights), covariance_type=self.covariance_type)
        model.weights_, model.means_, model.n_features_in_ = np.array(weights), np.array(V), V.shape[1]
        if self.covariance_type in ("full", "tied"):
            model.precisions_cholesky_ = np.linalg.cholesky(precisions)
        else:
            model.precisions_cholesky_ = np.sqrt(precisions)
        return model

    def believe(self, X: NDArray, state: GaussianState) -> Fuzzy:
        return Fuzzy(_shares(self._fitted(state.weights, state.centers, state.precisions), X))


def _shares(model: GaussianMixture, X: NDArray) -> NDArray:
    """(n, k) memberships that add up to 1, however large the numbers are that they were made from."""
    likely = model.predict_proba(X)
    return likely / likely.sum(axis=1, keepdims=True)


def _double(problem: Problem) -> NDArray:
    """The samples in double precision: which of several starts is the best one must not hang on rounding."""
    return np.asarray(problem.X, dtype=float)
