"""What the scatter draws of knowledge and of clusters: lines, outlines, centres. Pure functions, no widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet
from cclab.looks.describe import MOST_NAMED, set_names
from cclab.session import Snapshot

_LEVELS = (0.5, 2.0)


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines between samples.

    Attributes
    ----------
    pairs : (m, 2) int array
    ids : (m,) int array
        The statement that each belongs to.
    cannot : (m,) bool array
    weight : (m,) float array
    """

    pairs: NDArray[np.int64]
    ids: NDArray[np.int64]
    cannot: NDArray[np.bool_]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.pairs)

    def levels(self, emphasis: tuple[NDArray, NDArray] | None) -> NDArray[np.int64]:
        """(m,) 0, 1 or 2: links of statements that count half as much as the mean or less, about as much, or twice."""
        if emphasis is None or not len(self):
            return np.ones(len(self), dtype=np.int64)
        ids, counts = emphasis
        place = np.minimum(np.searchsorted(ids, self.ids), len(ids) - 1)
        return np.digitize(np.where(ids[place] == self.ids, counts[place], 1.0), _LEVELS)

    def kinds(self, violated: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
        """Of each kind that there is, which links are of it; a violated one is of that kind alone."""
        kinds = {"must": ~self.cannot & ~violated, "cannot": self.cannot & ~violated, "violated": violated}
        return {kind: which for kind, which in kinds.items() if which.any()}

    def at_most(self, most: int, first: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Places of `most` links: those marked in `first`, then the newest."""
        if len(self) <= most:
            return np.arange(len(self))
        return np.lexsort((-self.ids, ~first))[:most]


def lines_of(known: ConstraintSet, xy: NDArray) -> Lines:
    """All links as lines.

    A small group is drawn as its pairs. A larger one has an outline instead; two such that stay apart are joined by one
    line, from the middle of the one to the middle of the other.
    """
    p, s = known.pairs, known.separations
    rows = [np.column_stack([p.i, p.j, p.id, ~p.must, p.weight]).astype(float)]
    for block, id_, weight in zip(known.groups.block, known.groups.id, known.groups.weight):
        members = known.blocks.row(block)[0]
        if len(members) <= MOST_NAMED:
            i, j = np.triu_indices(len(members), 1)
            rows.append(_rows(members[i], members[j], id_, False, weight))
    for a, b, id_, weight in zip(s.a, s.b, s.id, s.weight):
        left, right = (_ends(known.blocks.row(block)[0], xy) for block in (a, b))
        rows.append(_rows(np.repeat(left, len(right)), np.tile(right, len(left)), id_, True, weight))
    lines = np.concatenate(rows)
    return Lines(lines[:, :2].astype(np.int64), lines[:, 2].astype(np.int64), lines[:, 3].astype(bool), lines[:, 4])


def _rows(i: NDArray, j: NDArray, id_: int, cannot: bool, weight: float) -> NDArray:
    return np.column_stack([i, j, *(np.full(len(i), value, dtype=float) for value in (id_, cannot, weight))])


def _ends(members: NDArray, xy: NDArray) -> NDArray:
    """The members of a small set; of a larger one that in the middle."""
    if len(members) <= MOST_NAMED:
        return members
    middle = xy[members].mean(axis=0)
    return members[[np.argmin(((xy[members] - middle) ** 2).sum(axis=1))]]


def outlined(known: ConstraintSet) -> list[tuple[str, NDArray]]:
    """The sets of samples that have an outline, with their letters."""
    sets = [(name, known.blocks.row(block)[0]) for block, name in set_names(known).items()]
    return [(name, members) for name, members in sets if len(members) > MOST_NAMED]


def centers_of(snapshot: Snapshot) -> NDArray | None:
    """(k, p) the centres, where they lie among the samples; None where there are none or they are elsewhere."""
    centers = snapshot.state.centers
    in_feature_space = centers is not None and centers.ndim == 2 and centers.shape[1] == snapshot.problem.n_features
    return np.asarray(centers) if in_feature_space else None


def vanished_centers(snapshot: Snapshot) -> NDArray:
    """(m, p) where the clusters that have vanished since the start were last."""
    ghosts = []
    here: Snapshot | None = snapshot
    while here is not None and here.how != "start":
        before = here.previous
        # A solver that lets clusters go says so, and only then is it worth comparing.
        if here.summary.notes and before is not None and before.kept and here.kept:
            centers = centers_of(before)
            if centers is not None:
                gone = ~np.isin(before.state.cluster_ids, here.state.cluster_ids)
                ghosts.append(centers[gone])
        here = before
    return np.concatenate(ghosts) if ghosts else np.empty((0, snapshot.problem.n_features))
