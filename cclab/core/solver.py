"""`Solver`: a clustering algorithm as two pure functions, and a scikit-learn estimator."""

from __future__ import annotations

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from cclab.core.constraints import ConstraintSet
from cclab.core.iteration import iterate
from cclab.core.parameters import Parameter, anything, choice, real, whole
from cclab.core.partitions import Partition
from cclab.core.problem import IgnoredKnowledge, ImpossibleKnowledge, Problem
from cclab.core.registry import solvers
from cclab.core.state import State

KNOWLEDGE = ("must", "cannot", "labels", "weights", "sample_weight", "affinity")


def _can_predict(solver: Solver) -> bool:
    return type(solver).believe is not Solver.believe


class Solver(ClusterMixin, BaseEstimator):
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
    random_state : int, RandomState or None
        Where randomness comes from; an integer makes the result reproducible.

    Attributes
    ----------
    state_ : State
        The state at which the best run ended.
    partition_ : Partition
        Its belief.
    labels_ : (n,) int array
        The cluster of each sample, consecutive from 0.
    centers_ : (n_clusters, n_features) array
        Where the algorithm has centres.
    objective_ : float
    n_iter_ : int
    seed_ : int
        The seed drawn from `random_state`; ``Problem(X, seed=seed_)`` replays the fit.
    """

    # Which knowledge the algorithm takes, of `KNOWLEDGE`.
    uses: ClassVar[frozenset[str]] = frozenset()
    # Whether it takes sparse samples.
    accepts_sparse: ClassVar[bool] = False
    # Whether it is proved that the objective never rises while the knowledge stays the same.
    descends: ClassVar[bool] = False
    # The name of the solver that this one is when nothing is known.
    ancestor: ClassVar[str | None] = None
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "n_clusters": whole(1),
        "init": choice("k-means++", also=(np.ndarray, list, tuple)),
        "n_init": whole(1),
        "max_iter": whole(0),
        "tol": real(0, infinite=True),
        "random_state": anything(),
    }

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        unknown = set(cls.uses) - set(KNOWLEDGE)
        if unknown:
            raise TypeError(f"{cls.__name__}.uses names unknown knowledge: {sorted(unknown)}")
        if cls.step is not Solver.step and not cls.__name__.startswith("_"):
            solvers.add(cls)

    # ------------------------------------------------------------------ the algorithm

    @abstractmethod
    def start(self, problem: Problem, restart: int = 0) -> State:
        """The state before the first step. Pure: writes nothing, and draws only from ``problem.rng(restart, 0)``."""

    @abstractmethod
    def step(self, problem: Problem, state: State) -> State:
        """One step. Pure: writes nothing, and draws only from ``problem.rng(state.restart, state.iteration + 1)``."""

    def converged(self, previous: State, state: State) -> bool:
        """Whether another step would change nothing that matters."""
        return state.shift <= self.tol  # type: ignore[attr-defined]

    def rebase(self, old_problem: Problem, new_problem: Problem, state: State) -> State:
        """`state`, reconciled with changed knowledge. Default: as it is, a warm start."""
        return state

    def believe(self, X: NDArray, state: State) -> Partition:
        """The belief about any samples, given a state. Pure."""
        raise NotImplementedError(f"{type(self).__name__} can't tell where new samples belong")

    # ------------------------------------------------------------------ knowledge

    def adapt(self, problem: Problem) -> Problem:
        """The problem in the terms of this solver: labels become links where it takes links only."""
        if len(problem.constraints.labels) and "labels" not in self.uses and {"must", "cannot"} & self.uses:
            return problem.with_constraints(problem.constraints.links_from_labels())
        return problem

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
            "must": "must-link statement",
            "cannot": "cannot-link statement",
            "labels": "label",
            "weights": "weight below 1",
            "sample_weight": "set of sample weights",
            "affinity": "affinity matrix",
        }
        ignored = self.ignored(problem)
        if not ignored:
            return None
        said = ", ".join(f"{n} {words[kind]}{'s' if n > 1 else ''}" for kind, n in ignored.items())
        return f"{type(self).__name__} has no use for {said}"

    # ------------------------------------------------------------------ checks

    @classmethod
    def all_parameters(cls) -> dict[str, Parameter]:
        """The constructor's parameters in its order, each with the values it may take."""
        declared: dict[str, Parameter] = {}
        for base in reversed(cls.__mro__):
            declared |= base.__dict__.get("parameters", {})
        return {name: declared.get(name, anything()) for name in cls._get_param_names_in_order()}

    @classmethod
    def _get_param_names_in_order(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def check(self, problem: Problem) -> None:
        """Raise ValueError, in words, if these parameters or this problem make no sense."""
        for name, parameter in self.all_parameters().items():
            value = getattr(self, name)
            wrong = parameter.problem_with(value)
            if wrong:
                raise ValueError(f"{name} must {wrong}, got {value!r}")
        if sparse.issparse(problem.X) and not self.accepts_sparse:
            name = type(self).__name__
            raise ValueError(f"{name} takes no sparse samples; make them dense (X.toarray()) or project them first")
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

    def warn(self, problem: Problem) -> None:
        """Warn about knowledge that is ignored, or that no answer can respect."""
        ignored = self.explain_ignored(problem)
        if ignored:
            warnings.warn(ignored, IgnoredKnowledge, stacklevel=3)
        if self.uses & {"must", "cannot", "labels"}:
            for conflict in problem.constraints.conflicts(getattr(self, "n_clusters", None), limit=1):
                warnings.warn(str(conflict), ImpossibleKnowledge, stacklevel=3)

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
        X : (n, p) array
        y : ignored
            There so that pipelines work.
        must_link, cannot_link : (m, 2) arrays of int, optional
            Pairs of samples that belong together, or apart.
        labels : (n,) or (n, k) array or mapping, optional
            See `ConstraintSet.with_labels`.
        constraints : ConstraintSet, optional
            All knowledge at once, in place of the three before.
        """
        return self._fit(X, _knowledge(must_link, cannot_link, labels, constraints))

    def _fit(
        self,
        X: Any,
        knowledge: Callable[[int], ConstraintSet],
        sample_weight: Any = None,
    ) -> Self:
        X = validate_data(
            self,
            X,
            accept_sparse="csr" if self.accepts_sparse else False,
            ensure_all_finite=False,
            dtype="numeric",
        )
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))  # type: ignore[attr-defined]
        problem = Problem(X, knowledge(X.shape[0]), sample_weight=sample_weight, seed=self.seed_)
        self.check(problem)
        self.warn(problem)
        self._keep(self.solve(problem))
        return self

    def solve(self, problem: Problem) -> State:
        """The state at which the best of `n_init` runs ends. Pure, as `start` and `step` are."""
        best = None
        for restart in range(self._n_starts()):
            run = iterate(self, problem, restart=restart)
            for _ in run:
                pass
            if best is None or run.state.objective < best.objective:
                best = run.state
        assert best is not None
        return best

    def _n_starts(self) -> int:
        given = not isinstance(getattr(self, "init", ""), str)
        return 1 if given else getattr(self, "n_init", 1)

    def _keep(self, state: State) -> None:
        self.state_ = state
        self.partition_ = state.partition
        labels = state.partition.labels()
        # Consecutive numbers for the clusters that have samples; the empty ones come after them.
        empty = np.bincount(labels, minlength=state.partition.n_clusters) == 0
        self._number = np.argsort(np.argsort(empty, kind="stable"))
        self.labels_ = self._number[labels]
        self.objective_ = state.objective
        self.n_iter_ = state.iteration
        if state.centers is not None:
            self.centers_ = state.centers

    @available_if(_can_predict)
    def predict(self, X: Any) -> NDArray[np.int64]:
        """(n,) the cluster of each sample of `X`, from the fitted state, numbered as in `labels_`."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr" if self.accepts_sparse else False, reset=False)
        return self._number[self.believe(X, self.state_).labels()]

    def __sklearn_tags__(self):
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
        return self._fit(X, _knowledge(must_link, cannot_link, labels, constraints), sample_weight)


def _knowledge(
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    labels: ArrayLike | Mapping[int, Any] | None,
    constraints: ConstraintSet | None,
) -> Callable[[int], ConstraintSet]:
    """What `fit` was told, to be read once the number of samples is known."""
    if constraints is not None and not (must_link is None and cannot_link is None and labels is None):
        raise ValueError("give either constraints, or must_link, cannot_link and labels, not both")

    def read(n_samples: int) -> ConstraintSet:
        if constraints is not None:
            return constraints
        known = ConstraintSet(n_samples)
        if must_link is not None:
            known = known.with_must_link(must_link)
        if cannot_link is not None:
            known = known.with_cannot_link(cannot_link)
        if labels is not None:
            known = known.with_labels(labels)
        return known

    return read
