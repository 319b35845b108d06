"""What a step of `CompetitiveMixture` shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from cclab.core import Fuzzy, Gauge, Problem, State
from cclab.maths.choosing_clusters import Trial, Verdict
from cclab.maths.contest import Contest, heed_links
from cclab.maths.leading_components import Subspace
from cclab.maths.mixtures import Mixture, Sight, responsibilities
from cclab.maths.parts import cluster_of_parts, heaviest_parts, log_memberships, means_of_clusters
from cclab.maths.quadratic_memberships import Links


@dataclass(frozen=True, eq=False, kw_only=True)
class CompetitiveMixtureState(State):
    """A mixture, which clusters its components make up, and what is known of their number so far.

    Attributes
    ----------
    X : (n, p) array
        The samples (not a copy).
    subspace : Subspace
        Where the clusters compete.
    contest : Contest
        The mixture, and how its competition stands.
    clusters : (k,) int array
        The cluster that each component is part of.
    sizes : (c,) array
        Samples in each cluster, by their memberships.
    linked, linked_memberships : (t,) int array and (t, c) array
        The samples that links touch, and their memberships.
    stage : int
        First the shapes compete, one after the other; then each start is weighed; then parts are joined; then all is
        done.
    trials : tuple of Trial
        The mixtures that were weighed.
    verdict : Verdict or None
        How many clusters there are and how sure that is, once it is known.
    """

    X: NDArray = field(repr=False)
    subspace: Subspace = field(repr=False)
    contest: Contest = field(repr=False)
    clusters: NDArray = field(repr=False)
    sizes: NDArray = field(repr=False)
    linked: NDArray = field(repr=False)
    linked_memberships: NDArray = field(repr=False)
    stage: int
    trials: tuple[Trial, ...] = field(default=(), repr=False)
    verdict: Verdict | None = None

    @property
    def mixture(self) -> Mixture:
        return self.contest.mixture

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        return self.mixture.ids[heaviest_parts(self.mixture, self.clusters)]

    def log_memberships(self, X: NDArray) -> NDArray:
        """(m, c) of any samples, up to a constant in each row."""
        return log_memberships(self.mixture, self.clusters, self.subspace.reduce(X))

    def _partition(self) -> Fuzzy:
        U = softmax(self.log_memberships(self.X), axis=1)
        U[self.linked] = self.linked_memberships
        return Fuzzy(U)

    def gauges(self) -> tuple[Gauge, ...]:
        names = tuple(str(id_ + 1) for id_ in self.cluster_ids)
        return (
            Gauge("Number of clusters", ("clusters",), (float(len(names)),)),
            Gauge("Cluster sizes", names, tuple(self.sizes.tolist())),
        )


def state_of(
    problem: Problem,
    subspace: Subspace,
    sight: Sight,
    contest: Contest,
    clusters: NDArray | None = None,
    *,
    alpha: float,
    **more: Any,
) -> CompetitiveMixtureState:
    """The state of a mixture that competes for the samples in `sight`.

    Parameters
    ----------
    clusters : (k,) int array, optional
        The cluster that each component is part of; default: each is one of its own.
    alpha : float
        What a broken link costs, in nats.
    **more
        Further fields of the state.
    """
    mixture, links = contest.mixture, Links.of(problem)
    clusters = cluster_of_parts(np.arange(len(mixture)) if clusters is None else clusters)
    heard = heed_links(log_memberships(mixture, clusters, subspace.reduce(problem.X[links.samples])), links, alpha)
    L = mixture.log_densities(sight.Z)
    part_sizes = sight.weights @ softmax(L[:, :-1], axis=1)
    sizes, centers = means_of_clusters(clusters, part_sizes, mixture.means)
    terms = {
        "misfit": -sight.weights @ responsibilities(L)[1],
        "parameters": mixture.description_length(np.log(sight.total)),
        "links": alpha * links.broken(np.eye(len(sizes))[heard.argmax(axis=1)]),
    }
    return CompetitiveMixtureState(
        centers=subspace.restore(centers),
        objective=sum(terms.values()),
        terms=terms,
        X=problem.X,
        subspace=subspace,
        contest=contest,
        clusters=clusters,
        sizes=sizes * problem.weights.sum() / sight.total,
        linked=links.samples,
        linked_memberships=heard,
        **{"notes": contest.notes, **more},
    )
