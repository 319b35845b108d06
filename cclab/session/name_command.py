"""The command that names a cluster, or gives it a colour."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cclab.session.cluster_names import MOST_SAMPLES, ClusterName, checked_color, checked_name
from cclab.session.commands import Command
from cclab.session.history import History, Moment
from cclab.session.outcome import Written
from cclab.session.snapshot import Snapshot


@dataclass(frozen=True)
class Name(Command):
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
