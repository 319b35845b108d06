"""Ask where the sample belongs that is hardest to place, for the fewest questions [1]_.

Notation
--------
======  ================  ======================================================================
paper   here              meaning
======  ================  ======================================================================
N_i     ``groups``        neighbourhoods: samples that belong together, surely apart from others
S       ``leaves``        similarity: the share of a forest's trees in which two samples fall together
p(x)    ``p``             probability of belonging to each neighbourhood (Eq. 2)
H       ``entropy``       uncertainty of a sample (Eq. 4)
E[q]    ``questions``     how many questions placing it will take (Eq. 6)
======  ================  ======================================================================

References
----------
.. [1] S. Xiong, J. Azimi, X. Z. Fern, Active learning of constraints for semi-supervised clustering, IEEE Transactions
   on Knowledge and Data Engineering 26(1), 2014.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.ensemble import RandomForestClassifier

from cclab.core import Problem, State
from cclab.core.parameters import whole
from cclab.queries.base import Asked, Query, Settled, Strategy, draw_rng
from cclab.queries.farthest_first import groups_apart, samples_met


class NPUQueries(Strategy):
    """Takes the sample that is most uncertain for the questions that placing it will cost, and asks until it is placed.

    It is compared with one sample of each group that is known by now, the most likely group first. How likely follows
    from a random forest that has learned the present clusters. Any belief will do: it takes labels alone.

    Parameters
    ----------
    n_trees : int
        Trees of the forest that tells how similar samples are.

    Notes
    -----
    With one group, all samples are equally certain; then the one least similar to it is asked about.
    """

    title = "Uncertain for its price (NPU)"
    parameters = {"n_trees": whole(1)}

    def __init__(self, n_trees: int = 50) -> None:
        self.n_trees = n_trees

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        self.check_parameters()
        settled = Settled(problem.constraints, asked)
        met = samples_met(problem, asked)
        first = draw_rng(problem, state, asked).integers(problem.n_samples, size=1)
        groups = groups_apart(met, settled) if len(met) else [first]
        similarity = mean_similarities(self._leaves(problem, state.partition.labels()), groups)
        p, score = uncertainty_for_its_price(similarity)
        # Samples that were asked about are placed before others are begun with.
        begun = np.isin(np.arange(problem.n_samples), met)
        found: dict[tuple[int, ...], Query] = {}
        for i in np.lexsort((similarity.max(axis=1), -score, ~begun)).tolist():
            if len(found) == n:
                break
            query = _placing(i, p[i], score[i], groups, settled)
            if query is not None:
                found.setdefault(query.samples, query)
        return tuple(found.values())

    def _leaves(self, problem: Problem, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n, n_trees) the leaf of each sample in each tree; kept while the clusters are the same."""
        kept = problem.derived(("NPU forest", self.n_trees), lambda: [None])
        latest = kept[0]
        if latest is None or not np.array_equal(latest[0], labels):
            forest = RandomForestClassifier(self.n_trees, random_state=problem.seed).fit(problem.X, labels)
            latest = kept[0] = labels, forest.apply(problem.X)
        return latest[1]


def mean_similarities(leaves: NDArray[np.int64], groups: list[NDArray[np.int64]]) -> NDArray:
    """(n, g) the mean similarity of each sample to the members of each group: the inner sum of Eq. 2 of [1]_.

    >>> mean_similarities(np.array([[1, 1], [1, 2], [2, 2]]), [np.array([0]), np.array([1, 2])])
    array([[1.  , 0.25],
           [0.5 , 0.75],
           [0.  , 0.75]])
    """
    n, n_trees = leaves.shape
    shares = np.zeros((n, len(groups)))
    for tree in leaves.T:
        for g, members in enumerate(groups):
            shares[:, g] += np.bincount(tree[members], minlength=int(tree.max()) + 1)[tree] / len(members)
    return shares / n_trees


def uncertainty_for_its_price(similarity: NDArray) -> tuple[NDArray, NDArray]:
    """(n, g) the probabilities of Eq. 2 of [1]_, and (n,) the entropy over the expected number of questions (Eq. 7).

    >>> uncertainty_for_its_price(np.array([[0.5, 0.5], [1.0, 0.0]]))[1].round(3)
    array([0.667, 0.   ])
    """
    total = similarity.sum(axis=1, keepdims=True)
    p = np.where(total > 0, similarity / np.where(total > 0, total, 1), 1 / similarity.shape[1])
    entropy = -xlogy(p, p).sum(axis=1) / np.log(2)
    questions = -np.sort(-p, axis=1) @ np.arange(1, p.shape[1] + 1)
    return p, np.maximum(entropy, 0) / questions


def _placing(i: int, p: NDArray, score: float, groups: list[NDArray[np.int64]], settled: Settled) -> Query | None:
    """Ask whether sample `i` belongs to the likeliest group of which that isn't known; None if it is placed."""
    if any(settled.component[i] == settled.component[group[0]] for group in groups):
        return None
    closed = settled.with_sample(i)
    for g in np.argsort(-p, kind="stable"):
        members = groups[g][~closed[groups[g]] & (groups[g] != i)]
        if len(members) and not settled.apart(i)[groups[g][0]]:
            others = f", of {len(groups)} groups the likeliest that is left" if len(groups) > 1 else ""
            reason = f"{i} is uncertain for the few questions that it costs; {members[0]} stands for a group{others}."
            return Query.pair(i, members[0], reason, score)
    return None
