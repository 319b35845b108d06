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
#: So many keys are sorted sooner than the smallest of them are set apart.
FEW = 64


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
    likeliest : (2, m) int array
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

    def among(self, values: Any) -> Any:
        """Of what there is for each sample of the problem, that of the samples here."""
        return values if len(self.samples) == self._problem.n_samples else values[self.samples]

    @cached_property
    def _X(self) -> Any:
        return self.among(self._problem.X)

    def away(self, row: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Squared distances from the sample in a row to those in `others`."""
        return _distances_from(self._X[[row]], self._X[others])

    def _nearness(self, partition: Partition) -> NDArray[np.float64]:
        """(m, k) degrees for a hard belief, which has no doubts of its own: by distances from the means of clusters."""
        labels, k = partition.labels(), partition.n_clusters
        members = (labels == np.arange(k)[:, None]).astype(float)
        sizes = members.sum(axis=1)
        means = np.asarray(members @ self._X) / np.maximum(sizes, 1)[:, None]
        distances = squared_distances(self._X, means, self.among(self._problem.norms))
        near = 1 / np.maximum(distances, 1e-12)
        near[:, sizes == 0] = 0
        return near / (near @ np.ones(k))[:, None]  # a product: sums of short rows are slow

    def _ambiguity(self) -> NDArray[np.float64]:
        """(m,) one less what the likeliest cluster is ahead of the next: nearly as far from both is torn."""
        first, second = self.degrees[np.arange(len(self.samples)), self.likeliest]
        return 1 - (first - second) if self.degrees.shape[1] > 1 else np.zeros(len(first))

    def most_doubtful(self, some: int) -> Iterator[int]:
        """Rows from the most doubtful on; all of them are sorted only when `some` were not enough."""
        first = smallest(-self.doubt, some)
        yield from first.tolist()
        if len(first) < len(self.doubt):
            yield from np.argsort(-self.doubt, kind="stable")[len(first) :].tolist()

    def surer_half(self, cluster: int) -> NDArray[np.int64]:
        """The rows of a cluster about which there is least doubt."""
        members = np.flatnonzero(self.likeliest[0] == cluster)
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
    """(2, n) the clusters that each sample is most of, and second most."""
    first = degrees.argmax(axis=1)
    if degrees.shape[1] < 2:
        return np.array([first, first])
    rest = degrees.copy()
    rest[np.arange(len(degrees)), first] = -np.inf
    return np.array([first, rest.argmax(axis=1)])


def smallest(keys: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Where the `n` smallest keys are, in rising order, of equal ones the first: a stable sort without sorting all."""
    if n >= len(keys) or 0 < n < len(keys) <= FEW:
        return np.argsort(keys, kind="stable")[:n]
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
