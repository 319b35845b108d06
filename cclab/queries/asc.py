"""Ask about neighbours that have few neighbours in common: where clusters meet [1]_ [2]_.

Notation
--------
========  ========================  =====================================================================
paper     here                      meaning
========  ========================  =====================================================================
k         ``n_neighbors``           neighbours of a sample
w         ``shared``                number of common neighbours (Eq. 6)
LDS       ``density``               mean of w over a sample's neighbours
ASC       ``score``                 ability of a pair to separate clusters (Eq. 7)
theta     ``threshold``             pairs with w below it are candidates (Eq. 8)
========  ========================  =====================================================================

References
----------
.. [1] V.-V. Vu, N. Labroche, B. Bouchon-Meunier, Boosting clustering by active constraint selection, ECAI 2010.
.. [2] N. Novoselova, I. Tom, Fuzzy semi-supervised clustering with active constraint selection, 2017. Equations are
   numbered as in [2]_.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from cclab.core import ConstraintSet, Problem, State
from cclab.core.parameters import real, whole
from cclab.queries.base import Asked, Query, Strategy
from cclab.queries.consequences import Consequences


class ASCQueries(Strategy):
    """Asks about neighbours that share few neighbours: a border between clusters may run between them.

    Looks at the data and the answers alone, so it suits every solver.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours each sample has in the graph (k).
    threshold : float or None
        Pairs with fewer neighbours in common are candidates (theta); None: half of `n_neighbors`.

    Notes
    -----
    Candidates are edges of the neighbour graph. What follows from the answers by transitive closure is not asked; the
    "strong paths" of [1]_ are not used: where clusters overlap they join all samples and leave nothing to ask.
    """

    title = "Border between neighbours"
    parameters = {"n_neighbors": whole(2), "threshold": real(0, or_none=True)}

    def __init__(self, n_neighbors: int = 10, threshold: float | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.threshold = threshold

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        k = min(self.n_neighbors, problem.n_samples - 1)
        if k < 1:
            return ()
        threshold = k / 2 if self.threshold is None else self.threshold
        edges = problem.derived(("ASC candidates", k, threshold), lambda: candidates(problem.X, k, threshold))
        # One queue is kept for the next proposal. A thread takes it out while it works, another one makes its own.
        kept = problem.derived(("ASC queues", k, threshold), dict)
        queue = kept.pop("latest", None)
        if queue is None or not queue.up_to(problem.constraints, asked):
            queue = Queue(edges, problem.constraints, asked)
        chosen = queue.best(n)
        kept["latest"] = queue
        columns = (column[chosen].tolist() for column in (edges.i, edges.j, edges.shared, edges.score))
        return tuple(
            Query.pair(
                i, j, f"Neighbours, but with only {shared} of {k} neighbours in common: is there a border?", score
            )
            for i, j, shared, score in zip(*columns)
        )


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs that are worth asking about: (m,) arrays."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    shared: NDArray[np.int64]
    score: NDArray[np.float64]


def candidates(X: NDArray, k: int, threshold: float) -> Candidates:
    """The edges of the k-neighbour graph whose ends have fewer than `threshold` neighbours in common.

    Parameters
    ----------
    X : (n, p) array or sparse matrix
    k : int
    threshold : float
    """
    graph = sparse.csr_array(NearestNeighbors(n_neighbors=k).fit(X).kneighbors_graph())
    shared = sparse.csr_array(graph @ graph.T)  # Eq. 6 for all pairs
    density = (graph * shared).sum(axis=1) / k
    i, j = sparse.triu(graph + graph.T, 1).nonzero()  # each edge once, whichever end it comes from
    w = np.asarray(shared[i, j]).ravel()
    chosen = w < threshold  # Eq. 8
    i, j, w = i[chosen], j[chosen], w[chosen]
    score = (k - w + 1 / (1 + np.minimum(density[i], density[j]))) / (k + 1)  # Eq. 7
    return Candidates(i, j, w.astype(np.int64), score)


class Queue:
    """Candidates that nothing settles, the best on top of a heap.

    What is settled stays settled while knowledge grows, so a candidate is looked at when it comes to the top, and
    dropped for good if it has been answered, directly or not.
    """

    def __init__(self, edges: Candidates, known: ConstraintSet, asked: Asked) -> None:
        self._edges = edges
        self._heap = list(zip((-edges.score).tolist(), range(len(edges.score))))
        heapify(self._heap)
        self._known, self._asked = known, asked
        self._consequences = Consequences.of(known)

    def up_to(self, known: ConstraintSet, asked: Asked) -> bool:
        """Take in what was answered since; False if something was taken back, or stated by other means than pairs."""
        m = len(self._known.pairs)
        grown = self._asked <= asked and all(
            np.array_equal(getattr(known.pairs, name)[:m], getattr(self._known.pairs, name))
            for name in ("i", "j", "must")
        )
        same = all(getattr(known, name) is getattr(self._known, name) for name in ("groups", "separations", "labels"))
        if grown and same:
            self._consequences.hear(known.pairs.rows(np.arange(m, len(known.pairs))))
            self._known, self._asked = known, asked
        return grown and same

    def best(self, n: int) -> list[int]:
        """The rows of the `n` best candidates; they stay in the queue."""
        found: list[tuple[float, int]] = []
        while self._heap and len(found) < n:
            entry = heappop(self._heap)
            ends = int(self._edges.i[entry[1]]), int(self._edges.j[entry[1]])
            if ends not in self._asked and not self._consequences.settle(*ends):
                found.append(entry)
        for entry in found:
            heappush(self._heap, entry)
        return [row for _, row in found]
