"""LCVQE: k-means in which a broken link pulls centres towards the samples that it is about [1]_.

Notation
--------
========  =======================  ===============================================================
paper     here                     meaning
========  =======================  ===============================================================
C_j       ``V``                    centre of cluster j
g(s)      ``labels``               the cluster of sample s
GMLV_j    ``must``                 samples whose must-linked partner is in cluster j, without them
GCLV_j    ``cannot``               samples that a broken cannot-link would send to cluster j
R, MM     ``farther``, ``second``  of a broken cannot-link the outer sample, and its next centre
========  =======================  ===============================================================

References
----------
.. [1] D. Pelleg, D. Baras, K-means with large and noisy constraint sets, ECML 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import CenterSolver, ConstraintSet, Hard, Problem
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.linked_pairs import LinkedPairs
from cclab.maths.lloyd import LloydState, distances_to, inertia
from cclab.maths.seeding import initial_centers


@dataclass(eq=False, repr=False, kw_only=True)
class LCVQE(CenterSolver):
    """K-means that may break links, at the price of distances to the centres which would have kept them.

    Notes
    -----
    Twice the error of [1]_, so that without links it is the inertia; each link counts by its weight::

        J = sum_i w_i |x_i - v_{l_i}|^2
          + sum over broken must-links i, j of (|x_i - v_{l_j}|^2 + |x_j - v_{l_i}|^2) / 2
          + sum over broken cannot-links of |x_r - v_m|^2

    where r is the one of the two that is farther from their centre, and m the centre nearest to it but for that one.
    A step moves each centre to where J is least for the present clusters and broken links; then all samples go to the
    nearest centre, and one link after the other, must-links first, may change the clusters of its two samples. A
    must-link chooses between being broken and both samples in the one cluster or the other; a cannot-link between
    two samples in one cluster sends the farther one to its next centre, which is never dearer than being broken. What
    a later link does with the same sample stands. A link of weight 1 is never broken in its own turn, a must-link
    neither (the two ways to keep it cost less on average): only another link that shares a sample can do that.

    [1]_ counts links as they were decided on in their turn; here, as they stand in the end, so that J is that of
    clusters and centres alone. A step that would raise J is not taken: there it ends. Of groups and separations with
    more than 2,000 pairs so many are drawn, and count for all.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> LCVQE(2, random_state=0).fit(X, cannot_link=[[2, 3]]).labels_.tolist()
    [0, 0, 0, 1]
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    accepts_sparse = True
    # A step that would raise the objective is not taken.
    descends = True
    ancestor: ClassVar[str | None] = "SeededKMeans"

    n_init: int = 10

    def start(self, problem: Problem, restart: int = 0) -> LloydState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, self._assigned(problem, V), restart=restart)

    def step(self, problem: Problem, state: Any) -> LloydState:
        V = self._moved_centers(problem, state)
        after = self._state_at(problem, V, self._assigned(problem, V), **state.progress_to(V, problem.spread))
        # What is known may have changed since: J of the state before is worked out anew.
        before = self._state_at(problem, state.centers, state.labels, **after.progress)
        return replace(before, shift=0.0) if after.objective > before.objective else after

    def _pairs(self, problem: Problem) -> LinkedPairs:
        def derive(known: ConstraintSet) -> LinkedPairs:
            return LinkedPairs.of(known)

        return of_constraints(problem, "linked pairs", derive)

    def _assigned(self, problem: Problem, V: NDArray) -> NDArray[np.int64]:
        """(n,) the nearest centre of each sample, as its links then change it, one after the other."""
        pairs, d = self._pairs(problem), distances_to(problem, V)
        labels = d.argmin(axis=1)
        if not len(pairs):
            return labels
        linked, place = np.unique(np.concatenate([pairs.i, pairs.j]), return_inverse=True)
        i, j = place.reshape(2, -1).tolist()
        cost = (problem.weights[linked, None] * d[linked]).tolist()
        away = d[linked].tolist()
        held = labels[linked].tolist()
        for a, b, must, weight in zip(i, j, pairs.must.tolist(), pairs.weight.tolist()):
            if must and held[a] != held[b]:
                held[a], held[b] = _for_must_link(cost[a], cost[b], away[a], away[b], held[a], held[b], weight)
            elif not must and held[a] == held[b] and V.shape[0] > 1:
                far = a if away[a][held[a]] >= away[b][held[b]] else b
                held[far] = _next_nearest(away[far], held[far])
        labels[linked] = held
        return labels

    def _moved_centers(self, problem: Problem, state: LloydState) -> NDArray:
        """(k, p) the centres at which J is least, its clusters and broken links being as they are."""
        broken = self._broken(problem, distances_to(problem, state.centers), state.labels)
        samples = np.concatenate([np.arange(problem.n_samples), *(part.samples for part in broken)])
        clusters = np.concatenate([state.labels, *(part.clusters for part in broken)])
        weights = np.concatenate([problem.weights, *(part.weights for part in broken)])
        k, n = len(state.centers), problem.n_samples
        share = sparse.csr_array((weights, (clusters, samples)), shape=(k, n))
        total, sums = np.asarray(share.sum(axis=1)).ravel(), share @ problem.X
        sums = np.asarray(sums.toarray() if sparse.issparse(sums) else sums, dtype=float)
        V = np.array(state.centers, dtype=float)
        V[total > 0] = sums[total > 0] / total[total > 0, None]
        return V

    def _broken(self, problem: Problem, d: NDArray, labels: NDArray) -> tuple[_Pulls, _Pulls]:
        """What broken must-links and broken cannot-links pull to which cluster: GMLV and GCLV of [1]_."""
        pairs = self._pairs(problem)
        same = labels[pairs.i] == labels[pairs.j]
        i, j, w = (side[pairs.must & ~same] for side in (pairs.i, pairs.j, pairs.weight))
        must = _Pulls(np.concatenate([i, j]), np.concatenate([labels[j], labels[i]]), np.tile(w / 2, 2))
        if d.shape[1] == 1:
            return must, _Pulls(i[:0], i[:0], w[:0])
        i, j, w = (side[~pairs.must & same] for side in (pairs.i, pairs.j, pairs.weight))
        farther = np.where(d[i, labels[i]] >= d[j, labels[i]], i, j)
        others = d[farther]
        others[np.arange(len(farther)), labels[farther]] = np.inf
        return must, _Pulls(farther, others.argmin(axis=1), w)

    def _state_at(self, problem: Problem, V: NDArray, labels: NDArray, **progress: Any) -> LloydState:
        d = distances_to(problem, V)
        must, cannot = self._broken(problem, d, labels)
        terms = {
            "distances": inertia(d, labels, problem.weights),
            "must-links": must.price(d),
            "cannot-links": cannot.price(d),
        }
        return LloydState(centers=V, labels=labels, objective=sum(terms.values()), terms=terms, **progress)

    def believe(self, X: NDArray, state: LloydState) -> Hard:
        return state.nearest(X)


@dataclass(frozen=True, eq=False)
class _Pulls:
    """Samples that broken links pull to clusters, and how strongly."""

    samples: NDArray
    clusters: NDArray
    weights: NDArray

    def price(self, d: NDArray) -> float:
        return float(self.weights @ d[self.samples, self.clusters])


def _for_must_link(
    cost_a: list[float], cost_b: list[float], away_a: list[float], away_b: list[float], a: int, b: int, weight: float
) -> tuple[int, int]:
    """The clusters of two must-linked samples in clusters `a` and `b`: as they are, both in `a`, or both in `b`."""
    as_is = cost_a[a] + cost_b[b] + weight * (away_a[b] + away_b[a]) / 2
    in_a, in_b = cost_a[a] + cost_b[a], cost_a[b] + cost_b[b]
    if as_is < min(in_a, in_b):
        return a, b
    return (a, a) if in_a <= in_b else (b, b)


def _next_nearest(away: list[float], own: int) -> int:
    return min((c for c in range(len(away)) if c != own), key=away.__getitem__)
