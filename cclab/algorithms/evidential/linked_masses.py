"""Masses of linked samples: a quadratic problem on simplices that is not convex.

Each sample has a separable cost ``sum_A w_A m_A^2``, and shares with its partners a cost ``m_i' U m_j`` (they belong
apart, against a must-link) or ``m_i' T m_j`` (they belong together, against a cannot-link).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.evidential.linked_samples import LinkedSamples, Ties
from cclab.core import Problem
from cclab.maths.focal_sets import FocalSets
from cclab.maths.neighbour_masses import settle_neighbours
from cclab.maths.simplex import simplex_minimum

# Sweeps end when the masses of a sample change by less than this, on average; no one needs it finer.
SETTLED = 1e-5
MAX_SWEEPS = 100
# Links come in at a small share of their weight, which grows by this factor every few sweeps.
GROWTH = 4.0
SWEEPS_A_STAGE = 2


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
        self.linked = linked
        self.kappa = xi / total if total else 0.0
        self.unit = unit
        self.label_cost = self.kappa * label_cost
        self.relieved = relieved

        self.single, self.empty = focal.sizes == 1, focal.sizes == 0
        either_empty = np.add.outer(self.empty, self.empty)
        self.U = 1.0 - np.diag(self.single)
        self.T = focal.intersect.astype(float)
        if relieved:
            self.U[either_empty] = 0
        else:
            self.T[either_empty] = 1

    @cached_property
    def curvature(self) -> NDArray:
        """(t, f) how a whole group bends the cost of its members, which are updated at once.

        The sum of its masses on a single cluster enters with a minus: concave, so its tangent is a bound; "minus me" is
        each sample's own. Where mass on the empty set relieves, the sum of that enters with a plus, and its curvature
        is at most the number of partners.
        """
        must = self.linked.ties.must
        bend = np.outer(must.diagonal, self.single)
        if self.relieved:
            bend += np.outer(must.block_degree, self.empty)
        return self.kappa * bend

    @property
    def strength(self) -> NDArray:
        """(t,) what all ties of a sample weigh together."""
        ties = self.linked.ties
        return self.kappa * (ties.must.degree + ties.cannot.degree) + self.unit * ties.neighbours.degree

    @property
    def only_neighbours(self) -> bool:
        """Whether nothing but neighbours and certain labels has a say: the case of pictures."""
        ties = self.linked.ties
        return not (self.relieved or ties.must or ties.cannot or self.label_cost.any())

    def sweep(self, w: NDArray, masses: NDArray, share: float = 1.0) -> None:
        """Minimise over each sample in turn, in place, with ties at a `share` of their weight.

        The cost of `masses` never rises, and falls unless they are stationary.
        """
        for members, ties in self.linked.classes:
            slope = share * self._slope(ties, masses)
            slope += self.label_cost[members]
            bent = w[members]
            if ties.must.in_blocks:
                bend = share * self.curvature[members]
                slope -= bend * masses[members]
                bent = bent + bend / 2
            masses[members] = simplex_minimum(bent, slope)

    def _slope(self, ties: Ties, masses: NDArray) -> NDArray:
        """(r, f) how fast the cost of the ties grows with the masses of their r samples."""
        slope = np.zeros(())
        if ties.must:
            slope = slope + self.kappa * (ties.must.apply(masses) @ self.U)
        if ties.cannot:
            slope = slope + self.kappa * (ties.cannot.apply(masses) @ self.T)
        if ties.neighbours:
            slope = slope + self.unit * (ties.neighbours.apply(masses) @ self.U)
        return slope

    def terms(self, masses: NDArray) -> dict[str, float]:
        """What the masses cost, by what is violated: an entry for each kind of knowledge that there is."""
        ties, found = self.linked.ties, {}
        for name, links, form, weight in (
            ("must-links", ties.must, self.U, self.kappa),
            ("cannot-links", ties.cannot, self.T, self.kappa),
            ("neighbours", ties.neighbours, self.U, self.unit),
        ):
            if links:
                found[name] = weight * float(np.vdot(masses, links.apply(masses) @ form)) / 2
        if self.label_cost.any():
            found["labels"] = float(np.vdot(masses, self.label_cost))
        return found


def settle(penalty: LinkPenalty, w: NDArray, before: NDArray | None, settled: float = SETTLED) -> NDArray:
    """(t, f) masses at a local minimum of the cost; no higher than a descent from the masses `before` leads.

    Parameters
    ----------
    penalty : LinkPenalty
    w : (t, f) array
        The separable costs, above 0.
    before : (t, f) array or None
        Where the samples stood.
    settled : float
        Sweeps end when the masses of a sample change by less than this, on average.
    """
    open_w = np.where(penalty.forbidden, np.inf, w)
    if penalty.only_neighbours:
        classes = [(members, ties.neighbours.pairs) for members, ties in penalty.linked.classes]
        return settle_neighbours(open_w / penalty.unit, penalty.single, classes, before, settled)
    free = simplex_minimum(open_w, penalty.label_cost)
    strength = penalty.strength
    tied = strength > 0
    if not tied.any():
        return free
    found = []
    if before is not None:
        found.append(_descend(penalty, open_w, before.copy(), settled))
    if before is None or penalty.linked.ties.must or penalty.linked.ties.cannot:
        share = 0.5 * np.median(2 * open_w[tied].min(axis=1) / strength[tied])
        found.append(_let_in(penalty, open_w, free, float(np.clip(share, 1e-6, 0.5)), settled))

    def cost(masses: NDArray) -> float:
        return float(np.vdot(masses**2, w)) + sum(penalty.terms(masses).values())

    return min(found, key=cost)


def _let_in(penalty: LinkPenalty, w: NDArray, masses: NDArray, share: float, settled: float) -> NDArray:
    """Follow the minimum from where links hardly count to where they count in full."""
    while share < 1:
        for _ in range(SWEEPS_A_STAGE):
            penalty.sweep(w, masses, share)
        share *= GROWTH
    return _descend(penalty, w, masses, settled)


def _descend(penalty: LinkPenalty, w: NDArray, masses: NDArray, settled: float) -> NDArray:
    for _ in range(MAX_SWEEPS):
        before = masses.copy()
        penalty.sweep(w, masses)
        if np.abs(masses - before).sum() <= settled * len(masses):
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
