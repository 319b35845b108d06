"""Where a solver has been: a problem, a solver and a state, made again when they are asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cclab.core import Conflict, Partition, Problem, Solver, State, scores
from cclab.core.beliefs.numbering import numbers_in, page_numbers
from cclab.core.constraints.satisfaction import Satisfaction
from cclab.core.state import own_bytes
from cclab.session.cluster_names import ClusterName, ClusterNames
from cclab.session.origin import Origin, Setting
from cclab.session.outcome import CantReplay, Difference, Outcome, Summary, Written, digest_of, versions

if TYPE_CHECKING:
    from cclab.session.commands import Leading

How = Literal["start", "step", "rebase"]
Progress = Callable[[int, int], None]


class Snapshot:
    """A problem, a solver and the state it has reached. Never changes, once made.

    The state may be dropped to save memory, or not yet be there after opening a session; it is then replayed from the
    nearest earlier one that is at hand, exactly, and where it was written what came out, that is compared.

    Parameters
    ----------
    origin : Origin
    command : Command
        What led here.
    previous : Snapshot or None
    written : Written, optional
        What it led to when it was first done; it is not done again before someone asks for the state.

    Attributes
    ----------
    problem : Problem
    solver : Solver
    how : {"start", "step", "rebase"}
        How the state comes from the previous one.
    position : int
        Its place on the way from the first snapshot.
    first : Snapshot
        The start that it comes from.
    summary : Summary
    converged : bool
        Whether another step would change nothing that matters.
    """

    def __init__(self, origin: Origin, command: Leading, previous: Snapshot | None, written: Written | None = None):
        self.origin = origin
        self.command = command
        self.previous = previous
        self.position: int = 0 if previous is None else previous.position + 1
        self.first: Snapshot = self if previous is None or command.how == "start" else previous.first
        self._number = 0 if written is None else written.number
        self._compared = written
        self._thinned = False
        self._scores: dict[str, float] | None = None
        self._named: tuple[ClusterNames, dict[int, ClusterName]] | None = None
        self._setting: Setting | None = None
        self._state: State | None = None
        if written is not None:
            self.outcome = Outcome.from_json(written.result)
            self.summary, self.converged = self.outcome.summary, self.outcome.converged
            return
        setting = None if previous is None or command.begins_anew else previous._made_setting()
        before = None if previous is None or command.how == "start" else previous.state
        self._setting = command.setting(setting, self)
        self._state = self._replay(before)
        self.summary, self.converged = Summary.of(self._state), self._settled(before)

    @cached_property
    def outcome(self) -> Outcome:
        """What is written of it. Labels take time to make, so they are made when it is written, or dropped."""
        return Outcome(self.summary, self.converged, digest_of(self.partition.labels()))

    def back(self) -> Iterator[Snapshot]:
        """The snapshot itself and all before it, backwards."""
        here: Snapshot | None = self
        while here is not None:
            yield here
            here = here.previous

    @cached_property
    def columns_changed(self) -> Mapping[str, Any]:
        """What is changed here about the use of the columns, as `Plan.changed` takes it."""
        for here in self.back():
            if "columns_changed" in here.__dict__:
                return here.columns_changed
            if here.command.verb == "columns":
                said: Any = here.command
                plan = self.origin.plan
                return plan.changes_to(plan.changed(**said.before).changed(**said.changes))
        return {}

    @cached_property
    def data(self) -> Any:
        """The data that are clustered here."""
        return self.origin.data_by(self.columns_changed)

    @property
    def how(self) -> How:
        """How its state follows: started, stepped, or rebased on other knowledge."""
        return self.command.how

    @cached_property
    def recipe(self) -> Any:
        """What the problem was posed from, by all commands up to here; None where none has posed it."""
        # A loop, since thousands of strokes may wait one behind the other.
        waiting: list[Snapshot] = []
        here: Snapshot | None = self
        while here is not None and "recipe" not in here.__dict__:
            waiting.append(here)
            here = here.previous
        recipe = None if here is None else here.recipe
        for snapshot in reversed(waiting):
            try:
                recipe = snapshot.__dict__["recipe"] = snapshot.command.recipe_after(recipe, self.origin)
            except Exception as error:  # a file may hold anything
                raise CantReplay(snapshot._number, error) from error
        return recipe

    @property
    def problem(self) -> Problem:
        """What the solver was given."""
        return self._made_setting()[0]

    @property
    def solver(self) -> Solver:
        """The solver, with its parameters."""
        return self._made_setting()[1]

    def _made_setting(self) -> Setting:
        """The problem and the solver, made by the commands that changed them."""
        # A loop, since thousands of statements may wait one behind the other.
        waiting: list[Snapshot] = []
        here: Snapshot | None = self
        while here is not None and here._setting is None:
            waiting.append(here)
            here = None if here.command.begins_anew else here.previous
        setting = None if here is None else here._setting
        for snapshot in reversed(waiting):
            try:
                setting = snapshot._setting = snapshot.command.setting(setting, snapshot)
            except Exception as error:  # a file may hold anything
                raise CantReplay(snapshot._number, error) from error
        assert setting is not None
        return setting

    @property
    def state(self) -> State:
        """Where the solver stands."""
        return self.restore()

    def restore(self, progress: Progress | None = None) -> State:
        """The state, replayed where it is not at hand.

        Parameters
        ----------
        progress : callable, optional
            Called with the number of verbs done again and of all to be done; it may raise to end it.
        """
        missing: list[Snapshot] = []
        here: Snapshot | None = self
        while here is not None and here._state is None:
            missing.append(here)
            here = None if here.how == "start" else here.previous
        state = None if here is None else here._state
        # Some on the way are kept, so that going back one by one is no replay of everything each time.
        stride = max(2, math.isqrt(len(missing)))
        for done, snapshot in enumerate(reversed(missing), 1):
            try:
                state = snapshot._replay(state)
            except Exception as error:
                raise CantReplay(snapshot._number, error) from error
            snapshot._compare("objective", state.objective)
            if done % stride == 0 and not snapshot._thinned:
                snapshot._state = state
            if progress is not None:
                progress(done, len(missing))
        assert state is not None
        if missing:
            self._state = state
            self.origin.replayed = True
            if self._compared is not None:
                self._compare("labels", digest_of(self.partition.labels()))
        return state

    def _replay(self, before: State | None) -> State:
        problem = self.solver.adapt(self.problem)
        if self.how == "start":
            return self.solver.start(problem, getattr(self.command, "restart", 0))
        assert before is not None
        assert self.previous is not None
        if self.how == "step":
            return self.solver.step(problem, before)
        return self.solver.rebase(self.solver.adapt(self.previous.problem), problem, before)

    def _settled(self, before: State | None) -> bool:
        if self.solver.max_iter == 0:
            return True  # it is to stay where it starts
        return self.how == "step" and bool(self.solver.converged(before, self._state))

    def _compare(self, what: str, now: Any) -> None:
        """Note where what was replayed is not what was written, once."""
        if self._compared is None:
            return
        written, outcome = self._compared, self.outcome
        was = outcome.labels if what == "labels" else outcome.summary.objective
        same = was == now if what == "labels" else outcome.same_objective(now)
        if not same:
            self._compared = None
            self.origin.differences.append(
                Difference(written.number, self.command.verb, what, was, now, written.versions, versions())
            )

    def remember(self, state: State) -> bool:
        """Take a state that was kept elsewhere; False where it is not the one that led to what was written."""
        outcome = self.outcome
        fits = (
            state.iteration == outcome.summary.iteration
            and outcome.same_objective(state.objective)
            and digest_of(state.partition.labels()) == outcome.labels
        )
        if fits:
            self._state = state
        return fits

    def drop_state(self) -> None:
        """Free the state's memory from now on; it is replayed when it is asked for, and kept only while looked at."""
        self.outcome  # while its labels can be had  # noqa: B018
        self._thinned = True
        self._state = None
        self._forget_derived()

    def rest(self) -> None:
        """Nobody looks here any more: let go of all that can be derived again."""
        self._forget_derived()
        if self.origin.has_recipes:  # its own problem for each stroke would soon fill the memory
            self._setting = None
        if self._thinned:
            self._state = None
        elif self._state is not None:
            self._state.forget()

    def _forget_derived(self) -> None:
        for name in ("belief", "satisfaction"):
            self.__dict__.pop(name, None)

    @property
    def kept(self) -> bool:
        """Whether the state is at hand."""
        return self._state is not None

    @cached_property
    def n_bytes(self) -> int:
        """Memory that the state itself holds (not the samples it refers to)."""
        return own_bytes(self.state, self.problem.X)

    @property
    def partition(self) -> Partition:
        """The belief with the clusters in the state's own order: that of `State.cluster_ids`."""
        return self.state.partition

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Which cluster of the state has each number that leaves: see `Solver.order`."""
        return self.solver.order(self.problem, self.partition)

    @cached_property
    def belief(self) -> Partition:
        """The belief with the clusters numbered as `labels` does."""
        return self.partition.reordered(self.order)

    def labels(self) -> NDArray[np.int64]:
        """(n,) the cluster of each sample, by the numbers that `fit` gives too: consecutive, or those that are held."""
        return self.belief.labels()

    @cached_property
    def satisfaction(self) -> Satisfaction:
        """To which degree each statement holds here."""
        return self.problem.constraints.satisfaction(self.labels())

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Statements that can't all hold with so many clusters as there are here."""
        return self.problem.constraints.conflicts(self.partition.n_clusters)

    @cached_property
    def page_numbers(self) -> NDArray[np.int64]:
        """(k,) the number from 1 by which a page shows each cluster of the state, without gaps."""
        return page_numbers(self.partition)

    @property
    def cluster_names(self) -> dict[int, ClusterName]:
        """What clusters of the state are called now and how they are coloured, by their places; only those that are."""
        names = self.origin.names
        if self._named is None or self._named[0] is not names:
            self._named = names, names.at(self)
        return self._named[1]

    @property
    def label_numbers(self) -> NDArray[np.int64]:
        """(k,) the number by which a label names each cluster of the state."""
        takes_labels = "labels" in self.solver.uses
        return np.arange(self.partition.n_clusters) if takes_labels else numbers_in(self.order)

    def scores(self, truth: NDArray | None) -> dict[str, float]:
        """Scores of the labels here; the truth of a session is always the same, so they are worked out once."""
        if self._scores is None:
            self._scores = scores(truth, self.labels(), self.problem.constraints, self.satisfaction)
        return self._scores

    @property
    def known_scores(self) -> dict[str, float] | None:
        """The scores, where they were worked out already."""
        return self._scores

    def __repr__(self) -> str:
        s = self.summary
        return f"<Snapshot {self.position}: {self.how}, iteration {s.iteration}, objective {s.objective:.6g}>"
