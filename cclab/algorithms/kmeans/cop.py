"""COP-KMeans: k-means that breaks no link [1]_, with the closure of the links and a search that backtracks.

Notation
--------
=======  ===============  ==========================================================
paper    here             meaning
=======  ===============  ==========================================================
C_i      ``V``            centre of cluster i
d_i      ``X[i]``         sample i
Con_=    ``unit``         samples joined by must-links form one unit
Con_≠    ``apart``        graph of the cannot-links between units
=======  ===============  ==========================================================

References
----------
.. [1] K. Wagstaff, C. Cardie, S. Rogers, S. Schroedl, Constrained k-means clustering with background
   knowledge, ICML 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cclab.core import ConstraintSet, Hard, Problem, WeightedSolver, center_shift
from cclab.core.closure import must_components
from cclab.core.parameters import whole
from cclab.maths.colouring import NoColouring, cheap_colouring, smallest_uncolourable
from cclab.maths.distances import squared_distances
from cclab.maths.knowledge import of_constraints
from cclab.maths.lloyd import LloydState, cluster_means, distances_to, inertia
from cclab.maths.seeding import initial_centers

# Looking for the fewest samples that explain a failure costs one search a unit.
EXPLAIN_UP_TO = 200


class InfeasibleConstraints(ValueError):
    """Links that no answer respects, or none that the search could find.

    Attributes
    ----------
    samples : tuple of int
        The samples involved.
    ids : tuple of int
        The statements involved.
    exhausted : bool
        True where it is certain that there is no answer, False where the search gave up.
    """

    def __init__(self, message: str, samples: tuple[int, ...], ids: tuple[int, ...], exhausted: bool) -> None:
        super().__init__(message)
        self.samples = samples
        self.ids = ids
        self.exhausted = exhausted


class COPKMeans(WeightedSolver):
    """K-means in which every must-link and every cannot-link holds, however little it is weighted.

    Parameters
    ----------
    max_tries : int
        How many dead ends the search for an assignment may meet before it gives up.

    Raises
    ------
    InfeasibleConstraints
        A ValueError that names the statements which can't all hold, or the samples on which the search
        gave up.

    Notes
    -----
    Samples joined by must-links move as one *unit*, whose cost in a cluster is the sum of its members'
    weighted squared distances: the transitive closure comes for nothing. The greedy assignment of [1]_ fails
    as soon as a sample has no cluster left; here a complete search backtracks, most constrained unit first,
    so it fails only where there is no answer (or, since that question is NP-complete, after `max_tries` dead
    ends). A greedy answer may be dearer than the one before, so each set of units that cannot-links connect
    keeps its previous clusters where those are cheaper: the objective never rises.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> labels = COPKMeans(2).fit(X, must_link=[[0, 2]], cannot_link=[[0, 1], [2, 3]]).labels_
    >>> labels[0] == labels[2] != labels[1] == labels[3]
    np.True_
    >>> COPKMeans(2).fit(X, cannot_link=[[0, 1], [1, 2], [0, 2]])
    Traceback (most recent call last):
    cclab.algorithms.cop_kmeans.InfeasibleConstraints: 3 samples must all stay apart (0, 1, 2), ...
    """

    uses = frozenset({"must", "cannot", "sample_weight"})
    accepts_sparse = True
    descends = True
    ancestor = "SeededKMeans"
    parameters = {"max_tries": whole(1)}

    def __init__(
        self,
        n_clusters=3,
        *,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        max_tries=10_000,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.max_tries = max_tries

    def check(self, problem: Problem) -> None:
        super().check(problem)
        self._refuse_conflicts(problem.constraints)

    def start(self, problem: Problem, restart: int = 0) -> LloydState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, previous=None, restart=restart)

    def step(self, problem: Problem, state: LloydState) -> LloydState:
        V = cluster_means(problem.X, state.labels, problem.weights, state.centers)
        return self._state_at(
            problem,
            V,
            previous=state.labels,
            restart=state.restart,
            iteration=state.iteration + 1,
            shift=center_shift(state.centers, V, problem.spread),
        )

    def _state_at(self, problem: Problem, V: NDArray, previous: NDArray | None, **progress) -> LloydState:
        d = distances_to(problem, V)
        labels = self._assign(problem, d, previous)
        return LloydState(centers=V, labels=labels, objective=inertia(d, labels, problem.weights), **progress)

    def _assign(self, problem: Problem, distances: NDArray, previous: NDArray | None) -> NDArray:
        """(n,) a cluster for each sample, each unit in one, no two units that stay apart in the same."""
        units = of_constraints(problem, "units", self._units)
        n, u = problem.n_samples, len(units.first)
        members = sparse.csr_array((problem.weights, (units.unit, np.arange(n))), shape=(u, n))
        costs = members @ distances
        clusters = costs.argmin(axis=1)
        before = None if previous is None else previous[units.first]
        for nodes, neighbours in units.entangled:
            kept = None if before is None else before[nodes]
            clusters[nodes] = self._assign_entangled(problem, units, nodes, neighbours, costs[nodes], kept)
        return clusters[units.unit]

    def _assign_entangled(
        self,
        problem: Problem,
        units: Units,
        nodes: NDArray,
        neighbours: list[list[int]],
        costs: NDArray,
        kept: NDArray | None,
    ) -> NDArray:
        """Clusters for units that cannot-links connect: what the search finds, or what was if cheaper."""
        usable = kept is not None and _is_proper(neighbours, kept)
        try:
            found = cheap_colouring(neighbours, costs, self.max_tries)
        except NoColouring as none:
            if usable:
                return kept
            raise self._infeasible(problem.constraints, units, nodes, neighbours, none) from None
        everyone = np.arange(len(nodes))
        if usable and costs[everyone, kept].sum() <= costs[everyone, found].sum():
            return kept
        return found

    # ------------------------------------------------------------------ where there is no answer

    def _units(self, known: ConstraintSet) -> Units:
        self._refuse_conflicts(known)
        return Units.of(known)

    def _refuse_conflicts(self, known: ConstraintSet) -> None:
        for conflict in known.conflicts(self.n_clusters, limit=1):
            samples = conflict.chain or conflict.samples
            raise InfeasibleConstraints(str(conflict), samples, conflict.ids, exhausted=True)

    def _infeasible(
        self,
        known: ConstraintSet,
        units: Units,
        nodes: NDArray,
        neighbours: list[list[int]],
        none: NoColouring,
    ) -> InfeasibleConstraints:
        stuck = none.nodes
        if none.exhausted and len(stuck) <= EXPLAIN_UP_TO:
            stuck = smallest_uncolourable(neighbours, stuck, self.n_clusters, self.max_tries)
        i, j, ids = units.links_between(known, nodes[stuck])
        samples = tuple(sorted({*i.tolist(), *j.tolist()}))
        clusters = _count(self.n_clusters, "cluster")
        links = _some([f"{a} | {b}" for a, b in zip(i.tolist(), j.tolist())])
        if none.exhausted:
            message = (
                f"no way to place samples {_some(samples)} in {clusters} keeps them apart as stated "
                f"({links}): the search tried all ways; ask for more clusters or forget some of these links"
            )
        else:
            message = (
                f"gave up placing samples {_some(samples)} in {clusters} after "
                f"{_count(self.max_tries, 'dead end')}; whether they can be kept apart as stated ({links}) is "
                "not known: raise max_tries, ask for more clusters, or forget some links"
            )
        return InfeasibleConstraints(message, samples, tuple(np.unique(ids).tolist()), none.exhausted)

    def believe(self, X: NDArray, state: LloydState) -> Hard:
        return Hard(squared_distances(X, state.centers).argmin(axis=1), len(state.centers))


@dataclass(frozen=True, eq=False)
class Units:
    """Samples joined by must-links, and which of these units stay apart.

    Attributes
    ----------
    unit : (n,) int array
        The unit of each sample.
    first : (n_units,) int array
        A member of each unit.
    apart : (n_units, n_units) sparse array
        Not 0 where two units stay apart.
    """

    unit: NDArray
    first: NDArray
    apart: sparse.csr_array

    @classmethod
    def of(cls, known: ConstraintSet) -> Units:
        unit = must_components(known)
        _, first = np.unique(unit, return_index=True)
        cannot = known.cannot
        t = len(cannot.samples)
        members = sparse.csr_array((np.ones(t), (unit[cannot.samples], np.arange(t))), shape=(len(first), t))
        blocks = cannot.blocks @ members.T
        return cls(unit, first, members @ cannot.pairs @ members.T + blocks.T @ cannot.coupling @ blocks)

    @cached_property
    def entangled(self) -> list[tuple[NDArray, list[list[int]]]]:
        """Each set of units that cannot-links connect: its units, and the neighbours of each within it."""
        linked = np.flatnonzero(np.diff(self.apart.indptr))
        graph = self.apart[linked][:, linked]
        n_sets, member_of = connected_components(graph, directed=False)
        order = np.argsort(member_of, kind="stable")
        graph = sparse.csr_array(graph[order][:, order])
        ends = np.concatenate([[0], np.cumsum(np.bincount(member_of, minlength=n_sets))])
        sets = []
        for start, stop in pairwise(ends):
            rows = graph.indptr[start : stop + 1]
            places = (graph.indices[rows[0] : rows[-1]] - start).tolist()
            bounds = (rows - rows[0]).tolist()
            sets.append((linked[order[start:stop]], [places[a:b] for a, b in pairwise(bounds)]))
        return sets

    def links_between(self, known: ConstraintSet, units: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """The cannot-links ``(i, j, id)`` between these units; a separation gives one for each two."""
        inside = np.isin(self.unit, units)
        pairs = known.pairs.rows(~known.pairs.must & inside[known.pairs.i] & inside[known.pairs.j])
        found = [np.stack([pairs.i, pairs.j, pairs.id])]
        for a, b, id_ in zip(known.separations.a, known.separations.b, known.separations.id):
            left, right = (s[inside[s]] for s in (known.blocks.row(a)[0], known.blocks.row(b)[0]))
            left, right = (s[np.unique(self.unit[s], return_index=True)[1]] for s in (left, right))
            i, j = np.repeat(left, len(right)), np.tile(right, len(left))
            found.append(np.stack([i, j, np.full(len(i), id_)]))
        return tuple(np.concatenate(found, axis=1))


def _is_proper(neighbours: list[list[int]], clusters: NDArray) -> bool:
    """Whether no two neighbours are in the same cluster."""
    node = np.repeat(np.arange(len(neighbours)), [len(v) for v in neighbours])
    return not np.any(clusters[node] == clusters[np.concatenate(neighbours).astype(int)])


def _some(items) -> str:
    return ", ".join(map(str, items[:8])) + (", ..." if len(items) > 8 else "")


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
