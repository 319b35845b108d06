"""Units go to clusters as cheaply as links allow, exactly: an integer programme, and only for what links contest.

Most units are best off at the nearest centre, links or not. Of the others only a few centres come into question, and a
cannot-link between two that have none of these in common can't matter. What is left falls into small sets of units that
links connect; those in which the nearest centres break no link are solved, the others are handed to HiGHS at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import connected_components


class NoAssignment(Exception):
    """No clusters that keep all hard links were found.

    Attributes
    ----------
    proved : bool
        Whether there are none, or none were found within the number of nodes.
    """

    def __init__(self, proved: bool) -> None:
        super().__init__("there is no assignment" if proved else "no assignment found")
        self.proved = proved


@dataclass(frozen=True, eq=False)
class Edges:
    """Links between units, each pair of units once.

    Attributes
    ----------
    a, b : (e,) int arrays
    price : (e,) float array
        What it costs to break the link; infinite where it must hold.
    must : (e,) bool array
    """

    a: NDArray
    b: NDArray
    price: NDArray
    must: NDArray

    def __len__(self) -> int:
        return len(self.a)

    def at(self, rows: NDArray) -> Edges:
        """Some of the links."""
        return Edges(self.a[rows], self.b[rows], self.price[rows], self.must[rows])

    def broken(self, clusters: NDArray) -> NDArray[np.bool_]:
        """(e,) which links the clusters of the units break."""
        return (clusters[self.a] == clusters[self.b]) != self.must


def assign(
    costs: NDArray, edges: Edges, n_near: int, before: NDArray | None, max_nodes: int
) -> tuple[NDArray[np.int64], int]:
    """The cheapest clusters of units, links counted in, and how many units the programme had to decide on.

    Parameters
    ----------
    costs : (n_units, k) array
    edges : Edges
    n_near : int
        How many centres come into question for a unit, the nearest ones; more where these are too few.
    before : (n_units,) int array or None
        Clusters that come into question too, those of the step before.
    max_nodes : int
        How many nodes the search tree may have.

    Raises
    ------
    NoAssignment
    """
    k = costs.shape[1]
    clusters = costs.argmin(axis=1)
    while True:
        options = _options(costs, n_near, before)
        relevant = edges.at(_can_matter(edges, options))
        contested = _contested(relevant, clusters, len(costs))
        if not len(contested):
            return clusters, 0
        try:
            clusters[contested] = _solve(costs, options, relevant, contested, max_nodes)
        except NoAssignment as none:
            if n_near >= k or not none.proved:
                raise
            n_near = min(2 * n_near, k)
            continue
        return clusters, len(contested)


def _options(costs: NDArray, n_near: int, before: NDArray | None) -> NDArray[np.bool_]:
    """(n_units, k) which centres come into question."""
    u, k = costs.shape
    if n_near >= k:
        return np.ones((u, k), dtype=bool)
    options = np.zeros((u, k), dtype=bool)
    np.put_along_axis(options, np.argpartition(costs, n_near - 1, axis=1)[:, :n_near], True, axis=1)
    if before is not None:
        options[np.arange(u), before] = True
    return options


def _can_matter(edges: Edges, options: NDArray) -> NDArray[np.bool_]:
    """(e,) the links between units with a centre in common; a must-link without one is broken anyway."""
    return (options[edges.a] & options[edges.b]).any(axis=1)


def _contested(edges: Edges, clusters: NDArray, n_units: int) -> NDArray[np.int64]:
    """The units of each connected set in which these clusters break a link."""
    graph = sparse.coo_array((np.ones(len(edges)), (edges.a, edges.b)), shape=(n_units, n_units))
    n_sets, member_of = connected_components(graph, directed=False)
    open_ = np.zeros(n_sets, dtype=bool)
    open_[member_of[edges.a[edges.broken(clusters)]]] = True
    return np.flatnonzero(open_[member_of])


def _solve(costs: NDArray, options: NDArray, edges: Edges, units: NDArray, max_nodes: int) -> NDArray[np.int64]:
    """(m,) clusters of the contested units."""
    place = np.full(len(costs), -1)
    place[units] = np.arange(len(units))
    edges = edges.at(place[edges.a] >= 0)
    a, b = place[edges.a], place[edges.b]
    unit, cluster = np.nonzero(options[units])
    m, x = len(units), len(unit)
    column = np.full((m, costs.shape[1]), -1)
    column[unit, cluster] = np.arange(x)
    soft = np.flatnonzero(np.isfinite(edges.price))
    slack = np.full(len(edges), -1)
    slack[soft] = x + np.arange(len(soft))

    # What a unit costs beyond its nearest centre, so that the objective has no large constant in it.
    beyond = costs[units[unit], cluster] - costs[units].min(axis=1)[unit]
    price = np.concatenate([beyond, edges.price[soft]])
    one_each = sparse.csr_array((np.ones(x), (unit, np.arange(x))), shape=(m, len(price)))
    rows, limit = _link_rows(column, a, b, edges.must, slack, len(price))
    scale = beyond.max(initial=0.0) or 1.0
    found = milp(
        price / scale,
        integrality=np.r_[np.ones(x), np.zeros(len(soft))],
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(one_each, 1, 1), LinearConstraint(rows, -np.inf, limit)],
        options={"node_limit": max_nodes, "mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise NoAssignment(proved=found.status == 2)
    chosen = np.flatnonzero(found.x[:x] > 0.5)
    clusters = np.empty(m, dtype=np.int64)
    clusters[unit[chosen]] = cluster[chosen]
    return clusters


def _link_rows(
    column: NDArray, a: NDArray, b: NDArray, must: NDArray, slack: NDArray, n_columns: int
) -> tuple[sparse.csr_array, NDArray]:
    """One row for each link and each cluster in which it may be broken.

    Cannot-link: ``x_ac + x_bc - y <= 1``. Must-link: ``x_ac - x_bc - y <= 0``, which said of all clusters of the one
    unit holds for those of the other too. Where the link must hold there is no y.
    """
    in_a, in_b = column[a] >= 0, column[b] >= 0
    edge, cluster = np.nonzero(np.where(must[:, None], in_a, in_a & in_b))
    r, sign = np.arange(len(edge)), np.where(must[edge], -1.0, 1.0)
    own, other = column[a[edge], cluster], column[b[edge], cluster]
    entries = [
        (r, own, np.ones(len(r))),
        (r[other >= 0], other[other >= 0], sign[other >= 0]),
        (r[slack[edge] >= 0], slack[edge][slack[edge] >= 0], -np.ones(int((slack[edge] >= 0).sum()))),
    ]
    row, col, value = (np.concatenate(part) for part in zip(*entries))
    rows = sparse.csr_array((value, (row, col)), shape=(len(r), n_columns))
    return rows, np.where(must[edge], 0.0, 1.0)
