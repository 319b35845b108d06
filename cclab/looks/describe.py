"""Statements in words: what a row of the constraint table says. Pure functions, no widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet

#: A set of samples with no more members than this is written out; a larger one has a letter.
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement, ready to be shown.

    Attributes
    ----------
    id : int
    kind : {"must", "cannot", "group", "separation", "label"}
    samples : (m,) int array
        All samples it is about.
    name : str
        Those samples in short: "84 – 106", "A", "A | B".
    detail : str
    source : str
    weight : float
    """

    id: int
    kind: str
    samples: NDArray[np.int64]
    name: str
    detail: str
    source: str
    weight: float


KINDS = {
    "must": "must-link",
    "cannot": "cannot-link",
    "group": "group",
    "separation": "cannot-link",
    "label": "label",
}


def set_names(known: ConstraintSet) -> dict[int, str]:
    """The name of each set of samples (a row of ``known.blocks``) that a group or a separation names.

    Small sets are written out; the others are A, B, ... in the order in which they were first named.
    """
    g, s = known.groups, known.separations
    block = np.concatenate([g.block, s.a, s.b])
    order = np.argsort(np.concatenate([g.id, s.id, s.id]), kind="stable")
    names: dict[int, str] = {}
    n_letters = 0
    for b in dict.fromkeys(block[order].tolist()):
        members = known.blocks.row(b)[0]
        if len(members) <= MOST_NAMED:
            names[b] = ", ".join(map(str, members))
        else:
            names[b] = _letters(n_letters)
            n_letters += 1
    return names


def _letters(number: int) -> str:
    """A to Z, then AA, AB, ...

    >>> [_letters(n) for n in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    name = ""
    while number >= 0:
        number, place = divmod(number, 26)
        name = ascii_uppercase[place] + name
        number -= 1
    return name


class StatementReader:
    """Reads single statements of a constraint set by id, without expanding the others.

    Parameters
    ----------
    known : ConstraintSet
    cluster_ids : sequence of int
        For the names of clusters, counted from 1.
    """

    def __init__(self, known: ConstraintSet, cluster_ids: Sequence[int] = ()) -> None:
        self.known = known
        self._cluster_ids = cluster_ids
        self._set_names = set_names(known)
        # Answers are numbered in the order in which they were given.
        queried = np.concatenate([table.id[table.source == "query"] for table in known.tables])
        self._queried = np.sort(queried)

    def read(self, id_: int) -> Statement:
        """The statement with this id."""
        for table, read in zip(self.known.tables, (self._pair, self._group, self._separation, self._label)):
            rows = np.flatnonzero(table.id == id_)
            if len(rows):
                kind, samples, name, detail = read(int(rows[0]))
                source, weight = str(table.source[rows[0]]), float(table.weight[rows[0]])
                if source == "query":
                    source = f"query {int(np.searchsorted(self._queried, id_)) + 1}"
                return Statement(id_, kind, samples, name, detail, source, weight)
        raise ValueError(f"there is no statement with id {id_}")

    def _pair(self, row: int) -> tuple[str, NDArray, str, str]:
        pairs = self.known.pairs
        i, j = int(pairs.i[row]), int(pairs.j[row])
        return "must" if pairs.must[row] else "cannot", np.array([i, j]), f"{i} – {j}", ""

    def _group(self, row: int) -> tuple[str, NDArray, str, str]:
        block = int(self.known.groups.block[row])
        members = self.known.blocks.row(block)[0]
        return "group", members, self._set_names[block], f"{len(members)} samples"

    def _separation(self, row: int) -> tuple[str, NDArray, str, str]:
        blocks = [int(self.known.separations.a[row]), int(self.known.separations.b[row])]
        a, b = (self.known.blocks.row(block)[0] for block in blocks)
        name = " | ".join(self._set_names[block] for block in blocks)
        return "separation", np.concatenate([a, b]), name, f"groups of {len(a)} and {len(b)}"

    def _label(self, row: int) -> tuple[str, NDArray, str, str]:
        labels = self.known.labels
        sample = int(labels.sample[row])
        clusters, degrees = labels.degrees.row(row)
        return "label", np.array([sample]), str(sample), self._label_words(clusters, degrees, bool(labels.closed[row]))

    def _label_words(self, clusters: NDArray, degrees: NDArray, closed: bool) -> str:
        if closed and np.all(degrees == 1):
            return "cluster " + " or ".join(self._cluster(c) for c in clusters)
        if not closed and np.all(degrees == 0):
            return "not cluster " + " nor ".join(self._cluster(c) for c in clusters)
        return ", ".join(f"cluster {self._cluster(c)}: {d:.2g}" for c, d in zip(clusters, degrees))

    def _cluster(self, place: int) -> str:
        return str(int(self._cluster_ids[place] if place < len(self._cluster_ids) else place) + 1)


def violation(statement: Statement, labels: NDArray[np.int64], cluster_ids: Sequence[int]) -> str:
    """How the labels break a statement, in words; "" where there is nothing short to say."""
    places = labels[statement.samples]
    clusters = [str(int(cluster_ids[place]) + 1) for place in np.unique(places[places >= 0])]
    if statement.kind == "cannot":
        return f"both in {clusters[0]}" if clusters else ""
    if statement.kind in ("must", "group"):
        return f"in {' and '.join(clusters)}" if len(clusters) <= 3 else f"in {len(clusters)} clusters"
    if statement.kind == "label":
        return f"is in {clusters[0]}" if clusters else ""
    return ""
