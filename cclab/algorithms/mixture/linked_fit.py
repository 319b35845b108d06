"""A mixture fitted to samples and links together: expectation by belief propagation, maximisation, starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cclab.algorithms.mixture.gaussians import Gaussians, Samples, fitted
from cclab.algorithms.mixture.link_beliefs import Messages, heard, quick_shares, renewed, silence
from cclab.algorithms.mixture.linked_units import LinkedUnits
from cclab.algorithms.mixture.mixtures import responsibilities
from cclab.core import ConstraintSet
from cclab.maths.distances import squared_distances
from cclab.maths.link_scatters import cannot_scatter, must_scatter, telling_apart

T = TypeVar("T")

#: How often units tell each other what they believe, in each expectation, and in the first.
TALKS, FIRST_TALKS = 1, 4
#: After so many sweeps it is asked anew which links matter.
RENEWED_EVERY = 10
#: At rest when a sweep gains less than this for each sample, in nats.
REST = 1e-4
#: Nats by which rounding may lift the evidence above that of the samples alone.
SLACK = 0.1
#: k-means starts from so many draws; the tightest go on.
DRAWS = 8
#: Sweeps from each start. With fewer, links had not shaped the clusters yet, and those found without came out ahead.
SWEEPS = 30
#: How much directions count, where fits start, in which cannot-links are long.
EMPHASIS = 1.0
#: Centres are looked for among so many samples at most.
MOST_FOR_STARTS = 20_000


@dataclass(frozen=True, eq=False)
class Model:
    """What is to be fitted.

    Attributes
    ----------
    covariance : str
        One of `gaussians.COVARIANCES`.
    linked : bool
        Whether links shape the clusters, or only say where samples belong once the clusters are found.
    """

    covariance: str
    linked: bool = True

    def __str__(self) -> str:
        return self.covariance if self.linked else f"{self.covariance}, without links"


@dataclass(frozen=True, eq=False)
class Linked:
    """Samples and all that links and labels say of them.

    Attributes
    ----------
    samples : Samples
    units : LinkedUnits
    potentials : (u, k) array
        What labels say of each unit, in logs.
    metric : (q, q) array
        Where fits start, samples are compared in ``x metric``: what k-means finds there is nearer to what links say,
        and from elsewhere a fit seldom finds its way to it.
    """

    samples: Samples
    units: LinkedUnits
    potentials: NDArray
    metric: NDArray

    @classmethod
    def of(cls, samples: Samples, known: ConstraintSet, n_clusters: int) -> Linked:
        """Samples with what is known of them."""
        units = LinkedUnits.of(known, samples.weights)
        return cls(samples, units, units.potentials(known, n_clusters), _metric_of_links(samples.Z, known))

    @cached_property
    def places(self) -> NDArray:
        """(n, q) the samples in the metric of the links."""
        return self.samples.Z @ self.metric

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return self.potentials.shape[1]


def _metric_of_links(Z: NDArray, known: ConstraintSet) -> NDArray:
    """(q, q) the map that makes must-links short and cannot-links long, the more of them there are for each feature."""
    links, q = known.links_from_labels(), Z.shape[1]
    within, across = (scatter(Z, links).shrunk(np.eye(q), q) for scatter in (must_scatter, cannot_scatter))
    return telling_apart(within, across, EMPHASIS)


@dataclass(frozen=True, eq=False)
class Fit:
    """Gaussians, and what is believed about the samples by them and by the links.

    Attributes
    ----------
    gaussians : Gaussians
    messages : Messages
    evidence : float
        Log of how well samples and links are explained.
    beliefs : (u, k) array
        Of the units.
    memberships : (n, k) array
    alone : (t, k) array
        What samples that links or labels touch would be believed to be without these.
    unlinked : float
        Log of how well samples alone are explained.
    """

    gaussians: Gaussians
    messages: Messages
    evidence: float
    beliefs: NDArray = field(repr=False)
    memberships: NDArray = field(repr=False)
    alone: NDArray = field(repr=False)
    unlinked: float

    @property
    def sound(self) -> float:
        """The evidence, or minus infinity where it can't be right: links only ever make samples less likely.

        Where messages go round in loops and swing, Bethe's approximation may be off by hundreds of nats.
        """
        return self.evidence if self.evidence <= self.unlinked + SLACK else -np.inf


def kept_beside(fit: Fit, what: str, derive: Callable[[], T]) -> T:
    """What follows from a fit, worked out once: one that stays after a move was refused is asked again and again."""
    if what not in fit.__dict__:
        fit.__dict__[what] = derive()
    return cast(T, fit.__dict__[what])


def expected(about: Linked, gaussians: Gaussians, messages: Messages | None, *, renew: bool = True) -> Fit:
    """What is believed, given the Gaussians.

    Parameters
    ----------
    messages : Messages or None
        What units told each other before.
    renew : bool
        Whether to ask anew which links matter.
    """
    units, samples = about.units, about.samples
    L = gaussians.log_densities(samples.Z)
    of_units = units.gather @ L[units.samples] + about.potentials
    R, log_density = quick_shares(L)
    first = messages is None
    said = silence(units, about.n_clusters) if messages is None else messages
    if renew or first:
        said = renewed(units, of_units, said)
    told = heard(units, of_units, said, FIRST_TALKS if first else TALKS)
    alone = R[units.samples]
    R[units.samples] = told.beliefs[units.unit]
    evidence = _evidence(about, log_density, told.evidence)
    return Fit(gaussians, told.messages, evidence, told.beliefs, R, alone, unlinked(about, log_density))


def unlinked(about: Linked, log_density: NDArray) -> float:
    """Log of how well samples alone are explained; `log_density` (n,) is that of each."""
    return _evidence(about, log_density, float((about.units.gather @ log_density[about.units.samples]).sum()))


def _evidence(about: Linked, log_density: NDArray, of_units: float) -> float:
    """That of all samples, with `of_units` that of those which links or labels touch."""
    touched, weights = about.units.samples, about.samples.weights
    if not len(touched):
        return float(weights @ log_density)
    free = np.ones(len(weights), dtype=bool)
    free[touched] = False
    return float(weights[free] @ log_density[free]) + of_units * float(weights[touched].mean())


def swept(about: Linked, model: Model, fit: Fit, *, renew: bool) -> Fit:
    """After one sweep: Gaussians that suit what is believed, and what is believed by these."""
    R = fit.memberships
    if not model.linked:
        R = R.copy()
        R[about.units.samples] = fit.alone
    gaussians = fitted(model.covariance, about.samples, R, fit.gaussians.means)
    return expected(about, gaussians, fit.messages, renew=renew)


def rested(about: Linked, model: Model, fit: Fit, most: int, goal: float = -np.inf) -> Fit:
    """After so many sweeps, or when one gains next to nothing, or so little that the `goal` is out of reach."""
    for sweep in range(1, most + 1):
        before, fit = fit, swept(about, model, fit, renew=sweep % RENEWED_EVERY == 0)
        gain = fit.evidence - before.evidence
        # Gains shrink from sweep to sweep, more or less: the first two may not.
        hopeless = sweep > 2 and fit.evidence + 2 * gain * (most - sweep) < goal
        if abs(gain) < REST * about.samples.total or hopeless:
            break
    return fit


def from_centers(about: Linked, model: Model, centers: NDArray) -> Fit:
    """The mixture whose clusters are the samples nearest to each centre."""
    nearest = squared_distances(about.places, centers @ about.metric).argmin(axis=1)
    R = np.zeros((len(nearest), len(centers)))
    R[np.arange(len(nearest)), nearest] = 1.0
    return expected(about, fitted(model.covariance, about.samples, R, centers), None)


def starts(about: Linked, rng: np.random.Generator, n_starts: int) -> list[NDArray]:
    """Centres (k, q) by k-means on the units in the metric of the links, from several draws, the tightest first."""
    points, weights = _points(about)
    k = about.n_clusters
    if len(points) > MOST_FOR_STARTS:
        chosen = rng.choice(len(points), MOST_FOR_STARTS, replace=False)
        points, weights = points[chosen], weights[chosen]
    seeds = rng.integers(np.iinfo(np.int32).max, size=n_starts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # where fewer samples differ than there are clusters
        runs = [KMeans(k, n_init=1, max_iter=50, random_state=int(seed)).fit(points, None, weights) for seed in seeds]
    back = np.linalg.inv(about.metric)
    return [run.cluster_centers_ @ back for run in sorted(runs, key=lambda run: run.inertia_)]


def _points(about: Linked) -> tuple[NDArray, NDArray]:
    """Units as single points, and all other samples."""
    samples, units = about.samples, about.units
    free = np.ones(len(about.places), dtype=bool)
    free[units.samples] = False
    if free.sum() + len(units) < about.n_clusters:
        return about.places, samples.weights
    size = np.asarray(units.gather.sum(axis=1)).ravel()
    middles = (units.gather @ about.places[units.samples]) / size[:, None]
    weights = np.bincount(units.unit, samples.weights[units.samples], minlength=len(units))
    return np.concatenate([about.places[free], middles]), np.concatenate([samples.weights[free], weights])


def numbered_by_labels(about: Linked, centers: NDArray) -> NDArray:
    """The centres in the order in which labels name the clusters."""
    middles, possible = _labelled(about)
    if not len(middles):
        return centers
    # What it costs to call a centre by a number: how far the samples of that label are from it.
    rows, columns = linear_sum_assignment(
        possible.T @ squared_distances(middles @ about.metric, centers @ about.metric)
    )
    return centers[columns[np.argsort(rows)]]


def seeded_by_labels(about: Linked, centers: NDArray) -> NDArray:
    """The centres, of clusters that labels name at the mean of their samples."""
    middles, possible = _labelled(about)
    named = np.flatnonzero((possible > 0.5).any(axis=0))
    seeds = centers.copy()
    seeds[named] = (possible.T @ middles)[named] / possible.sum(axis=0)[named, None]
    return seeds


def _labelled(about: Linked) -> tuple[NDArray, NDArray]:
    """The middles of units that labels speak of (m, q), and how far each cluster is possible for them (m, k)."""
    named = np.flatnonzero(about.potentials.any(axis=1))
    size = np.asarray(about.units.gather.sum(axis=1)).ravel()
    middles = (about.units.gather @ about.samples.Z[about.units.samples])[named] / size[named, None]
    return middles, responsibilities(about.potentials[named])[0] if len(named) else about.potentials[named]
