"""Noise clustering: fuzzy c-means with one cluster more, which is as far from every sample [1]_.

Notation
--------
=====  ====================  ==================================================================
paper  here                  meaning
=====  ====================  ==================================================================
v_i    ``V``                 centre of cluster i
u_ik   ``masses``            membership of sample k in cluster i; in the noise cluster: first
m      ``fuzzifier``         above 1; towards 1 the result is hard
δ      ``noise_distance``    how far every sample is from the noise cluster, over the spread
=====  ====================  ==================================================================

References
----------
.. [1] R. N. Davé, Characterization and detection of noise in clustering, Pattern Recognition Letters 12, 1991.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import CenterSolver, CenterState, Credal, Problem
from cclab.core.parameters import real
from cclab.core.sample_blocks import Block
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.seeding import initial_centers


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseState(CenterState):
    """Centres and the distance of the noise cluster; the masses follow from them.

    Attributes
    ----------
    fuzzifier : float
    noise : float
        Squared distance of all samples from the noise cluster, in the data's units.
    means : (k, p) array
        Where the centres go next.
    """

    fuzzifier: float
    noise: float
    means: NDArray = field(repr=False)

    def belief(self, block: Block) -> Credal:
        """Masses on "in none" and on each cluster."""
        masses = _masses(squared_distances(block.X, self.centers), self.noise, self.fuzzifier)
        return Credal(masses, [(), *((c,) for c in range(len(self.centers)))])


@dataclass(eq=False, repr=False, kw_only=True)
class NoiseClustering(CenterSolver):
    """Fuzzy c-means in which samples far from all centres belong to none, and pull none of them.

    Parameters
    ----------
    fuzzifier : float
        How soft the memberships are (m): near 1 almost hard, 2 is usual.
    noise_distance : float
        From which distance on a sample is rather noise than in a cluster (δ), over the spread of the samples.

    Notes
    -----
    The belief is credal: the membership in the noise cluster is the mass on "in none", so that outliers are told as
    `ECM` tells them. It is `ECM` with single clusters and the empty set alone. The distance stays the same in a run;
    the paper also lets it follow the mean distance of the samples from the centres, and then nothing is minimised.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [100.0]])
    >>> NoiseClustering(2, noise_distance=0.1, init=[[0], [5]]).fit(X).partition_.outliers().tolist()
    [False, False, False, False, True]
    """

    uses = frozenset({"sample_weight"})
    accepts_chunks = True
    # Masses are the best for the centres, and the next centres the best for these masses.
    descends = True
    parameters = {"fuzzifier": real(1, open_low=True), "noise_distance": real(0, open_low=True)}

    fuzzifier: float = 2.0
    noise_distance: float = 0.7

    def start(self, problem: Problem, restart: int = 0) -> NoiseState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, restart=restart)

    def step(self, problem: Problem, state: NoiseState) -> NoiseState:
        V = state.means
        return self._state_at(problem, V, **state.progress_to(V, problem.spread))

    def believe(self, X: NDArray, state: NoiseState) -> Credal:
        return state.belief(Block(0, X))

    def _state_at(self, problem: Problem, V: NDArray, **progress: Any) -> NoiseState:
        """The state with centres `V`: one pass over the samples gives the objective and the next centres."""
        m = self.fuzzifier
        noise = (self.noise_distance * problem.spread) ** 2

        def part(block: Block) -> tuple[NDArray, NDArray, float, float]:
            d = squared_distances(block.X, V, block.norms)
            a = raised(_masses(d, noise, m), m) * block.weights[:, None]
            return a[:, 1:].T @ block.X, a[:, 1:].sum(axis=0), np.vdot(a[:, 1:], d), noise * a[:, 0].sum()

        sums, totals, clusters, nowhere = problem.total(part)
        means = means_from(sums, totals, V)
        return NoiseState(
            centers=V,
            objective=clusters + nowhere,
            terms={"clusters": clusters, "noise": nowhere},
            X=problem.X,
            fuzzifier=m,
            noise=noise,
            means=means,
            **progress,
        )


def _masses(distances: NDArray, noise: float, fuzzifier: float) -> NDArray:
    """(n, 1 + k) masses on the noise cluster and on the others."""
    return fuzzy_memberships(np.column_stack([np.full(len(distances), noise), distances]), fuzzifier)
