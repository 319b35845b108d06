"""The oracle loop: a strategy asks, the truth answers, the solver goes on. The only one in the project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from cclab.core import ConstraintSet, Problem, Solver, State, iterate
from cclab.queries.base import Asked, Query, Strategy
from cclab.queries.consequences import Consequences


@dataclass
class Truth:
    """Answers questions in a person's place.

    Parameters
    ----------
    target : (n,) int array
        The class of each sample, -1 where there is none: questions about such a sample stay without an answer.
    noise : float
        The probability of a wrong answer.
    rng : Generator
        Decides which answers are wrong.
    """

    target: NDArray[np.int64]
    noise: float = 0.0
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def answer(self, known: ConstraintSet, query: Query) -> ConstraintSet:
        """What is known after `query` was answered: the same where there is no answer."""
        classes = self.target[list(query.samples)]
        if (classes < 0).any():
            return known
        if query.kind == "label":
            return known.with_labels({query.samples[0]: int(self.labels(classes)[0])}, source="query")
        return self.link(known, np.array([query.samples]), source="query")

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
        n_classes = int(self.target.max()) + 1
        wrong = self.rng.random(len(classes)) < self.noise
        shift = self.rng.integers(1, max(n_classes, 2), size=len(classes))
        return np.where(wrong, (classes + shift) % n_classes, classes)


@dataclass(frozen=True)
class Round:
    """Where things stand after some answers.

    Attributes
    ----------
    problem : Problem
        With all answers so far.
    state : State
    count : int
        How many questions were asked so far.
    queries : tuple of Query
        Those of this round; none in the first, which stands for the start, and in a last one that found nothing
        left to ask.
    """

    problem: Problem
    state: State
    count: int
    queries: tuple[Query, ...]


def ask(
    solver: Solver,
    problem: Problem,
    strategy: Strategy,
    truth: Truth,
    budget: int,
    *,
    per_round: int = 1,
    steps_per_round: int | None = None,
    warm: bool = True,
) -> Iterator[Round]:
    """Solve, ask, state the answers, go on, until `budget` questions were asked or there is nothing left to ask.

    Parameters
    ----------
    solver : Solver
    problem : Problem
        With what is known before the first question.
    strategy : Strategy
    truth : Truth
    budget : int
        How many questions may be asked.
    per_round : int
        How many questions to ask before the solver goes on. One that an earlier answer of the same round settles is
        not asked; another one takes its place.
    steps_per_round : int, optional
        How many steps the solver makes after each round (fewer if it converges); None: until it has converged, as
        it does in any case after the last question.
    warm : bool
        Whether the solver goes on from where it is (`Solver.rebase`), or starts anew after each round.

    Yields
    ------
    Round
        The start, then each round.

    Examples
    --------
    >>> from cclab import FCM
    >>> from cclab.queries import Random
    >>> problem = Problem([[0.0], [0.2], [1.0], [1.3]])
    >>> rounds = list(ask(FCM(n_clusters=2), problem, Random(), Truth(np.array([0, 0, 1, 1])), budget=3))
    >>> [r.count for r in rounds], len(rounds[-1].problem.constraints)
    ([0, 1, 2, 3], 3)
    """
    state, asked = solver.solve(problem), frozenset()
    if not strategy.suits(state.partition):
        raise ValueError(f"{strategy.title} has nothing to ask about a {state.partition.kind} belief")
    if strategy.kind == "label" and not len(problem.constraints.labels):
        truth = truth.numbered_as(state.partition.labels(), state.partition.n_clusters)
    yield Round(problem, state, 0, ())
    over = budget < 1
    while not over:
        before = problem
        problem, queries = _ask_round(problem, state, strategy, truth, min(per_round, budget - len(asked)), asked)
        asked |= {query.samples for query in queries}
        over = not queries or len(asked) >= budget
        if queries and warm:
            state = solver.rebase(solver.adapt(before), solver.adapt(problem), state)
        elif queries:
            state = solver.solve(problem)
        if warm:
            state = _last(iterate(solver, problem, state=state, max_iter=None if over else steps_per_round))
        yield Round(problem, state, len(asked), queries)


def _ask_round(
    problem: Problem, state: State, strategy: Strategy, truth: Truth, wanted: int, asked: Asked
) -> tuple[Problem, tuple[Query, ...]]:
    """The problem after `wanted` more questions (fewer if there is nothing left to ask), and those questions."""
    queries: list[Query] = []
    while len(queries) < wanted:
        proposed = strategy.propose(
            problem, state, wanted - len(queries), asked=asked | {query.samples for query in queries}
        )
        if not proposed:
            break
        known = problem.constraints
        for place, query in enumerate(proposed):
            # A strategy proposes nothing settled, but the answers to its first questions may settle the next.
            if place == 0 or query.kind == "label" or not Consequences.of(known).settle(*query.samples):
                known = truth.answer(known, query)
                queries.append(query)
        problem = problem.with_constraints(known)
    return problem, tuple(queries)


def _last(run: iterate) -> State:
    for _ in run:
        pass
    return run.state
