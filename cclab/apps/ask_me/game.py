"""The query game as it stands in a session: what is played, the moves, the agreement, the opponent. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.manifold import Isomap
from sklearn.metrics import adjusted_rand_score

from cclab.apps.opening import solver_for
from cclab.core import Problem, State
from cclab.core.closure import must_components
from cclab.datasets import Dataset, load_dataset
from cclab.queries import Random
from cclab.queries.base import Asked, Query
from cclab.session import Session, Snapshot
from cclab.studies.oracle import Truth, ask

N_QUESTIONS = 20
#: So many steps the solver makes after an answer, a person's or the opponent's.
STEPS = 5
#: The opponent plays so many times, and the mean counts.
N_OPPONENTS = 3
#: The six digits that are most alike (no other six have means closer to each other), and how many of each are played.
ALIKE, PER_DIGIT = (1, 2, 3, 5, 8, 9), 40


def _digits(seed: int) -> Dataset:
    """Some digits that look alike, placed so that those with a common neighbourhood lie together."""
    data, rng = load_dataset("digits"), np.random.default_rng(seed)
    kept = np.concatenate([rng.choice(np.flatnonzero(data.target == digit), PER_DIGIT, False) for digit in ALIKE])
    kept.sort()
    return replace(
        data,
        X=Isomap(n_neighbors=8, n_components=4).fit_transform(data.X[kept]),
        feature_names=("way 1", "way 2", "way 3", "way 4"),
        target=np.searchsorted(ALIKE, data.target[kept]),
        target_names=tuple(map(str, ALIKE)),
        images=data.images[kept],
        notes=(f"{PER_DIGIT} of each; features are distances along neighbours (Isomap)",),
    )


#: What can be played: title, question, and how the data are made from a seed.
GAMES = {
    "digits": ("Digits", "Same digit?", _digits),
    "iris": ("Iris", "Same species?", lambda seed: load_dataset("iris")),
}


def new_game(name: str, seed: int) -> Session:
    """A session that nothing was asked in yet."""
    if name not in GAMES:
        raise ValueError(f"there is no game on {name!r}; there are: {', '.join(GAMES)}")
    data = GAMES[name][2](seed)
    # Digits make long clusters, and each its own.
    solver = solver_for(data, "CECM").set_params(metric="mahalanobis" if name == "digits" else "euclidean")
    return Session(data, solver, seed=seed)


def game_of(session: Session) -> str:
    """The name of what is played."""
    return session.data.name if session.data.name in GAMES else "digits"


class Move(NamedTuple):
    """A question that was answered, or set aside (None)."""

    samples: tuple[int, int]
    answer: str | None


def moves_of(session: Session) -> list[Move]:
    """The moves of a game in order, without those that were taken back."""
    done: list[dict] = []
    undone: list[dict] = []
    for command in session.commands:
        verb = command["verb"]
        if verb == "undo":
            undone.append(done.pop())
        elif verb == "redo":
            done.append(undone.pop())
        elif verb not in ("open", "propose", "rewind"):
            same_run = verb == "step" and done and "run" in command and done[-1].get("run") == command["run"]
            if not same_run:  # a run is taken back as a whole
                done.append(command)
            undone.clear()
    return [Move(tuple(c["samples"]), c.get("answer")) for c in done if c["verb"] in ("answer", "reject")]


def stages_of(session: Session) -> list[Snapshot]:
    """Where the solver was before the first answer, and where each answer has led."""
    stages: list[Snapshot] = []
    for snapshot in session.snapshots[: session.position + 1]:
        if snapshot.command["verb"] == "answer" or not stages:
            stages.append(snapshot)
        else:
            stages[-1] = snapshot
    return stages


def agreement(session: Session) -> list[float]:
    """Adjusted Rand index at the start and after each move."""
    reached = [snapshot.scores(session.data.target)["ari"] for snapshot in stages_of(session)]
    places = np.cumsum([0, *(move.answer is not None for move in moves_of(session))])
    return [reached[place] for place in places]


def is_true(session: Session, move: Move) -> bool:
    """Whether an answer agrees with the known classes."""
    i, j = session.data.target[list(move.samples)]
    return move.answer == ("same" if i == j else "different")


def n_settled(snapshot: Snapshot) -> int:
    """How many pairs of samples need no question any more."""
    known = snapshot.problem.constraints
    component = must_components(known)
    sizes = np.bincount(component)
    ends = np.sort(component[np.column_stack([known.pairs.i, known.pairs.j])], axis=1)
    apart = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return int((sizes * (sizes - 1) // 2).sum() + (sizes[apart[:, 0]] * sizes[apart[:, 1]]).sum())


class _RandomPlayer(Random):
    """Random questions that differ from game to game, while the solver starts where the person's does."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        return super().propose(replace(problem, seed=self.seed), state, n, asked=asked)


def opponent(session: Session, seed: int) -> Iterator[float]:
    """Adjusted Rand index at the start and after each random question, answered by the truth."""
    solver, first = clone(session.solver).set_params(n_init=1), session.snapshots[0].problem
    truth = Truth(session.data.target)
    for reached in ask(solver, first, _RandomPlayer(seed), truth, N_QUESTIONS, steps_per_round=STEPS):
        yield adjusted_rand_score(truth.target, reached.state.partition.labels())
