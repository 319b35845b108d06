"""`Propagating`: a solver around another, which it lets work where links reach further."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from cclab.core import Gauge, Partition, Problem, Solver, State, WeightedSolver
from cclab.core.iteration import iterate
from cclab.core.parameters import anything, flag, real, whole
from cclab.core.solver import KNOWLEDGE
from cclab.maths.constraint_cache import of_constraints
from cclab.reach.propagation import Propagated, Report, propagate


@dataclass(frozen=True, eq=False, kw_only=True)
class PropagatingState(State):
    """The state of the solver inside, with its centres in the units of the data.

    Attributes
    ----------
    inner : State
    matrix : (p, p) array or None
        How the samples were mapped for it; None where the gate is closed.
    kept : (2,) array or None
        The share of links not seen that quick answers keep without the step and with it, where that is known.
    """

    inner: State = field(repr=False)
    matrix: NDArray | None = field(default=None, repr=False)
    kept: NDArray | None = field(default=None, repr=False)

    def _partition(self) -> Partition:
        return self.inner.partition

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        return self.inner.cluster_ids

    def gauges(self) -> tuple[Gauge, ...]:
        own = self.inner.gauges()
        if self.kept is None:
            return own
        return *own, Gauge("Links not seen that are kept", ("without reach", "with reach"), tuple(self.kept.tolist()))

    def emphasis(self) -> tuple[NDArray, NDArray] | None:
        return self.inner.emphasis()

    def asides(self) -> Mapping[str, Partition]:
        return self.inner.asides()

    def forget(self) -> None:
        super().forget()
        self.inner.forget()


class _OfInner:
    """What the solver inside says; of the class alone, all that any solver may take."""

    def __get__(self, wrapper: Propagating | None, owner: type) -> frozenset[str]:
        return frozenset(KNOWLEDGE) if wrapper is None or wrapper.solver is None else wrapper.solver.uses


class Propagating(WeightedSolver, wrapper=True):
    """Lets links reach further (`propagate`), and another solver work on what comes of it.

    Where the gate is closed it is that solver, step by step. Where it is open, centres are in the units of the data
    all the same, and `predict` takes samples in these units.

    Parameters
    ----------
    solver : Solver
        Who works; it says how many clusters there are, and all else.
    graph : bool
        Whether links are carried on to neighbours as well: see `propagate`.
    gate : float
        How many standard errors the lead on links not seen must have.
    folds : int
        In how many parts what is known is split to find out.

    Examples
    --------
    >>> from cclab import COPKMeans
    >>> X = [[0.0], [0.1], [1.0], [1.1]]
    >>> model = Propagating(COPKMeans(2, random_state=0)).fit(X, must_link=[[0, 1]])
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2]
    np.True_
    >>> print(model.report_)
    The links don't reach further: 1 link to hold back is too few for 3 folds.
    """

    uses = _OfInner()
    # New knowledge may open or close the gate; between that it descends where the solver inside does.
    descends = False
    parameters = {"solver": anything(), "graph": flag(), "gate": real(0, infinite=True), "folds": whole(2)}

    def __init__(self, solver: Solver | None = None, *, graph: bool = False, gate: float = 1.0, folds: int = 3) -> None:
        self.solver: Any = solver  # `check` says what else it may not be
        self.graph = graph
        self.gate = gate
        self.folds = folds

    def __getattr__(self, name: str) -> Any:
        # How many clusters, steps and starts there are is the other solver's to say.
        if name in ("n_clusters", "init", "n_init", "max_iter", "tol", "random_state") and "solver" in vars(self):
            return getattr(self.solver, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # ------------------------------------------------------------------ the algorithm

    def reached(self, problem: Problem) -> Propagated:
        """What `propagate` gives, worked out once for as long as data and knowledge stay the same."""
        about = (getattr(self, "n_clusters", None), "labels" in self.uses, self.graph, self.gate, self.folds)

        def derive(_: Any) -> Propagated:
            return propagate(problem, self.solver, graph=self.graph, gate=self.gate, folds=self.folds)

        return of_constraints(problem, f"reached {about}", derive)

    def report(self, problem: Problem) -> Report:
        """What the gate found, in words and numbers."""
        return self.reached(problem).report

    def start(self, problem: Problem, restart: int = 0) -> PropagatingState:
        reached = self.reached(problem)
        inner = self._inside(reached)
        return _around(reached, inner.start(inner.adapt(reached.problem), restart), first=True)

    def step(self, problem: Problem, state: PropagatingState) -> PropagatingState:
        reached = self.reached(problem)
        inner = self._inside(reached)
        return _around(reached, inner.step(inner.adapt(reached.problem), state.inner))

    def converged(self, previous: PropagatingState, state: PropagatingState) -> bool:
        return self.solver.converged(previous.inner, state.inner)

    def rebase(self, old_problem: Problem, new_problem: Problem, state: PropagatingState) -> PropagatingState:
        """As the solver inside does; where the metric has changed, from the same centres in the new one."""
        old, new = self.reached(old_problem), self.reached(new_problem)
        inner = self._inside(new)
        here = inner.adapt(new.problem)
        if old.metric is None and new.metric is None:
            return _around(new, inner.rebase(inner.adapt(old.problem), here, state.inner))
        if state.centers is not None and "init" in inner.get_params() and inner.n_clusters == len(state.centers):
            inner = clone(inner).set_params(init=new.samples(state.centers))
        begun = inner.start(here, state.restart)
        return _around(new, replace(begun, iteration=state.iteration), first=True)

    def believe(self, X: NDArray, state: PropagatingState) -> Partition:
        return self.solver.believe(X if state.matrix is None else X @ state.matrix, state.inner)

    def _inside(self, reached: Propagated) -> Solver:
        """The solver inside; centres that it is given are in the units of the data."""
        init = getattr(self.solver, "init", "")
        if isinstance(init, str) or reached.metric is None:
            return self.solver
        return clone(self.solver).set_params(init=reached.samples(np.asarray(init, dtype=float)))

    # ------------------------------------------------------------------ what the solver inside says

    @property
    def accepts_sparse(self) -> bool:  # type: ignore[override]
        """Whether the solver inside takes sparse samples."""
        return self.solver is not None and self.solver.accepts_sparse

    def check(self, problem: Problem) -> None:
        if not isinstance(self.solver, Solver):
            raise ValueError(f"solver must be the solver that is to work, such as COPKMeans(3); got {self.solver!r}")
        self.check_parameters()
        self.solver.check(problem)

    def _n_starts(self) -> int:
        return self.solver._n_starts()

    def _warn_if_stopped(self, run: iterate) -> None:
        self.solver._warn_if_stopped(run)

    def _keep(self, problem: Problem, state: State) -> None:
        super()._keep(problem, state)
        self.report_ = self.report(self.adapt(problem))

    @available_if(lambda self: self.solver is None or hasattr(self.solver, "predict"))
    def predict(self, X: Any) -> NDArray[np.int64]:
        """(n,) the cluster of each sample of `X`, in the units of the data."""
        return super().predict(X)


def _around(reached: Propagated, inner: State, first: bool = False) -> PropagatingState:
    """A state of the solver inside as one of the wrapper."""
    report, metric = reached.report, reached.metric
    own = {f.name: getattr(inner, f.name) for f in fields(State)}
    if inner.centers is not None:
        own["centers"] = reached.centers(inner.centers)
    if first:
        own["notes"] = (str(report), *inner.notes)
    known = report.before is not None and report.after is not None and bool(report.before)
    kept = np.array([report.before.share, report.after.share]) if known else None  # type: ignore[union-attr]
    return PropagatingState(inner=inner, matrix=None if metric is None else metric.matrix, kept=kept, **own)
