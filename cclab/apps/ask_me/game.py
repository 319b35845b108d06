"""The query game as it stands in a session: what is played, the moves, the agreement, the opponent. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.manifold import Isomap
from sklearn.metrics import adjusted_rand_score

from cclab.apps.page.loading import solver_for
from cclab.core import Problem, State
from cclab.datasets import Dataset, load_dataset
from cclab.oracles import Loop, Truth, ask
from cclab.queries import GroupQueries, Random
from cclab.queries.base import Asked, Query, Strategy, draw_rng
from cclab.session import Session, Snapshot
from cclab.session.commands import Answer, Command, Reject
from cclab.session.replies import Reply

N_QUESTIONS = 20
#: So many steps the solver makes after an answer, a person's or the opponent's.
STEPS = 5
#: How a game goes, a person's and the opponent's.
LOOP = Loop(N_QUESTIONS, steps_per_round=STEPS)
#: The opponent plays so many times, and the mean counts.
N_OPPONENTS = 3
#: The six digits that are most alike (no other six have means closer to each other), and how many of each are played.
ALIKE, PER_DIGIT = (1, 2, 3, 5, 8, 9), 40
#: Of one's own data so many samples, classes and features are played with.
MOST_PLAYED, MOST_CLASSES, MOST_FEATURES = 240, 6, 10


def _digits(seed: int) -> Dataset:
    """Some digits that look alike, placed so that those with a common neighbourhood lie together."""
    data, rng = load_dataset("digits"), np.random.default_rng(seed)
    target = truth_of(data)
    kept = np.concatenate([rng.choice(np.flatnonzero(target == digit), PER_DIGIT, False) for digit in ALIKE])
    kept.sort()
    some = data.subset(kept)
    return replace(
        some,
        X=Isomap(n_neighbors=8, n_components=4).fit_transform(some.X),
        feature_names=("way 1", "way 2", "way 3", "way 4"),
        target=np.searchsorted(ALIKE, target[kept]),
        target_names=tuple(map(str, ALIKE)),
        notes=(f"{PER_DIGIT} of each; features are distances along neighbours (Isomap)",),
    )


def truth_of(data: Dataset) -> NDArray[np.int64]:
    """The class of each sample, which data to play with have."""
    assert data.target is not None
    return data.target


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


def own_game(data: Dataset, seed: int) -> Session:
    """A session on some samples of one's own data, of the most frequent classes.

    Raises
    ------
    ValueError
        There is no truth that answers could be compared with.
    """
    if data.target is None or data.n_classes is None or data.n_classes < 2:
        raise ValueError(
            f"{data.name} has no class with two values or more, and the game compares your answers with one; give a "
            "column that role, or open the table in the workbench: its solver asks without it"
        )
    counts = np.bincount(data.target[data.target >= 0], minlength=data.n_classes)
    classes = np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
    known = np.flatnonzero(np.isin(data.target, classes))
    if len(known) > MOST_PLAYED:
        known = np.sort(np.random.default_rng(seed).choice(known, MOST_PLAYED, replace=False))
    some = data.subset(known)
    some = some.with_target([data.target_names[k] for k in truth_of(some)])
    if sparse.issparse(some.X) or some.n_features > MOST_FEATURES:
        n_components = min(MOST_FEATURES, some.n_samples - 1)
        reduce = TruncatedSVD if sparse.issparse(some.X) else PCA
        X = reduce(n_components, random_state=0).fit_transform(some.X)
        some = replace(some, X=X, feature_names=tuple(f"PC {j + 1}" for j in range(n_components)), plan=None)
    return Session(some, solver_for(some, "CECM"), seed=seed)


def game_of(session: Session) -> str:
    """The name of what is played; "" for one's own data."""
    return session.data.name if session.data.name in GAMES else ""


def question_of(session: Session, kind: str = "pair") -> str:
    """What is asked about two samples, or about a group."""
    if kind == "group":
        return "Which of these do not belong?"
    name = game_of(session)
    return GAMES[name][1] if name else "Same class?"


class Move(NamedTuple):
    """A question that was answered, or set aside (None); about a group, by the samples that do not belong."""

    samples: tuple[int, ...]
    answer: str | tuple[int, ...] | None


def _move(command: Command | None) -> Move | None:
    """The move that a command is, if it is one."""
    match command:
        case Answer(samples, answer):
            return Move(tuple(samples), str(answer))
        case Reject(samples):
            return Move(tuple(samples), None)
        case Reply([{"kind": "group", "samples": samples, "verdict": outside}]):
            return Move(tuple(samples), tuple(outside))
    return None


def moves_of(session: Session) -> list[Move]:
    """The moves of a game in order, without those that were taken back."""
    return [move for move in map(_move, session.standing) if move is not None]


def stages_of(session: Session) -> list[Snapshot]:
    """Where the solver was before the first answer, and where each answer has led."""
    stages: list[Snapshot] = []
    for snapshot in session.snapshots[: session.position + 1]:
        if _move(snapshot.command) is not None or not stages:
            stages.append(snapshot)
        else:
            stages[-1] = snapshot
    return stages


def agreement(session: Session) -> list[float]:
    """Adjusted Rand index at the start and after each move."""
    reached = [snapshot.scores(truth_of(session.data))["ari"] for snapshot in stages_of(session)]
    places = np.cumsum([0, *(move.answer is not None for move in moves_of(session))])
    return [reached[place] for place in places]


def is_true(session: Session, move: Move) -> bool:
    """Whether an answer agrees with the known classes."""
    truth = truth_of(session.data)
    if isinstance(move.answer, tuple):
        inside, outside = truth[np.setdiff1d(move.samples, move.answer)], truth[list(move.answer)]
        return len(np.unique(inside)) == 1 and not np.isin(outside, inside).any()
    i, j = truth[list(move.samples)]
    return move.answer == ("same" if i == j else "different")


def n_settled(snapshot: Snapshot) -> int:
    """How many pairs of samples need no question any more."""
    known = snapshot.problem.constraints
    component = known.must_components
    sizes = np.bincount(component)
    sides = [
        [component[known.blocks.row(side)[0]] for side in ends]
        for ends in zip(known.separations.a, known.separations.b)
    ]
    across = [(np.repeat(a, len(b)), np.tile(b, len(a))) for a, b in sides]
    ends = np.concatenate([component[np.stack([known.pairs.i, known.pairs.j])], *across], axis=1)
    ends = np.sort(ends, axis=0).T
    apart = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return int((sizes * (sizes - 1) // 2).sum() + (sizes[apart[:, 0]] * sizes[apart[:, 1]]).sum())


class _RandomPairs(Random):
    """Random questions that differ from game to game, while the solver starts where the person's does."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        return super().propose(replace(problem, seed=self.seed), state, n, asked=asked)


class _RandomGroups(_RandomPairs):
    """The same about groups of as many samples as a person is shown."""

    kind = "group"

    def propose(self, problem: Problem, state: State, n: int = 1, *, asked: Asked = frozenset()) -> tuple[Query, ...]:
        rng = draw_rng(replace(problem, seed=self.seed), state, asked)
        drawn = rng.choice(problem.n_samples, min(GroupQueries().size, problem.n_samples), replace=False)
        return (Query.group(drawn, "Samples drawn at random.", 0.0),)


def played(session: Session, strategy: Strategy) -> Iterator[float]:
    """Adjusted Rand index at the start of a game and after each question, answered by the truth."""
    solver, first = clone(session.solver).set_params(n_init=1), session.snapshots[0].problem
    truth = Truth(truth_of(session.data))
    for reached in ask(solver, first, strategy, truth, LOOP.budget, steps_per_round=LOOP.steps_per_round):
        yield adjusted_rand_score(truth.target, reached.state.partition.labels())


def opponent(session: Session, seed: int, kind: str = "pair") -> Iterator[float]:
    """The same with random questions of a kind."""
    return played(session, _RandomGroups(seed) if kind == "group" else _RandomPairs(seed))
