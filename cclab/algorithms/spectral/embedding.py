"""What the spectral family shares: samples get new coordinates, in which links show, and then k-means."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import eigsh
from sklearn.cluster import kmeans_plusplus

from cclab.core import Gauge, Hard, Problem, Solver, State
from cclab.core.arrays import readonly
from cclab.core.parameters import Seed, choice
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.ensemble import names_like
from cclab.maths.feature_space import LARGEST_KERNEL, check_kernel, dense
from cclab.maths.lloyd import cluster_means, inertia
from cclab.maths.local_scaling import local_scaling_kernel

AFFINITIES = ("local-scaling", "linear", "precomputed")
# Up to this many samples all eigenvectors come at once about as fast as a few by iteration.
FEW = 400
# Of so many draws of centres the best is where k-means starts.
DRAWS = 5


@dataclass(frozen=True, eq=False)
class Embedding:
    """New coordinates of the samples, on their way or found.

    Attributes
    ----------
    rows : (n, r) array
        The coordinates.
    objective : float
        What the search for them lowers; NaN where they come in one go.
    settled : bool
        Whether they are found.
    memory : tuple of arrays
        What else the search goes on with.
    gauges : tuple of Gauge
    """

    rows: NDArray = field(repr=False)
    objective: float = np.nan
    settled: bool = False
    memory: tuple[NDArray, ...] = field(default=(), repr=False)
    gauges: tuple[Gauge, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", readonly(self.rows))
        object.__setattr__(self, "memory", tuple(readonly(part) for part in self.memory))


@dataclass(frozen=True, eq=False, kw_only=True)
class EmbeddedState(State):
    """New coordinates, and clusters by k-means in them.

    Attributes
    ----------
    embedding : Embedding
    labels : (n,) int array
    means : (k, r) array
        Of the clusters, in the new coordinates.
    """

    embedding: Embedding = field(repr=False)
    labels: NDArray = field(repr=False)
    means: NDArray = field(repr=False)

    def _partition(self) -> Hard:
        return Hard(self.labels, len(self.means))

    def gauges(self) -> tuple[Gauge, ...]:
        return self.embedding.gauges


@dataclass(eq=False, repr=False, kw_only=True)
class _EmbeddingSolver(Solver):
    """Coordinates in which links show, then k-means in them.

    Parameters
    ----------
    n_init : int
        From how many draws of centres k-means starts; the coordinates are found once.
    max_iter : int
        Stop after so many steps at the latest, those that find the coordinates included.
    tol : float
        Stop when no mean moves further than this, as a share of the spread of the new coordinates.
    kernel : {"local-scaling", "linear", "precomputed"}
        How alike two samples are: by a Gaussian with the distance to the 7th neighbour as each sample's width, by their
        inner product (negative ones count as 0), or as X says, which then is the matrix of affinities.
    """

    uses = frozenset({"must", "cannot", "weights"})
    accepts_sparse = True
    parameters = {"kernel": choice(*AFFINITIES)}
    # Of these the matrices and what is done with them are a matter of seconds.
    most_samples: ClassVar[int] = LARGEST_KERNEL

    n_clusters: int = field(default=3, kw_only=False)
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4
    random_state: Seed = None
    kernel: str = "local-scaling"

    # ------------------------------------------------------------------ what an algorithm gives

    @abstractmethod
    def first(self, problem: Problem) -> Embedding:
        """Where the search for coordinates begins: those that know no link."""

    @abstractmethod
    def improved(self, problem: Problem, embedding: Embedding) -> Embedding:
        """One step of the search."""

    # ------------------------------------------------------------------ the coordinates

    def found(self, problem: Problem) -> Embedding:
        """The coordinates, without clusters. Pure; worked out once for as long as knowledge stays the same."""

        def search(_: Any) -> Embedding:
            embedding = self._begun(problem)
            while not embedding.settled:
                embedding = self.improved(problem, embedding)
            return embedding

        settings = {name: value for name, value in self.get_params().items() if name != "random_state"}
        return of_constraints(problem, f"embedding {type(self).__name__} {settings}", search)

    def _begun(self, problem: Problem) -> Embedding:
        known = problem.constraints
        return replace(self.first(problem), settled=not (known.must or known.cannot))

    # ------------------------------------------------------------------ the solver

    def check(self, problem: Problem) -> None:
        super().check(problem)
        n = problem.n_samples
        if n > self.most_samples:
            raise ValueError(
                f"{type(self).__name__} compares all samples with each other and takes {self.most_samples} of them at "
                f"most, there are {n}; take a part of them, or PCKMeans or COPKMeans, which have no such limit"
            )
        if self.kernel == "precomputed":
            check_kernel(problem, "precomputed")
            if problem.X.min() < 0:
                i, j = np.unravel_index(problem.X.argmin(), problem.X.shape)
                raise ValueError(f"affinities are at least 0, that of samples {i} and {j} is {problem.X[i, j]:g}")

    def start(self, problem: Problem, restart: int = 0) -> EmbeddedState:
        embedding = self.found(problem) if restart else self._begun(problem)
        return self._state_at(embedding, self._first_means(problem, embedding, restart), restart=restart)

    def step(self, problem: Problem, state: EmbeddedState) -> EmbeddedState:
        embedding, progress = state.embedding, {"restart": state.restart, "iteration": state.iteration + 1}
        if embedding.settled:
            V = _means(embedding, state.labels, state.means)
            return self._state_at(embedding, V, shift=_shift(embedding, state.means, V), **progress)
        embedding = self.improved(problem, embedding)
        if not embedding.settled:
            # Until then the clusters go along, so that they can be watched.
            V = _means(embedding, state.labels, np.zeros((self.n_clusters, embedding.rows.shape[1])))
            return self._state_at(embedding, V, **progress)
        V = self._first_means(problem, embedding, state.restart)
        labels = squared_distances(embedding.rows, V).argmin(axis=1)
        # Clusters keep the names, and with them the colours, that they had.
        names = names_like(labels, state.labels, self.n_clusters)
        notes = ("the coordinates are found: from here on k-means in them",)
        return self._state_at(embedding, V[np.argsort(names)], notes=notes, **progress)

    def converged(self, previous: EmbeddedState, state: EmbeddedState) -> bool:
        return state.embedding.settled and state.shift <= self.tol

    def rebase(self, old_problem: Problem, new_problem: Problem, state: EmbeddedState) -> EmbeddedState:
        """The same clusters, in coordinates that know no link; what is known now is found from there."""
        embedding = self._begun(new_problem)
        V = _means(embedding, state.labels, np.zeros((self.n_clusters, embedding.rows.shape[1])))
        return self._state_at(embedding, V, restart=state.restart, iteration=state.iteration)

    def _state_at(self, embedding: Embedding, V: NDArray, **progress: Any) -> EmbeddedState:
        d = squared_distances(embedding.rows, V)
        labels = d.argmin(axis=1)
        within = inertia(d, labels, np.ones(len(labels)))
        searching = not embedding.settled and not np.isnan(embedding.objective)
        return EmbeddedState(
            embedding=embedding,
            labels=labels,
            means=V,
            objective=embedding.objective if searching else within,
            terms={"inertia": within},
            **progress,
        )

    def _first_means(self, problem: Problem, embedding: Embedding, restart: int) -> NDArray:
        """(k, r) coordinates of samples drawn by k-means++: the best of some draws, since a session has one start."""
        rows = np.array(embedding.rows)
        drawn: list[tuple[float, int, NDArray]] = []
        for seed in problem.rng(restart, 0).integers(np.iinfo(np.int32).max, size=DRAWS):
            V, _ = kmeans_plusplus(rows, self.n_clusters, random_state=int(seed))
            labels = squared_distances(rows, V).argmin(axis=1)
            V = _means(embedding, labels, V)
            drawn.append((float(squared_distances(rows, V).min(axis=1).sum()), len(drawn), V))
        return min(drawn)[2]


# ---------------------------------------------------------------------- pieces


def affinities(problem: Problem, kernel: str) -> NDArray:
    """(n, n) how alike samples are, at least 0; worked out once."""

    def make() -> NDArray:
        X = problem.X if sparse.issparse(problem.X) else np.asarray(problem.X, dtype=float)
        if kernel == "precomputed":
            W = np.array(dense(X))
        elif kernel == "linear":
            largest = float(abs(X).max()) or 1.0
            W = np.maximum(dense((X / largest) @ (X / largest).T), 0)
        else:
            # About the mean: far from the origin distances would be noise.
            W = local_scaling_kernel((X if sparse.issparse(X) else X - X.mean(axis=0)) / problem.spread)
        W /= W.max() or 1.0
        return readonly((W + W.T) / 2)

    return problem.derived(("affinities", kernel), make)


def lowest_eigenvectors(M: NDArray, count: int) -> tuple[NDArray, NDArray]:
    """(r,) and (n, r) the `count` lowest eigenvalues of a symmetric matrix, and their eigenvectors."""
    n = len(M)
    count = min(count, n)
    if n <= FEW or 4 * count > n:
        return linalg.eigh(M, subset_by_index=(0, count - 1))
    # Started at a fixed vector, so that a step replays exactly; what is largest is found faster than what is lowest.
    top = float(np.abs(M).sum(axis=1).max())
    values, vectors = eigsh(top * np.eye(n) - M, count, which="LA", v0=np.cos(np.arange(n)), tol=1e-10)
    order = np.argsort(-values)
    return top - values[order], vectors[:, order]


def unit_rows(rows: NDArray) -> NDArray:
    """The rows at length 1; those of length 0 stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12 * (lengths.max() or 1.0))


def inverse_roots(degrees: NDArray) -> NDArray:
    """One over the square root of each degree, 0 where a sample is like no other."""
    return np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)


def _means(embedding: Embedding, labels: NDArray, previous: NDArray) -> NDArray:
    return cluster_means(embedding.rows, labels, np.ones(len(labels)), previous)


def _shift(embedding: Embedding, before: NDArray, after: NDArray) -> float:
    rows = embedding.rows
    spread = float(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return float(np.sqrt(((after - before) ** 2).sum(axis=1).max()) / (spread or 1.0))
