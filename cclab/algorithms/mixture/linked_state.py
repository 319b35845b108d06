"""Where a linked mixture stands after a step, and what it shows of that."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.gaussians import Gaussians, Scale
from cclab.algorithms.mixture.link_beliefs import Messages
from cclab.algorithms.mixture.linked_fit import Model
from cclab.algorithms.mixture.mixtures import responsibilities
from cclab.core import CenterState, Fuzzy, Gauge

# Where a run is: models are tried, clusters come to rest, moves are tried, all is done.
TRYING, RESTING, MOVING, DONE = range(4)


@dataclass(frozen=True)
class TriedModel:
    """A model, and how much it kept of the links that it was not told of."""

    covariance: str
    linked: bool
    share: float

    @property
    def model(self) -> Model:
        return Model(self.covariance, self.linked)


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedMixtureState(CenterState):
    """Gaussians, and what is believed about linked samples.

    Attributes
    ----------
    scale : Scale
        The units in which samples are looked at.
    gaussians : Gaussians
    linked : bool
        Whether links shape the clusters.
    messages : Messages
        What units tell each other.
    samples, unit : (t,) int arrays
        The samples that links and labels touch, and the unit of each.
    beliefs : (u, k) array
        What is believed about each unit.
    clusters : (u,) int array
        Where each unit is so that every certain link that can be kept is.
    evidence : float
        Log of how well samples and links are explained.
    sizes : (k,) array
        Samples in each cluster, by their memberships.
    broken : float
        The share of links that the beliefs alone would break.
    n_links : int
        Links between units.
    doubt : float
        The share of links that are taken to be wrong.
    stage : int
        Models are tried, clusters come to rest, moves are tried, all is done.
    count : int
        What was done in this stage: models tried, sweeps, moves refused in a row.
    tried : tuple of TriedModel
    leader : Gaussians or None
        Those of the model that keeps most, while others are tried.
    before : Gaussians or None
        Those that were there before something new was stated.
    """

    scale: Scale = field(repr=False)
    gaussians: Gaussians = field(repr=False)
    linked: bool = True
    messages: Messages = field(repr=False)
    samples: NDArray = field(repr=False)
    unit: NDArray = field(repr=False)
    beliefs: NDArray = field(repr=False)
    clusters: NDArray = field(repr=False)
    evidence: float
    sizes: NDArray = field(repr=False)
    broken: float = 0.0
    n_links: int = 0
    doubt: float = 0.0
    stage: int = TRYING
    count: int = 0
    tried: tuple[TriedModel, ...] = ()
    leader: Gaussians | None = field(default=None, repr=False)
    before: Gaussians | None = field(default=None, repr=False)

    @property
    def model(self) -> Model:
        return Model(self.gaussians.covariance, self.linked)

    def memberships(self, X: NDArray) -> NDArray:
        """(m, k) of any samples, by the densities alone."""
        return responsibilities(self.gaussians.log_densities(self.scale.apply(X)))[0]

    def _partition(self) -> Fuzzy:
        U = self.__dict__["fit"].memberships.copy() if "fit" in self.__dict__ else self.memberships(self.X)
        U[self.samples] = with_winners(self.beliefs, self.clusters)[self.unit]
        return Fuzzy(U)

    def gauges(self) -> tuple[Gauge, ...]:
        names = tuple(str(c + 1) for c in range(len(self.sizes)))
        found = [
            Gauge("Cluster sizes", names, tuple(self.sizes.tolist()), by_cluster=True),
            Gauge("Evidence for each sample, in nats", ("evidence",), (self.evidence / float(self.sizes.sum()),)),
        ]
        if self.n_links:
            matter = len(self.messages.active) / self.n_links
            found.append(Gauge("Links between units", ("broken before repair", "matter"), (self.broken, matter)))
        if self.doubt:
            found.append(Gauge("Links taken to be wrong", ("share",), (self.doubt,)))
        if self.tried:
            names = tuple(str(tried.model) for tried in self.tried)
            found.append(Gauge("Links not seen that are kept", names, tuple(tried.share for tried in self.tried)))
        return tuple(found)

    def forget(self) -> None:
        super().forget()
        self.__dict__.pop("fit", None)


def with_winners(beliefs: NDArray, clusters: NDArray) -> NDArray:
    """Beliefs whose largest is in the given cluster: where it is not, the two change places, so that doubt stays."""
    rows = np.flatnonzero(beliefs.argmax(axis=1) != clusters)
    shown = beliefs.copy()
    won, largest = clusters[rows], beliefs[rows].argmax(axis=1)
    shown[rows, won], shown[rows, largest] = beliefs[rows, largest], beliefs[rows, won]
    tied = rows[shown[rows].argmax(axis=1) != won]
    shown[tied] *= 1 - 1e-6
    shown[tied, clusters[tied]] += 1e-6
    return shown
