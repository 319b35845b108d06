"""How far each sample is torn between clusters, whatever the belief."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import Partition, Problem, State
from cclab.maths.distances import squared_distances
from cclab.queries.base import Asked, draw_rng

#: Of more samples than this, so many drawn at random are looked at for a question, and those that are known.
LOOKED_AT = 2048


class LookedAt:
    """The samples among which questions are looked for, and how torn they are: arrays have a row for each of them.

    A question must not cost more than a step of the solver, and among some thousand samples there is one to ask that is
    nearly as good as any. Another time others are drawn.

    Attributes
    ----------
    samples : (m,) int array
        Which they are, in rising order.
    degrees : (m, k) array
    doubt : (m,) array
        See `degrees_and_doubt`.
    likeliest : (m, 2) int array
        See `two_likeliest`.
    """

    def __init__(self, problem: Problem, state: State, wanted: int, asked: Asked) -> None:
        partition = state.partition
        self.samples = np.arange(problem.n_samples)
        if problem.n_samples > (most := max(LOOKED_AT, 16 * wanted)):
            self.samples = _drawn(problem, most, draw_rng(problem, state, asked))
            partition = partition.restrict(self.samples)
        self.degrees, self.doubt = degrees_and_doubt(problem, partition, self.samples)
        self.likeliest = two_likeliest(self.degrees)

    def most_doubtful(self, some: int) -> Iterator[int]:
        """Rows from the most doubtful on; all of them are sorted only when `some` were not enough."""
        first = smallest(-self.doubt, some)
        yield from first.tolist()
        if len(first) < len(self.doubt):
            yield from np.argsort(-self.doubt, kind="stable")[len(first) :].tolist()

    def surer_half(self, cluster: int) -> NDArray[np.int64]:
        """The rows of a cluster about which there is least doubt."""
        members = np.flatnonzero(self.likeliest[:, 0] == cluster)
        return np.sort(members[smallest(self.doubt[members], (len(members) + 1) // 2)])


def _drawn(problem: Problem, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """About `most` samples at random, and at most as many of those that something is known of."""
    drawn = np.zeros(problem.n_samples, dtype=bool)
    drawn[rng.integers(problem.n_samples, size=most)] = True
    known = np.flatnonzero(problem.constraints.constrained)
    drawn[known if len(known) <= most else rng.choice(known, most, replace=False)] = True
    return np.flatnonzero(drawn)


def degrees_and_doubt(
    problem: Problem, partition: Partition, samples: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(m, k) how much each sample is of each cluster, rows add up to one; and (m,) how torn it is, from 0 to 1.

    `partition` is what is believed of these samples. A hard belief has no doubts of its own: there, a sample is torn
    that is nearly as far from the mean of another cluster as from the mean of its own.
    """
    if partition.kind != "hard":
        degrees = np.asarray(partition.degrees, dtype=float)
        if partition.kind not in ("fuzzy", "credal"):  # of those, rows add up to one already
            degrees = degrees / np.maximum(degrees.sum(axis=1, keepdims=True), 1e-12)
        return degrees, np.asarray(partition.ambiguity(), dtype=float)
    labels, k = partition.labels(), partition.n_clusters
    members = (labels[:, None] == np.arange(k)).astype(float)
    sizes = members.sum(axis=0)
    X = problem.X if len(samples) == problem.n_samples else problem.X[samples]
    means = np.asarray((X.T @ members).T) / np.maximum(sizes, 1)[:, None]
    away = squared_distances(X, means, problem.norms[samples])
    near = np.where(sizes > 0, 1 / np.maximum(away, 1e-12), 0)
    degrees = near / near.sum(axis=1, keepdims=True)
    if k < 2:
        return degrees, np.zeros(len(degrees))
    second, first = np.partition(degrees, k - 2, axis=1)[:, -2:].T
    return degrees, 1 - (first - second)


def two_likeliest(degrees: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n, 2) the two clusters that each sample is most of, the first before the second."""
    rows = np.arange(len(degrees))
    first = degrees.argmax(axis=1)
    if degrees.shape[1] < 2:
        return np.stack([first, first], axis=1)
    rest = degrees.copy()
    rest[rows, first] = -np.inf
    return np.stack([first, rest.argmax(axis=1)], axis=1)


def smallest(keys: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Where the `n` smallest keys are, in rising order, of equal ones the first: a stable sort without sorting all."""
    if n >= len(keys):
        return np.argsort(keys, kind="stable")
    if n < 1:
        return np.empty(0, dtype=np.int64)
    bound = np.partition(keys, n - 1)[n - 1]
    near = np.flatnonzero(keys <= bound)
    return near[np.argsort(keys[near], kind="stable")[:n]]


def nearest(X: Any, i: int, others: NDArray[np.int64]) -> int:
    """The one among `others` that is nearest to sample `i`."""
    one = X[[i]]
    away = squared_distances(X[others], one.toarray() if hasattr(one, "toarray") else one)
    return int(others[away[:, 0].argmin()])
