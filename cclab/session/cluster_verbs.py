"""What can be done with clusters: call them by a name, merge two, split one, cluster some samples again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.cluster import KMeans

from cclab.core import Partition, Solver, Statement
from cclab.core.beliefs.numbering import numbers_in
from cclab.core.constraints.statement import to_json
from cclab.core.scales import all_alike
from cclab.session import commands
from cclab.session.cluster_names import MOST_SAMPLES, ClusterName, checked_color, checked_name
from cclab.session.history import History, Moment
from cclab.session.outcome import Written
from cclab.session.snapshot import Snapshot
from cclab.session.storage.stored import StoredSession

if TYPE_CHECKING:
    from cclab.session.session import Session

#: So many samples at most speak for a cluster, and two halves are looked for among so many.
MOST_SURE, MOST_SPLIT = 50, 20_000


@dataclass(frozen=True)
class Name(commands.Command):
    """Call a cluster by a name and show it in a colour; no step, so the solver hears nothing of it."""

    verb = "name"
    cluster: int
    samples: list[int]
    name: str
    color: int

    @classmethod
    def of(cls, snapshot: Snapshot, place: int, name: str, color: int) -> Name:
        """The name of the cluster at a place of the snapshot's state."""
        inside = np.flatnonzero(snapshot.partition.labels() == place)
        some = inside[np.linspace(0, len(inside) - 1, min(len(inside), MOST_SAMPLES)).astype(int)]
        return cls(int(snapshot.state.cluster_ids[place]), some.tolist(), checked_name(name), checked_color(color))

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        n, samples = moment.snapshot.data.n_samples, tuple(self.samples)
        if len(samples) > MOST_SAMPLES or any(not isinstance(i, int) or not 0 <= i < n for i in samples):
            raise ValueError(f"a name is told by at most {MOST_SAMPLES} samples of 0 to {n - 1}")
        if not isinstance(self.cluster, int):
            raise ValueError(f"a cluster has a number, not {self.cluster!r:.40}")
        first = moment.snapshot.first
        given = ClusterName(self.cluster, first, samples, checked_name(self.name), checked_color(self.color))
        return replace(moment, names=moment.names.with_name(given))


class ClusterVerbs(StoredSession):
    """The verbs of a session that are about clusters. All are undone by one `undo`."""

    # ------------------------------------------------------------------ names

    @property
    def cluster_names(self) -> dict[int, str]:
        """The names that clusters have, by their numbers in `labels`; those without one are left out."""
        numbers = numbers_in(self.current.order)
        named = ((int(numbers[place]), given.name) for place, given in self.current.cluster_names.items())
        return dict(sorted((number, name) for number, name in named if name))

    def name(self, cluster: int, name: str | None = None, *, color: int | None = None) -> Snapshot:
        """Call a cluster by a name, and show it in a colour.

        The name stays with the cluster: through steps and statements by its identity, and after a new start (another
        solver, say) with the cluster that most of the samples are in that it was given to.

        Parameters
        ----------
        cluster : int
            As in `labels`, from 0.
        name : str, optional
            "" takes the name away; default: as it is.
        color : int, optional
            From 1, as the theme counts its hues; 0 gives the cluster its own back. Default: as it is.

        Examples
        --------
        >>> from cclab import Session
        >>> session = Session("iris", "FCM")
        >>> _ = session.name(0, "small flowers", color=3)
        >>> session.cluster_names
        {0: 'small flowers'}
        """
        place = self._place(cluster)
        old = self.current.cluster_names.get(place)
        kept_name, kept_color = ("", 0) if old is None else (old.name, old.color)
        wanted = (kept_name if name is None else name, kept_color if color is None else color)
        return self._do(Name.of(self.current, place, *wanted))

    def _place(self, cluster: int) -> int:
        """Where the cluster of this number is in the state."""
        order = self.current.order
        known = isinstance(cluster, int | np.integer) and 0 <= cluster < len(order) and order[cluster] >= 0
        if not known:
            raise ValueError(f"there is no cluster {cluster!r:.20}; there are 0 to {len(order) - 1}")
        return int(order[cluster])

    # ------------------------------------------------------------------ merging and splitting

    def merge(self, one: int, other: int) -> Snapshot:
        """State that two clusters are one: a group of the sure samples of both; one cluster fewer is looked for.

        Parameters
        ----------
        one, other : int
            As in `labels`, from 0.
        """
        places = self._place(one), self._place(other)
        if places[0] == places[1]:
            raise ValueError("a cluster can't be merged with itself; name two")
        sure = [sure_members(self.current.partition, place) for place in places]
        for number, samples in zip((one, other), sure):
            if not len(samples):
                raise ValueError(f"cluster {number} has no samples")
        group = [Statement("group", _tuple(np.sort(np.concatenate(sure))), source="merge")]
        return self._as_one([lambda run: commands.Constrain(_changes(group), run=run), *self._recounted(-1)])

    def split(self, cluster: int) -> Snapshot:
        """State that a cluster is two: its halves by k-means, each a group of sure samples, and the two apart.

        One cluster more is looked for.

        Parameters
        ----------
        cluster : int
            As in `labels`, from 0.
        """
        inside = np.flatnonzero(self.current.partition.labels() == self._place(cluster))
        halves = two_halves(self.data.X, inside)
        return self._as_one([*self._recounted(1), *_kept_apart(halves, "split")])

    def _recounted(self, more: int) -> list[Callable[[int], commands.Command]]:
        """Look for so many clusters more, where the solver is told how many."""
        solver = self.current.solver
        n_clusters = getattr(solver, "n_clusters", None)
        if not isinstance(n_clusters, int) or n_clusters + more < 1:
            return []
        wanted = commands.packed(_with_clusters(solver, n_clusters + more), None)
        return [lambda run: commands.Switch(wanted, run=run)]

    def _as_one(self, makers: Sequence[Callable[[int], commands.Command]]) -> Snapshot:
        """Do some commands that are undone as one; where one can't be done, none is."""
        run, before = self.new_run(), self.current
        for make in makers:
            try:
                self._do(make(run))
            except Exception:
                if self.current is not before:
                    self._do(commands.Undo())
                raise
        return self.current

    # ------------------------------------------------------------------ some samples again

    def nested(self, samples: ArrayLike, solver: Solver | None = None) -> Session:
        """A new session on some of the samples, with what is known about them.

        Parameters
        ----------
        samples : int array
        solver : Solver, optional
            Default: the one at work, which looks for as many clusters as these samples are in, at least two.

        Examples
        --------
        >>> from cclab import Session
        >>> session = Session("iris", "FCM")
        >>> inner = session.nested(range(50, 150))
        >>> inner.data
        <Dataset iris: 100 samples x 4 features; 3 classes: setosa 0, versicolor 50, virginica 50; 1 note>
        """
        samples = np.unique(np.asarray(samples, dtype=np.int64))
        if len(samples) < 2:
            raise ValueError("select at least 2 samples to cluster them again")
        known = self.current.problem.constraints.restrict(samples)
        if solver is None:
            n_now = len(np.unique(self.current.partition.labels()[samples]))
            solver = _with_clusters(self.current.solver, min(max(2, n_now), len(samples)))
        inner: Session = type(self)(self.data.subset(samples), solver, seed=self.current.problem.seed)  # type: ignore[call-arg, assignment]
        if len(known):
            inner.constrain(constraints=known)
        return inner

    def take_back(self, inner: Session, samples: ArrayLike) -> Snapshot:
        """State what a nested session has found: its clusters as groups of sure samples that are kept apart.

        Parameters
        ----------
        inner : Session
            What `nested` gave for the same samples.
        samples : int array
        """
        samples = np.unique(np.asarray(samples, dtype=np.int64))
        belief = inner.partition
        if belief.n_samples != len(samples):
            raise ValueError(f"the nested session has {belief.n_samples:,} samples, and {len(samples):,} were named")
        found = [sure_members(belief, place) for place in range(belief.n_clusters)]
        groups = [samples[members] for members in found if len(members)]
        covered = len(np.unique(self.current.partition.labels()[samples]))
        return self._as_one([*self._recounted(max(0, len(groups) - covered)), *_kept_apart(groups, "nested")])


def sure_members(belief: Partition, place: int, most: int = MOST_SURE) -> NDArray[np.int64]:
    """Samples of a cluster that speak for it: those that belong to it most surely, at most half of them."""
    inside = np.flatnonzero(belief.labels() == place)
    n = min(most, max(1, (len(inside) + 1) // 2))
    if not len(inside):
        return inside
    degrees = belief.degrees[inside]
    ahead = degrees[:, place] - np.delete(degrees, place, axis=1).max(axis=1, initial=0)
    return np.sort(inside[np.argsort(-ahead, kind="stable")[:n]])


def two_halves(X: Any, inside: NDArray, most: int = MOST_SURE) -> list[NDArray[np.int64]]:
    """The samples that speak for each of two halves of a cluster: those nearest to its middle."""
    if len(inside) < 4:
        raise ValueError(f"a cluster of {len(inside)} samples is too small to be split")
    some = inside
    if len(inside) > MOST_SPLIT:
        some = inside[np.linspace(0, len(inside) - 1, MOST_SPLIT).astype(int)]
    if all_alike(X[some]):
        raise ValueError("all samples of this cluster are the same, so there is nothing to split")
    fitted = KMeans(2, n_init=5, random_state=0).fit(X[some])
    far = fitted.transform(X[some])
    halves = []
    for half in (0, 1):
        own = np.flatnonzero(fitted.labels_ == half)
        n = min(most, max(1, (len(own) + 1) // 2))
        nearer = far[own, 1 - half] - far[own, half]
        halves.append(np.sort(some[own[np.argsort(-nearer, kind="stable")[:n]]]))
    return halves


def _kept_apart(groups: Sequence[NDArray], source: str) -> list[Callable[[int], commands.Command]]:
    """Each a group, and each two of them apart; one command for each statement, as a script has one line for each."""
    said = [Statement("group", _tuple(group), source=source) for group in groups if len(group) > 1]
    said += [Statement("separation", _tuple(a), _tuple(b), source=source) for a, b in combinations(groups, 2)]
    return [lambda run, each=each: commands.Constrain(_changes([each]), run=run) for each in said]  # type: ignore[misc]


def _changes(statements: Sequence[Statement]) -> list[Any]:
    return [*to_json(statements)]


def _with_clusters(solver: Solver, n_clusters: int) -> Solver:
    wanted = clone(solver)
    if hasattr(wanted, "n_clusters"):
        wanted.set_params(n_clusters=n_clusters)
    return wanted


def _tuple(samples: NDArray) -> tuple[int, ...]:
    return tuple(samples.tolist())
