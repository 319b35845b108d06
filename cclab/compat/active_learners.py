"""Active learners by the other library's names and calls: ``fit(X, oracle=oracle)``, then `pairwise_constraints_`."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from cclab import algorithms, queries
from cclab.algorithms.plain.whole_fit import FittedState
from cclab.compat.clusterers import PCKMeans
from cclab.compat.example_oracle import MaximumQueriesExceeded
from cclab.core import ConstraintSet, Problem, State
from cclab.core.problem import drawn_seed
from cclab.queries.base import Strategy

Pair = tuple[int, int]


class Oracle(Protocol):
    """Whoever answers; it raises `MaximumQueriesExceeded` when it has had enough."""

    def query(self, i: int, j: int) -> bool:
        """Whether two samples belong together."""


class _Learner:
    """Asks what one of cclab's strategies proposes, until the oracle has had enough or nothing is left to ask.

    Attributes
    ----------
    pairwise_constraints_ : two lists of pairs
        Must-links and cannot-links, with all that follow from the answers.
    constraints_ : ConstraintSet
        The answers alone.
    """

    def __init__(self, n_clusters: int = 3, **ignored: Any) -> None:
        self.n_clusters = n_clusters

    def _strategy(self) -> Strategy:
        raise NotImplementedError

    def _belief(self, problem: Problem) -> State:
        """The clusters that the strategy starts from."""
        return problem.derived("compat: start", lambda: algorithms.PlainKMeans(self.n_clusters).start(problem))

    def fit(self, X: ArrayLike, oracle: Oracle | None = None) -> Self:
        """Ask the oracle about the samples of `X` (n, p)."""
        if oracle is None:
            raise ValueError("an active learner needs someone to ask: fit(X, oracle=...) with a method query(i, j)")
        problem, strategy = Problem(X, seed=drawn_seed(None)), self._strategy()
        asked: set[tuple[int, ...]] = set()
        known = problem.constraints
        try:
            while True:
                told = problem.with_constraints(known)
                proposed = strategy.propose(told, self._belief(told), asked=frozenset(asked))
                if not proposed:
                    break
                i, j = proposed[0].samples
                together = oracle.query(i, j)
                known = known.with_must_link([[i, j]]) if together else known.with_cannot_link([[i, j]])
                asked.add((i, j))
        except MaximumQueriesExceeded:
            pass
        self.constraints_, self.pairwise_constraints_ = known, _all_pairs(known)
        return self


class ExploreConsolidate(_Learner):
    """`cclab.queries.FarthestFirst`: first meet every cluster, then place samples drawn at random."""

    def _strategy(self) -> Strategy:
        return queries.FarthestFirst()


class MinMax(_Learner):
    """`cclab.queries.MinMax`: first meet every cluster, then place the samples that are farthest from all known."""

    def _strategy(self) -> Strategy:
        return queries.MinMax()


class Random(_Learner):
    """`cclab.queries.Random`: pairs drawn at random."""

    def _strategy(self) -> Strategy:
        return queries.Random()


class NPU(_Learner):
    """`cclab.queries.NPUQueries`: the sample that is most uncertain for its price, until it is placed.

    Parameters
    ----------
    clusterer : object with ``fit(X, ml=pairs, cl=pairs)`` and `labels_`, optional
        Finds clusters anew after each answer; PCKMeans by default.
    """

    def __init__(self, clusterer: Any = None, **ignored: Any) -> None:
        super().__init__()
        self.clusterer = clusterer

    def _strategy(self) -> Strategy:
        return queries.NPUQueries()

    def _belief(self, problem: Problem) -> State:
        clusterer = PCKMeans() if self.clusterer is None else self.clusterer
        ml, cl = _all_pairs(problem.constraints)
        labels = np.asarray(clusterer.fit(problem.X, ml=ml, cl=cl).labels_)
        return FittedState(objective=0.0, labels=labels, n_clusters=int(labels.max()) + 1)


def _all_pairs(known: ConstraintSet) -> tuple[list[Pair], list[Pair]]:
    """All must-links and cannot-links that follow from the answers."""
    component = known.must_components
    met = np.flatnonzero(known.constrained)
    members = {c: met[component[met] == c].tolist() for c in np.unique(component[met]).tolist()}
    p = known.pairs.rows(~known.pairs.must)
    apart = {(min(a, b), max(a, b)) for a, b in zip(component[p.i].tolist(), component[p.j].tolist())}
    must = [pair for group in members.values() for pair in combinations(group, 2)]
    return must, [pair for a, b in sorted(apart) for pair in product(members[a], members[b])]
