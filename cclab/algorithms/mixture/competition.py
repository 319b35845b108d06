"""The competition of a mixture's components, from too many down to one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from cclab.algorithms.mixture.mixtures import Mixture, Sight, refitted, responsibilities, weakest
from cclab.maths.quadratic_memberships import LinkCosts

# A mixture is at rest when a sweep gains less than this for each sample, in nats, or after so many sweeps.
REST = 1e-4
MOST_SWEEPS = 200
# Sweeps in which links are heard, each half-way.
LINKED_SWEEPS = 12


@dataclass(frozen=True, eq=False)
class Contest:
    """Where a competition stands.

    Attributes
    ----------
    mixture : Mixture
    misfit : float
        Minus the log likelihood of the samples before the latest sweep.
    sweeps : int
        Since a component last went.
    at_rest : bool
    notes : tuple of str
        What happened in the latest move; clusters are counted from 1.
    """

    mixture: Mixture
    misfit: float = np.inf
    sweeps: int = 0
    at_rest: bool = False
    notes: tuple[str, ...] = ()

    def over(self, fewest: int) -> bool:
        """Whether it is at rest with no more than `fewest` components."""
        return self.at_rest and len(self.mixture) <= fewest


def advance(contest: Contest, sight: Sight, fewest: int, n_sweeps: int = MOST_SWEEPS) -> Contest:
    """Up to `n_sweeps` sweeps, fewer if a component vanishes or the mixture comes to rest.

    A mixture that is at rest first loses the component that it misses least; none goes once `fewest` are left.
    """
    contest = replace(contest, notes=())
    if contest.at_rest:
        k, loss = weakest(contest.mixture, sight)
        note = f"A cluster was taken out: the others explain its samples at {loss:.3g} nats."
        contest = Contest(contest.mixture.without(k), notes=(note,))
    for _ in range(n_sweeps):
        contest = _swept(contest, sight, fewest)
        if contest.at_rest or contest.sweeps == 0:
            break
    return contest


def _swept(contest: Contest, sight: Sight, fewest: int) -> Contest:
    """One sweep of expectation-maximisation; the weakest component that can't pay its toll vanishes."""
    mixture = contest.mixture
    pays = len(mixture) > fewest
    R, log_density = responsibilities(mixture.log_densities(sight.Z))
    misfit = -float(sight.weights @ log_density)
    N = sight.weights @ R[:, :-1]
    if pays and N.min() <= mixture.toll:
        k = int(np.argmin(N))
        note = f"A cluster vanished: {N[k]:.3g} samples' worth don't pay for its parameters."
        return Contest(mixture.without(k), notes=(*contest.notes, note))
    return replace(
        contest,
        mixture=refitted(mixture, sight, R, mixture.toll if pays else 0.0),
        misfit=misfit,
        sweeps=contest.sweeps + 1,
        at_rest=abs(contest.misfit - misfit) < REST * sight.total or contest.sweeps + 1 >= MOST_SWEEPS,
    )


def mixtures_at_rest(first: Mixture, sight: Sight, fewest: int) -> list[Mixture]:
    """Every mixture at which the competition came to rest, from many components to `fewest`."""
    contest, rested = Contest(first), []
    while not contest.over(fewest):
        contest = advance(contest, sight, fewest)
        if contest.at_rest:
            rested.append(contest.mixture)
    return rested


def heed_links(logits: NDArray, links: LinkCosts, alpha: float) -> NDArray:
    """(t, k) memberships of linked samples whose own log memberships are `logits`; a broken link costs `alpha` nats.

    Each sweep goes half-way: without damping two partners would swap places for ever.
    """
    U = softmax(logits, axis=1)
    for _ in range(LINKED_SWEEPS if len(U) else 0):
        U = (U + softmax(logits - alpha * links.costs(U), axis=1)) / 2
    return U


def with_links(mixture: Mixture, clusters: NDArray, sight: Sight, links: LinkCosts, alpha: float) -> Mixture:
    """The mixture after some sweeps in which links are heard.

    Parameters
    ----------
    clusters : (k,) int array
        The cluster that each component is part of; links speak of clusters.
    """
    of = np.eye(clusters.max() + 1)[clusters]
    U = None
    for _ in range(LINKED_SWEEPS):
        L = mixture.log_densities(sight.Z)
        R, _ = responsibilities(L)
        logits = L[links.samples, :-1]
        U = softmax(logits, axis=1) if U is None else U
        U = (U + softmax(logits - alpha * links.costs(U @ of) @ of.T, axis=1)) / 2
        R[links.samples, :-1] = (1 - R[links.samples, -1:]) * U
        mixture = refitted(mixture, sight, R, 0.0)
    return mixture


def fewest_clusters(links: LinkCosts) -> int:
    """How many clusters the links ask for at least: a clique of samples that all belong apart, found greedily."""
    cannot = links.known.cannot
    if not len(cannot.samples):
        return 1
    _, component = np.unique(links.known.must_components[cannot.samples], return_inverse=True)
    t = len(component)
    of = sparse.csr_array((np.ones(t), component, np.arange(t + 1)), shape=(t, component.max() + 1))
    sides = cannot.blocks @ of
    apart = sparse.csr_array(of.T @ cannot.pairs @ of + sides.T @ cannot.coupling @ sides)
    degree = np.diff(apart.indptr)
    clique: list[int] = []
    common = np.ones(len(degree), dtype=bool)
    while common.any():
        best = int(np.argmax(np.where(common, degree, -1)))
        clique.append(best)
        neighbours = np.zeros(len(degree), dtype=bool)
        neighbours[apart.indices[apart.indptr[best] : apart.indptr[best + 1]]] = True
        neighbours[best] = False
        common &= neighbours
    return len(clique)
