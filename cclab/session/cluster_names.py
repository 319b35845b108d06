"""What clusters are called, and how they are coloured: a name stays with its cluster, also after a new start."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from cclab.session.snapshot import Snapshot

#: A name has at most so many letters; there are so many colours, and a cluster is known again by so many samples.
MOST_LETTERS, N_COLORS, MOST_SAMPLES = 60, 20, 64


@dataclass(frozen=True, eq=False)
class ClusterName:
    """A name, or a colour, or both.

    Attributes
    ----------
    cluster : int
        The id of the cluster (see `State.cluster_ids`) in all states that come from `first`.
    first : Snapshot
        The start after which it was given.
    samples : tuple of int
        Some samples of the cluster. After another start the name goes to the cluster that most of them are in.
    name : str
        "" where it has none.
    color : int
        From 1, as the theme counts its hues; 0 is the cluster's own.
    """

    cluster: int
    first: Snapshot
    samples: tuple[int, ...]
    name: str
    color: int


@dataclass(frozen=True, eq=False)
class ClusterNames:
    """All names that were given, the oldest first."""

    given: tuple[ClusterName, ...] = ()

    def with_name(self, name: ClusterName) -> ClusterNames:
        """These and another one, in place of what the same cluster was called before."""
        others = [old for old in self.given if (old.first, old.cluster) != (name.first, name.cluster)]
        return replace(self, given=(*others, name))

    def at(self, snapshot: Snapshot) -> dict[int, ClusterName]:
        """The name of each cluster of a snapshot's state that has one, by its place there."""
        if not self.given:
            return {}
        place_of = {int(id_): place for place, id_ in enumerate(snapshot.state.cluster_ids)}
        found: dict[int, ClusterName] = {}
        # What was said last counts; a name of this start before one of another.
        for name in reversed([name for name in self.given if name.first is snapshot.first]):
            if name.cluster in place_of:
                found.setdefault(place_of[name.cluster], name)
        carried = [name for name in reversed(self.given) if name.first is not snapshot.first]
        if carried:
            labels = snapshot.partition.labels()
            for name in carried:
                place = _home(labels, name.samples)
                if place is not None and name not in found.values():
                    found.setdefault(place, name)
        return {place: name for place, name in found.items() if name.name or name.color}


NO_NAMES = ClusterNames()


def _home(labels: np.ndarray, samples: tuple[int, ...]) -> int | None:
    """The cluster that more than half of the samples are in."""
    inside = [i for i in samples if i < len(labels)]
    if not inside:
        return None
    places, counts = np.unique(labels[inside], return_counts=True)
    most = int(counts.argmax())
    return int(places[most]) if 2 * counts[most] > len(samples) and places[most] >= 0 else None


def checked_name(name: str) -> str:
    """A name in one line, or an error that says what is wrong with it."""
    if not isinstance(name, str):
        raise ValueError(f"a name is a text, got {name!r:.40}")
    name = " ".join(name.split())
    if len(name) > MOST_LETTERS:
        raise ValueError(f"a name has at most {MOST_LETTERS} letters; this one has {len(name)}")
    if not name.isprintable():
        raise ValueError("a name has letters, digits and signs that can be printed")
    return name


def checked_color(color: int) -> int:
    """A number of a colour, 0 for the cluster's own."""
    if isinstance(color, bool) or not isinstance(color, int | np.integer) or not 0 <= color <= N_COLORS:
        raise ValueError(f"a colour is a number from 1 to {N_COLORS}, or 0 for the cluster's own; got {color!r:.40}")
    return int(color)
