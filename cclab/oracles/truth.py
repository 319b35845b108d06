"""`Truth`: known classes answer in a person's place, with slips where they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.neighbors import NearestNeighbors

from cclab.core import ConstraintSet
from cclab.core.warning import warn_caller
from cclab.oracles.answers import Answer, Oracle
from cclab.queries.base import Query

#: A sample is as near to a border as so many of its neighbours are of other classes.
NEIGHBOURS = 10
#: Nobody is worse than a guess.
MOST_WRONG = 0.5


@dataclass
class Truth(Oracle):
    """Answers questions in a person's place.

    Parameters
    ----------
    target : (n,) int array
        The class of each sample, -1 where there is none: questions about such a sample stay without an answer.
    noise : float
        The probability of a wrong answer; about a group, of a mistake about one of its samples.
    rng : Generator
        Decides which answers are wrong.
    border : float
        How much more probable a wrong answer is about a sample all of whose neighbours are of other classes; less near
        to a border it is less. Mistakes of people are like that.
    admits : bool
        Whether its confidence tells how probably it is wrong; else it is sure of every answer.

    Examples
    --------
    >>> Truth(np.array([0, 0, 1])).answer(Query.pair(0, 2, "", 0)).verdict
    'different'
    """

    target: Any
    noise: float = 0.0
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    border: float = field(default=0.0, kw_only=True)
    admits: bool = field(default=False, kw_only=True)
    name: ClassVar[str] = "truth"  # type: ignore[misc]

    def __post_init__(self) -> None:
        if self.target is None:
            raise ValueError("the truth is not known: these data have no classes")
        self.target = np.asarray(self.target)
        self._near: tuple[Any, NDArray[np.float64]] | None = None

    def answer(self, query: Query, data: Any = None) -> Any:
        """The truth about a question, or now and then not.

        Parameters
        ----------
        query : Query
        data : Dataset, optional
            Needed for mistakes near a border, and for triplets that the classes don't decide: there the nearer one
            counts.
        """
        if isinstance(query, ConstraintSet):  # as it was called before there were other oracles
            return self._stated(query, data)
        classes = self.target[list(query.samples)]
        if (classes < 0).any():
            return Answer.unsure("a sample of no class")
        wrong = self._p_wrong(query, data)
        confidence = float(1 - wrong.max()) if self.admits else 1.0
        match query.kind:
            case "pair":
                same = (classes[0] == classes[1]) ^ self._slips(wrong.max())
                return Answer("same" if same else "different", confidence)
            case "triplet":
                nearer = self._nearer(query, classes, data)
                if nearer is None:
                    return Answer.unsure("both are alike, or neither is")
                return Answer("bc"[nearer ^ self._slips(wrong.max())], confidence)
            case "group":
                counts = np.bincount(classes)
                most = classes[0] if counts[classes[0]] == counts.max() else counts.argmax()
                outside = (classes != most) ^ (self.rng.random(len(classes)) < wrong)
                return Answer(tuple(np.array(query.samples)[outside].tolist()), confidence)
            case "label":
                return Answer(int(self._labels(classes[:1], wrong[:1])[0]), confidence)
            case "name":
                return Answer(str(self._name(int(self._labels(classes[:1], wrong[:1])[0]), data)), confidence)
        return Answer.unsure(f"nobody has said what the truth about a {query.kind!r} is")

    def numbered_as(self, labels: NDArray[np.int64], n_clusters: int) -> Truth:
        """The same truth, its classes numbered as the clusters that hold most of them.

        A person who is asked for a label answers with a cluster they see; the number of a class means nothing to them.
        """
        inside = self.target >= 0
        counts = np.zeros((int(self.target.max()) + 1, n_clusters))
        np.add.at(counts, (self.target[inside], labels[inside]), 1)
        numbers = counts.argmax(axis=1)
        classes, clusters = linear_sum_assignment(counts, maximize=True)
        numbers[classes] = clusters
        return replace(self, target=np.where(inside, numbers[self.target], -1))

    def link(self, known: ConstraintSet, pairs: NDArray[np.int64], source: str = "code") -> ConstraintSet:
        """`known` with the answer for each of the (m, 2) `pairs`, whose samples all have a class."""
        together = self.target[pairs[:, 0]] == self.target[pairs[:, 1]]
        together ^= self.rng.random(len(pairs)) < self.noise
        known = known.with_must_link(pairs[together], source=source)
        return known.with_cannot_link(pairs[~together], source=source)

    def labels(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """(m,) the answers for samples of these `classes`; a wrong one is any other class."""
        return self._labels(classes, np.full(len(classes), self.noise))

    # ------------------------------------------------------------------ mistakes

    def _labels(self, classes: NDArray[np.int64], p_wrong: NDArray[np.float64]) -> NDArray[np.int64]:
        n_classes = int(self.target.max()) + 1
        wrong = self.rng.random(len(classes)) < p_wrong
        shift = self.rng.integers(1, max(n_classes, 2), size=len(classes))
        return np.where(wrong, (classes + shift) % n_classes, classes)

    def _slips(self, p_wrong: float) -> bool:
        return bool(self.rng.random() < p_wrong)

    def _p_wrong(self, query: Query, data: Any) -> NDArray[np.float64]:
        """How probable a mistake is about each of the samples."""
        samples = list(query.samples)
        if not self.border:
            return np.full(len(samples), self.noise)
        if not hasattr(data, "X"):
            raise ValueError("mistakes near a border need the data: give them to ask(..., data=), or to answer")
        return np.minimum(self.noise + self.border * self.nearness(data)[samples], max(MOST_WRONG, self.noise))

    def nearness(self, data: Any) -> NDArray[np.float64]:
        """(n,) how near each sample is to a border: the share of its neighbours that are of other classes."""
        if self._near is None or self._near[0] is not data.X:
            k = min(NEIGHBOURS + 1, data.X.shape[0])
            near = NearestNeighbors(n_neighbors=k).fit(data.X).kneighbors(return_distance=False, n_neighbors=k - 1)
            self._near = data.X, (self.target[near] != self.target[:, None]).mean(axis=1)
        return self._near[1]

    def _nearer(self, query: Query, classes: NDArray[np.int64], data: Any) -> bool | None:
        """Whether the first sample is closer to the third than to the second; None where there is no telling."""
        a, b, c = classes
        if (a == b) != (a == c):
            return bool(a == c)
        if not hasattr(data, "X"):
            return None
        distances = [_distance(data.X, query.samples[0], other) for other in query.samples[1:]]
        return distances[1] < distances[0]

    def _name(self, label: int, data: Any) -> str:
        names = getattr(data, "target_names", ())
        return names[label] if label < len(names) else f"class {label + 1}"

    def _stated(self, known: ConstraintSet, query: Query) -> ConstraintSet:
        from cclab.oracles.meaning import statements

        warn_caller(
            "Truth.answer(known, query) is now Truth.answer(query), which gives an Answer; "
            "cclab.oracles.statements(query, answer) makes statements of it",
            FutureWarning,
        )
        return known.with_statements(statements(query, self.answer(query)))


def _distance(X: Any, i: int, j: int) -> float:
    difference = X[[i]] - X[[j]]
    if hasattr(difference, "toarray"):
        difference = difference.toarray()
    return float(np.sum(np.asarray(difference) ** 2))
