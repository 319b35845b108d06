"""Moves of a mixture at rest: two clusters become one, and a third becomes two, where links or samples ask for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.mixture.gaussians import fitted
from cclab.algorithms.mixture.link_beliefs import without_clusters
from cclab.algorithms.mixture.linked_fit import Fit, Linked, Model, expected, rested
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
