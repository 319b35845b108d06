"""What boosting by links shares: rounds that each put samples together, and the kernel that they add up to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans

from cclab.core import Gauge, Hard, Partition, Problem, Solver, State
from cclab.core.arrays import readonly
from cclab.core.parameters import Seed, whole
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.ensemble import ensemble_labels, importance_gauge, mean_priorities, renamed
from cclab.maths.link_table import LinkTable

# From how many draws of centres the k-means starts that joins rounds which are not all sure.
VOTE_STARTS = 10
# After so many rounds in a row that break as much as they keep, boosting ends.
USELESS = 5


@dataclass(frozen=True, eq=False)
class Round:
    """A weak clustering, as a kernel: ``sqrt(sure_i sure_j)`` for two samples that it puts together, else 0.

    Attributes
    ----------
    labels : (n,) int array
    sure : (n,) array or None
        How sure it is of each sample; None: wholly, of all.
    """

    labels: NDArray = field(repr=False)
    sure: NDArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", readonly(self.labels))
        object.__setattr__(self, "sure", None if self.sure is None else readonly(self.sure))

    def together(self, links: LinkTable, partners: NDArray) -> NDArray:
        """(s,) the kernel at each link."""
        if self.sure is None:
            agreement = links.agreement(self.labels)
            return np.where(links.must, agreement, 1 - agreement)
        same = self.labels[links.i] == self.labels[partners]
        return np.where(same, np.sqrt(self.sure[links.i] * self.sure[partners]), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class BoostedState(State):
    """The rounds so far; the clusters follow from them.

    Attributes
    ----------
    latest : Round
        The latest, kept or not.
    rounds : tuple of Round
        Those that count. Later states share them: all states of T rounds together take O(n T).
    importance : (T,) array
        How much each of them counts (α).
    log_priorities : (s,) array
        Of all links, in the order of the link table.
    statements : (s,) int array
        The statement that each link belongs to.
    broken : float
        The share of links that the latest round breaks.
    useless : int
        How many rounds in a row did not help and were left out.
    stopped : str
        Why there need be no more rounds, or "".
    n_clusters : int
    """

    latest: Round = field(repr=False)
    rounds: tuple[Round, ...] = field(default=(), repr=False)
    importance: NDArray = field(default_factory=lambda: np.empty(0))
    log_priorities: NDArray = field(repr=False)
    statements: NDArray = field(repr=False)
    broken: float = np.nan
    useless: int = 0
    stopped: str = ""
    n_clusters: int

    def _partition(self) -> Hard:
        if not self.rounds:
            return Hard(self.latest.labels, self.n_clusters)
        return Hard(joined_labels(self.rounds, self.importance, self.n_clusters), self.n_clusters)

    def emphasis(self) -> tuple[NDArray, NDArray] | None:
        """The mean priority of each statement's links."""
        return mean_priorities(self.statements, self.log_priorities)

    def asides(self) -> dict[str, Partition]:
        return {"Latest round": Hard(self.latest.labels, self.n_clusters)}

    def gauges(self) -> tuple[Gauge, ...]:
        if not self.iteration:
            return ()
        return (
            Gauge("Links that the latest round breaks", ("share",), (self.broken,)),
            importance_gauge(self.importance),
        )


@dataclass(eq=False, repr=False, kw_only=True)
class _BoostingSolver(Solver):
    """Rounds of a weak clustering, as one kernel, and kernel k-means on it.

    Parameters
    ----------
    n_init : int
        How often to boost anew; the run with the lowest objective wins.
    n_rounds : int
        How many rounds at most (T).
    """

    uses = frozenset({"must", "cannot", "weights"})
    parameters = {"n_rounds": whole(1)}

    n_clusters: int = field(default=3, kw_only=False)
    n_init: int = 1
    random_state: Seed = None
    n_rounds: int = 50

    @property
    def max_iter(self) -> int:
        """A step is a round."""
        return self.n_rounds

    # ------------------------------------------------------------------ what an algorithm gives

    def weak(self, problem: Problem, log_priorities: NDArray | None, rng: np.random.Generator) -> Round | None:
        """A weak clustering that minds the links by their priorities; by the data alone where these are None."""
        raise NotImplementedError

    def importance_of(self, links: LinkTable, log_priorities: NDArray, together: NDArray) -> float:
        """How much a round counts (α); 0 or less where it does not help."""
        raise NotImplementedError

    def loss(self, links: LinkTable, log_priorities: NDArray, importance: NDArray) -> float:
        """What boosting lowers, 1 before the first round."""
        raise NotImplementedError

    def first_priorities(self, links: LinkTable) -> NDArray:
        """(s,) logarithms of the weights of the links."""
        return np.log(links.weight)

    # ------------------------------------------------------------------ the solver

    def links(self, problem: Problem) -> LinkTable:
        """All links in a row; worked out once for as long as knowledge stays the same."""
        return of_constraints(problem, "link table", LinkTable.of)

    def start(self, problem: Problem, restart: int = 0) -> BoostedState:
        links = self.links(problem)
        plain = self.weak(problem, None, problem.rng(restart, 0))
        assert plain is not None
        return BoostedState(
            restart=restart,
            objective=1.0,
            latest=plain,
            log_priorities=self.first_priorities(links),
            statements=links.statement,
            n_clusters=self.n_clusters,
        )

    def step(self, problem: Problem, state: BoostedState) -> BoostedState:
        rng, links = problem.rng(state.restart, state.iteration + 1), self.links(problem)
        if not len(links):
            return self._stopped(state, "there are no links to learn from")
        found = self.weak(problem, state.log_priorities, rng)
        if found is None:
            return self._stopped(state, "no direction tells the links apart")
        # Names that stay from round to round keep their hues; the clusters are the same under any names.
        found = replace(found, labels=_small(renamed(found.labels, state.latest.labels, self.n_clusters)))
        together = found.together(links, links.partners(rng))
        holds = links.agreement(found.labels)
        broken = float(links.weight @ (1 - holds) / links.weight.sum())
        α = self.importance_of(links, state.log_priorities, together)
        if not α > 0:
            return self._left_out(state, found, broken)
        log_ρ = state.log_priorities - np.where(links.must, α, -α) * together
        importance = np.append(state.importance, α)
        stopped = "every link holds, boosting is done" if not broken else ""
        return replace(
            state,
            iteration=state.iteration + 1,
            objective=self.loss(links, log_ρ, importance),
            notes=(f"round {state.iteration + 1}: {stopped}",) if stopped else (),
            latest=found,
            rounds=(*state.rounds, found),
            importance=importance,
            log_priorities=log_ρ,
            broken=broken,
            useless=0,
            stopped=stopped,
        )

    def _stopped(self, state: BoostedState, why: str) -> BoostedState:
        notes = (f"round {state.iteration + 1}: {why}",)
        return replace(state, iteration=state.iteration + 1, notes=notes, stopped=why)

    def _left_out(self, state: BoostedState, found: Round, broken: float) -> BoostedState:
        """The state after a round that breaks as much as it keeps; another draw may do better, for a few times."""
        useless = state.useless + 1
        why = "boosting can't go on" if useless == USELESS else "it is left out"
        return replace(
            state,
            iteration=state.iteration + 1,
            notes=(f"round {state.iteration + 1} broke as much as it kept: {why}",),
            latest=found,
            broken=broken,
            useless=useless,
            stopped=why if useless == USELESS else "",
        )

    def converged(self, previous: BoostedState, state: BoostedState) -> bool:
        return bool(state.stopped)

    def rebase(self, old_problem: Problem, new_problem: Problem, state: BoostedState) -> BoostedState:
        """The same rounds, each link with the priority it has earned in them: links that stay keep theirs."""
        links = self.links(new_problem)
        log_ρ, importance = self.first_priorities(links), state.importance
        partners = links.partners(new_problem.rng(state.restart, state.iteration))
        for found, α in zip(state.rounds, importance):
            log_ρ = log_ρ - np.where(links.must, α, -α) * found.together(links, partners)
        objective = self.loss(links, log_ρ, importance) if len(links) else 1.0
        return replace(
            state, log_priorities=log_ρ, statements=links.statement, objective=objective, useless=0, stopped=""
        )


def joined_labels(rounds: tuple[Round, ...], importance: NDArray, n_clusters: int) -> NDArray[np.int64]:
    """(n,) kernel k-means of the sum of all rounds' kernels, by k-means on rows of which it is the Gram matrix."""
    n = len(rounds[0].labels)
    if all(found.sure is None for found in rounds):
        hypotheses = [found.labels for found in rounds]
        return ensemble_labels(hypotheses, importance, n_clusters, weights=np.ones(n), n_starts=25)
    values = np.stack([np.sqrt(α * found.sure) for α, found in zip(importance, rounds)], axis=1)
    columns = np.stack([t * n_clusters + found.labels.astype(np.int32) for t, found in enumerate(rounds)], axis=1)
    ends = np.arange(0, values.size + 1, len(rounds), dtype=np.int32)
    shape = (n, n_clusters * len(rounds))
    rows = sparse.csr_array((values.ravel(), columns.ravel().astype(np.int32), ends), shape=shape)
    if len(np.unique(columns, axis=0)) < n_clusters:
        return np.asarray(rounds[-1].labels, dtype=np.int64)
    labels = KMeans(n_clusters, n_init=VOTE_STARTS, random_state=0).fit(rows).labels_
    return renamed(labels.astype(np.int64), rounds[0].labels, n_clusters)


def shares(log_priorities: NDArray) -> NDArray:
    """Priorities that add up to 1."""
    if not len(log_priorities):
        return np.empty(0)
    priorities = np.exp(log_priorities - log_priorities.max())
    return priorities / priorities.sum()


def log_mean(log_priorities: NDArray, weight: NDArray) -> float:
    """The logarithm of the sum of the priorities over that of the weights; 0 where there are none."""
    if not len(log_priorities):
        return 0.0
    top = float(log_priorities.max())
    return float(top + np.log(np.exp(log_priorities - top).sum()) - np.log(weight.sum()))


def _small(labels: NDArray) -> NDArray:
    """Labels in the smallest type that holds them: they are kept for each round."""
    return labels.astype(np.min_scalar_type(int(labels.max(initial=0))))


def centred(problem: Problem) -> NDArray:
    """(n, p) the samples about their mean, over their spread; worked out once."""

    def make() -> NDArray:
        X: Any = np.asarray(problem.X, dtype=float)
        return readonly((X - X.mean(axis=0)) / problem.spread)

    return problem.derived("boosting: centred samples", make)
