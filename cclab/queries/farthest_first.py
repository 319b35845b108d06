"""Explore and consolidate: first meet every cluster, then place further samples [1]_.

References
----------
.. [1] S. Basu, A. Banerjee, R. J. Mooney, Active semi-supervision for pairwise constrained clustering, SDM 2004.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin_min

from cclab.core import Problem, State
from cclab.queries.base import Asked, Query, Settled, Strategy, draw_rng


class FarthestFirst(Strategy):
    """Goes to the sample farthest from all that were asked about, until every cluster has been met.

    Then it asks where samples drawn at random belong.

    A sample is compared with one of each known group, the nearest group first, until it is placed. Looks at the data
    and the answers; of the belief it takes the number of clusters only.
    """

    title = "Farthest first"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        settled = Settled(problem.constraints, asked)
        rng = draw_rng(problem, state, asked)
        met = samples_met(problem, asked)
        # Where nothing is known a sample drawn at random is the first group.
        groups = groups_apart(met, settled) if len(met) else [rng.integers(problem.n_samples, size=1)]
        exploring = len(groups) < max(state.partition.n_clusters, 2)
        been = np.union1d(met, groups[0])
        new = farthest(problem.X, been) if exploring else self._consolidate(problem.X, been, rng)
        found: dict[tuple[int, ...], Query] = {}
        for i in chain(met.tolist(), new):
            if len(found) == n:
                break
            query = self._place(problem.X, i, groups, settled, exploring)
            if query is not None:
                found.setdefault(query.samples, query)
        return tuple(found.values())

    def _consolidate(self, X: NDArray, been: NDArray, rng: np.random.Generator) -> Iterator[int]:
        """Which samples to place once every cluster has been met."""
        yield from np.setdiff1d(rng.permutation(X.shape[0]), been, assume_unique=True).tolist()

    def _why(self, exploring: bool) -> str:
        return "far from all that was asked about" if exploring else "drawn at random"

    def _place(self, X: NDArray, i: int, groups: list[NDArray], settled: Settled, exploring: bool) -> Query | None:
        """Ask whether sample `i` belongs to the nearest group of which that isn't known; None if it is placed."""
        if any(settled.component[i] == settled.component[group[0]] for group in groups):
            return None
        closed = settled.with_sample(i)
        open_ones = [group[~closed[group]] for group in groups if not settled.apart(i)[group[0]]]
        candidates = np.concatenate([np.empty(0, dtype=np.int64), *open_ones])
        candidates = candidates[candidates != i]
        if not len(candidates):
            return None
        which, away = pairwise_distances_argmin_min(X[[i]], X[candidates])
        j = int(candidates[which[0]])
        reason = f"{i} is {self._why(exploring)}; {j} is the nearest sample of a group that it may belong to."
        return Query.pair(i, j, reason, away[0])


def farthest(X: NDArray, been: NDArray) -> Iterator[int]:
    """Samples by farthest-first traversal: each as far as can be from the nearest of all before it.

    Parameters
    ----------
    X : (n, p) array or sparse matrix
    been : (t,) int array
        Where the traversal has been before.

    Examples
    --------
    >>> list(farthest(np.array([[0.0], [1.0], [5.0], [9.0]]), np.array([0])))
    [3, 2, 1]
    """
    _, away = pairwise_distances_argmin_min(X, X[been])
    away[been] = -1
    for _ in range(X.shape[0] - len(been)):
        i = int(np.argmax(away))
        yield i
        away = np.minimum(away, pairwise_distances_argmin_min(X, X[[i]])[1])
        away[i] = -1


def samples_met(problem: Problem, asked: Asked) -> NDArray[np.int64]:
    """The samples that answers or questions are about."""
    met = np.array(problem.constraints.constrained)
    met[[sample for samples in asked for sample in samples]] = True
    return np.flatnonzero(met)


def groups_apart(met: NDArray, settled: Settled) -> list[NDArray[np.int64]]:
    """Groups of samples that belong together, each surely apart from all others; the larger ones first."""
    _, place, sizes = np.unique(settled.component[met], return_inverse=True, return_counts=True)
    groups: list[NDArray[np.int64]] = []
    for c in np.argsort(-sizes, kind="stable"):
        members = met[place == c]
        apart = settled.apart(members[0])
        if all(apart[group[0]] for group in groups):
            groups.append(members)
    return groups
