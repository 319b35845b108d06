"""Moves of a mixture at rest: two clusters become one, and a third becomes two; and whether that has helped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.gaussians import fitted
from cclab.algorithms.mixture.link_beliefs import without_clusters
from cclab.algorithms.mixture.linked_fit import Fit, Linked, Model, expected, rested
from cclab.core import ConstraintSet
from cclab.maths.distances import squared_distances

#: What a broken link counts for, in nats.
PRICE = 3.0
#: Sweeps after a move, before it is judged.
SWEEPS = 8
#: Nats that a move must gain.
LEAST_GAIN = 0.5
#: Clusters to be split, and pairs to be merged, that are combined.
MOST = 8


@dataclass(frozen=True, eq=False)
class Rearrangement:
    """Merge the clusters `a` and `b`, and split `c`, whose new parts begin at two seeds.

    Attributes
    ----------
    a, b, c : int
        Where there are only two clusters, `c` is `a`: both become one, which is then split another way.
    seeds : (2, q) array
    """

    a: int
    b: int
    c: int
    seeds: NDArray

    def __str__(self) -> str:
        if self.c == self.a:
            return "both clusters were cut another way"
        return f"clusters {self.a + 1} and {self.b + 1} became one, and cluster {self.c + 1} became two"


def rearrangements(about: Linked, fit: Fit) -> list[Rearrangement]:
    """What to try, the most promising first."""
    k = len(fit.gaussians)
    if k == 1:
        return []
    if k == 2:
        return [Rearrangement(0, 1, 0, seeds) for seeds in _cuts(about)]
    N = about.samples.weights @ fit.memberships
    gain, seeds = _worth_splitting(about, fit, N)
    a, b = np.triu_indices(k, 1)
    cost = _merging_costs(about, fit, N)[a, b]
    pairs = np.argsort(cost, kind="stable")[: 2 * MOST]
    split = np.argsort(-gain, kind="stable")[:MOST]
    found = [
        (cost[pair] - gain[c], Rearrangement(int(a[pair]), int(b[pair]), int(c), seeds[c]))
        for c in split
        for pair in pairs
        if c not in (a[pair], b[pair])
    ]
    return [move for _, move in sorted(found, key=lambda item: item[0])]


def rearranged(about: Linked, model: Model, fit: Fit, move: Rearrangement) -> Fit:
    """The mixture after a move and some sweeps."""
    R = fit.memberships.copy()
    R[:, move.a] += R[:, move.b]
    near_first = np.argmin(squared_distances(about.samples.Z, move.seeds), axis=1) == 0
    whole = R[:, move.c].copy()
    R[:, move.c] = np.where(near_first, whole, 0.0)
    R[:, move.b] = np.where(near_first, 0.0, whole)
    means = fit.gaussians.means.copy()
    means[move.c], means[move.b] = move.seeds
    gaussians = fitted(model.covariance, about.samples, R, means)
    told = without_clusters(fit.messages, [move.a, move.b, move.c])
    return rested(about, model, expected(about, gaussians, told), SWEEPS, goal=fit.evidence)


@dataclass(frozen=True)
class Comparison:
    """What a move has changed.

    Attributes
    ----------
    gain : float
        Nats by which samples and links together are explained better.
    of_links : float
        Nats by which the links are, given the samples.
    lead, error : float
        By how much more of the links the densities keep that have heard none, and the standard error of that.
    """

    gain: float
    of_links: float
    lead: float
    error: float

    @property
    def links_agree(self) -> bool:
        """Whether links ask for it, whatever the samples say: a wide gap in these outweighs any number of links."""
        return self.lead > self.error and self.of_links > 0

    @property
    def explains_more(self) -> bool:
        """Whether all is explained better, and links don't speak against it."""
        return self.gain > LEAST_GAIN and (self.of_links > 0 or self.lead >= 0)

    def __str__(self) -> str:
        if self.links_agree:
            return f"{100 * self.lead:.2g} % more of the links agree"
        return f"{self.gain:.1f} nats gained" if self.explains_more else "no gain for samples and links"


def compared(known: ConstraintSet, about: Linked, other: Fit, fit: Fit) -> Comparison:
    """How `other` does against `fit`.

    Links shape the clusters, but clusters are few and links many: densities that keep them without being told keep
    those, too, that nobody has stated. Each link counts by its weight, whatever its kind: if must-links, which are few
    where clusters are many, counted as much as all others, two clusters that overlap had better be one.
    """
    links = known.links_from_labels()
    difference = _kept_alone(links, about, other) - _kept_alone(links, about, fit)
    weight = np.concatenate([links.pairs.weight, links.groups.weight, links.separations.weight])
    total = weight.sum()
    lead, error = 0.0, np.inf
    if total:  # one more link might differ; links of hardly any weight prove nothing: the error is infinite
        with np.errstate(divide="ignore", over="ignore"):
            lead, error = weight @ difference / total, np.sqrt(weight @ difference**2 + 1) / total
    of_links = (other.sound - other.unlinked) - (fit.sound - fit.unlinked)
    return Comparison(other.sound - fit.sound, of_links, float(lead), float(error))


def _kept_alone(links: ConstraintSet, about: Linked, fit: Fit) -> NDArray:
    """(m,) to which degree each link is kept where every sample is where its density is largest."""
    labels = fit.memberships.argmax(axis=1)
    labels[about.units.samples] = fit.alone.argmax(axis=1)
    return links.satisfaction(labels).degrees


def _merging_costs(about: Linked, fit: Fit, N: NDArray) -> NDArray:
    """(k, k) nats lost where two clusters become one: Ward's, and links that would break."""
    means, roots = fit.gaussians.means, fit.gaussians.roots
    away = np.min([squared_distances(means @ root, means @ root) for root in roots], axis=0)
    harmonic = np.outer(N, N) / np.maximum(np.add.outer(N, N), np.finfo(float).tiny)
    return harmonic * away / 2 + PRICE * _links_across(about, fit)


def _links_across(about: Linked, fit: Fit) -> NDArray:
    """(k, k) cannot-links less must-links between clusters."""
    units, k = about.units, len(fit.gaussians)
    cluster = fit.beliefs.argmax(axis=1)
    ends = cluster[units.i] * k + cluster[units.j]
    across = np.bincount(ends, np.where(units.must, -1.0, 1.0), minlength=k * k).reshape(k, k)
    return across + across.T


def _worth_splitting(about: Linked, fit: Fit, N: NDArray) -> tuple[NDArray, list[NDArray]]:
    """(k,) nats gained where a cluster becomes two, roughly, and where its two parts would begin."""
    units, Z, w = about.units, about.samples.Z, about.samples.weights
    gaussians, B = fit.gaussians, fit.beliefs
    k = len(gaussians)
    cluster = fit.memberships.argmax(axis=1)
    cannot = np.flatnonzero(~units.must)
    strain = B[units.i[cannot]] * B[units.j[cannot]] if len(cannot) * k <= 4_000_000 else None
    size = np.asarray(units.gather.sum(axis=1)).ravel()
    middles = (units.gather @ Z[units.samples]) / size[:, None]
    of_units = B.argmax(axis=1)
    broken_links = cannot[of_units[units.i[cannot]] == of_units[units.j[cannot]]]
    where = of_units[units.i[broken_links]]
    gain, seeds = np.zeros(k), []
    for c in range(k):
        root = gaussians.roots[min(c, len(gaussians.roots) - 1)]
        off = (Z[cluster == c] - gaussians.means[c]) @ root
        weights = w[cluster == c]
        scatter = (off * weights[:, None]).T @ off / max(weights.sum(), np.finfo(float).tiny)
        values, vectors = np.linalg.eigh(scatter)
        widest = max(values[-1], 0.0)
        half = np.sqrt(widest) * np.linalg.solve(root.T, vectors[:, -1])
        ends = gaussians.means[c] + np.array([[1.0], [-1.0]]) * half
        gain[c] = 0.5 * N[c] * max(widest - 1 - np.log(max(widest, 1e-9)), 0.0) if widest > 1 else 0.0
        gain[c] += PRICE * (strain[:, c].sum() if strain is not None else 0.0)
        broken = broken_links[where == c]
        if len(broken):
            one, other = middles[units.i[broken]], middles[units.j[broken]]
            furthest = int((((one - other) @ root) ** 2).sum(axis=1).argmax())
            ends = np.stack([one[furthest], other[furthest]])
        seeds.append(ends)
    return gain, seeds


def _cuts(about: Linked) -> list[NDArray]:
    """Seeds along each of the principal axes of all samples."""
    samples = about.samples
    mean = samples.weights @ samples.Z / samples.total
    values, vectors = np.linalg.eigh(samples.moments / samples.total - np.outer(mean, mean))
    ends = np.array([[1.0], [-1.0]])
    return [mean + ends * np.sqrt(max(values[axis], 0)) * vectors[:, axis] for axis in range(len(values))[::-1]][:MOST]
