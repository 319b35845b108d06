"""PCCC: k-means with an exact assignment under links that hold, and links that are believed with some confidence [1]_.

Notation
--------
==========  =====================  =========================================================
paper       here                   meaning
==========  =====================  =========================================================
c_l         ``V``                  centre of cluster l
x_il        ``clusters``           whether unit i is in cluster l
ML, CL      links of weight 1      hold in every answer; must-linked samples form one unit
SML, SCL    links of less weight   may be broken at a price
w_ij        ``weight``             confidence in a link
P           ``penalty``            price of a broken link of confidence 1
q           ``n_near``             how many of the nearest centres come into question
==========  =====================  =========================================================

References
----------
.. [1] P. Baumann, D. S. Hochbaum, An algorithm for clustering with confidence-based must-link and cannot-link
   constraints, INFORMS Journal on Computing 2024; first as arXiv:2212.14437, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cclab.algorithms.kmeans.link_program import Edges, NoAssignment, assign
from cclab.algorithms.kmeans.units import Units, refuse_conflicts
from cclab.core import CenterSolver, ConstraintSet, Gauge, Hard, Problem
from cclab.core.parameters import real, whole
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.linked_pairs import LinkedPairs
from cclab.maths.lloyd import LloydState, cluster_means, distances_to, inertia
from cclab.maths.seeding import initial_centers

# Dead ends that the search for an explanation may meet.
EXPLAIN_TRIES = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramState(LloydState):
    """Centres, clusters, and how much of the assignment had to be searched for.

    Attributes
    ----------
    contested : int
        Units that the integer programme decided on; the others are at the nearest centre.
    broken : int
        Pairs of units with a link of less than certain weight that is broken.
    """

    contested: int = 0
    broken: int = 0

    def gauges(self) -> tuple[Gauge, ...]:
        """How much was contested, and how much of it was given up."""
        return (Gauge("Links", ("units decided by them", "links broken"), (float(self.contested), float(self.broken))),)


@dataclass(eq=False, repr=False, kw_only=True)
class PCCC(CenterSolver):
    """K-means in which certain links hold, others are weighed against distances, and each assignment is the best one.

    A link of weight 1 is certain and holds; one of less weight is believed with that confidence, and may be broken.

    Parameters
    ----------
    penalty : float
        What breaking a link of confidence 1 would cost, over the mean squared distance of the samples from their mean.
    n_near : int
        How many of the nearest centres come into question for a sample with links; more where these do not suffice.
    max_nodes : int
        How many nodes the search of one step may have; if they don't suffice, the best answer so far is taken.

    Raises
    ------
    InfeasibleConstraints
        A ValueError that names the statements which can't all hold.

    Notes
    -----
    With sums over broken links of less than certain weight::

        J = sum_i w_i |x_i - v_{l_i}|^2 + penalty * spread^2 * (sum over broken links of weight)

    A step moves the centres to the means of their samples; then samples that must-links of weight 1 join move as
    units, and the assignment that makes J least is found by an integer programme (HiGHS). It is as large as links
    are in dispute: units whose nearest centres break no link are there already, and cannot-links between units that
    have no near centre in common are left out. Exact among the `n_near` nearest centres and the one of the step
    before, so that J never rises. Unlike [1]_, clusters may be empty, P is a share of the spread and not of the mean
    distance from the centres (which would change with every step), and centres are not placed anew where links break.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> known = ConstraintSet(4).with_cannot_link([[2, 3]]).with_must_link([[0, 3]], weight=0.2)
    >>> labels = PCCC(2, random_state=0).fit(X, constraints=known).labels_
    >>> labels[0] == labels[1] == labels[2] != labels[3]
    np.True_
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    accepts_sparse = True
    # The clusters of the step before are among those that are searched, and means are the best for the clusters.
    descends = True
    ancestor: ClassVar[str | None] = "SeededKMeans"
    parameters = {"penalty": real(0), "n_near": whole(1), "max_nodes": whole(1)}

    n_init: int = 10
    penalty: float = 1.0
    n_near: int = 5
    max_nodes: int = 1000

    def check(self, problem: Problem) -> None:
        super().check(problem)
        refuse_conflicts(_certain(problem.constraints), self.n_clusters)

    def start(self, problem: Problem, restart: int = 0) -> ProgramState:
        V = initial_centers(problem, self.n_clusters, self.init, restart)
        return self._state_at(problem, V, previous=None, restart=restart)

    def step(self, problem: Problem, state: Any) -> ProgramState:
        V = cluster_means(problem.X, state.labels, problem.weights, state.centers)
        return self._state_at(problem, V, previous=state.labels, **state.progress_to(V, problem.spread))

    def _state_at(self, problem: Problem, V: NDArray, previous: NDArray | None, **progress: Any) -> ProgramState:
        links, d = self._links(problem), distances_to(problem, V)
        units, price = links.units, self.penalty * problem.spread**2
        before = None if previous is None else previous[units.first]
        members = of_constraints(problem, "members of certain units", lambda known: units.members(problem.weights))
        clusters, contested = self._assign(links, price, members @ d, before)
        labels = clusters[units.unit]
        lost = links.soft.broken(clusters)
        terms = {
            "distances": inertia(d, labels, problem.weights),
            "must-links": price * float(links.soft.price[lost & links.soft.must].sum()),
            "cannot-links": price * (float(links.soft.price[lost & ~links.soft.must].sum()) + links.hopeless),
        }
        return ProgramState(
            centers=V,
            labels=labels,
            objective=sum(terms.values()),
            terms=terms,
            contested=contested,
            broken=int(lost.sum()),
            **progress,
        )

    def _assign(
        self, links: _UnitLinks, price: float, costs: NDArray, before: NDArray | None
    ) -> tuple[NDArray[np.int64], int]:
        """(n_units,) the cheapest clusters, or those before where the search found none that are as cheap."""
        if before is not None and not links.units.holds(before):
            before = None
        edges = links.edges(price)
        try:
            found, contested = assign(costs, edges, self.n_near, before, self.max_nodes)
        except NoAssignment:
            # Where there is none at all this names the links; else it finds clusters that keep what must hold.
            found, contested = links.units.assign(costs, before, EXPLAIN_TRIES), len(costs)

        def total(clusters: NDArray) -> float:
            soft = links.soft.price[links.soft.broken(clusters)].sum()
            return float(costs[np.arange(len(costs)), clusters].sum() + price * soft)

        if before is not None and total(before) <= total(found):
            return before, contested
        return found, contested

    def _links(self, problem: Problem) -> _UnitLinks:
        def derive(known: ConstraintSet) -> _UnitLinks:
            refuse_conflicts(_certain(known), self.n_clusters)
            return _UnitLinks.of(known)

        return of_constraints(problem, "unit links", derive)

    def believe(self, X: NDArray, state: LloydState) -> Hard:
        return state.nearest(X)


@dataclass(frozen=True, eq=False)
class _UnitLinks:
    """Links between units: the certain ones, and those that are believed with some confidence.

    Attributes
    ----------
    units : Units
    soft : Edges
        Prices are confidences, those of several links between the same units added up.
    hopeless : float
        Confidence in cannot-links within units, which are broken whatever happens.
    """

    units: Units
    soft: Edges
    hopeless: float

    @classmethod
    def of(cls, known: ConstraintSet) -> _UnitLinks:
        units = Units.of(_certain(known))
        pairs = LinkedPairs.of(known.rows(~_is_certain(known)))
        a, b = units.unit[pairs.i], units.unit[pairs.j]
        inside = a == b
        hopeless = float(pairs.weight[inside & ~pairs.must].sum())
        low, high = np.minimum(a, b)[~inside], np.maximum(a, b)[~inside]
        # What speaks for a must-link and what speaks for a cannot-link between the same units: both count.
        keys, which = np.unique(np.stack([pairs.must[~inside], low, high]), axis=1, return_inverse=True)
        confidence = np.bincount(which.ravel(), pairs.weight[~inside], minlength=keys.shape[1])
        return cls(units, Edges(keys[1], keys[2], confidence, keys[0].astype(bool)), hopeless)

    def edges(self, price: float) -> Edges:
        """All links between units, with what it costs to break each."""
        a, b = self.units.edges
        n_hard = len(a)
        return Edges(
            np.concatenate([a, self.soft.a]),
            np.concatenate([b, self.soft.b]),
            np.concatenate([np.full(n_hard, np.inf), price * self.soft.price]),
            np.concatenate([np.zeros(n_hard, dtype=bool), self.soft.must]),
        )


def _is_certain(known: ConstraintSet) -> NDArray[np.bool_]:
    return np.concatenate([table.weight for table in known.tables]) >= 1


def _certain(known: ConstraintSet) -> ConstraintSet:
    """The statements of weight 1."""
    return known.rows(_is_certain(known))
