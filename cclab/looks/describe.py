"""Statements in words: what a row of the constraint table says. Pure functions, no widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet, Statement
from cclab.core.words import counted
from cclab.session import Session, Snapshot

#: A set of samples with no more members than this is written out; a larger one has a letter.
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class Described:
    """What was stated at once, in words: one statement, or one label of many samples.

    Attributes
    ----------
    id : int
        The first of its ids.
    ids : (m,) int array
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
    ids: NDArray[np.int64]
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


class Made:
    """Which statements of a constraint set were made as one: a label that many samples were given at once.

    Parameters
    ----------
    known : ConstraintSet
    ends : sorted int array
        The first id after each time that something was stated; see `ends_of`.

    Attributes
    ----------
    ids : list of int arrays
        The ids of each row.
    """

    def __init__(self, known: ConstraintSet, ends: NDArray) -> None:
        labels = known.labels
        self._sorted = np.sort(known.ids)
        together = np.arange(len(self._sorted))
        alike = labels.degrees.lengths == 1
        if alike.any():
            entry = labels.degrees.indptr[:-1][alike]
            ids = labels.id[alike]
            what = [
                np.searchsorted(ends, ids, side="right"),
                labels.closed[alike],
                labels.degrees.items[entry],
                labels.degrees.values[entry],
                labels.weight[alike],
                np.unique(labels.source[alike].astype(str), return_inverse=True)[1],
            ]
            _, first, which = np.unique(np.column_stack(what), axis=0, return_index=True, return_inverse=True)
            place = np.searchsorted(self._sorted, ids)
            together[place] = place[first][which.ravel()]
        _, self._row = np.unique(together, return_inverse=True)
        order = np.argsort(self._row, kind="stable")
        starts = np.flatnonzero(np.diff(self._row[order])) + 1
        self.ids = np.split(self._sorted[order], starts) if len(order) else []

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, ids: NDArray) -> NDArray[np.intp]:
        """The row that each of these statements belongs to."""
        return self._row[np.searchsorted(self._sorted, ids)]

    def count(self, ids: NDArray) -> NDArray[np.intp]:
        """How many of these statements each row has."""
        return np.bincount(self.of(ids), minlength=len(self))


def ends_of(session: Session) -> NDArray[np.int64]:
    """The first id after each time that something was stated on the way to the current snapshot."""
    way = session.snapshots[: session.position + 1]
    return np.unique([snapshot.problem.constraints.next_id for snapshot in way])


class StatementReader:
    """Reads single statements of a constraint set by id, without expanding the others.

    Parameters
    ----------
    known : ConstraintSet
    numbers : mapping from int to int
        The number on the page of each cluster that a label may name; see `label_meanings`.
    made : Made, optional
        Labels that were given at once are then read as one statement.
    """

    def __init__(
        self, known: ConstraintSet, numbers: Mapping[int, int] = MappingProxyType({}), made: Made | None = None
    ) -> None:
        self.known = known
        self.made = made
        self.numbers = numbers
        self._set_names = {tuple(known.blocks.row(b)[0].tolist()): name for b, name in set_names(known).items()}
        # Answers are numbered in the order in which they were given.
        queried = np.concatenate([table.id[table.source == "query"] for table in known.tables])
        self._queried = np.sort(queried)

    def read(self, id_: int) -> Described:
        """The statement with this id, or that it is a part of."""
        statement = next(self.known.statements([id_]), None)
        if statement is None:
            raise ValueError(f"there is no statement with id {id_}")
        ids = np.array([id_]) if self.made is None else self.made.ids[self.made.of(np.array([id_]))[0]]
        samples = np.array(statement.samples + statement.others)
        name, detail = self._words(statement)
        if len(ids) > 1:
            samples = np.sort(self.known.labels.sample[np.isin(self.known.labels.id, ids)])
            name = counted(len(samples), "sample")
        source = statement.source
        if source == "query":
            source = f"query {int(np.searchsorted(self._queried, id_)) + 1}"
        return Described(int(ids[0]), ids, statement.kind, samples, name, detail, source, statement.weight)

    def _words(self, statement: Statement) -> tuple[str, str]:
        """The samples of a statement in short, and what is said of them beyond its kind."""
        samples, others = statement.samples, statement.others
        match statement.kind:
            case "group":
                return self._set_names[samples], counted(len(samples), "sample")
            case "separation":
                name = f"{self._set_names[samples]} | {self._set_names[others]}"
                return name, f"groups of {len(samples):,} and {len(others):,}"
            case "label":
                return str(samples[0]), self._label_words(statement)
        return f"{samples[0]} – {samples[1]}", ""

    def _label_words(self, label: Statement) -> str:
        clusters = [self._cluster(cluster) for cluster in label.clusters]
        if label.degrees is None:
            return "cluster " + " or ".join(clusters)
        if not any(label.degrees):
            return "not cluster " + " nor ".join(clusters)
        return ", ".join(f"cluster {cluster}: {degree:.2g}" for cluster, degree in zip(clusters, label.degrees))

    def _cluster(self, label: int) -> str:
        number = self.numbers.get(label)
        return f"{label + 1} (not there)" if number is None else str(number)


def label_meanings(snapshot: Snapshot) -> dict[int, int]:
    """For each number that a label may name a cluster by, the number of that cluster on the page."""
    return dict(zip(snapshot.label_numbers.tolist(), snapshot.page_numbers.tolist()))


def violation(statement: Described, labels: NDArray[np.int64], numbers: Sequence[int]) -> str:
    """How the labels break a statement, in words; "" where there is nothing short to say.

    Parameters
    ----------
    statement : Described
    labels : (n,) int array
        The cluster of the state that each sample is in.
    numbers : sequence of int
        The number of each such cluster on the page.
    """
    places = labels[statement.samples]
    clusters = [str(number) for number in sorted(numbers[place] for place in np.unique(places[places >= 0]))]
    if statement.kind == "cannot":
        return f"both in {clusters[0]}" if clusters else ""
    if statement.kind in ("must", "group"):
        return f"in {' and '.join(clusters)}" if len(clusters) <= 3 else f"in {len(clusters)} clusters"
    if statement.kind == "label":
        return f"is in {clusters[0]}" if clusters else ""
    return ""
