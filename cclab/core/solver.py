"""`Solver`: a clustering algorithm as two pure functions, and a scikit-learn estimator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from cclab.core.beliefs.numbering import check_held, in_order, living_first, matched_to_labels
from cclab.core.beliefs.partitions import Hard, Partition
from cclab.core.constraints.given_knowledge import given_knowledge
from cclab.core.constraints.set import ConstraintSet
from cclab.core.iteration import iterate
from cclab.core.parameters import Parameter, Parametrized, Seed, choice, real, seed, whole
from cclab.core.problem import IgnoredKnowledge, ImpossibleKnowledge, Problem, SameSamples, drawn_seed, in_chunks
from cclab.core.registry import solvers, wrappers
from cclab.core.sample_blocks import Block, Chunked
from cclab.core.scales import ALL_ALIKE, all_alike, check_scale
from cclab.core.state import State
from cclab.core.warning import warn_caller

# Of an array in memory, so many samples are believed of at a time.
CHUNK = 1 << 16
KNOWLEDGE = ("must", "cannot", "labels", "weights", "sample_weight", "affinity")


def _can_predict(solver: Solver) -> bool:
    return type(solver).believe is not Solver.believe


class Solver(ClusterMixin, Parametrized, ABC):
    """Base class of all algorithms.

    A subclass gives `start` and `step`, which read like the paper, and says in `uses` which knowledge it takes. It
    may narrow `parameters`, and give `believe` where a state tells what to think of new samples.

    Parameters
    ----------
    n_clusters : int
        How many clusters to look for.
    init : "k-means++" or array of shape (n_clusters, n_features)
        Where the centres start; given centres make `n_init` count as 1.
    n_init : int
        How often to start anew; the run with the lowest objective wins.
    max_iter : int
        Stop after so many steps at the latest; with 0, where it starts.
    tol : float
        Stop when no centre moves further than this, as a share of the spread of the samples.
    random_state : int, RandomState, Generator or None
        Where randomness comes from; an integer makes the result reproducible.

    Attributes
    ----------
    state_ : State
        The state at which the best run ended.
    partition_ : Partition
        Its belief, the clusters numbered as in `labels_`; in `state_` they are in the solver's own order.
    labels_ : (n,) int array
        The cluster of each sample, consecutive from 0: empty clusters come last. Where labels are held they keep their
        numbers, and there may be gaps.
    centers_ : (n_clusters, n_features) array
        Where the algorithm has centres, numbered as in `labels_`; NaN where no cluster has the number.
    objective_ : float
    n_iter_ : int
    seed_ : int
        The seed drawn from `random_state`; ``Problem(X, seed=seed_)`` replays the fit.
    """

    # Which knowledge the algorithm takes, of `KNOWLEDGE`.
    uses: ClassVar[frozenset[str]] = frozenset()
    # Whether it takes sparse samples.
    accepts_sparse: ClassVar[bool] = False
    # Whether it takes samples that are not in memory: its steps then go through `Problem.total` alone, and its states
    # have a `belief` about a block of samples.
    accepts_chunks: ClassVar[bool] = False
    # Whether it is proved that the objective never rises while nothing new is known; each solver says so, and why.
    descends: ClassVar[bool] = False
    # The name of the solver that this one is when nothing is known.
    ancestor: ClassVar[str | None] = None
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "n_clusters": whole(1),
        "init": choice("k-means++", also=(np.ndarray, list, tuple)),
        "n_init": whole(1),
        "max_iter": whole(0),
        "tol": real(0, infinite=True),
        "random_state": seed(),
    }

    def __init_subclass__(cls, wrapper: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        unknown = set(cls.uses) - set(KNOWLEDGE)
        if unknown:
            raise TypeError(f"{cls.__name__}.uses names unknown knowledge: {sorted(unknown)}")
        if cls.step is not Solver.step and not cls.__name__.startswith("_"):
            (wrappers if wrapper else solvers).add(cls)

    # ------------------------------------------------------------------ the algorithm, whose states are of its own kind

    @abstractmethod
    def start(self, problem: Problem, restart: int = 0) -> State:
        """The state before the first step. Pure: writes nothing, and draws only from ``problem.rng(restart, 0)``."""

    @abstractmethod
    def step(self, problem: Problem, state: Any) -> State:
        """One step. Pure: writes nothing, and draws only from ``problem.rng(state.restart, state.iteration + 1)``."""

    def converged(self, previous: Any, state: Any) -> bool:
        """Whether another step would change nothing that matters."""
        return bool(state.shift <= self.tol and state.rests_since(previous))

    def rebase(self, old_problem: Problem, new_problem: Problem, state: Any) -> State:
        """`state`, reconciled with changed knowledge. Default: as it is, a warm start."""
        return state

    def believe(self, X: NDArray, state: Any) -> Partition:
        """The belief about any samples, given a state. Pure."""
        raise NotImplementedError(f"{type(self).__name__} can't tell where new samples belong")

    # ------------------------------------------------------------------ knowledge

    def adapt(self, problem: Problem) -> Problem:
        """The problem in the terms of this solver: labels become links where it takes links only."""
        labels = problem.constraints.labels
        if len(labels) and "labels" not in self.uses and {"must", "cannot"} & self.uses:
            check_held(labels)
            return problem.with_constraints(problem.constraints.links_from_labels())
        return problem

    def order(self, problem: Problem, partition: Partition) -> NDArray[np.int64]:
        """Which cluster of a state has each number from 0, for all that leaves: see `cclab.core.beliefs.numbering`.

        Clusters with samples come first, so that labels are consecutive. Where labels are held they keep their
        numbers: a solver that takes labels has its clusters by these numbers, any other is matched to them.
        """
        labels = problem.constraints.labels
        if not len(labels) or not self.uses & {"must", "cannot", "labels"}:
            return living_first(partition)
        return np.arange(partition.n_clusters) if "labels" in self.uses else matched_to_labels(partition, labels)

    def ignored(self, problem: Problem) -> dict[str, int]:
        """How many statements of each kind this solver has no use for."""
        known = self.adapt(problem).constraints
        must = int(known.pairs.must.sum())
        weights = sum(int((table.weight < 1).sum()) for table in known.tables)
        counts = {
            "must": must + len(known.groups),
            "cannot": len(known.pairs) - must + len(known.separations),
            "labels": len(known.labels),
            "weights": weights if {"must", "cannot", "labels"} & self.uses else 0,
            "sample_weight": int(problem.sample_weight is not None),
            "affinity": int(problem.affinity is not None),
        }
        return {kind: n for kind, n in counts.items() if n and kind not in self.uses}

    def explain_ignored(self, problem: Problem) -> str | None:
        """`ignored` in words, or None."""
        words = {
            "must": ("must-link statement", "must-link statements"),
            "cannot": ("cannot-link statement", "cannot-link statements"),
            "labels": ("label", "labels"),
            "weights": ("weight below 1", "weights below 1"),
            "sample_weight": ("set of sample weights", "sets of sample weights"),
            "affinity": ("affinity matrix", "affinity matrices"),
        }
        ignored = self.ignored(problem)
        if not ignored:
            return None
        said = ", ".join(f"{n} {words[kind][n > 1]}" for kind, n in ignored.items())
        return f"{type(self).__name__} has no use for {said}"

    # ------------------------------------------------------------------ checks

    def choices(self, name: str) -> tuple[str, ...]:
        """The words that a parameter may be, the others being as they are."""
        return self.all_parameters()[name].choices

    def check(self, problem: Problem) -> None:
        """Raise ValueError, in words, if these parameters or this problem make no sense."""
        self.check_parameters()
        if sparse.issparse(problem.X) and not self.accepts_sparse:
            name = type(self).__name__
            raise ValueError(f"{name} takes no sparse samples; make them dense (X.toarray()) or project them first")
        if problem.in_chunks and not self.accepts_chunks:
            raise ValueError(
                f"{type(self).__name__} needs all samples in memory; take a solver with centres (FCM, ECM, CECM, "
                "PCKMeans ...), or a part of the samples that stands for all: load_dataset(..., coreset=50_000)"
            )
        n_clusters = getattr(self, "n_clusters", None)
        if n_clusters is not None and n_clusters > problem.n_samples:
            raise ValueError(
                f"n_clusters={n_clusters} but there are only {problem.n_samples} samples; ask for fewer clusters"
            )
        init = getattr(self, "init", None)
        if init is not None and not isinstance(init, str):
            shape = (len(init) if n_clusters is None else n_clusters, problem.n_features)
            if np.shape(init) != shape:
                raise ValueError(f"init must be 'k-means++' or centres of shape {shape}, got {np.shape(init)}")
            if not np.isfinite(np.asarray(init, dtype=float)).all():
                raise ValueError("init contains NaN or infinity; every centre must be finite")
            check_scale(np.asarray(init, dtype=float), differences=False)

    def warn(self, problem: Problem) -> None:
        """Warn about knowledge that is ignored, or that no answer can respect."""
        ignored = self.explain_ignored(problem)
        if ignored:
            warn_caller(IgnoredKnowledge(ignored, self.ignored(problem)))
        if problem.derived("all alike", lambda: all_alike(problem.X)):
            warn_caller(ALL_ALIKE, SameSamples)
        if self.uses & {"must", "cannot", "labels"}:
            for conflict in problem.constraints.conflicts(getattr(self, "n_clusters", None))[:1]:
                warn_caller(ImpossibleKnowledge(str(conflict), conflict))

    # ------------------------------------------------------------------ the estimator

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        labels: ArrayLike | Mapping[int, Any] | None = None,
        constraints: ConstraintSet | None = None,
    ) -> Self:
        """Run to convergence, `n_init` times, and keep the best run.

        Parameters
        ----------
        X : (n, p) array, Dask array or `Chunked`
            The last two need not fit into memory, where the solver takes them (`accepts_chunks`).
        y : ignored
            There so that pipelines work.
        must_link, cannot_link : (m, 2) arrays of int, optional
            Pairs of samples that belong together, or apart.
        labels : (n,) or (n, k) array or mapping, optional
            See `ConstraintSet.with_labels`.
        constraints : ConstraintSet, optional
            All knowledge at once, in place of the three before.
        """
        return self._fit(X, given_knowledge(must_link, cannot_link, labels, constraints))

    def _fit(
        self,
        X: Any,
        knowledge: Callable[[int], ConstraintSet],
        sample_weight: Any = None,
    ) -> Self:
        X = self._validated(X, ensure_all_finite=False, dtype="numeric")
        self.seed_ = drawn_seed(self.random_state)
        problem = Problem(X, knowledge(X.shape[0]), sample_weight=sample_weight, seed=self.seed_)
        self.check(problem)
        self.warn(problem)
        run = self._best_run(problem)
        self._warn_if_stopped(run)
        self._keep(problem, run.state)
        return self

    def solve(self, problem: Problem) -> State:
        """The state at which the best of `n_init` runs ends. Pure, as `start` and `step` are."""
        return self._best_run(problem).state

    def _best_run(self, problem: Problem) -> iterate:
        """The run with the lowest objective, at its end."""
        best = None
        for restart in range(self._n_starts()):
            run = iterate(self, problem, restart=restart)
            run.last()
            if best is None or run.state.objective < best.state.objective:
                best = run
        assert best is not None
        return best

    def _warn_if_stopped(self, run: iterate) -> None:
        # Where the number of steps is no parameter it is part of the algorithm, not a limit to it.
        limit = self.max_iter if "max_iter" in self.all_parameters() else 0
        if limit and run.reason == "max_iter":
            warn_caller(
                f"{type(self).__name__} stopped after max_iter={limit} steps and had not converged; "
                "allow more steps, or a larger tol",
                ConvergenceWarning,
            )

    def _n_starts(self) -> int:
        given = not isinstance(getattr(self, "init", ""), str)
        return 1 if given else getattr(self, "n_init", 1)

    def _keep(self, problem: Problem, state: Any) -> None:
        partition = _hard(problem, state) if problem.in_chunks else state.partition
        self._order = self.order(problem, partition)
        self.state_ = state
        ordered = partition.reordered(self._order)
        if not problem.in_chunks:
            self.partition_ = ordered
        self.labels_ = np.array(ordered.labels())
        self.objective_ = state.objective
        self.n_iter_ = state.iteration
        if state.centers is not None:
            self.centers_ = in_order(state.centers.T, self._order, fill=np.nan).T

    @available_if(_can_predict)
    def predict(self, X: Any) -> NDArray[np.int64]:
        """(n,) the cluster of each sample of `X`, from the fitted state, numbered as in `labels_`."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        if isinstance(X, Chunked):
            return np.concatenate([belief.labels() for belief in self.beliefs(X)])
        return self.believe(X, self.state_).reordered(self._order).labels()

    def beliefs(self, X: Any, *, fitted: bool = False) -> Iterator[Partition]:
        """What is believed of samples, some thousands at a time, with the clusters numbered as in `labels_`.

        Parameters
        ----------
        X : (n, p) array, Dask array or `Chunked`
        fitted : bool
            Whether these are the samples of the fit, so that what links and labels say of them is heard.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        blocks = X.whole_blocks() if isinstance(X, Chunked) else Block(0, X).parts(CHUNK)
        for block in blocks:
            belief = self.state_.belief(block) if fitted else self.believe(block.X, self.state_)
            yield belief.reordered(self._order)

    def _validated(self, X: Any, *, reset: bool = True, **checks: Any) -> Any:
        """Samples as scikit-learn checks them; those that are not in memory are checked as they are read."""
        X = in_chunks(X)
        if not isinstance(X, Chunked):
            accepted = "csr" if self.accepts_sparse else False
            return validate_data(self, X, accept_sparse=accepted, reset=reset, **checks)
        if reset:
            self.n_features_in_ = X.shape[1]
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
            if not X.feature_names:
                del self.feature_names_in_
        X.check_columns(self.n_features_in_, tuple(getattr(self, "feature_names_in_", ())))
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.accepts_sparse
        return tags


class WeightedSolver(Solver):
    """A solver whose `fit` takes sample weights."""

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        labels: ArrayLike | Mapping[int, Any] | None = None,
        constraints: ConstraintSet | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """As `Solver.fit`; `sample_weight` (n,) says how many samples each row stands for."""
        return self._fit(X, given_knowledge(must_link, cannot_link, labels, constraints), sample_weight)


@dataclass(eq=False, repr=False, kw_only=True)
class CenterSolver(WeightedSolver):
    """A solver that starts from centres and moves them until they rest.

    The annotated names of a dataclass are the parameters of its constructor, those of its bases before its own, so an
    algorithm declares what it adds and writes no constructor::

        @dataclass(eq=False, repr=False, kw_only=True)
        class FCM(CenterSolver):
            fuzzifier: float = 2.0
    """

    n_clusters: int = field(default=3, kw_only=False)
    init: str | ArrayLike = "k-means++"
    n_init: int = 1
    max_iter: int = 300
    tol: float = 1e-4
    random_state: Seed = None


def _hard(problem: Problem, state: Any) -> Hard:
    """The clusters of all samples, found a block at a time."""
    believe = state.belief
    (labels,) = problem.total(lambda block: ([believe(block).labels()],))
    return Hard(np.concatenate(labels), len(state.centers))
