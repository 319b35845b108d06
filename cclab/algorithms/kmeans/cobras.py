"""COBRAS: clusters made of super-instances, which answers split and join [1]_.

Notation
--------
=====  ======================  ==========================================================
paper  here                    meaning
=====  ======================  ==========================================================
S      ``SuperInstance``       samples that are taken to belong together
C      ``Course.clusters``     sets of super-instances
ML,CL  ``constraints``         the answers, and all else that is known
=====  ======================  ==========================================================

The course itself is in `cclab.maths.super_instances`, since the strategy `COBRASQueries` follows it too.

References
----------
.. [1] T. Van Craenendonck, S. Dumančić, E. Van Wolputte, H. Blockeel, COBRAS: interactive clustering with pairwise
   queries, IDA 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from cclab.core import Gauge, Hard, Partition, Problem, Solver, State
from cclab.core.parameters import Seed, whole
from cclab.maths.super_instances import Cluster, Course, members_of, plain_kmeans


@dataclass(frozen=True, eq=False, kw_only=True)
class COBRASState(State):
    """Super-instances, and the clusters that they make.

    Attributes
    ----------
    labels : (n,) int array
        The cluster of each sample, as it was when last all that touch had been asked about.
    names : (k,) int array
        A name for each cluster that it keeps.
    prototypes : (m, p) array
        What new samples are compared with, and
    owners : (m,) int array
        the cluster of each.
    super_instance : (n,) int array
        The super-instance of each sample.
    joining : (n,) int array
        The cluster of each sample, in the middle of a split.
    heard : (q,) bool array
        The answers to its questions so far: all of the above follows from them.
    rounds : int
        How many splits are done.
    waits_for : tuple of two int, or None
        The samples of the question that must be answered before it can go on.
    finished : bool
        Whether there is nothing left to split.
    """

    labels: NDArray = field(repr=False)
    names: NDArray = field(repr=False)
    prototypes: NDArray = field(repr=False)
    owners: NDArray = field(repr=False)
    super_instance: NDArray = field(repr=False)
    joining: NDArray = field(repr=False)
    heard: NDArray = field(repr=False)
    rounds: int = 0
    waits_for: tuple[int, int] | None = None
    finished: bool = False

    def _partition(self) -> Hard:
        return Hard(self.labels, len(self.names))

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        return self.names

    def gauges(self) -> tuple[Gauge, ...]:
        counts = [len(np.unique(self.super_instance[self.labels == k])) for k in range(len(self.names))]
        names = tuple(f"cluster {k + 1}" for k in range(len(counts)))
        return (Gauge("Super-instances", names, tuple(map(float, counts)), by_cluster=True),)

    def asides(self) -> dict[str, Partition]:
        return {"Super-instances": Hard(self.super_instance), "Clusters being joined": Hard(self.joining)}


@dataclass(eq=False, repr=False, kw_only=True)
class COBRAS(Solver):
    """Splits the samples into super-instances and joins these to clusters, as far as what is known tells.

    The number of clusters comes from the answers. It goes on until it comes to a question that nothing answers: the one
    that the strategy `COBRASQueries` asks next. Any links, groups, separations and labels count as answers.

    Parameters
    ----------
    n_clusters : int or None
        How many clusters to show before the first questions are answered, by k-means; None: one. After that the
        answers decide.

    Notes
    -----
    A question is about the samples nearest to the means of two super-instances. In [1]_ only what was answered about
    these very samples counts. Here links between other members tell too where nothing else does, if those of one kind
    outweigh the others twice: so that links from elsewhere can be used, and another pair can be asked about where a
    person can't tell.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1], [5.0], [5.1]])
    >>> COBRAS().fit(X, must_link=[[0, 1], [2, 3], [4, 5], [0, 2]], cannot_link=[[0, 4]]).labels_.tolist()
    [0, 0, 0, 0, 1, 1]
    """

    uses = frozenset({"must", "cannot", "weights"})
    # A split leaves the sum of squares within super-instances as it is or lowers it, and nothing is ever put together.
    descends = True
    parameters = {"n_clusters": whole(1, or_none=True)}

    n_clusters: int | None = field(default=None, kw_only=False)
    max_iter: int = 300
    random_state: Seed = None

    def start(self, problem: Problem, restart: int = 0) -> COBRASState:
        return self._state_of(problem, Course(problem, restart), restart=restart)

    def step(self, problem: Problem, state: COBRASState) -> COBRASState:
        """One super-instance is split and its parts are joined, or as much of that as has an answer."""
        heard = state.heard.tolist()
        course = Course.until_open(problem, state.restart, heard=heard, rounds=state.rounds + 1)
        return self._state_of(problem, course, restart=state.restart, iteration=state.iteration + 1)

    def converged(self, previous: State, state: COBRASState) -> bool:
        """Whether it can't go on without an answer, or has nothing left to split."""
        return state.waits_for is not None or state.finished

    def rebase(self, old_problem: Problem, new_problem: Problem, state: COBRASState) -> COBRASState:
        """The same, unless something was taken back: then all that was heard is listened to again."""
        old, new = (np.concatenate([t.id for t in p.constraints.tables]) for p in (old_problem, new_problem))
        return state if np.isin(old, new).all() else replace(state, heard=np.array([], dtype=bool), rounds=0)

    def _state_of(self, problem: Problem, course: Course, **progress: Any) -> COBRASState:
        n, pieces = problem.n_samples, course.pieces
        if course.complete is not None or self.n_clusters is None:
            shown = course.complete or course.clusters
            labels, names = _numbers(shown, n), np.array(course.names or range(len(shown)))
            prototypes = np.array([piece.mean for cluster in shown for piece in cluster])
            owners = np.repeat(np.arange(len(shown)), [len(cluster) for cluster in shown])
        else:
            k = self.n_clusters
            labels, prototypes = problem.derived(("k-means", k), lambda: self._guess(problem, k))
            owners = names = np.arange(k)
        question = course.question
        return COBRASState(
            objective=sum(piece.inertia for piece in pieces),
            notes=(f"{len(pieces)} super-instances in {len(names)} clusters",) if course.rounds else (),
            labels=labels,
            names=names,
            prototypes=prototypes,
            owners=owners,
            super_instance=_numbers([[piece] for piece in pieces], n),
            joining=_numbers(course.clusters, n),
            heard=np.array(course.heard, dtype=bool),
            rounds=course.rounds,
            waits_for=None if question is None else question.samples,
            finished=course.is_over,
            **progress,
        )

    def _guess(self, problem: Problem, n_clusters: int) -> tuple[NDArray, NDArray]:
        """Labels and means, before there is an answer."""
        means = plain_kmeans(problem.X, n_clusters, problem.seed).cluster_centers_
        return pairwise_distances_argmin(problem.X, means), means

    def believe(self, X: NDArray, state: COBRASState) -> Hard:
        return Hard(state.owners[pairwise_distances_argmin(X, state.prototypes)], len(state.names))


def _numbers(clusters: list[Cluster], n_samples: int) -> NDArray[np.int64]:
    """(n,) the number of the cluster that each sample is in."""
    numbers = np.zeros(n_samples, dtype=np.int64)
    for number, cluster in enumerate(clusters):
        numbers[members_of(cluster)] = number
    return numbers
