"""Boosted constrained k-means: many weak clusterings, each minding the links that those before it broke [1]_.

Notation
--------
=======  ====================  ================================================================================
paper    here                  meaning
=======  ====================  ================================================================================
ρ_s      ``log_priorities``    priority of link s (its logarithm, not normalised)
K^t      ``hypothesis``        which samples round t puts together: kept as labels, never as a matrix
ε_t      ``error``             share of the priorities whose links round t broke
α_t      ``importance``        how much round t counts
α*       ``perfect``           how much a round counts that broke no link
y_s      ``links.must``        +1 for must, -1 for cannot
K        ``hypotheses``        sum of α_t K^t: the Gram matrix of the rows [√α_t Z_t], with Z_t one-hot labels
T        ``n_rounds``          number of rounds
=======  ====================  ================================================================================

References
----------
.. [1] M. Okabe, S. Yamada, Clustering using boosted constrained k-means algorithm, Frontiers in Robotics and AI 5:18,
   2018.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp

from cclab.algorithms.kmeans.ckm import _KernelKMeans, by_priority, by_tenths, grown, satisfaction_gauge
from cclab.algorithms.kmeans.link_forest import Forest
from cclab.core import Gauge, Hard, Partition, Problem, State
from cclab.core.arrays import readonly
from cclab.core.parameters import real, whole
from cclab.core.warning import warn_caller
from cclab.maths.ensemble import ensemble_labels, importance_gauge, mean_priorities, renamed
from cclab.maths.link_table import LinkTable


class BoostingNotStarted(UserWarning):
    """The first round broke links of more than half of the priority, so there was nothing to boost."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EnsembleState(State):
    """The rounds so far; the clusters follow from them.

    Attributes
    ----------
    centers : (k, p) array or None
        The centres of the latest hypothesis, for the linear kernel.
    hypothesis : (n,) int array
        The latest weak clustering, kept or not; before the first round, the nearest starting centres.
    hypotheses : tuple of (n,) int arrays
        The weak clusterings that count. Later states share these arrays: all states of T rounds together take O(n T).
    importance : (T,) array
        How much each of them counts.
    log_priorities : (s,) array
        Of all links, in the order of the link table.
    statements : (s,) int array
        The statement that each link belongs to.
    error : float
        The share of the priorities whose links the latest hypothesis broke.
    satisfied_by_priority : tuple of float
        The share of links that it satisfied in each tenth of their order.
    stopped : str
        Why there need be no more rounds, or "".
    n_clusters, vote_starts, weights
        What the clusters are worked out with.
    """

    hypothesis: NDArray = field(repr=False)
    hypotheses: tuple[NDArray, ...] = field(default=(), repr=False)
    importance: NDArray = field(default_factory=lambda: np.empty(0))
    log_priorities: NDArray = field(repr=False)
    statements: NDArray = field(repr=False)
    error: float = np.nan
    satisfied_by_priority: tuple[float, ...] = field(default=(), repr=False)
    stopped: str = ""
    n_clusters: int
    vote_starts: int
    weights: NDArray = field(repr=False)

    def _partition(self) -> Hard:
        if not self.hypotheses:
            return Hard(self.hypothesis, self.n_clusters)
        labels = ensemble_labels(
            self.hypotheses,
            self.importance,
            self.n_clusters,
            weights=self.weights,
            n_starts=self.vote_starts,
        )
        return Hard(labels, self.n_clusters)

    def emphasis(self) -> tuple[NDArray, NDArray] | None:
        """The mean priority of each statement's links."""
        return mean_priorities(self.statements, self.log_priorities)

    def asides(self) -> dict[str, Partition]:
        return {"Latest round": Hard(self.hypothesis, self.n_clusters)}

    def gauges(self) -> tuple[Gauge, ...]:
        if not self.iteration:
            return ()
        return (
            satisfaction_gauge(self.satisfied_by_priority),
            Gauge("Priority of broken links (ε)", ("this round",), (self.error,)),
            importance_gauge(self.importance),
        )


@dataclass(eq=False, repr=False, kw_only=True)
class BCKM(_KernelKMeans):
    """Boosting of constrained k-means: links that a round breaks come earlier in the next; all rounds vote.

    Parameters
    ----------
    n_init : int
        How often to boost anew; the run with the lowest objective wins.
    n_rounds : int
        How many rounds of boosting at most (T).
    kernel : {"linear", "local-scaling", "precomputed"}
        In which space the rounds take distances: that of the samples, that of a Gaussian kernel with the distance to
        the 7th neighbour as each sample's width, or that of a kernel matrix given as X.
    perfect : float
        How much a round counts that breaks no link at all (α*).
    max_sweeps : int
        How many sweeps of k-means a round makes at most.
    vote_starts : int
        From how many of the rounds the k-means that joins the votes starts; the best of its runs wins.

    Warns
    -----
    BoostingNotStarted
        When the first round broke links of more than half of the priority; its own clusters are the answer then.

    Notes
    -----
    The weights of the links are their first priorities. Links of the same priority come in random order, drawn anew
    for each round; the draw is about their places, so the result depends on the order in which they were stated. Where
    all weights differ it does not.

    The objective is the exponential loss that
    boosting lowers, ``sum_s ρ_s`` over its first value: the mean over the links of ``exp(-y_s sum_t α_t (2 K^t - 1))``.
    The loss printed in [1]_ has ``K`` in place of ``2 K - 1``, but it is the latter that steps 11 and 12 of
    Algorithm 3 lower.

    Each round starts at k-means++ centres of its own and ends at the first sweep that does not lower its sum of
    squares (as printed, sweeps may circle for ever). Boosting ends after `n_rounds`, or with a round that breaks no
    link, or with one that breaks links of half of the priority. The n x n kernel is never made: see
    `cclab.maths.ensemble.ensemble_labels`.

    A group of more than 50 samples counts as one link for each member: it holds to the degree that the member is
    together with the others, and each round ties all of them to one member drawn at random. A separation of more than
    1,225 pairs is treated likewise, each member drawing its own opposite.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> labels = BCKM(2, random_state=0).fit(X, must_link=[[0, 2]], cannot_link=[[0, 1], [2, 3]]).labels_
    >>> labels[0] == labels[2] != labels[1] == labels[3]
    np.True_
    """

    # Boosting lowers the exponential loss by each round that it keeps.
    descends = True
    parameters = {
        "n_rounds": whole(1),
        "perfect": real(0, open_low=True),
        "max_sweeps": whole(1),
        "vote_starts": whole(1),
    }

    n_rounds: int = 100
    perfect: float = 100.0
    max_sweeps: int = 100
    vote_starts: int = 25

    @property
    def max_iter(self) -> int:
        """A step is a round."""
        return self.n_rounds

    def start(self, problem: Problem, restart: int = 0) -> EnsembleState:
        V = self._first_centers(problem, problem.rng(restart, 0))
        nobody = np.empty(0, dtype=np.int64)
        no_links = Forest.grow(nobody, nobody, nobody, problem.n_samples)
        nearest, V, _ = self._sweep(problem, no_links, V)
        links = self._links(problem)
        return EnsembleState(
            restart=restart,
            objective=self._objective(np.log(links.weight), links),
            centers=self._among_samples(V),
            hypothesis=self._small(nearest),
            log_priorities=np.log(links.weight),
            statements=links.statement,
            n_clusters=self.n_clusters,
            vote_starts=self.vote_starts,
            weights=problem.weights,
        )

    def step(self, problem: Problem, state: EnsembleState) -> EnsembleState:
        """One round: steps 3-13 of Algorithm 3."""
        rng = problem.rng(state.restart, state.iteration + 1)
        links = self._links(problem)
        log_ρ = self._log_priorities(links, state)
        order = by_priority(log_ρ, rng)
        labels, V = self._weak_clustering(problem, grown(links, order, problem.n_samples, rng), rng)
        # Names that stay from round to round keep their hues; the clusters are the same under any names.
        like = state.hypotheses[0] if state.hypotheses else state.hypothesis
        hypothesis = self._small(renamed(labels, like, self.n_clusters))

        agreement = links.agreement(hypothesis)
        ε = _error(log_ρ, agreement)
        α, stopped = self._importance(ε)
        after = self._log_priorities_after(state.log_priorities, α, agreement)
        return replace(
            state,
            iteration=state.iteration + 1,
            objective=self._objective(after, links),
            terms={"error": ε},
            notes=(f"round {state.iteration + 1}: {stopped}",) if stopped else (),
            centers=self._among_samples(V),
            hypothesis=hypothesis,
            hypotheses=(*state.hypotheses, hypothesis) if α else state.hypotheses,
            importance=np.append(state.importance, α) if α else state.importance,
            log_priorities=after,
            error=ε,
            satisfied_by_priority=by_tenths(agreement[order]),
            stopped=stopped,
        )

    def converged(self, previous: EnsembleState, state: EnsembleState) -> bool:
        return bool(state.stopped)

    def rebase(self, old_problem: Problem, new_problem: Problem, state: EnsembleState) -> EnsembleState:
        """The same rounds, each link with the priority it has earned in them: links that stay keep theirs.

        A round that broke no link counted for much; if it breaks one that is new, it counts for its error from now on.
        """
        links = self._links(new_problem)
        state = replace(state, log_priorities=np.log(links.weight), statements=links.statement, stopped="")
        importance = np.array(state.importance)
        for t, hypothesis in enumerate(state.hypotheses):
            agreement = links.agreement(hypothesis)
            if importance[t] == self.perfect:
                importance[t], _ = self._importance(_error(self._log_priorities(links, state), agreement))
            after = self._log_priorities_after(state.log_priorities, importance[t], agreement)
            state = replace(state, log_priorities=after)
        if not importance.all():
            state = replace(state, hypotheses=tuple(compress(state.hypotheses, importance)))
        objective = self._objective(state.log_priorities, links)
        return replace(state, importance=importance[importance > 0], objective=objective)

    def priorities(self, problem: Problem, state: EnsembleState) -> pd.DataFrame:
        """One row a link: its two samples, whether it is a must-link, and its share of the priority.

        Links of blocks too large to be expanded name a partner drawn for this round.
        """
        problem = self.adapt(problem)
        links = self._links(problem)
        log_ρ = state.log_priorities
        partner = links.partners(problem.rng(state.restart, state.iteration))
        share = np.exp(log_ρ - logsumexp(log_ρ)) if len(links) else log_ρ
        return pd.DataFrame({"i": links.i, "j": partner, "must": links.must, "priority": share})

    def _objective(self, log_ρ: NDArray, links: LinkTable) -> float:
        """The exponential loss, 1 before the first round."""
        return float(np.exp(log_loss(log_ρ, links)))

    # ------------------------------------------------------------------ a round

    def _log_priorities(self, links: LinkTable, state: EnsembleState) -> NDArray:
        """What orders the links of a round, and weighs its error."""
        return state.log_priorities

    def _weak_clustering(self, problem: Problem, forest: Forest, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        """Algorithm 2: the labels before the first sweep that fails to lower the objective, and their centres."""
        labels, V, objective = self._sweep(problem, forest, self._first_centers(problem, rng))
        for _ in range(self.max_sweeps - 1):
            swept = self._sweep(problem, forest, V)
            if swept[2] >= objective:
                break
            labels, V, objective = swept
        return labels, V

    def _importance(self, ε: float) -> tuple[float, str]:
        """Steps 6-11 of Algorithm 3: what a round with this error counts, and why it is the last one, if so."""
        if ε == 0:
            return self.perfect, "every link holds, boosting is done"
        if ε >= 0.5:
            return 0.0, "links of half of the priority are broken, boosting can't go on"
        return 0.5 * np.log((1 - ε) / ε), ""

    @staticmethod
    def _log_priorities_after(log_ρ: NDArray, α: float, agreement: NDArray) -> NDArray:
        """Step 12 of Algorithm 3; ``y (2 K^t - 1)`` is 1 where a link holds and -1 where it doesn't."""
        return log_ρ - α * (2 * agreement - 1)

    def _small(self, labels: NDArray) -> NDArray:
        """Labels in the smallest type that holds them: they are kept for each round."""
        return readonly(labels.astype(np.min_scalar_type(self.n_clusters - 1)))

    def _keep(self, problem: Problem, state: EnsembleState) -> None:
        super()._keep(problem, state)
        if not state.hypotheses:
            warn_caller(
                f"{type(self).__name__} could not start boosting: the first round broke links of {state.error:.0%} of "
                "the priority. Its own clusters are the answer; look at ConstraintSet.conflicts(), or ask for "
                "another number of clusters",
                BoostingNotStarted,
            )


def _error(log_ρ: NDArray, agreement: NDArray) -> float:
    """Step 5 of Algorithm 3: the share of the priorities whose links are broken."""
    return float(np.exp(log_ρ - logsumexp(log_ρ)) @ (1 - agreement)) if len(log_ρ) else 0.0


def log_loss(log_ρ: NDArray, links: LinkTable) -> float:
    """The logarithm of the exponential loss, 0 before the first round."""
    return float(logsumexp(log_ρ) - np.log(links.weight.sum())) if len(links) else 0.0
