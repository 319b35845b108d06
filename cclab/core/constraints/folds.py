"""What is known, in parts: told and held back in turn, so that an answer can be judged by what it was not told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cclab.core.constraints.blocks import compacted
from cclab.core.constraints.ragged import Ragged
from cclab.core.constraints.set import ConstraintSet
from cclab.core.constraints.tables import Array, Labels

#: Samples that were named at one stroke prove no more than so many links that were stated singly.
MOST_OF_ONE_STATEMENT = 30.0


@dataclass(frozen=True, eq=False)
class Held:
    """Links that were held back, one row each, and whether an answer is as they say.

    A pair is a row. A sample that was held back from a group is a row, and asks how much of what was told of the
    group is in its cluster; so is a labelled sample, which also asks how much of the other labels is not. A
    separation is one row. Groups and separations are never expanded to pairs.

    Attributes
    ----------
    must : (m,) bool array
        Whether the row says "together".
    weight : (m,) float array
        How many links it counts for: its statement's weight; less where a statement has many rows.
    source : (m,) object array
        Who said it.
    asks : (m, a) sparse array
        Each row's part of what is asked: its askers' shares, which add up to one.
    asker : (a,) int array
        The sample that is held against others.
    others : (a,) int array
        The row of `blocks` that it is held against.
    blocks : Ragged
        Samples that were told of, with their shares.
    """

    must: Array
    weight: Array
    source: Array
    asks: sparse.csr_array
    asker: Array
    others: Array
    blocks: Ragged

    def __len__(self) -> int:
        return len(self.must)

    def kept(self, labels: ArrayLike) -> NDArray[np.float64]:
        """(m,) to which degree, from 0 to 1, hard `labels` are as each row says; -1 is together with nobody."""
        labels = np.asarray(labels, dtype=np.int64)
        inside = labels[self.blocks.items] >= 0
        k = int(labels.max(initial=0)) + 1
        in_cluster = sparse.coo_array(
            (
                self.blocks.values * inside,
                (self.blocks.row_of_entry, np.where(inside, labels[self.blocks.items], 0)),
            ),
            shape=(len(self.blocks), k),
        ).tocsr()
        size = np.bincount(self.blocks.row_of_entry, self.blocks.values, minlength=len(self.blocks))
        own = labels[self.asker]
        met = np.asarray(in_cluster[self.others, np.maximum(own, 0)]).ravel() if len(own) else np.empty(0)
        together = self.asks @ np.where(own >= 0, met / size[self.others], 0.0)
        return np.where(self.must, together, 1 - together)


@dataclass(frozen=True, eq=False)
class Fold:
    """One way to hold a part back.

    Attributes
    ----------
    known : ConstraintSet
        What is told.
    held : Held
        What is held back and doesn't follow from what is told.
    """

    known: ConstraintSet
    held: Held


def folds(known: ConstraintSet, n_folds: int = 3, *, seed: int = 0) -> tuple[Fold, ...]:
    """Split what is known into `n_folds` parts, and hold each back in turn.

    Pairs are split by link, must-links and cannot-links each evenly; groups, separations and labels by sample, so that
    nothing at all is told of a sample that is held back from its group, other than what pairs say. Labels that leave
    more than one cluster open are always told.

    Parameters
    ----------
    known : ConstraintSet
    n_folds : int
    seed : int
        The same seed gives the same folds.

    Examples
    --------
    >>> known = ConstraintSet(8).with_must_link([[0, 1], [2, 3]]).with_group([4, 5, 6, 7])
    >>> [(len(fold.known.pairs), len(fold.held)) for fold in folds(known, 2)]
    [(1, 3), (1, 3)]
    """
    if n_folds < 2:
        raise ValueError(f"folds must be at least 2, got {n_folds}")
    rng = np.random.default_rng([seed, n_folds])
    of_pair = _dealt_pairs(known, n_folds, rng)
    of_sample = _dealt_samples(known, n_folds, rng)
    definite = definite_clusters(known.labels)
    return tuple(_fold(known, of_pair == f, of_sample == f, definite) for f in range(n_folds))


def _dealt_pairs(known: ConstraintSet, n_folds: int, rng: np.random.Generator) -> Array:
    """(pairs,) the fold of each pair."""
    order = rng.permutation(len(known.pairs))
    order = order[np.argsort(~known.pairs.must[order], kind="stable")]  # must-links first, then the others
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % n_folds
    return fold


def _dealt_samples(known: ConstraintSet, n_folds: int, rng: np.random.Generator) -> Array:
    """(n,) the fold of each sample that a group, a separation or a label names, -1 for others."""
    fold = np.full(known.n_samples, -1)
    definite = definite_clusters(known.labels)
    classes = [known.labels.sample[definite == cluster] for cluster in np.unique(definite)]
    dealt = 0
    for members in [*(row for row, _ in known.blocks.rows()), *classes]:
        new = rng.permutation(members[fold[members] < 0])
        fold[new] = (dealt + np.arange(len(new))) % n_folds
        dealt += len(new)
    return fold


def definite_clusters(labels: Labels) -> Array:
    """(m,) the one cluster that each label leaves possible, -1 where there are several."""
    possible = np.bincount(labels.degrees.row_of_entry, labels.degrees.values > 0, minlength=len(labels))
    cluster = np.full(len(labels), -1)
    entries = labels.degrees.values > 0
    cluster[labels.degrees.row_of_entry[entries]] = labels.degrees.items[entries]
    return np.where(labels.closed & (possible == 1), cluster, -1)


def _fold(known: ConstraintSet, pair_held: Array, sample_held: Array, definite: Array) -> Fold:
    p, g, s, l = known.tables
    label_held = sample_held[l.sample] & (definite >= 0)
    told_blocks = _told(known.blocks, sample_held)
    left = np.bincount(told_blocks.row_of_entry, told_blocks.values, minlength=len(told_blocks))
    told = compacted(
        replace(
            known,
            pairs=p.rows(~pair_held),
            groups=g.rows(left[g.block] >= 2) if len(g) else g,
            separations=s.rows((left[s.a] > 0) & (left[s.b] > 0)) if len(s) else s,
            labels=l.rows(~label_held),
            blocks=told_blocks,
        )
    )
    follows = _Follows(told)
    rows = _Rows(follows)
    rows.add_pairs(known, pair_held)
    rows.add_groups(known, told_blocks, sample_held)
    rows.add_separations(known, told_blocks, sample_held)
    rows.add_labels(known, label_held, definite)
    return Fold(told, rows.done())


def _told(blocks: Ragged, sample_held: Array) -> Ragged:
    """The blocks without samples that are held back."""
    stays = ~sample_held[blocks.items]
    lengths = np.bincount(blocks.row_of_entry, stays, minlength=len(blocks)).astype(np.int64)
    return Ragged(np.concatenate([[0], np.cumsum(lengths)]), blocks.items[stays], blocks.values[stays])


class _Follows:
    """What follows from what is told: who is together already, and who is apart."""

    def __init__(self, told: ConstraintSet) -> None:
        links = told.links_from_labels()
        self.component = c = links.must_components
        cannot = links.pairs.rows(~links.pairs.must)
        self._pairs = np.sort(np.stack([c[cannot.i], c[cannot.j]], axis=1), axis=1) @ [links.n_samples, 1]
        s = links.separations
        self._sides = [tuple(np.unique(c[links.blocks.row(r)[0]]) for r in ends) for ends in zip(s.a, s.b)]

    def together(self, i: Array, j: Array) -> Array:
        return self.component[i] == self.component[j]

    def apart(self, i: Array, j: Array) -> Array:
        a, b = self.component[i], self.component[j]
        known = np.isin(np.sort(np.stack([a, b], axis=1), axis=1) @ [len(self.component), 1], self._pairs)
        for left, right in self._sides:
            known |= (np.isin(a, left) & np.isin(b, right)) | (np.isin(a, right) & np.isin(b, left))
        return known


class _Rows:
    """Rows of `Held` as they are found."""

    def __init__(self, follows: _Follows) -> None:
        self._follows = follows
        self._rows: list[tuple[Array, ...]] = []  # must, weight, source
        self._asks: list[tuple[Array, ...]] = []  # row, asker, others
        self._blocks: list[Ragged] = []
        self._n_rows = self._n_blocks = 0

    def _block(self, blocks: Ragged) -> int:
        """Add blocks; the number of the first."""
        first, self._n_blocks = self._n_blocks, self._n_blocks + len(blocks)
        self._blocks.append(blocks)
        return first

    def _add(
        self, must: bool | Array, weight: ArrayLike, source: ArrayLike, asker: Array, others: ArrayLike, *, one: bool
    ) -> None:
        """Add a row for each asker, or `one` for all of them."""
        n, a = (1, len(asker)) if one else (len(asker), len(asker))
        if not a:
            return
        said = (np.asarray(must), np.asarray(weight, dtype=float), np.asarray(source, dtype=object))
        self._rows.append(tuple(np.broadcast_to(column, (n,)) for column in said))
        row = np.zeros(a, dtype=np.int64) if one else np.arange(a)
        self._asks.append((self._n_rows + row, asker, np.broadcast_to(np.asarray(others), (a,))))
        self._n_rows += n

    def add_pairs(self, known: ConstraintSet, held: Array) -> None:
        p = known.pairs.rows(held)
        news = ~np.where(p.must, self._follows.together(p.i, p.j), self._follows.apart(p.i, p.j))
        p = p.rows(news)
        first = self._block(Ragged(np.arange(len(p) + 1), p.j, np.ones(len(p))))
        self._add(p.must, p.weight, p.source, p.i, first + np.arange(len(p)), one=False)

    def add_groups(self, known: ConstraintSet, told: Ragged, held: Array) -> None:
        first = self._block(told)
        for block, weight, source in zip(known.groups.block, known.groups.weight, known.groups.source):
            size, asker = known.blocks.lengths[block], self._asking(known, told, block, held)
            # g samples are held together by g - 1 links.
            each = min(size - 1.0, MOST_OF_ONE_STATEMENT) / size
            self._add(True, weight * each, source, asker, first + block, one=False)

    def add_separations(self, known: ConstraintSet, told: Ragged, held: Array) -> None:
        first = self._block(told)
        s = known.separations
        for a, b, weight, source in zip(s.a, s.b, s.weight, s.source):
            size = known.blocks.lengths[a] + known.blocks.lengths[b]
            sides = [(self._asking(known, told, own, held), other) for own, other in ((a, b), (b, a))]
            sides = [(asker, other) for asker, other in sides if told.lengths[other]]
            asker = np.concatenate([np.empty(0, dtype=np.int64), *(asker for asker, _ in sides)])
            others = np.concatenate([np.empty(0, dtype=np.int64), *(np.full(len(asker), o) for asker, o in sides)])
            # Over all folds it counts as the one statement that it is.
            self._add(False, weight * len(asker) / size, source, asker, first + others, one=True)

    def _asking(self, known: ConstraintSet, told: Ragged, block: int, held: Array) -> Array:
        """Members that are held back, of a block of which something is told, unless pairs join them to it."""
        members, here = known.blocks.row(block)[0], told.row(block)[0]
        asker = members[held[members]]
        if not len(here):
            return asker[:0]
        return asker[~np.isin(self._follows.component[asker], self._follows.component[here])]

    def add_labels(self, known: ConstraintSet, held: Array, definite: Array) -> None:
        told = known.labels.rows(~held & (definite >= 0))
        clusters = definite[~held & (definite >= 0)]
        component = self._follows.component
        unjoined = held & ~np.isin(component[known.labels.sample], component[told.sample])
        for cluster in np.unique(definite[unjoined]):
            mine = known.labels.rows(unjoined & (definite == cluster))
            for must in (True, False):
                others = told.sample[(clusters == cluster) == must]
                if len(others):
                    first = self._block(Ragged.from_rows([(others, 1.0)]))
                    self._add(must, mine.weight, mine.source, mine.sample, first, one=False)

    def done(self) -> Held:
        def joined(parts: Iterator[Array], dtype: type) -> Array:
            return np.concatenate([np.empty(0, dtype=dtype), *parts])

        row, asker, others = (joined((part[c] for part in self._asks), np.int64) for c in range(3))
        asked = np.bincount(row, minlength=self._n_rows)
        blocks = Ragged.from_rows()
        for more in self._blocks:
            blocks = blocks + more
        return Held(
            must=joined((part[0] for part in self._rows), bool),
            weight=joined((part[1] for part in self._rows), float),
            source=joined((part[2] for part in self._rows), object),
            asks=sparse.csr_array((1 / asked[row], (row, np.arange(len(row)))), shape=(self._n_rows, len(row))),
            asker=asker,
            others=others,
            blocks=blocks,
        )
