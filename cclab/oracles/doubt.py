"""`suspects`: which statements are probably wrong, and why.

Part of what is known is held back in turn, and each statement is held against what the solver makes of the rest, from
what it believes now on: that takes less than a fit, whatever its number of starts. A
solver may be wrong about a single sample too, so it is not its label that counts, but what the labels of all others
say of it, in two ways: by its neighbourhood (how the clusters share out its nearest samples), and by shape (how near
it is to each cluster, were they clouds of one shape). The way in which what was held back agrees better with the rest
is taken: the first for winding clusters, the second for long ones. `cclab.held_out` asks the same of an answer as a
whole, by hard labels alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf
from sklearn.neighbors import NearestNeighbors

from cclab.core import ConstraintSet, Problem, Solver, State, Statement, iterate
from cclab.core.constraints.folds import definite_clusters
from cclab.oracles.meaning import asked_about
from cclab.queries.base import Query

#: What is known is split in so many parts, so many times: a run of the solver for each.
FOLDS, ROUNDS = 4, 2
#: The neighbourhood of a sample: itself and its nearest, so many in all.
NEIGHBOURHOOD = 10
#: Shapes are fitted to the labels, and again to those that follow; not to samples of more features than this.
SHAPE_FITS, MOST_SHAPED = 2, 200
#: So many statements of an average speaker are added to those of each, before their share of wrong ones is believed.
_PRIOR = 5.0
_SUREST = 0.98


class Knowing(Protocol):
    """What `suspects` needs of a session."""

    @property
    def problem(self) -> Problem:
        """With what is known."""

    @property
    def solver(self) -> Solver:
        """What is asked about the rest."""

    @property
    def state(self) -> State:
        """What is believed now."""


@dataclass(frozen=True)
class Suspect:
    """A statement that is probably wrong.

    Attributes
    ----------
    statement : Statement
    doubt : float
        How probably it is wrong.
    reasons : tuple of str
        Why, in words; the weightiest first.
    samples : tuple of int
        What it is asked about again: all that the answer was about of which it is a part.
    """

    statement: Statement
    doubt: float
    reasons: tuple[str, ...]
    samples: tuple[int, ...]

    @property
    def query(self) -> Query | None:
        """The question that asks again; None where no question can."""
        kind = {"must": "pair", "cannot": "pair", "label": "label"}.get(self.statement.kind, "group")
        if kind == "group" and not 3 <= len(self.samples) <= MOST_ASKED:
            return None
        return Query(kind, self.samples, self._why, self.doubt, again=True)

    @property
    def _why(self) -> str:
        before = {"must": " (“same” before)", "cannot": " (“different” before)"}.get(self.statement.kind, "")
        return f"Asked again{before}: {'; '.join(self.reasons)}."


#: Groups of more samples are not asked about again as a whole.
MOST_ASKED = 12


def suspects(
    session: Knowing,
    n: int | None = 10,
    *,
    least: float = 0.0,
    reliability: Mapping[str, float] | None = None,
    seed: int = 0,
) -> list[Suspect]:
    """The statements that are probably wrong, the most doubtful first.

    Parameters
    ----------
    session : Session
        Or anything with a ``problem``, a ``solver`` and a ``state``.
    n : int, optional
        At most so many; None: all.
    least : float
        Only those whose doubt is at least this.
    reliability : mapping from str to float, optional
        How often each source is right, such as `Panel.reliability`; by default estimated from how its statements
        agree with the rest.
    seed : int
        How what is known is split.

    Returns
    -------
    list of Suspect

    Examples
    --------
    >>> from cclab import ConstraintSet, PCKMeans, Session, load_dataset
    >>> session = Session("iris", PCKMeans(n_clusters=3))
    >>> right = [[0, 7], [1, 9], [2, 30], [60, 61], [62, 65], [110, 120]]
    >>> known = ConstraintSet(150).with_must_link(right).with_cannot_link([[0, 60], [3, 110], [7, 12], [9, 64]])
    >>> _ = session.constrain(constraints=known)
    >>> (first, *_) = suspects(session)
    >>> first.statement.kind, first.statement.samples
    ('cannot', (7, 12))
    """
    problem, known = session.problem, session.problem.constraints
    if len(known) < 2:
        return []
    told = list(known.statements())
    evidence = _Evidence(problem)
    against, fits = np.zeros((evidence.n_ways, len(told))), np.zeros(len(told))
    culprits: list[dict[int, int]] = [{} for _ in against]
    rng = np.random.default_rng([seed, len(known)])
    failed: Exception | None = None
    for _ in range(ROUNDS):
        part = rng.permutation(len(told)) % FOLDS
        for f in range(min(FOLDS, len(told))):
            held = np.flatnonzero(part == f)
            ids = known.ids[held]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    labels = _believed(session, known.without(ids)).partition.labels()
            except ValueError as error:  # links that can't all be kept
                failed = error
                continue
            fits[held] += 1
            for way, shares in enumerate(evidence.shares(labels)):
                for at in held.tolist():
                    degree, culprit = evidence.against(told[at], shares)
                    against[way, at] += degree
                    culprits[way].setdefault(at, culprit)
    if failed is not None and not fits.any():
        raise ValueError(f"nothing can be held back from {type(session.solver).__name__}: {failed}") from failed
    way = int(against.sum(axis=1).argmin())
    contrary = np.where(fits > 0, against[way] / np.maximum(fits, 1), 0.5)
    wrong = _wrong_rates(told, contrary, reliability)
    doubt = _doubt(np.clip(contrary, 1 - _SUREST, _SUREST), wrong)
    broken = np.isin(known.ids, known.satisfaction(session.state.partition.labels()).violated_ids)
    # Of those that are doubted alike, the ones that cost the solver something come first.
    cost = broken * np.array([statement.weight for statement in told])
    order = [int(at) for at in np.lexsort((-cost, -doubt)) if doubt[at] >= least][:n]
    found = []
    for at in order:
        reasons = _reasons(told[at], contrary[at], culprits[way].get(at, -1), bool(broken[at]), wrong[at], wrong)
        found.append(Suspect(told[at], float(doubt[at]), reasons, asked_about(known, told[at])))
    return found


def _believed(session: Knowing, known: ConstraintSet) -> State:
    """What the solver believes in the end if only this is known."""
    solver, problem = session.solver, session.problem.with_constraints(known)
    state = solver.rebase(solver.adapt(session.problem), solver.adapt(problem), session.state)
    return iterate(solver, problem, state=state).last()


class _Evidence:
    """Holds statements against labels, by what these say of the samples."""

    def __init__(self, problem: Problem) -> None:
        known = problem.constraints
        self.samples = np.flatnonzero(known.constrained)
        self._row = np.full(problem.n_samples, -1)
        self._row[self.samples] = np.arange(len(self.samples))
        self._X: Any = problem.X
        k = min(NEIGHBOURHOOD, problem.n_samples)
        self._near = (
            NearestNeighbors(n_neighbors=k).fit(problem.X).kneighbors(problem.X[self.samples], return_distance=False)
        )
        has_shapes = not hasattr(problem.X, "tocsr") and problem.n_features <= MOST_SHAPED
        self.n_ways = 2 if has_shapes else 1
        definite = definite_clusters(known.labels)
        self._labelled = known.labels.sample, definite

    def shares(self, labels: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """In each way, (m, k) how much each sample that something is stated of is of each cluster."""
        labels = np.maximum(labels, 0)
        members = np.eye(int(labels.max()) + 1)
        found = [members[labels][self._near].mean(axis=1)]
        return found if self.n_ways == 1 else [*found, self._by_shape(labels, members)]

    def _by_shape(self, labels: NDArray[np.int64], members: NDArray[np.float64]) -> NDArray[np.float64]:
        degrees = members[labels]
        for _ in range(SHAPE_FITS):
            clusters, sizes = np.unique(labels, return_counts=True)
            if len(clusters) < 2 or sizes.min() < 2:
                break
            degrees = _by_discriminant(self._X, np.searchsorted(clusters, labels), sizes) @ members[clusters]
            labels = clusters[degrees[:, clusters].argmax(axis=1)]
        return degrees[self.samples]

    def against(self, said: Statement, shares: NDArray[np.float64]) -> tuple[float, int]:
        """How probably a statement is wrong by these shares, and the sample that it is most wrong about, or -1."""
        S = shares[self._row[list(said.samples)]]
        match said.kind:
            case "must":
                return 1 - float(S[0] @ S[1]), -1
            case "cannot":
                return float(S[0] @ S[1]), -1
            case "group":
                together = (S @ (S.sum(axis=0) - S).T).diagonal() / (len(S) - 1)
                return 1 - float(together.min()), said.samples[int(together.argmin())]
            case "separation":
                others = shares[self._row[list(said.others)]]
                met = S.mean(axis=0) @ others.T
                return float(met.max()), said.others[int(met.argmax())]
        return self._against_label(said, S[0], shares), -1

    def _against_label(self, said: Statement, own: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
        samples, clusters = self._labelled
        others = (samples != said.samples[0]) & (clusters >= 0)
        if len(said.clusters) != 1 or said.degrees is not None or said.clusters[0] not in clusters[others]:
            return 0.5  # nothing to hold it against
        rows = {int(c): self._row[samples[others & (clusters == c)]] for c in np.unique(clusters[others])}
        met = {c: float((shares[row] @ own).mean()) for c, row in rows.items()}
        return 1 - met[said.clusters[0]] / max(sum(met.values()), 1e-9)


def _by_discriminant(X: NDArray, labels: NDArray, sizes: NDArray) -> NDArray[np.float64]:
    """(n, k) how much each sample is of each cluster, were they clouds of one shape: a linear discriminant.

    The shape is that of all samples about the means of their clusters, made rounder as Ledoit and Wolf do.
    """
    means = (np.eye(len(sizes))[labels].T @ X) / sizes[:, None]
    spread = (X - means[labels]).std(axis=0)
    spread[spread == 0] = 1
    X, means = X / spread, means / spread
    shape, _ = ledoit_wolf(X - means[labels], assume_centered=True)
    towards = np.linalg.lstsq(shape, means.T, rcond=None)[0]
    return softmax(X @ towards - (means.T * towards).sum(axis=0) / 2 + np.log(sizes / len(X)), axis=1)


def _wrong_rates(
    told: list[Statement], contrary: NDArray[np.float64], reliability: Mapping[str, float] | None
) -> NDArray[np.float64]:
    """(m,) how often who said each statement is wrong, and at least as often as they admit."""
    overall = float(contrary.mean())
    sources = np.array([statement.source for statement in told], dtype=object)
    rates = {}
    for source in dict.fromkeys(sources.tolist()):
        mine = contrary[sources == source]
        rates[source] = (mine.sum() + _PRIOR * overall) / (len(mine) + _PRIOR)
        if reliability is not None and source in reliability:
            rates[source] = 1 - float(reliability[source])
    admitted = np.array([(1 - statement.weight) / 2 for statement in told])
    return np.clip(np.maximum([rates[s] for s in sources.tolist()], admitted), 1 - _SUREST, 0.5)


def _doubt(contrary: NDArray[np.float64], wrong: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bayes: how probably it is wrong, by how often its speaker is, and by what the rest says."""
    return contrary * wrong / (contrary * wrong + (1 - contrary) * (1 - wrong))


def _reasons(
    said: Statement, contrary: float, culprit: int, broken: bool, rate: float, rates: NDArray
) -> tuple[str, ...]:
    percent = f"{100 * contrary:.0f}\N{NO-BREAK SPACE}%"
    words = {
        "must": f"the rest puts {' and '.join(map(str, said.samples))} apart ({percent})",
        "cannot": f"the rest puts {' and '.join(map(str, said.samples))} together ({percent})",
        "group": f"by the rest, {culprit} does not belong ({percent})",
        "separation": f"by the rest, {culprit} belongs with the others ({percent})",
        "label": f"by the rest, {said.samples[0]} has another label ({percent})",
    }
    found = [words[said.kind]] if contrary > 0.5 else []
    if broken:
        found.append("the solver breaks it now")
    if rate > 1.5 * float(np.median(rates)) and rate >= 0.15 and said.weight == 1:
        found.append(f"about {100 * rate:.0f} % of what {said.source} says looks wrong")
    if said.weight < 1:
        found.append(f"it was said with a weight of {said.weight:.2f}")
    return tuple(found) or (f"the rest says little for it ({percent} against)",)
