"""Masses of linked samples: a quadratic problem on simplices that is not convex.

Each sample has a separable cost ``sum_A w_A m_A^2``, and shares with its partners a cost ``m_i' U m_j`` (they belong
apart, against a must-link) or ``m_i' T m_j`` (they belong together, against a cannot-link).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cclab.core import Problem
from cclab.maths.focal_sets import FocalSets
from cclab.maths.linked_samples import LinkedSamples
from cclab.maths.simplex import simplex_minimum

# Sweeps end when the masses of a sample change by less than this, on average.
SETTLED = 1e-5
MAX_SWEEPS = 100
# Links come in at a small share of their weight, which grows by this factor every few sweeps.
GROWTH = 2.0
SWEEPS_A_STAGE = 3


class LinkPenalty:
    """What links, labels and neighbours cost, as a function of the masses of the samples they touch.

    Parameters
    ----------
    problem : Problem
    linked : LinkedSamples
        Its t samples.
    focal : FocalSets
        f sets.
    xi : float
        What all links and labels together cost when all are violated.
    unit : float
        What the affinity is multiplied by.
    relieved : bool
        Whether mass on the empty set violates no link (as printed in Eqs. 18 and 19), or all of them.
    """

    def __init__(
        self, problem: Problem, linked: LinkedSamples, focal: FocalSets, xi: float, unit: float, relieved: bool
    ) -> None:
        known = problem.constraints
        label_cost, self.forbidden = _label_costs(problem, linked.samples, focal)
        total = known.must.total + known.cannot.total + label_cost.max(axis=1, initial=0).sum()
        kappa = xi / total if total else 0.0
        self.label_cost = kappa * label_cost
        self.must, self.cannot = linked.must.times(kappa), linked.cannot.times(kappa)
        self.neighbours = linked.neighbours * unit
        self.pull = replace(self.must, pairs=self.must.pairs + self.neighbours)

        single, empty = focal.sizes == 1, focal.sizes == 0
        either_empty = np.add.outer(empty, empty)
        self.U = 1.0 - np.diag(single)
        self.T = focal.intersect.astype(float)
        if relieved:
            self.U[either_empty] = 0
        else:
            self.T[either_empty] = 1

        # A whole group is updated at once. The sum of its masses on a single cluster enters with a minus: concave,
        # so its tangent is a bound; "minus me" is each sample's own. Where mass on the empty set relieves, the sum
        # of that enters with a plus, and its curvature is at most the number of partners.
        self.curvature = np.outer(self.must.diagonal, single)
        if relieved:
            by_groups = replace(self.must, pairs=self.must.pairs * 0.0)
            self.curvature += np.outer(by_groups.degree, empty)
        self._classes = [
            (members, self.pull.at(members), self.cannot.at(members), self.curvature[members])
            for members in linked.classes
        ]

    @property
    def strength(self) -> NDArray:
        """(t,) what all ties of a sample weigh together."""
        return self.pull.degree + self.cannot.degree

    def sweep(self, w: NDArray, masses: NDArray, share: float = 1.0) -> None:
        """Minimise over each sample in turn, in place, with links at a `share` of their weight.

        The cost of `masses` never rises, and falls unless they are stationary.
        """
        for members, pull, push, curvature in self._classes:
            slope = share * self._slope(pull, push, masses)
            bend = share * curvature
            slope += self.label_cost[members] - bend * masses[members]
            masses[members] = simplex_minimum(w[members] + bend / 2, slope)

    def _slope(self, pull, push, masses: NDArray) -> NDArray:
        slope = pull.apply(masses) @ self.U
        if push:
            slope += push.apply(masses) @ self.T
        return slope

    def terms(self, masses: NDArray) -> dict[str, float]:
        """What the masses cost, by what is violated."""

        def half(partners: NDArray, form: NDArray) -> float:
            return float(np.vdot(masses, partners @ form)) / 2

        return {
            "must-links": half(self.must.apply(masses), self.U),
            "cannot-links": half(self.cannot.apply(masses), self.T),
            "labels": float(np.vdot(masses, self.label_cost)),
            "neighbours": half(self.neighbours @ masses, self.U),
        }


def settle(penalty: LinkPenalty, w: NDArray, before: NDArray | None) -> NDArray:
    """(t, f) masses at a local minimum of the cost; no higher than a descent from the masses `before` leads.

    Parameters
    ----------
    penalty : LinkPenalty
    w : (t, f) array
        The separable costs, above 0.
    before : (t, f) array or None
        Where the samples stood.
    """
    open_w = np.where(penalty.forbidden, np.inf, w)
    free = simplex_minimum(open_w, penalty.label_cost)
    strength = penalty.strength
    tied = strength > 0
    if not tied.any():
        return free
    found = []
    if before is not None:
        found.append(_descend(penalty, open_w, before.copy()))
    if before is None or penalty.must or penalty.cannot:
        share = 0.5 * np.median(2 * open_w[tied].min(axis=1) / strength[tied])
        found.append(_let_in(penalty, open_w, free, float(np.clip(share, 1e-6, 0.5))))

    def cost(masses: NDArray) -> float:
        return float(np.vdot(masses**2, w)) + sum(penalty.terms(masses).values())

    return min(found, key=cost)


def _let_in(penalty: LinkPenalty, w: NDArray, masses: NDArray, share: float) -> NDArray:
    """Follow the minimum from where links hardly count to where they count in full."""
    while share < 1:
        for _ in range(SWEEPS_A_STAGE):
            penalty.sweep(w, masses, share)
        share *= GROWTH
    return _descend(penalty, w, masses)


def _descend(penalty: LinkPenalty, w: NDArray, masses: NDArray) -> NDArray:
    for _ in range(MAX_SWEEPS):
        before = masses.copy()
        penalty.sweep(w, masses)
        if np.abs(masses - before).sum() <= SETTLED * len(masses):
            break
    return masses


def _label_costs(problem: Problem, samples: NDArray, focal: FocalSets) -> tuple[NDArray, NDArray]:
    """What labels say about the masses of `samples`.

    Returns
    -------
    cost : (t, f) array
        Weight of the label times how far a set is outside of what it allows; 0 where a label is certain.
    forbidden : (t, f) bool array
        Sets that a certain label rules out.
    """
    shape = len(samples), len(focal)
    cost, forbidden = np.zeros(shape), np.zeros(shape, dtype=bool)
    labelled, degrees, weight = problem.constraints.label_degrees(focal.n_clusters)
    if not len(labelled):
        return cost, forbidden
    possible = np.where(np.isnan(degrees), 1.0, degrees)
    # A set is as possible as the least possible of its clusters, "none of them" as possible as all are denied.
    allowed = np.where(focal.members, possible[:, None, :], 1.0).min(axis=2)
    allowed[:, focal.sizes == 0] = 1 - possible.max(axis=1, keepdims=True)
    ruled_out = (allowed == 0) & (weight == 1)[:, None]
    nowhere = np.flatnonzero(ruled_out.all(axis=1))
    if len(nowhere):
        raise ValueError(
            f"the label of sample {labelled[nowhere[0]]} leaves it no focal set; "
            "add a set inside its possible clusters to focal_sets, or choose 'auto'"
        )
    place = np.searchsorted(samples, labelled)
    forbidden[place] = ruled_out
    cost[place] = np.where(ruled_out, 0.0, weight[:, None] * (1 - allowed))
    return cost, forbidden
