"""Clusterers by the other library's names and calls: ``fit(X, ml=pairs, cl=pairs)``, one start as there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from cclab import algorithms
from cclab.algorithms.kmeans.units import InfeasibleConstraints
from cclab.compat.exceptions import ClusteringNotFoundException, InconsistentConstraintsException
from cclab.core import ConstraintSet, Problem, Solver

Pairs = Iterable[tuple[int, int]]


def known_links(n_samples: int, ml: Pairs, cl: Pairs) -> ConstraintSet:
    """Pairs as cclab knows them.

    Raises
    ------
    InconsistentConstraintsException
    """
    must, cannot = (np.array(list(pairs), dtype=np.int64).reshape(-1, 2) for pairs in (ml, cl))
    known = ConstraintSet(n_samples).with_must_link(must).with_cannot_link(cannot)
    for conflict in known.conflicts()[:1]:
        raise InconsistentConstraintsException(str(conflict))
    return known


class _Clusterer(ABC):
    """Fits one of cclab's solvers.

    Attributes
    ----------
    labels_ : (n,) int array
    cluster_centers_ : (n_clusters, p) array
    solver_ : Solver
        The solver behind, fitted, with all that it knows.
    """

    def __init__(self, n_clusters: int = 3, max_iter: int = 100) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter

    @abstractmethod
    def _solver(self, X: ArrayLike) -> Solver:
        """The solver that does the work."""

    def _keep(self, solver: Solver) -> Self:
        self.solver_, self.labels_, self.cluster_centers_ = solver, solver.labels_, solver.centers_
        return self

    @property
    def _shared(self) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, "max_iter": self.max_iter, "n_init": 1}


class _Linked(_Clusterer):
    def fit(self, X: ArrayLike, y: Any = None, ml: Pairs = (), cl: Pairs = ()) -> Self:
        """Find clusters.

        Parameters
        ----------
        X : (n, p) array
        y : ignored
        ml, cl : lists of pairs of samples
            Must-links and cannot-links.
        """
        known = known_links(len(np.asarray(X)), ml, cl)
        try:
            return self._keep(self._solver(X).fit(X, constraints=known))
        except InfeasibleConstraints as error:
            raise ClusteringNotFoundException(str(error)) from error


class COPKMeans(_Linked):
    """`cclab.COPKMeans`: every link holds."""

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.COPKMeans(**self._shared)


class PCKMeans(_Linked):
    """`cclab.PCKMeans`; a broken link costs `w` beside half of the squared distances, in the data's units."""

    def __init__(self, n_clusters: int = 3, max_iter: int = 100, w: float = 1) -> None:
        super().__init__(n_clusters, max_iter)
        self.w = w

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.PCKMeans(**self._shared, penalty=2 * self.w / Problem(X).spread ** 2)


class MPCKMeans(_Linked):
    """`cclab.MPCKMeans` with one metric for all clusters that weighs features."""

    def __init__(self, n_clusters: int = 3, max_iter: int = 10, w: float = 1) -> None:
        super().__init__(n_clusters, max_iter)
        self.w = w

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.MPCKMeans(**self._shared, penalty=self.w)


class MPCKMeansMF(MPCKMeans):
    """`cclab.MPCKMeans` with a metric for each cluster that turns features too."""

    def __init__(self, n_clusters: int = 3, max_iter: int = 100, w: float = 1) -> None:
        super().__init__(n_clusters, max_iter, w)

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.MPCKMeans(**self._shared, penalty=self.w, metric="per cluster", shape="full")


class MKMeans(_Linked):
    """`cclab.MMC`: a metric first, then k-means by it."""

    def __init__(self, n_clusters: int = 3, max_iter: int = 1000, diagonal: bool = True) -> None:
        super().__init__(n_clusters, max_iter)
        self.diagonal = diagonal

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.MMC(**self._shared, diagonal=self.diagonal)


class RCAKMeans(_Linked):
    """`cclab.RCA`: a metric from must-links first, then k-means by it."""

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.RCA(**self._shared)


class _Labelled(_Clusterer):
    def fit(self, X: ArrayLike, y: ArrayLike | None = None, **ignored: Any) -> Self:
        """Find clusters; `y` (n,) has the labels, -1 where there is none."""
        solver = self._solver(X)
        if y is None or "labels" not in solver.uses:
            return self._keep(solver.fit(X))
        y = np.asarray(y)
        held = np.flatnonzero(y != -1)
        return self._keep(solver.fit(X, labels=dict(zip(held.tolist(), y[held].tolist()))))


class KMeans(_Labelled):
    """`cclab.PlainKMeans`: takes no labels."""

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.PlainKMeans(**self._shared)


class SeededKMeans(_Labelled):
    """`cclab.SeededKMeans`: labels start the centres."""

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.SeededKMeans(**self._shared)


class ConstrainedKMeans(_Labelled):
    """`cclab.ConstrainedKMeans`: labels start the centres, and stay."""

    def _solver(self, X: ArrayLike) -> Solver:
        return algorithms.ConstrainedKMeans(**self._shared)
