"""The loop: a strategy asks, an oracle answers, the answer is stated, the solver goes on. The only one in the project.

`Loop` says how much is asked before the solver goes on; a `Talk` says where: on a bare problem (`ask`), in a session,
or on a page, where it has to wait for a worker thread or for a person. What waits is written as coroutines; on a bare
problem nothing ever waits, and they are run to their end at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from cclab.core import ConstraintSet, Problem, Solver, State, iterate
from cclab.core.warning import renamed, warn_caller
from cclab.core.words import counted
from cclab.oracles.answers import Answer, Oracle
from cclab.oracles.guarded import Guarded
from cclab.oracles.meaning import statements
from cclab.oracles.truth import Truth
from cclab.queries.base import Asked, Query, Strategy
from cclab.queries.consequences import Consequences

T = TypeVar("T")


class Talk(Protocol):
    """Where questions are put and answers are stated."""

    async def propose(self, n: int, asked: Asked) -> Sequence[Query]:
        """At most `n` questions that are not among those `asked`, the most wanted first."""

    async def put(self, oracle: Oracle, queries: Sequence[Query]) -> Sequence[Answer]:
        """What an oracle says to them."""

    def is_settled(self, query: Query) -> bool:
        """Whether the answer follows from what is known by now."""

    def hear(self, query: Query, answer: Answer, oracle: Oracle) -> None:
        """State what an answer means."""

    async def work(self, steps: int | None, heard: bool) -> bool:
        """Let the solver make so many steps, None: until it has converged; whether it could."""


@dataclass(frozen=True)
class Loop:
    """How much is asked, and when the solver goes on.

    Parameters
    ----------
    budget : int
        How many questions may be asked.
    per_round : int
        How many questions to ask before the solver goes on. One that an earlier answer of the same round settles is
        not asked; another one takes its place.
    steps_per_round : int, optional
        How many steps the solver makes after each round (fewer if it converges); None: until it has converged.
    settles : bool
        Whether the solver goes on until it has converged after the last question, whatever `steps_per_round` is.
    """

    budget: int
    per_round: int = 1
    steps_per_round: int | None = None
    settles: bool = True

    def is_over(self, count: int) -> bool:
        """Whether nothing more is asked after so many questions."""
        return count >= self.budget

    async def rounds(self, talk: Talk, oracle: Oracle) -> AsyncIterator[tuple[int, tuple[Query, ...]]]:
        """Ask, state the answers, go on; gives the count of all questions so far, and those of each round.

        It ends when the budget is used up, the oracle has no more answers, the solver fails, or there is nothing left
        to ask; also, with a warning, where the oracle fails. Where a person answers, in their own time, a page does
        `look` and `go_on` by itself.
        """
        guarded = Guarded(oracle)
        oracle = oracle if isinstance(oracle, Truth) else guarded  # the truth fails where it was given wrongly
        asked: Asked = frozenset()
        over = self.is_over(0)
        while not over:
            queries = await self._ask(talk, oracle, min(self.per_round, self.budget - len(asked)), asked)
            asked |= {query.samples for query in queries}
            over = not queries or self.is_over(len(asked)) or bool(oracle.exhausted)
            could = await self.go_on(talk, over, heard=bool(queries))
            yield len(asked), queries
            over |= not could
        if guarded.failure:
            warn_caller(f"{guarded.failure}; what it said before is kept ({counted(len(asked), 'answer')})")

    async def look(self, talk: Talk, n: int = 1, asked: Asked = frozenset()) -> Sequence[Query]:
        """Find the next questions."""
        return await talk.propose(n, asked)

    async def go_on(self, talk: Talk, over: bool, *, heard: bool = True) -> bool:
        """Let the solver go on after some answers, or none; `over` is whether they were the last. Whether it could."""
        return await talk.work(None if over and self.settles else self.steps_per_round, heard)

    async def _ask(self, talk: Talk, oracle: Oracle, wanted: int, asked: Asked) -> tuple[Query, ...]:
        """Put `wanted` more questions (fewer if there is nothing left to ask), and state the answers."""
        done: list[Query] = []
        while len(done) < wanted and not oracle.exhausted:
            before = asked | {query.samples for query in done}
            proposed = list(await self.look(talk, wanted - len(done), before))
            if not proposed:
                break
            first = True
            while proposed and not oracle.exhausted:
                # A strategy proposes nothing settled, but the answers to its first questions may settle the next.
                some = [q for q in proposed[: oracle.batch] if first or not talk.is_settled(q)]
                proposed, first = proposed[oracle.batch :], False
                for query, answer in zip(some, await talk.put(oracle, some)):
                    talk.hear(query, answer, oracle)
                    done.append(query)
        return tuple(done)


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
    answers : tuple of Answer
        To each of them.
    """

    problem: Problem
    state: State
    count: int
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...] = ()


@dataclass
class _Bare:
    """A talk about a problem, with no session around it."""

    solver: Solver
    problem: Problem
    state: State
    strategy: Strategy
    data: Any
    warm: bool
    named: dict[str, int] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._before = self.problem

    async def propose(self, n: int, asked: Asked) -> Sequence[Query]:
        return self.strategy.propose(self.problem, self.state, n, asked=asked)

    async def put(self, oracle: Oracle, queries: Sequence[Query]) -> Sequence[Answer]:
        return oracle.answers(queries, self.data)

    def is_settled(self, query: Query) -> bool:
        return is_settled(query, self.problem.constraints)

    def hear(self, query: Query, answer: Answer, oracle: Oracle) -> None:
        source = "query" if isinstance(oracle, Truth) else oracle.name
        made = statements(query, answer, source=source, named=self.named)
        self.problem = self.problem.with_constraints(self.problem.constraints.with_statements(made))
        if query.kind == "name" and answer.is_sure:
            self.named.setdefault(str(answer.verdict), query.samples[0])
        self.answers.append(answer)

    async def work(self, steps: int | None, heard: bool) -> bool:
        solver = self.solver
        if heard and self.warm:
            self.state = solver.rebase(solver.adapt(self._before), solver.adapt(self.problem), self.state)
        elif heard:
            self.state = solver.solve(self.problem)
        if self.warm:
            self.state = _last(iterate(solver, self.problem, state=self.state, max_iter=steps))
        self._before = self.problem
        return True


def is_settled(query: Query, known: ConstraintSet) -> bool:
    """Whether the answer to a question follows from what is known; never where it is asked again."""
    if query.again:
        return False
    if query.kind == "label":
        return bool((known.labels.sample == query.samples[0]).any())
    if query.kind == "name":
        return False
    settle, (first, *others) = Consequences.of(known).settle, query.samples
    return all(settle(first, other) for other in others)


@renamed(truth="oracle")
def ask(
    solver: Solver,
    problem: Problem,
    strategy: Strategy,
    oracle: Oracle,
    budget: int,
    *,
    per_round: int = 1,
    steps_per_round: int | None = None,
    warm: bool = True,
    data: Any = None,
) -> Iterator[Round]:
    """Solve, ask, state the answers, go on, until `budget` questions were asked or there is nothing left to ask.

    Parameters
    ----------
    solver : Solver
    problem : Problem
        With what is known before the first question.
    strategy : Strategy
    oracle : Oracle
        One that has no more answers (`Oracle.exhausted`), or fails, ends the loop; all answers so far are kept.
    budget : int
        How many questions may be asked.
    per_round, steps_per_round : int
        See `Loop`.
    warm : bool
        Whether the solver goes on from where it is (`Solver.rebase`), or starts anew after each round.
    data : Dataset, optional
        What the oracle is told about the samples; default: the features of the problem.

    Yields
    ------
    Round
        The start, then each round.

    Examples
    --------
    >>> import numpy as np
    >>> from cclab import FCM
    >>> from cclab.queries import Random
    >>> problem = Problem([[0.0], [0.2], [1.0], [1.3]])
    >>> rounds = list(ask(FCM(n_clusters=2), problem, Random(), Truth(np.array([0, 0, 1, 1])), budget=3))
    >>> [r.count for r in rounds], len(rounds[-1].problem.constraints)
    ([0, 1, 2, 3], 3)
    """
    state = solver.solve(problem)
    if not strategy.suits(state.partition):
        raise ValueError(f"{strategy.title} has nothing to ask about a {state.partition.kind} belief")
    if isinstance(oracle, Truth) and strategy.kind == "label" and not len(problem.constraints.labels):
        oracle = oracle.numbered_as(state.partition.labels(), state.partition.n_clusters)
    talk = _Bare(solver, problem, state, strategy, problem if data is None else data, warm)
    yield Round(problem, state, 0, ())
    rounds = Loop(budget, per_round, steps_per_round).rounds(talk, oracle)
    while (reached := _at_once(anext(rounds, None))) is not None:
        count, queries = reached
        yield Round(talk.problem, talk.state, count, queries, tuple(talk.answers[-len(queries) :] if queries else ()))


def _at_once(work: Any) -> Any:
    """What comes of a coroutine that never waits."""
    run: Coroutine[Any, Any, Any] = _awaited(work)
    try:
        run.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("a talk about a bare problem has to wait for something")


async def _awaited(work: Any) -> Any:
    return await work


def _last(run: iterate) -> State:
    for _ in run:
        pass
    return run.state
