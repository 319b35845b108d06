"""How many clusters: mixtures weighed against each other, parts joined, and how sure the answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cclab.algorithms.mixture.competition import heed_links, with_links
from cclab.algorithms.mixture.joining import (
    cluster_of_parts,
    heaviest_parts,
    log_memberships,
    reason_to_join,
    wide_component,
)
from cclab.algorithms.mixture.mixtures import Mixture, Sight, responsibilities
from cclab.maths.quadratic_memberships import LinkCosts

# A number of clusters is sure when the next best is worse by more than this, in nats: odds of 1 to 20. The Bayesian
# information criterion approximates the logarithm of the odds, for clusters that are Gaussian.
SURE_GAP = float(np.log(20))
# So many more must-links than cannot-links between two clusters join them.
JOINING_LINKS = 3


@dataclass(frozen=True, eq=False)
class Trial:
    """A mixture that was weighed.

    Attributes
    ----------
    start : int
    n_clusters : int
    cost : float
        The Bayesian information criterion in nats, plus what broken links cost.
    mixture : Mixture or None
    """

    start: int
    n_clusters: int
    cost: float
    mixture: Mixture | None = field(default=None, repr=False)

    def without_mixture(self) -> Trial:
        """The same without what takes memory."""
        return replace(self, mixture=None)


def trials(
    rested: Sequence[Mixture], start: int, sight: Sight, links: LinkCosts, alpha: float, *, joining: bool = True
) -> list[Trial]:
    """Each mixture weighed, after it has heard the links; a broken one costs `alpha` nats.

    Components that must-links hold together count as one cluster, unless `joining` is False.
    """
    found = []
    for mixture in rested:
        clusters = np.arange(len(mixture))
        if len(links.samples):
            clusters = _joined_by_links(mixture, sight, links) if joining else clusters
            mixture = with_links(mixture, clusters, sight, links, alpha)
        misfit = -float(sight.weights @ responsibilities(mixture.log_densities(sight.Z))[1])
        owner = heed_links(log_memberships(mixture, clusters, sight.Z[links.samples]), links, alpha).argmax(axis=1)
        n_clusters = int(clusters.max()) + 1
        broken = links.broken(np.eye(n_clusters)[owner])
        cost = misfit + mixture.description_length(np.log(sight.total)) + alpha * broken
        found.append(Trial(start, n_clusters, cost, mixture))
    return found


def _joined_by_links(mixture: Mixture, sight: Sight, links: LinkCosts) -> NDArray[np.int64]:
    """(k,) the cluster of each component when those are joined that must-links hold together."""
    owner = mixture.log_densities(sight.Z[links.samples])[:, :-1].argmax(axis=1)
    must, cannot = links.between(owner, len(mixture))
    return connected_components(must - cannot >= JOINING_LINKS, directed=False)[1]


def joined_once(
    mixture: Mixture, clusters: NDArray, sight: Sight, must: NDArray, cannot: NDArray, fewest: int
) -> tuple[Mixture, NDArray, str] | None:
    """The mixture without a background that looked like a cluster, or with two parts joined; None if neither is due.

    Parameters
    ----------
    clusters : (k,) int array
        The cluster that each component is part of.
    must, cannot : (c, c) arrays
        Links between clusters: more cannot-links than must-links keep two apart, 3 more must-links join them.
    fewest : int
        Clusters that are left in any case.

    Returns
    -------
    mixture, clusters, note
    """
    n_clusters = clusters.max() + 1
    if n_clusters <= fewest:
        return None
    wide = wide_component(mixture)
    if wide is not None and not cannot.any():
        note = f"Cluster {mixture.ids[wide] + 1} is wide and light, and others lie within it: it is background."
        return mixture.without(wide), cluster_of_parts(np.delete(clusters, wide)), note
    # Tested between the heaviest parts: by way of a light one in between, clusters that are well apart would join.
    heaviest = heaviest_parts(mixture, clusters)
    for ca, cb in _nearest_first(mixture, heaviest):
        if cannot[ca, cb] > must[ca, cb]:
            continue
        a, b = heaviest[[ca, cb]]
        due = must[ca, cb] - cannot[ca, cb] >= JOINING_LINKS
        reason = "links say so" if due else reason_to_join(mixture, sight, a, b)
        if reason is not None:
            note = f"Clusters {mixture.ids[a] + 1} and {mixture.ids[b] + 1} are parts of one, because {reason}."
            return mixture, cluster_of_parts(np.where(clusters == cb, ca, clusters)), note
    return None


def _nearest_first(mixture: Mixture, parts: NDArray) -> NDArray[np.int64]:
    """(m, 2) all pairs of `parts`, by the distance of their means in the metric of the wider one."""
    a, b = np.triu_indices(len(parts), 1)
    away = mixture.squared_distances(mixture.means)[np.ix_(parts, parts)]
    return np.stack([a, b], axis=1)[np.argsort(np.minimum(away[a, b], away[b, a]), kind="stable")]


@dataclass(frozen=True)
class Verdict:
    """How many clusters there are, and how sure that is. Prints as a sentence.

    Attributes
    ----------
    n_clusters : int
    n_parts : int
        Components that make them up.
    runner_up : int or None
        The number that comes next: of the parts where some were joined, else the next best; None where there is none.
    gap : float
        How much worse the next best number of components is, in nats.
    by_start : tuple of int
        The best number of components of each start.
    given : bool
        Whether the number was not to be found.
    """

    n_clusters: int
    n_parts: int
    runner_up: int | None
    gap: float
    by_start: tuple[int, ...]
    given: bool = False

    @classmethod
    def of(cls, n_clusters: int, n_parts: int, weighed: Sequence[Trial], given: bool = False) -> Verdict:
        """The verdict on trials that were weighed."""
        best = min(weighed, key=lambda t: t.cost)
        others = [t for t in weighed if t.n_clusters != best.n_clusters]
        second = min(others, key=lambda t: t.cost, default=None)
        starts = sorted({t.start for t in weighed})
        by_start = tuple(
            min((t for t in weighed if t.start == start), key=lambda t: t.cost).n_clusters for start in starts
        )
        next_best, gap = (None, np.inf) if second is None else (second.n_clusters, second.cost - best.cost)
        return cls(n_clusters, n_parts, next_best if n_parts == n_clusters else n_parts, gap, by_start, given)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the number is not sure, in words."""
        found = []
        if self.runner_up is None:
            found.append("no other number was tried")
        elif self.n_parts != self.n_clusters:
            found.append(f"made of {self.n_parts} parts that may be clusters of their own")
        elif self.gap <= SURE_GAP:
            found.append(f"{self.runner_up} is not ruled out, {self.odds}")
        if len(set(self.by_start)) > 1:
            found.append(f"the starts disagree ({', '.join(map(str, self.by_start))})")
        return tuple(found)

    @property
    def odds(self) -> str:
        """The odds of the next best number, in words."""
        odds = np.exp(min(self.gap, 10.0))
        return "at odds below 1 to 1000" if odds > 1000 else f"at odds of 1 to {odds:.{0 if odds > 10 else 1}f}"

    @property
    def sure(self) -> bool:
        """Whether there is no doubt about the number, or it was given."""
        return self.given or not self.doubts

    def __str__(self) -> str:
        count = f"{self.n_clusters} cluster{'s' if self.n_clusters > 1 else ''}"
        if self.given:
            return f"{count}, as asked for."
        said = list(self.doubts)
        if SURE_GAP < self.gap < np.inf and self.n_parts == self.n_clusters:
            said.append(f"{self.runner_up} comes next, {self.odds}")
        if self.sure and len(self.by_start) > 1:
            said.append(f"all {len(self.by_start)} starts agree")
        return f"{count}, {'sure' if self.sure else 'unsure'}: {'; '.join(said)}."
