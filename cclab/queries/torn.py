"""How far each sample is torn between clusters, whatever the belief."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
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
        How much each sample is of each cluster, rows add up to one; and how torn it is, from 0 to 1.
    likeliest : (m, 2) int array
        See `two_likeliest`.
    """

    def __init__(self, problem: Problem, state: State, wanted: int, asked: Asked) -> None:
        partition, self._problem = state.partition, problem
        self.samples = np.arange(problem.n_samples)
        if problem.n_samples > (most := max(LOOKED_AT, 16 * wanted)):
            self.samples = _drawn(problem, most, draw_rng(problem, state, asked))
            partition = partition.restrict(self.samples)
        hard = partition.kind == "hard"
        self.degrees = self._nearness(partition) if hard else shares_of(partition)
        self.likeliest = two_likeliest(self.degrees)
        self.doubt = self._ambiguity() if hard else np.asarray(partition.ambiguity(), dtype=float)

    @cached_property
    def _X(self) -> Any:
        X = self._problem.X
        return X if len(self.samples) == self._problem.n_samples else X[self.samples]

    def away(self, row: int) -> NDArray[np.float64]:
        """(m,) squared distances from the sample in a row."""
        return _distances_from(self._X[[row]], self._X)

    def _nearness(self, partition: Partition) -> NDArray[np.float64]:
        """(m, k) degrees for a hard belief, which has no doubts of its own: by distances from the means of clusters."""
        labels, k = partition.labels(), partition.n_clusters
        members = (labels[:, None] == np.arange(k)).astype(float)
        sizes = members.sum(axis=0)
        means = np.asarray((self._X.T @ members).T) / np.maximum(sizes, 1)[:, None]
        norms = self._problem.norms
        norms = norms if len(norms) == len(self.samples) else norms[self.samples]
        near = (sizes > 0) / np.maximum(squared_distances(self._X, means, norms), 1e-12)
        return near / near.sum(axis=1, keepdims=True)

    def _ambiguity(self) -> NDArray[np.float64]:
        """(m,) one less what the likeliest cluster is ahead of the next: nearly as far from both is torn."""
        rows = np.arange(len(self.samples))
        first, second = self.degrees[rows, self.likeliest.T]
        return 1 - (first - second) if self.degrees.shape[1] > 1 else np.zeros(len(rows))

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


def shares_of(partition: Partition) -> NDArray[np.float64]:
    """(m, k) degrees whose rows add up to one."""
    degrees = np.asarray(partition.degrees, dtype=float)
    if partition.kind in ("fuzzy", "credal"):  # of those, they do already
        return degrees
    return degrees / np.maximum(degrees.sum(axis=1, keepdims=True), 1e-12)


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
    return int(others[_distances_from(X[[i]], X[others]).argmin()])


def _distances_from(one: Any, X: Any) -> NDArray[np.float64]:
    """(m,) squared distances of samples from one."""
    if hasattr(one, "toarray"):
        return squared_distances(X, one.toarray())[:, 0]
    off = X - one
    return np.einsum("ij,ij->i", off, off)
