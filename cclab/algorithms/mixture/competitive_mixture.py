"""Competitive agglomeration that finds the number of clusters with many features.

The memberships of competitive agglomeration [2]_, ``u ~ 1 / d^2``, see ratios of distances, and these tend to 1 as
features are added. Here clusters compete with ``u ~ weight * exp(-d^2 / 2)``, which sees differences, on the leading
principal components. Each cluster pays a toll for its parameters out of its samples [1]_; one that can't vanishes. When
all have come to rest the one that is missed least goes, down to a single one. This is done for clusters that are round,
that share one covariance, and that have one each; the Bayesian information criterion picks the best moment of all.

Notation
--------
======  ========================  =====================================================================
symbol  here                      meaning
======  ========================  =====================================================================
C_0     ``max_clusters``          number of clusters at the start
q       ``subspace.axes``         number of principal components that stand out from noise
T / 2   ``Mixture.toll``          the toll: half the number of parameters of a cluster, in samples
alpha   ``constraint_weight``     what a broken link costs, in nats
======  ========================  =====================================================================

References
----------
.. [1] M. A. T. Figueiredo, A. K. Jain, Unsupervised learning of finite mixture models, IEEE Transactions on Pattern
   Analysis and Machine Intelligence 24(3), 2002.
.. [2] H. Frigui, R. Krishnapuram, Clustering by competitive agglomeration, Pattern Recognition 30(7), 1997.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from cclab.algorithms.mixture.choosing import Trial, Verdict, joined_once, trials
from cclab.algorithms.mixture.competition import Contest, advance, fewest_clusters, heed_links, mixtures_at_rest
from cclab.algorithms.mixture.joining import cluster_of_parts, heaviest_parts, log_memberships, means_of_clusters
from cclab.algorithms.mixture.leading_components import Subspace, leading_components
from cclab.algorithms.mixture.mixtures import SHAPES, Mixture, Sight, first_mixture, responsibilities
from cclab.core import CenterState, Fuzzy, Gauge, Problem, WeightedSolver
from cclab.core.parameters import Seed, real, whole
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.quadratic_memberships import LinkCosts
from cclab.maths.seeding import initial_centers

# Sweeps in one step: few enough to watch clusters fade.
SWEEPS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class CompetitiveMixtureState(CenterState):
    """A mixture, which clusters its components make up, and what is known of their number so far.

    Attributes
    ----------
    subspace : Subspace
        Where the clusters compete.
    contest : Contest
        The mixture, and how its competition stands.
    clusters : (k,) int array
        The cluster that each component is part of.
    sizes : (c,) array
        Samples in each cluster, by their memberships.
    linked, linked_memberships : (t,) int array and (t, c) array
        The samples that links touch, and their memberships.
    stage : int
        First the shapes compete, one after the other; then each start is weighed; then parts are joined; then all is
        done.
    trials : tuple of Trial
        The mixtures that were weighed.
    verdict : Verdict or None
        How many clusters there are and how sure that is, once it is known.
    """

    subspace: Subspace = field(repr=False)
    contest: Contest = field(repr=False)
    clusters: NDArray = field(repr=False)
    sizes: NDArray = field(repr=False)
    linked: NDArray = field(repr=False)
    linked_memberships: NDArray = field(repr=False)
    stage: int
    trials: tuple[Trial, ...] = field(default=(), repr=False)
    verdict: Verdict | None = None

    @property
    def mixture(self) -> Mixture:
        """The components that compete now."""
        return self.contest.mixture

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        return self.mixture.ids[heaviest_parts(self.mixture, self.clusters)]

    def log_memberships(self, X: NDArray) -> NDArray:
        """(m, c) of any samples, up to a constant in each row."""
        return log_memberships(self.mixture, self.clusters, self.subspace.reduce(X))

    def _partition(self) -> Fuzzy:
        U = softmax(self.log_memberships(self.X), axis=1)
        U[self.linked] = self.linked_memberships
        return Fuzzy(U)

    def gauges(self) -> tuple[Gauge, ...]:
        names = tuple(str(id_ + 1) for id_ in self.cluster_ids)
        return (
            Gauge("Number of clusters", ("clusters",), (float(len(names)),)),
            Gauge("Cluster sizes", names, tuple(self.sizes.tolist()), by_cluster=True),
        )


@dataclass(eq=False, repr=False, kw_only=True)
class CompetitiveMixture(WeightedSolver):
    """Finds the number of clusters by competition, also with many features, and says how sure it is.

    `state_.verdict` holds the number, the runner-up and, in words, how sure that is.

    Parameters
    ----------
    n_clusters : int or None
        How many clusters there are, or None: to be found.
    n_init : int
        How often the competition starts anew. The number of clusters is sure only when all starts agree on it.
    max_clusters : int
        How many clusters to start with (at most one for every 5 samples).
    constraint_weight : float
        What a broken link costs, in nats (alpha): 3 trusts a link to about 95 %.
    max_samples : int
        Of more samples than this, so many drawn at random compete; the others follow.

    Notes
    -----
    Links are heard when the mixtures are weighed, not while they compete, so that new knowledge needs no new
    competition: each mixture makes some damped sweeps with them, and what they break counts against it. Samples that
    all belong apart set the least number of clusters.

    Made for clusters that are roughly Gaussian; rings and long bent shapes come out in pieces. Clusters less than about
    4 standard deviations from each other may pass for one, and no verdict can speak of what can't be seen: "sure" is
    about clusters that stand apart.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1.0, size=(50, 3)) for c in (0.0, 6.0)])
    >>> print(CompetitiveMixture(random_state=0, n_init=2).fit(X).state_.verdict)
    2 clusters, sure: 3 comes next, at odds of 1 to 146; all 2 starts agree.
    """

    uses = frozenset({"must", "cannot", "weights", "sample_weight"})
    # Clusters that can't pay vanish, and the shapes compete one after the other.
    descends = False
    parameters = {
        "n_clusters": whole(1, or_none=True),
        "max_clusters": whole(1),
        "constraint_weight": real(0),
        "max_samples": whole(10),
    }
    # The competition ends by itself.
    max_iter = 100_000

    n_clusters: int | None = field(default=None, kw_only=False)
    n_init: int = 3
    random_state: Seed = None
    max_clusters: int = 20
    constraint_weight: float = 3.0
    max_samples: int = 5000

    def start(self, problem: Problem, restart: int = 0) -> CompetitiveMixtureState:
        return self._show(problem, Contest(self._first(problem, restart, 0, SHAPES[0])), stage=0, restart=restart)

    def step(self, problem: Problem, state: CompetitiveMixtureState) -> CompetitiveMixtureState:
        progress = {"restart": state.restart, "iteration": state.iteration + 1}
        weigh, join = len(SHAPES), len(SHAPES) + self.n_init
        if state.stage < weigh:
            return self._compete(problem, state, **progress)
        if state.stage < join:
            return self._weigh(problem, state, state.stage - weigh, **progress)
        return self._join(problem, state, **progress)

    def converged(self, previous: CompetitiveMixtureState, state: CompetitiveMixtureState) -> bool:
        return state.verdict is not None

    def rebase(
        self, old_problem: Problem, new_problem: Problem, state: CompetitiveMixtureState
    ) -> CompetitiveMixtureState:
        """The competition goes on; where it is over, the mixtures are weighed again with the new knowledge."""
        if state.stage < len(SHAPES):
            return state
        return replace(state, stage=len(SHAPES), trials=(), verdict=None, notes=())

    def believe(self, X: NDArray, state: CompetitiveMixtureState) -> Fuzzy:
        return Fuzzy(softmax(state.log_memberships(X), axis=1))

    def _n_starts(self) -> int:
        return 1  # all starts are part of one run

    # ------------------------------------------------------------------ what a step does

    def _compete(self, problem: Problem, state: CompetitiveMixtureState, **progress: Any) -> CompetitiveMixtureState:
        """Some sweeps of the competition; when it is over, the next shape competes."""
        if not state.contest.over(self._fewest):
            _, sight, _ = self._sight(problem)
            contest = advance(state.contest, sight, self._fewest, SWEEPS)
            return self._show(problem, contest, stage=state.stage, **progress)
        stage = state.stage + 1
        if stage < len(SHAPES):
            first = Contest(self._first(problem, state.restart, 0, SHAPES[stage]))
            notes = (f"All clusters compete again, now with a covariance that is {SHAPES[stage]}.",)
            return self._show(problem, first, stage=stage, notes=notes, **progress)
        return self._show(problem, state.contest, stage=stage, notes=("The competition is over.",), **progress)

    def _weigh(
        self, problem: Problem, state: CompetitiveMixtureState, start: int, **progress: Any
    ) -> CompetitiveMixtureState:
        """Weigh all mixtures of one start, and show the best so far."""
        _, sight, links = self._sight(problem)
        rested = self._rested(problem, state.restart, start)
        found = trials(rested, start, sight, links, self.constraint_weight, joining=self.n_clusters is None)
        enough = [t for t in found if t.n_clusters >= fewest_clusters(links)] or found
        best = min(enough, key=lambda t: t.cost)
        assert best.mixture is not None
        all_trials = (*state.trials, *(t.without_mixture() for t in enough))
        mixture = best.mixture if best.cost <= min(t.cost for t in all_trials) else state.mixture
        note = f"Start {start + 1} of {self.n_init}: fits best with {best.n_clusters} ({best.mixture.shape})."
        return self._show(
            problem,
            Contest(mixture, at_rest=True),
            stage=state.stage + 1,
            trials=all_trials,
            notes=(note,),
            **progress,
        )

    def _join(self, problem: Problem, state: CompetitiveMixtureState, **progress: Any) -> CompetitiveMixtureState:
        """Join two parts of one cluster, or let a background go; when there are none, the verdict."""
        _, sight, links = self._sight(problem)
        tidier = None
        if self.n_clusters is None:
            owner = log_memberships(state.mixture, state.clusters, sight.Z[links.samples]).argmax(axis=1)
            between = links.between(owner, len(state.sizes))
            tidier = joined_once(state.mixture, state.clusters, sight, *between, fewest_clusters(links))
        if tidier is not None:
            mixture, clusters, note = tidier
            contest = Contest(mixture, at_rest=True)
            return self._show(
                problem, contest, clusters, stage=state.stage, trials=state.trials, notes=(note,), **progress
            )
        verdict = Verdict.of(len(state.sizes), len(state.mixture), state.trials, given=self.n_clusters is not None)
        return self._show(
            problem,
            state.contest,
            state.clusters,
            stage=state.stage + 1,
            trials=state.trials,
            verdict=verdict,
            notes=(str(verdict),),
            **progress,
        )

    # ------------------------------------------------------------------ what it works on

    @property
    def _fewest(self) -> int:
        """At how many clusters the competition ends."""
        return 1 if self.n_clusters is None else self.n_clusters

    def _sight(self, problem: Problem) -> tuple[Subspace, Sight, LinkCosts]:
        """Where the clusters compete, the samples that take part, and the links between these."""
        rows, subspace, sight = problem.derived(("sight", self.max_samples), lambda: self._look(problem))
        if rows is None:
            return subspace, sight, LinkCosts.of(problem)
        links = of_constraints(
            problem, f"links among {self.max_samples} samples", lambda known: LinkCosts.stated(known.restrict(rows))
        )
        return subspace, sight, links

    def _look(self, problem: Problem) -> tuple[NDArray | None, Subspace, Sight]:
        rng, rows = problem.rng(0, 0), None
        X, w = problem.X, problem.weights
        if problem.n_samples > self.max_samples:
            rows = np.sort(rng.choice(problem.n_samples, self.max_samples, replace=False))
            X, w = X[rows], w[rows]
        subspace = leading_components(X, w, rng)
        return rows, subspace, Sight.of(subspace.reduce(X), w)

    def _first(self, problem: Problem, restart: int, start: int, shape: str) -> Mixture:
        """Too many clusters, at k-means++ centres; those of different starts have different names."""
        _, sight, _ = self._sight(problem)
        most = max(min(self.max_clusters, len(sight.Z) // 5), self._fewest, 1)
        seen = Problem(sight.Z, sample_weight=sight.weights, seed=problem.seed)
        V = initial_centers(seen, most, "k-means++", restart * self.n_init + start)
        return first_mixture(sight, V, shape, start * most + np.arange(most))

    def _rested(self, problem: Problem, restart: int, start: int) -> list[Mixture]:
        """The mixtures of one start to be weighed: all that came to rest, or those of the given number of clusters."""
        _, sight, _ = self._sight(problem)

        def compete() -> list[Mixture]:
            firsts = [self._first(problem, restart, start, shape) for shape in SHAPES]
            paths = [mixtures_at_rest(first, sight, self._fewest) for first in firsts]
            return [mixture for path in paths for mixture in (path if self.n_clusters is None else path[-1:])]

        key = ("mixtures at rest", self.max_clusters, self.max_samples, self.n_clusters, self.n_init, restart, start)
        return problem.derived(key, compete)

    def _show(
        self, problem: Problem, contest: Contest, clusters: NDArray | None = None, **more: Any
    ) -> CompetitiveMixtureState:
        subspace, sight, _ = self._sight(problem)
        return state_of(problem, subspace, sight, contest, clusters, alpha=self.constraint_weight, **more)


def state_of(
    problem: Problem,
    subspace: Subspace,
    sight: Sight,
    contest: Contest,
    clusters: NDArray | None = None,
    *,
    alpha: float,
    **more: Any,
) -> CompetitiveMixtureState:
    """The state of a mixture that competes for the samples in `sight`.

    Parameters
    ----------
    clusters : (k,) int array, optional
        The cluster that each component is part of; default: each is one of its own.
    alpha : float
        What a broken link costs, in nats.
    **more
        Further fields of the state.
    """
    mixture, links = contest.mixture, LinkCosts.of(problem)
    clusters = cluster_of_parts(np.arange(len(mixture)) if clusters is None else clusters)
    heard = heed_links(log_memberships(mixture, clusters, subspace.reduce(problem.X[links.samples])), links, alpha)
    L = mixture.log_densities(sight.Z)
    part_sizes = sight.weights @ softmax(L[:, :-1], axis=1)
    sizes, centers = means_of_clusters(clusters, part_sizes, mixture.means)
    terms = {
        "misfit": -sight.weights @ responsibilities(L)[1],
        "parameters": mixture.description_length(np.log(sight.total)),
        "links": alpha * links.broken(np.eye(len(sizes))[heard.argmax(axis=1)]),
    }
    return CompetitiveMixtureState(
        centers=subspace.restore(centers),
        objective=sum(terms.values()),
        terms=terms,
        X=problem.X,
        subspace=subspace,
        contest=contest,
        clusters=clusters,
        sizes=sizes * problem.weights.sum() / sight.total,
        linked=links.samples,
        linked_memberships=heard,
        **{"notes": contest.notes, **more},
    )
