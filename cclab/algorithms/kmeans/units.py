"""Samples that must-links join into units, which units stay apart, and clusters for them that break no link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cclab.core import Conflict, ConstraintSet, Problem
from cclab.core.words import counted
from cclab.maths.colouring import NoColouring, cheap_colouring, smallest_uncolourable

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
    conflict : Conflict or None
        The contradiction, where there is one.
    """

    def __init__(
        self,
        message: str,
        samples: tuple[int, ...],
        ids: tuple[int, ...],
        exhausted: bool,
        conflict: Conflict | None = None,
    ) -> None:
        super().__init__(message)
        self.conflict = conflict
        self.samples = samples
        self.ids = ids
        self.exhausted = exhausted


def refuse_conflicts(known: ConstraintSet, n_clusters: int) -> None:
    """Raise InfeasibleConstraints where statements contradict each other."""
    for conflict in known.conflicts(n_clusters)[:1]:
        samples = conflict.chain or conflict.samples
        raise InfeasibleConstraints(str(conflict), samples, conflict.ids, True, conflict)


@dataclass(frozen=True, eq=False)
class Units:
    """Samples joined by must-links, and which of these units stay apart.

    Attributes
    ----------
    known : ConstraintSet
        The links, all of which hold.
    unit : (n,) int array
        The unit of each sample.
    first : (n_units,) int array
        A member of each unit.
    apart : (n_units, n_units) sparse array
        Not 0 where two units stay apart.
    """

    known: ConstraintSet
    unit: NDArray
    first: NDArray
    apart: sparse.csr_array

    @classmethod
    def of(cls, known: ConstraintSet) -> Units:
        """The units that these must-links make."""
        unit = known.must_components
        _, first = np.unique(unit, return_index=True)
        cannot = known.cannot
        t = len(cannot.samples)
        members = sparse.csr_array((np.ones(t), (unit[cannot.samples], np.arange(t))), shape=(len(first), t))
        apart = members @ cannot.pairs @ members.T
        if cannot.blocks.shape[0]:
            blocks = cannot.blocks @ members.T
            apart = apart + blocks.T @ cannot.coupling @ blocks
        return cls(known, unit, first, sparse.csr_array(apart))

    def __len__(self) -> int:
        return len(self.first)

    @property
    def linked(self) -> bool:
        """Whether there is any link at all."""
        return len(self) < len(self.unit) or self.apart.nnz > 0

    def members(self, weights: NDArray) -> sparse.csr_array:
        """(n_units, n) the weights of the samples in each unit."""
        n = len(self.unit)
        return sparse.csr_array((weights, (self.unit, np.arange(n))), shape=(len(self), n))

    def means(self, problem: Problem) -> tuple[Any, NDArray]:
        """(n_units, p) the mean of each unit, and (n_units,) its weight; a unit of weight 0 has its plain mean."""
        members = self.members(problem.weights)
        weight = np.asarray(members.sum(axis=1)).ravel()
        if not weight.all():
            some = problem.weights + (weight[self.unit] == 0)
            members = self.members(some)
        share = sparse.diags_array(1 / np.asarray(members.sum(axis=1)).ravel())
        return share @ members @ problem.X, weight

    @cached_property
    def edges(self) -> tuple[NDArray, NDArray]:
        """Two units that stay apart, each two once."""
        apart = sparse.triu(self.apart, 1).tocoo()
        return apart.row, apart.col

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

    def assign(self, costs: NDArray, before: NDArray | None, max_tries: int) -> NDArray:
        """(n_units,) a cheap cluster for each unit, no two that stay apart in the same.

        Each set of units that cannot-links connect keeps the clusters that it had where no cheaper ones are found.

        Parameters
        ----------
        costs : (n_units, k) array
        before : (n_units,) int array or None
            Clusters of the step before, which may break links that are new.
        max_tries : int
            How many dead ends the search may meet.
        """
        clusters = costs.argmin(axis=1)
        a, b = self.edges
        # The nearest centres can't be improved on where they keep all units of a set apart.
        clashing = np.unique(self._set_of[a[clusters[a] == clusters[b]]])
        broken = frozenset(() if before is None else self._set_of[a[before[a] == before[b]]].tolist())
        for place in clashing.tolist():
            nodes, neighbours = self.entangled[place]
            kept = None if before is None or place in broken else before[nodes]
            clusters[nodes] = self._assign_set(nodes, neighbours, costs[nodes], kept, max_tries)
        return clusters

    @cached_property
    def _set_of(self) -> NDArray[np.int64]:
        """(n_units,) the place of each unit's set in `entangled`, -1 where it is in none."""
        place = np.full(len(self), -1)
        for number, (nodes, _) in enumerate(self.entangled):
            place[nodes] = number
        return place

    def _assign_set(
        self, nodes: NDArray, neighbours: list[list[int]], costs: NDArray, kept: NDArray | None, max_tries: int
    ) -> NDArray:
        try:
            found = cheap_colouring(neighbours, costs, max_tries)
        except NoColouring as none:
            if kept is not None:
                return kept
            raise self._infeasible(nodes, neighbours, none, costs.shape[1], max_tries) from None
        everyone = np.arange(len(nodes))
        if kept is not None and costs[everyone, kept].sum() <= costs[everyone, found].sum():
            return kept
        return found

    def holds(self, clusters: NDArray) -> bool:
        """Whether no two units that stay apart are in the same cluster."""
        a, b = self.edges
        return not np.any(clusters[a] == clusters[b])

    # ------------------------------------------------------------------ where there is no answer

    def _infeasible(
        self, nodes: NDArray, neighbours: list[list[int]], none: NoColouring, n_clusters: int, max_tries: int
    ) -> InfeasibleConstraints:
        stuck = none.nodes
        if none.exhausted and len(stuck) <= EXPLAIN_UP_TO:
            stuck = smallest_uncolourable(neighbours, stuck, n_clusters, max_tries)
        i, j, ids = self._links_between(nodes[stuck])
        samples = tuple(sorted({*i.tolist(), *j.tolist()}))
        clusters = counted(n_clusters, "cluster")
        links = _some([f"{a} | {b}" for a, b in zip(i.tolist(), j.tolist())])
        if none.exhausted:
            message = (
                f"no way to place samples {_some(samples)} in {clusters} keeps them apart as stated "
                f"({links}): the search tried all ways; ask for more clusters or forget some of these links"
            )
        else:
            message = (
                f"gave up placing samples {_some(samples)} in {clusters} after "
                f"{counted(max_tries, 'dead end')}; whether they can be kept apart as stated ({links}) is "
                "not known: raise max_tries, ask for more clusters, or forget some links"
            )
        return InfeasibleConstraints(message, samples, tuple(np.unique(ids).tolist()), none.exhausted)

    def _links_between(self, units: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """The cannot-links ``(i, j, id)`` between these units; a separation gives one for each two."""
        known, inside = self.known, np.isin(self.unit, units)
        pairs = known.pairs.rows(~known.pairs.must & inside[known.pairs.i] & inside[known.pairs.j])
        found = [np.stack([pairs.i, pairs.j, pairs.id])]
        for a, b, id_ in zip(known.separations.a, known.separations.b, known.separations.id):
            left, right = (s[inside[s]] for s in (known.blocks.row(a)[0], known.blocks.row(b)[0]))
            left, right = (s[np.unique(self.unit[s], return_index=True)[1]] for s in (left, right))
            i, j = np.repeat(left, len(right)), np.tile(right, len(left))
            found.append(np.stack([i, j, np.full(len(i), id_)]))
        return tuple(np.concatenate(found, axis=1))


def _some(items: Sequence[Any]) -> str:
    return ", ".join(map(str, items[:8])) + (", ..." if len(items) > 8 else "")
