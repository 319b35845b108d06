"""Ask about the samples that are most believed to lie between two clusters [1]_.

References
----------
.. [1] V. Antoine, B. Quost, M.-H. Masson, T. Denoeux, CECM: constrained evidential c-means algorithm,
   Computational Statistics and Data Analysis 56, 2012, Section 5.1.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.core import Credal, Partition, Problem, State
from cclab.core.beliefs.numbering import page_numbers
from cclab.queries.base import Asked, Query, Settled, Strategy


class PairMassQueries(Strategy):
    """Asks about the sample with the largest mass on two clusters together.

    Does it belong with the sample nearest to the centre of one of them: the one that has more of its mass alone, then
    the other?

    Needs a credal belief and centres.
    """

    title = "Mass between two clusters"

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        return isinstance(partition, Credal) and any(len(members) == 2 for members in partition.focal_sets)

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        belief, names = state.partition, page_numbers(state.partition)
        if not isinstance(belief, Credal) or not self.suits(belief) or state.centers is None:
            return ()
        pairs = np.flatnonzero([len(members) == 2 for members in belief.focal_sets])
        between = belief.masses[:, pairs]
        torn, best = between.max(axis=1), pairs[between.argmax(axis=1)]
        medoids = [_nearest_sample(problem, state, k) for k in range(belief.n_clusters)]
        settled = Settled(problem.constraints, asked)
        found: dict[tuple[int, ...], Query] = {}
        for i in np.argsort(-torn, kind="stable"):
            if len(found) == n or torn[i] == 0:
                break
            clusters = sorted(belief.focal_sets[best[i]], key=lambda k: -_mass_alone(belief, i, k))
            for k in clusters:
                j = medoids[k]
                if i != j and not settled(i, j):
                    either = " or ".join(map(str, sorted(names[list(clusters)])))
                    reason = f"{i} may be in cluster {either}; {j} is nearest to the centre of cluster {names[k]}."
                    query = Query.pair(i, j, reason, torn[i])
                    found.setdefault(query.samples, query)
                    break
        return tuple(found.values())


def _mass_alone(belief: Credal, sample: int, cluster: int) -> float:
    """The mass of a sample on one cluster alone."""
    return float(belief.masses[sample, belief.focal_sets.index((cluster,))]) if (cluster,) in belief.focal_sets else 0.0


def _nearest_sample(problem: Problem, state: State, cluster: int) -> int:
    """The sample nearest to a centre, in the cluster's own metric where it has one."""
    assert state.centers is not None
    away: NDArray = problem.X - state.centers[cluster]
    metrics = getattr(state, "metrics", None)
    mapped = away if metrics is None else away @ metrics[cluster]
    return int(np.argmin(np.einsum("ij,ij->i", mapped, away)))
