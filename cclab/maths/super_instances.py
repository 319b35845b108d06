"""The course of COBRAS [1]_: super-instances that are split and joined as questions are answered.

A *super-instance* is a set of samples that are taken to belong together; the sample nearest to its mean speaks for it.
The largest one is split, each part is a cluster of its own, and clusters are joined again, nearest first, where the
answer is "same". So the course is a conversation, and it is written as one: a generator that yields questions and is
sent answers. What is known answers at once, and the first question that nothing answers is where the course stands. The
samples, the seed and the answers that were heard give all of it again.

References
----------
.. [1] T. Van Craenendonck, S. Dumančić, E. Van Wolputte, H. Blockeel, COBRAS: interactive clustering with pairwise
   queries, IDA 2018.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cclab.core import ConstraintSet, Problem
from cclab.maths.distances import squared_distances


@dataclass(frozen=True, eq=False)
class SuperInstance:
    """Samples that are taken to belong together.

    Attributes
    ----------
    members : (g,) int array
        Those nearest to the mean first.
    mean : (p,) array
    inertia : float
        Sum of the members' squared distances to the mean.
    """

    members: NDArray[np.int64]
    mean: NDArray
    inertia: float

    @classmethod
    def of(cls, X: NDArray, members: NDArray[np.int64]) -> SuperInstance:
        """That of these members."""
        mean = X[members].mean(axis=0, dtype=float)
        d = squared_distances(X[members], mean[None])[:, 0]
        return cls(members[np.argsort(d, kind="stable")], mean, float(d.sum()))

    @property
    def representative(self) -> int:
        """The sample that is asked about in place of all."""
        return int(self.members[0])

    def __len__(self) -> int:
        return len(self.members)


Cluster = list[SuperInstance]
# Links of one kind tell where they outweigh those of the other kind by this factor.
CLEARLY = 2.0


@dataclass(frozen=True, eq=False)
class Question:
    """Whether two sides belong together.

    Attributes
    ----------
    left, right : lists of SuperInstance
        The clusters that will be joined or not, or the halves of a super-instance that is about to be split.
    nearest : two SuperInstances
        The one of each that are nearest to each other.
    splitting : SuperInstance or None
        What is about to be split; None where clusters are joined.
    """

    left: Cluster
    right: Cluster
    nearest: tuple[SuperInstance, SuperInstance]
    splitting: SuperInstance | None = None

    @property
    def samples(self) -> tuple[int, int]:
        """The pair of samples that speaks for both, in rising order."""
        i, j = sorted(piece.representative for piece in self.nearest)
        return i, j

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs that may be asked about, the most telling first: where a person can't say, the next one may do."""
        a, b = (piece.members.tolist() for piece in self.nearest)
        for depth in range(len(a) + len(b) - 1):
            for place in range(max(0, depth - len(b) + 1), min(depth + 1, len(a))):
                i, j = sorted((a[place], b[depth - place]))
                yield i, j


Conversation = Generator[Question, bool, None]


class Course:
    """Where the conversation stands.

    Attributes
    ----------
    clusters : list of lists of SuperInstance
        As they are now, perhaps in the middle of being joined.
    names : list of int
        A name for each of the `complete` clusters that it keeps when others are split off.
    complete : list of lists of SuperInstance, or None
        As they were when last all that touch had been asked about.
    heard : list of bool
        The answers so far.
    rounds : int
        How often a super-instance was split, and all clusters joined that belong together.
    question : Question or None
        What nothing that is known answers.
    """

    def __init__(self, problem: Problem, restart: int = 0) -> None:
        self._X = problem.X
        self._rng = problem.rng(restart, 0)
        self._seed = int(self._rng.integers(np.iinfo(np.int32).max))
        # K-means takes most of the time, and the same sets are split whatever else is said.
        self._parts = problem.derived(("super-instances", self._seed), dict)
        self.clusters: list[Cluster] = [[SuperInstance.of(self._X, np.arange(problem.n_samples))]]
        self.complete: list[Cluster] | None = None
        self.names: list[int] = []
        self._stuck: set[int] = set()
        self.heard: list[bool] = []
        self.rounds = 0
        self.question: Question | None = None

    @classmethod
    def until_open(
        cls, problem: Problem, restart: int = 0, *, heard: Sequence[bool] = (), rounds: float = np.inf
    ) -> Course:
        """The course as far as what is known answers, or for so many `rounds`; it begins with what was `heard`.

        An answer that was heard stays: what is said later tells about later questions alone.
        """
        course, known = cls(problem, restart), Known(problem.constraints)
        conversation = course._converse()
        question = next(conversation, None)
        while question is not None and course.rounds < rounds:
            place = len(course.heard)
            answer = heard[place] if place < len(heard) else known.answer(question)
            if answer is None:
                course.question = question
                break
            course.heard.append(answer)
            try:
                question = conversation.send(answer)
            except StopIteration:
                break
        return course

    @property
    def pieces(self) -> Cluster:
        """All super-instances, by cluster."""
        return [piece for cluster in self.clusters for piece in cluster]

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to split."""
        return self._largest() is None

    def _converse(self) -> Conversation:
        """Algorithm 1 of [1]_: split the largest, join again, for as long as there is something to split."""
        while (largest := self._largest()) is not None:
            k = yield from self._split_level(largest)
            parts = self._split(largest, k)
            if len(parts) < 2:
                self._stuck.add(id(largest))
                continue
            self._replace(largest, parts)
            yield from self._join()
            self._name()
            self.complete = [list(cluster) for cluster in self.clusters]
            self.rounds += 1

    def _largest(self) -> SuperInstance | None:
        able = [piece for piece in self.pieces if len(piece) > 1 and id(piece) not in self._stuck]
        return max(able, key=len, default=None)

    def _split_level(self, whole: SuperInstance) -> Generator[Question, bool, int]:
        """Algorithm 2 of [1]_: halve, and one of the halves again, until two halves belong together."""
        level, part = 0, whole
        while len(halves := self._split(part, 2)) == 2:
            left, right = halves
            if (yield Question([left], [right], (left, right), splitting=whole)):
                break
            level += 1
            able = [half for half in halves if len(half) > 1]
            if not able:
                break
            part = able[self._rng.integers(len(able))]
        return min(2 ** max(level, 1), len(whole))

    def _join(self) -> Conversation:
        """Algorithm 3 of [1]_: join the nearest clusters that belong together, until none do."""
        joined = True
        while joined:
            joined = False
            for question, a, b in self._by_distance():
                if (yield question):
                    self.clusters[a] = question.left + question.right
                    del self.clusters[b]
                    joined = True
                    break

    def _by_distance(self) -> Iterator[tuple[Question, int, int]]:
        """All pairs of clusters, the nearest first; as near as their two nearest super-instances."""
        means = np.array([piece.mean for piece in self.pieces])
        ends = np.cumsum([0] + [len(cluster) for cluster in self.clusters])
        d = cdist(means, means)
        blocks = {
            (a, b): d[ends[a] : ends[a + 1], ends[b] : ends[b + 1]] for a, b in combinations(range(len(ends) - 1), 2)
        }
        for a, b in sorted(blocks, key=lambda pair: float(blocks[pair].min())):
            left, right = self.clusters[a], self.clusters[b]
            i, j = np.unravel_index(blocks[a, b].argmin(), blocks[a, b].shape)
            yield Question(left, right, (left[i], right[j])), a, b

    def _split(self, whole: SuperInstance, k: int) -> Cluster:
        """The parts that k-means finds; fewer than `k` where samples are the same."""
        members = np.sort(whole.members)
        key = members.tobytes(), k
        if key not in self._parts:
            labels = plain_kmeans(self._X[members], k, self._seed).labels_
            self._parts[key] = [SuperInstance.of(self._X, members[labels == part]) for part in np.unique(labels)]
        return self._parts[key]

    def _replace(self, whole: SuperInstance, parts: Cluster) -> None:
        """Each part is a cluster of its own, until it is joined with another."""
        rest = [[piece for piece in cluster if piece is not whole] for cluster in self.clusters]
        self.clusters = [cluster for cluster in rest if cluster] + [[part] for part in parts]

    def _name(self) -> None:
        """A cluster goes by the name of the one that most of its samples were in, unless a larger one does."""
        before = dict(zip(self.names, map(members_of, self.complete or ())))
        fresh = iter(range(max(before, default=-1) + 1, 2 * self._X.shape[0] + 1))
        names: dict[int, int] = {}
        for place in sorted(range(len(self.clusters)), key=lambda c: -len(members_of(self.clusters[c]))):
            own = members_of(self.clusters[place])
            shared = {name: len(np.intersect1d(own, members)) for name, members in before.items()}
            name = max(shared, key=lambda n: shared[n], default=-1)
            if shared.get(name):
                names[place] = name
                del before[name]
            else:
                names[place] = next(fresh)
        self.names = [names[place] for place in range(len(self.clusters))]


class Known:
    """What is known, as answers to questions.

    A pair of representatives is answered by what follows from the links. Where nothing does, links between other
    members of the two sides tell, by weight, if those of one kind outweigh the others clearly.
    """

    def __init__(self, constraints: ConstraintSet) -> None:
        links = constraints.links_from_labels()
        self._unit = links.must_components
        self._must, self._cannot = links.must, links.cannot
        self._apart: dict[int, NDArray[np.int64]] = {}

    def answer(self, question: Question) -> bool | None:
        """Whether both sides belong together; None where nothing that is known tells."""
        left, right = (
            np.unique(self._unit[[piece.representative for piece in side]]) for side in (question.left, question.right)
        )
        if len(np.intersect1d(left, right)):
            return True
        if any(np.isin(self._units_apart(unit), right).any() for unit in left.tolist()):
            return False
        together, apart = self._votes(question)
        clear = max(together, apart) > CLEARLY * min(together, apart)
        return together > apart if clear else None

    def _units_apart(self, unit: int) -> NDArray[np.int64]:
        """The must-linked units that a cannot-link keeps apart from this one."""
        if unit not in self._apart:
            samples = self._cannot.samples
            mine = (self._unit[samples] == unit).astype(float)
            self._apart[unit] = np.unique(self._unit[samples[self._cannot.apply(mine) > 0]])
        return self._apart[unit]

    def _votes(self, question: Question) -> tuple[float, float]:
        """The weights of the must-links and of the cannot-links between members of both sides."""
        left, right = (np.zeros(len(self._unit)) for _ in range(2))
        left[members_of(question.left)] = 1
        right[members_of(question.right)] = 1
        must, cannot = (
            float(left[links.samples] @ links.apply(right[links.samples])) if len(links.samples) else 0.0
            for links in (self._must, self._cannot)
        )
        return must, cannot


def plain_kmeans(X: NDArray, k: int, seed: int) -> KMeans:
    """K-means, fitted; of fewer different samples than `k` it makes fewer clusters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, n_init=10, random_state=seed).fit(X)


def members_of(cluster: Cluster) -> NDArray[np.int64]:
    """The samples of a cluster."""
    return np.concatenate([piece.members for piece in cluster])
