"""Constrained evidential c-means (CECM) [1]_.

Notation
--------
=========  ====================  =========================================================================
paper      here                  meaning
=========  ====================  =========================================================================
M, C       ``must``, ``cannot``  pairs of samples that belong together, or apart
xi         ``xi``                how much the constraints count against the geometry
pl(not θ)  ``m_i' U m_j``        plausibility that two samples belong to different clusters (Eq. 19)
pl(θ)      ``m_i' T m_j``        plausibility that two samples belong to the same cluster (Eq. 18)
(others)                         as in `cclab.algorithms.evidential.ecm`
=========  ====================  =========================================================================

References
----------
.. [1] V. Antoine, B. Quost, M.-H. Masson, T. Denoeux, CECM: constrained evidential c-means algorithm,
   Computational Statistics and Data Analysis 56, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.evidential.ecm import ECM, ECMState
from cclab.algorithms.evidential.free_masses import costs_of
from cclab.algorithms.evidential.linked_masses import SETTLED, LinkPenalty, settle
from cclab.algorithms.evidential.linked_samples import LinkedSamples
from cclab.algorithms.evidential.set_geometry import SetGeometry
from cclab.core import Problem
from cclab.core.parameters import choice, real
from cclab.maths.seeding import seeded_centers
from cclab.maths.simplex import simplex_minimum


@dataclass(eq=False, repr=False, kw_only=True)
class CECM(ECM):
    """Constrained evidential c-means: must-links and cannot-links shape the belief about sets of clusters.

    Links act on the masses of the samples they name, and through those on the centres and metrics, which carry the
    news to all other samples.

    Parameters
    ----------
    xi : float
        How much the constraints count against the geometry (xi), from 0 to below 1. The result depends little on it.
    variant : {"cclab", "paper"}
        "paper" is the printed objective: mass on the empty set escapes all links, and `xi` depends on the units of
        the data. In "cclab" such mass counts as a violation, and squared distances are divided by the mean
        variance of a feature.

    Notes
    -----
    The masses of linked samples solve a quadratic problem that is not convex (Section 3.3 treats it as if it were).
    It is solved by exact updates of one sample after another, a colour class of the links at a time; all members of
    a group at once, on a bound that touches the objective. The links are let in gradually, which finds far better
    minima than a plain descent; a descent from the masses before is kept where it ends lower. So no step raises
    the objective.

    The result may depend on the order of the samples, even from the same centres: among linked samples with equally
    many partners the order decides whose turn it is first, and another turn may lead to another minimum.

    A label that is certain confines the mass to sets within the possible clusters; one that is not, or that states
    degrees between 0 and 1, costs its weight times the mass that lies outside. A label that denies all clusters
    asks for the empty set.

    `affinity` is part of the geometry: a tie of weight a costs, against the squared distances, a times the
    plausibility that its ends belong apart. It is in the squared units of the data.
    """

    uses = frozenset({"must", "cannot", "labels", "weights", "sample_weight", "affinity"})
    # As in ECM; the masses of linked samples cost no more than a descent from those before, which never climbs.
    descends = True
    ancestor = "ECM"
    parameters = {
        "xi": real(0, 1, open_high=True),
        "variant": choice("cclab", "paper"),
    }

    beta: float = field(default=2.0, init=False)  # The objective must be quadratic in the masses.
    xi: float = 0.5
    variant: str = "cclab"

    def rebase(self, old_problem: Problem, new_problem: Problem, state: ECMState) -> ECMState:
        """The same centres, with the masses that the new knowledge asks for.

        Shapes are found anew: those that have settled hold on to what they grew from, and the news hardly moves them.
        """
        return self._state_at(
            new_problem,
            self._geometry(new_problem, state.geometry.focal, state.centers),
            state.rho2,
            previous=state,
            **state.progress,
        )

    def _first_centers(self, problem: Problem, restart: int) -> NDArray:
        """Where there are labels, at their means: labels name clusters by number, which k-means would mix up."""
        if len(problem.constraints.labels):
            return seeded_centers(problem, self.n_clusters, self.init, restart)
        return super()._first_centers(problem, restart)

    def _unit(self, problem: Problem, geometry: SetGeometry) -> float:
        """What squared distances are multiplied by in the objective (Eqs. 14 and 21)."""
        unit = (1 - self.xi) * super()._unit(problem, geometry)
        return unit if self.variant == "paper" else unit * problem.n_features / problem.spread**2

    def _linked(
        self, problem: Problem, geometry: SetGeometry, rho2: float, previous: ECMState | None
    ) -> tuple[NDArray, NDArray, dict[str, float]]:
        linked = LinkedSamples.of(problem)
        rows = linked.samples
        if not len(rows):
            return super()._linked(problem, geometry, rho2, previous)
        unit = self._unit(problem, geometry)
        penalty = LinkPenalty(problem, linked, geometry.focal, self.xi, unit, relieved=self.variant == "paper")
        costs = costs_of(problem.X[rows], geometry, rho2)
        w = np.maximum(unit * problem.weights[rows, None] * costs, np.finfo(float).tiny)
        before = None if previous is None else _carried_over(previous, rows, w)
        masses = settle(penalty, w, before, max(SETTLED, self.tol / 100))
        return rows, masses, penalty.terms(masses)


def _carried_over(previous: ECMState, rows: NDArray, w: NDArray) -> NDArray:
    """(t, f) the masses that linked samples had; those newly linked start from what the geometry says."""
    if np.array_equal(previous.linked, rows):
        return previous.linked_masses
    masses = simplex_minimum(w, np.zeros_like(w))
    _, old, new = np.intersect1d(previous.linked, rows, return_indices=True)
    masses[new] = previous.linked_masses[old]
    return masses
