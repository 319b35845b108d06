"""Ask about the samples where the most overlapped cluster meets the others [1]_.

Notes
-----
The overlap of two clusters is printed as a ratio of two equal sums (Eq. 12). Here it is ``sum min^2 / sum min``, the
mean of the smaller membership weighted by itself, over the samples of the two clusters. Eqs. 13 and 14 leave out the
cluster itself. What was asked before is remembered, and the number of questions counts questions, two for each sample.

References
----------
.. [1] A. A. Abin, H. Beigy, Active constrained fuzzy clustering: a multiple kernels learning approach, Pattern
   Recognition 48(3), 2015, Section 4.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cclab.core import Partition, Problem, State
from cclab.core.beliefs.numbering import page_numbers
from cclab.queries.base import Asked, Query, Settled, Strategy


class OverlapQueries(Strategy):
    """Finds the cluster that overlaps most with others; asks about the samples torn between it and each of them.

    Each such sample is compared with the surest member of either cluster. Outliers are not asked about.
    """

    title = "Overlap"

    @classmethod
    def suits(cls, partition: Partition) -> bool:
        return hasattr(partition, "memberships") and partition.n_clusters > 1

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        if not hasattr(state.partition, "memberships"):
            raise ValueError(
                f"{self.title} asks about beliefs with memberships (fuzzy ones), not about a {state.partition.kind} "
                "one; choose another strategy or solver"
            )
        U = state.partition.memberships
        # F_c of [1]_: the clusters without outliers; -1 for these.
        crisp = np.where(state.partition.outliers(), -1, state.partition.labels())
        overlap = cluster_overlaps(U, crisp)
        settled = Settled(problem.constraints, asked)
        done = {sample for pair in asked for sample in pair}
        found: dict[tuple[int, ...], Query] = {}
        # Where the most overlapped cluster has too few open questions left, the next one is asked about.
        for m in np.argsort(-overlap.sum(axis=1), kind="stable"):
            others = [c for c in np.argsort(-overlap[m], kind="stable") if c != m and (crisp == c).any()]
            if not others or not (crisp == m).any():
                continue
            open_ = {c: _questions(U, crisp, m, c, settled, done, page_numbers(state.partition)) for c in others}
            for c, quota in zip(others, shared_out(n - len(found), overlap[m, others]), strict=True):
                _take(open_[c], quota, found)
            for c in others:
                _take(open_[c], n - len(found), found)
            if len(found) == n:
                break
        return tuple(sorted(found.values(), key=lambda query: -query.score))


def cluster_overlaps(U: NDArray, crisp: NDArray) -> NDArray:
    """(k, k) how much each two clusters overlap (Eq. 12 of [1]_, mended), 0 on the diagonal.

    Parameters
    ----------
    U : (n, k) array
        Memberships.
    crisp : (n,) int array
        The cluster of each sample, -1 for none.
    """
    k = U.shape[1]
    overlap = np.zeros((k, k))
    members = [np.flatnonzero(crisp == c) for c in range(k)]
    for c in range(k):
        for d in range(c):
            either = np.concatenate([members[c], members[d]])
            torn = np.minimum(U[either, c], U[either, d])
            if torn.any():
                overlap[c, d] = overlap[d, c] = (torn**2).sum() / torn.sum()
    return overlap


def shared_out(n: int, shares: NDArray) -> list[int]:
    """`n` in whole parts proportional to `shares` (Eq. 14 of [1]_), by largest remainder.

    >>> shared_out(5, np.array([0.3, 0.2, 0.1]))
    [2, 2, 1]
    """
    total = shares.sum()
    exact = n * (shares / total if total > 0 else np.full(len(shares), 1 / len(shares)))
    parts = np.floor(exact).astype(int)
    parts[np.argsort(parts - exact, kind="stable")[: n - parts.sum()]] += 1
    return parts.tolist()


def _questions(
    U: NDArray, crisp: NDArray, m: int, c: int, settled: Settled, done: set[int], names: NDArray
) -> Iterator[Query]:
    """Questions about the samples of two clusters, the most torn first, with the surest member of either."""
    inside = np.flatnonzero((crisp == m) | (crisp == c))
    sure = [int(inside[np.argmax(np.where(crisp[inside] == k, U[inside, k], -1))]) for k in (m, c)]
    torn = np.minimum(U[inside, m], U[inside, c])
    for place in np.argsort(-torn, kind="stable"):
        a = int(inside[place])
        if a in done or a in sure:
            continue
        for k, x in zip((m, c), sure, strict=True):
            if not settled(a, x):
                torn_between = " and ".join(map(str, sorted(names[[m, c]])))
                reason = f"{a} is torn between clusters {torn_between}; {x} is the surest of cluster {names[k]}."
                yield Query.pair(a, x, reason, torn[place])


def _take(questions: Iterator[Query], count: int, found: dict[tuple[int, ...], Query]) -> None:
    """Move up to `count` questions that are not there yet into `found`."""
    wanted = len(found) + count
    while len(found) < wanted:
        query = next(questions, None)
        if query is None:
            return
        found.setdefault(query.samples, query)
