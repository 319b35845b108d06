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

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from cclab.core import Problem, State
from cclab.core.parameters import real, whole
from cclab.queries.base import Asked, Query, Settled, Strategy

# Candidates are looked at so many at a time, the best first.
CHUNK = 1024


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

    def __init__(self, n_neighbors=10, threshold=None):
        self.n_neighbors = n_neighbors
        self.threshold = threshold

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        k = min(self.n_neighbors, problem.n_samples - 1)
        if k < 1:
            return ()
        threshold = k / 2 if self.threshold is None else self.threshold
        edges = problem.derived(("ASC candidates", k, threshold), lambda: candidates(problem.X, k, threshold))
        settled = Settled(problem.constraints, asked)
        found: list[Query] = []
        for start in range(0, len(edges.i), CHUNK):
            rows = np.arange(start, min(start + CHUNK, len(edges.i)))
            for r in rows[~settled.pairs(edges.i[rows], edges.j[rows])][: n - len(found)]:
                reason = f"Neighbours, but with only {edges.shared[r]} of {k} neighbours in common: is there a border?"
                found.append(Query.pair(edges.i[r], edges.j[r], reason, edges.score[r]))
            if len(found) == n:
                break
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs that are worth asking about, the best first: (m,) arrays."""

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
    order = np.argsort(-score, kind="stable")
    return Candidates(i[order], j[order], w[order].astype(np.int64), score[order])
