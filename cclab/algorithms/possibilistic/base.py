"""What PCM, RPCM, PFCM, SRPCM and SPFCM share: one objective, of which each keeps some terms.

    J = sum_ik (a u_ik^m + b t_ik^h) d_ik^2  +  sum_k gamma_k sum_i (1 - t_ik)^h
        + alpha sum_ik b_ik (t_ik - f_ik)^2 d_ik^2  +  sum_k eta_k sum_{l != k} 1 / |v_k - v_l|^2

Notation
--------
=========  ========================  ==================================================================
paper      here                      meaning
=========  ========================  ==================================================================
v_k        ``V``                     centre of cluster k
t_ik       ``T``                     typicality of sample i for cluster k
u_ik       ``U``                     membership; those of a sample add up to 1
gamma_k    ``gamma``                 squared distance at which the typicality is 1/2
a, b       ``a``, ``b``              weights of the fuzzy and of the possibilistic term
m, eta     ``fuzzifier``,            their exponents (the paper's second eta; h above)
           ``typicality_exponent``
f_ik       ``F``                     degree of possibility that a label states; b_ik says where it does
alpha      ``label_weight``          how much labels count
eta_k      ``repulsion``             how strongly cluster k pushes the others away
=========  ========================  ==================================================================

Where clusters may stretch, d_ik is measured by a metric A_k of determinant 1, and s sum_k trace(A_k) is added, with the
stiffness s held at its first value.

For given centres the best memberships and typicalities have closed forms, and for given memberships and typicalities
only weighted means enter the centres' step, so one pass over the samples makes a step and no (n, k) array is kept.

References
----------
.. [1] V. Antoine, J. A. Guerrero, T. Boone, G. Romero, Possibilistic clustering with seeds, 2018.
.. [2] R. Krishnapuram, J. Keller, A possibilistic approach to clustering, IEEE Transactions on Fuzzy Systems
   1(2), 1993.
.. [3] D. E. Gustafson, W. C. Kessel, Fuzzy clustering with a fuzzy covariance matrix, IEEE Conference on Decision and
   Control, 1979.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.algorithms.fuzzy.fcm import FCM
from cclab.algorithms.possibilistic.repulsion import repelled_centers, repulsion_energy
from cclab.algorithms.possibilistic.terms import Seeds, Terms, belief, distances
from cclab.algorithms.possibilistic.typicalities import labelled_typicalities, typicalities
from cclab.core import CenterSolver, CenterState, ConstraintSet, Partition, Problem, iterate
from cclab.core.parameters import anything, choice, real
from cclab.core.sample_blocks import Block
from cclab.maths.constraint_cache import of_constraints
from cclab.maths.distances import squared_distances
from cclab.maths.lloyd import means_from
from cclab.maths.memberships import fuzzy_memberships, raised
from cclab.maths.metrics import better_metrics, scatter_about
from cclab.maths.seeding import order_by_labels, seeded_centers

# How long FCM may run to find the first centres and gamma.
FCM_STEPS = 100
# A squared distance that is so small a share of the squared spread is none.
ROUNDING = 1e-28
# Repulsion moves no centre further out than this, in units of how far the samples reach.
FURTHEST = 1e9
TOO_STRONG = "Repulsion is far too strong for these data: no centre would ever come to rest, so all stay."


@dataclass(frozen=True, eq=False, kw_only=True)
class PossibilisticState(CenterState):
    """Centres; memberships and typicalities follow from them.

    Attributes
    ----------
    gamma : (k,) array
    repulsion : (k,) array
    metrics : (k, p, p) array or None
        None for the Euclidean distance.
    means : (k, p) array
        Weighted means of the samples: where centres without repulsion go next.
    totals : (k,) array
        Their weights.
    scatters : (k, p, p) array or None
        Weighted scatter about `means`, for the metrics' step.
    """

    settings: Terms = field(repr=False)
    seeds: Seeds = field(repr=False)
    outlier_threshold: float
    means: NDArray = field(repr=False)
    totals: NDArray = field(repr=False)
    scatters: NDArray | None = field(default=None, repr=False)

    @property
    def gamma(self) -> NDArray:
        """The typicality scale of each cluster."""
        return self.settings.gamma

    @property
    def repulsion(self) -> NDArray:
        """How strongly clusters repel each other."""
        return self.settings.repulsion

    @property
    def metrics(self) -> NDArray | None:
        """The metric of each cluster; None for Euclidean ones."""
        return self.settings.metrics

    def belief(self, block: Block) -> Partition:
        return belief(block.X, self.centers, self.settings, self.seeds.within(block), self.outlier_threshold)


@dataclass(eq=False, repr=False, kw_only=True)
class _PossibilisticSolver(CenterSolver):
    """Possibilistic clustering.

    Parameters
    ----------
    gamma : array of shape (n_clusters,) or None
        The squared distance at which a sample is half typical of each cluster; None takes it from fuzzy c-means.
    metric : {"euclidean", "mahalanobis"}
        Mahalanobis lets each cluster stretch, at constant volume.
    outlier_threshold : float
        A sample whose largest typicality is below this is flagged as an outlier.
    typicality_exponent : float
        How fast the typicality falls with the distance: near 1 abruptly, 2 is usual.
    fuzzifier : float
        How soft the memberships are (m): near 1 almost hard, 2 is usual.
    a : float
        How much the memberships count.
    b : float
        How much the typicalities count.
    label_weight : float
        How much labels count against the distances (alpha).
    """

    uses = frozenset({"sample_weight"})
    accepts_chunks = True
    # Memberships and typicalities are the best for centres and metrics; for these no step of the centres costs more,
    # nor then one of the metrics. Gamma, repulsion and stiffness stay as they were at the start.
    descends = True
    parameters = {
        "gamma": anything(),
        "metric": choice("euclidean", "mahalanobis"),
        "outlier_threshold": real(0, 1),
        "typicality_exponent": real(1, open_low=True),
        "fuzzifier": real(1, open_low=True),
        "a": real(0),
        "b": real(0, open_low=True),
        "label_weight": real(0),
    }

    # The terms that an algorithm does without.
    a = 0.0
    b = 1.0
    fuzzifier = 2.0
    typicality_exponent = 2.0
    label_weight = 0.0

    metric: str = "euclidean"
    outlier_threshold: float = 0.1
    gamma: ArrayLike | None = None

    def start(self, problem: Problem, restart: int = 0) -> PossibilisticState:
        V = seeded_centers(problem, self.n_clusters, self.init, restart)
        if self.metric == "mahalanobis":
            V, metrics, stiffness = self._stretched(problem, V)
        else:
            fcm = FCM(self.n_clusters, init=V, fuzzifier=self.fuzzifier)
            V, metrics, stiffness = iterate(fcm, problem, max_iter=FCM_STEPS).last().centers, None, 0.0
        if isinstance(self.init, str):
            order = order_by_labels(V, problem)
            V, metrics = V[order], None if metrics is None else metrics[order]
        gamma = self._within(problem, V, metrics) if self.gamma is None else np.asarray(self.gamma, dtype=float)
        settings = Terms(
            a=float(self.a),
            b=float(self.b),
            fuzzifier=float(self.fuzzifier),
            typicality_exponent=float(self.typicality_exponent),
            gamma=gamma,
            repulsion=np.zeros(len(V)),
            metrics=metrics,
            stiffness=stiffness,
        )
        state = self._state_at(problem, V, settings, restart=restart)
        strength = self._strength(problem, V, state.totals)
        if strength:
            settings = replace(settings, repulsion=np.full(len(V), strength))
            state = self._state_at(problem, V, settings, restart=restart)
        return state

    def _within(self, problem: Problem, V: NDArray, metrics: NDArray | None = None) -> NDArray:
        """The mean squared distance within each fuzzy cluster: gamma by Eq. 2 of [1]_ with K = 1."""
        m = self.fuzzifier

        def part(block: Block) -> tuple[NDArray, NDArray]:
            d = distances(block.X, V, block.norms, metrics)
            a = raised(fuzzy_memberships(d, m), m) * block.weights[:, None]
            return np.einsum("ik,ik->k", a, d), a.sum(axis=0)

        sums, totals = problem.total(part)
        within = np.divide(sums, totals, out=np.zeros(len(V)), where=totals > 0)
        # Samples that all lie on the centres would make every other place an outlier.
        return np.where(within > ROUNDING * problem.spread**2, within, problem.spread**2)

    def _stretched(self, problem: Problem, V: NDArray) -> tuple[NDArray, NDArray, float]:
        """Centres and metrics of fuzzy clusters that may stretch [3]_, and how stiff these are.

        Memberships alone are the objective without its other terms, so its own steps find them. A cluster resists as
        much as samples that vary alike in all directions would, as many as there are features: few samples in many
        dimensions say little about a shape.
        """
        k, p = V.shape
        unknowing = problem.with_constraints(ConstraintSet(problem.n_samples))
        within = self._within(problem, V)
        fuzzy = Terms(
            a=1.0,
            b=0.0,
            fuzzifier=float(self.fuzzifier),
            typicality_exponent=2.0,
            gamma=within,
            repulsion=np.zeros(k),
            metrics=np.tile(np.eye(p), (k, 1, 1)),
            stiffness=float(within.mean()),
        )
        # Where the centres have settled already, the first step changes the metrics alone: that is no convergence yet.
        first = self.step(unknowing, self._state_at(unknowing, V, fuzzy))
        found = iterate(self, unknowing, state=first, max_iter=FCM_STEPS).last()
        return found.centers, found.settings.metrics, fuzzy.stiffness

    def _strength(self, problem: Problem, V: NDArray, totals: NDArray) -> float:
        """Eta: how strongly centres push each other away; not at all here."""
        return 0.0

    def step(self, problem: Problem, state: PossibilisticState) -> PossibilisticState:
        settings = state.settings
        V = repelled_centers(state.centers, state.means, state.totals, settings.repulsion, settings.metrics)
        repelled = settings.repulsion.any()
        lost = repelled and _lost(problem, V)
        if lost:
            V = state.centers
        if state.scatters is not None and settings.metrics is not None:
            off = V - state.means
            scatters = state.scatters + state.totals[:, None, None] * off[:, :, None] * off[:, None, :]
            even = settings.stiffness * np.eye(V.shape[1])
            settings = replace(settings, metrics=better_metrics(settings.metrics, scatters + even))
        return self._state_at(
            problem,
            V,
            settings,
            notes=(TOO_STRONG,) if lost else tuple(_escaped(problem, state.centers, V)) if repelled else (),
            **state.progress_to(V, problem.spread),
        )

    def rebase(self, old_problem: Problem, new_problem: Problem, state: PossibilisticState) -> PossibilisticState:
        return self._state_at(new_problem, state.centers, state.settings, **state.progress)

    def _state_at(self, problem: Problem, V: NDArray, settings: Terms, **progress: Any) -> PossibilisticState:
        """The state with centres `V`: one pass gives the objective and what the next centres need."""
        seeds = self._seeds(problem)
        sums, totals, squares, *parts = problem.total(partial(_sums, V=V, settings=settings, seeds=seeds))
        terms = dict(zip(("distances", "typicality", "labels"), parts))
        if settings.repulsion.any():
            terms["repulsion"] = repulsion_energy(V, settings.repulsion)
        if settings.metrics is not None:
            terms["stretching"] = settings.stiffness * float(np.trace(settings.metrics, axis1=1, axis2=2).sum())
        if not len(seeds.samples):
            del terms["labels"]
        means = means_from(sums, totals, V)
        return PossibilisticState(
            centers=V,
            objective=sum(terms.values()),
            terms=terms,
            X=problem.X,
            settings=settings,
            seeds=seeds,
            outlier_threshold=self.outlier_threshold,
            means=means,
            totals=totals,
            scatters=None if settings.metrics is None else scatter_about(means, V, squares, totals),
            **progress,
        )

    def _seeds(self, problem: Problem) -> Seeds:
        if "labels" not in self.uses:
            return Seeds(np.empty(0, dtype=np.int64), np.empty((0, self.n_clusters)), np.empty((0, self.n_clusters)))

        def read(known: ConstraintSet) -> Seeds:
            samples, F, certainty = known.label_degrees(self.n_clusters)
            order = np.argsort(samples)
            F, certainty = F[order], certainty[order]
            weight = np.where(np.isnan(F), 0.0, self.label_weight * certainty[:, None])
            return Seeds(samples[order], np.nan_to_num(F), weight)

        return of_constraints(problem, f"seeds {self.n_clusters} {self.label_weight}", read)

    def check(self, problem: Problem) -> None:
        super().check(problem)
        if self.gamma is not None:
            gamma = np.asarray(self.gamma, dtype=float)
            if gamma.shape != (self.n_clusters,) or not (np.isfinite(gamma) & (gamma > 0)).all():
                raise ValueError(f"gamma must be {self.n_clusters} numbers above 0, got {self.gamma!r}")

    def believe(self, X: NDArray, state: PossibilisticState) -> Partition:
        nobody = Seeds(np.empty(0, dtype=np.int64), np.empty((0, 0)), np.empty((0, 0)))
        return belief(X, state.centers, state.settings, nobody, self.outlier_threshold)


def _sums(block: Block, V: NDArray, settings: Terms, seeds: Seeds) -> tuple[Any, ...]:
    """What a block adds to the sums, the totals and the squares of each cluster, and to the terms of the objective."""
    m, h = settings.fuzzifier, settings.typicality_exponent
    X, w, known = block.X, block.weights[:, None], seeds.within(block)
    d = distances(X, V, block.norms, settings.metrics)
    T = typicalities(settings.b * d, settings.gamma, h)
    labelled, by_labels = known.samples, 0.0
    if len(labelled):
        T[labelled] = labelled_typicalities(d[labelled], settings.gamma, settings.b, known.weight, known.degrees)
    z = settings.b * raised(T, h)
    if settings.a:
        z += settings.a * raised(fuzzy_memberships(d, m), m)
    by_distance = np.vdot(w * z, d)
    by_typicality = np.vdot(w * raised(1 - T, h), np.broadcast_to(settings.gamma, d.shape))
    if len(labelled):
        apart = known.weight * (T[labelled] - known.degrees) ** 2
        by_labels = np.vdot(w[labelled] * apart, d[labelled])
        z[labelled] += apart
    z *= w
    squares: Any = 0.0
    if settings.metrics is not None:
        off = X - V[:, None]
        squares = np.swapaxes(off * z.T[..., None], 1, 2) @ off
    return z.T @ X, z.sum(axis=0), squares, by_distance, by_typicality, by_labels


def _extent(problem: Problem) -> tuple[NDArray, float]:
    """The middle of the samples, and the squared distance of the one that lies furthest from it."""

    def compute() -> tuple[NDArray, float]:
        (sums,) = problem.total(lambda block: (block.weights @ block.X,))
        middle = (sums / problem.total_weight)[None]
        (reaches,) = problem.total(lambda block: ([squared_distances(block.X, middle).max()],))
        return middle, float(max(reaches))

    return problem.derived("extent", compute)


def _lost(problem: Problem, V: NDArray) -> bool:
    """Whether a centre flies off: the further out the less holds it, so it would never come to rest."""
    middle, reach = _extent(problem)
    return bool(squared_distances(V, middle).max() > FURTHEST**2 * max(reach, problem.spread**2))


def _escaped(problem: Problem, before: NDArray, after: NDArray) -> Iterator[str]:
    """A word about each centre that repulsion has just pushed further out than any sample lies."""
    middle, reach = _extent(problem)
    was_out, is_out = (squared_distances(V, middle)[:, 0] > reach for V in (before, after))
    for k in np.flatnonzero(is_out & ~was_out):
        yield f"Cluster {k + 1} was pushed out of the data: repulsion is too strong for it."
