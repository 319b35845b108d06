"""All links as one table, for algorithms that go through them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core import ConstraintSet
from cclab.core.constraints.ragged import Ragged

Array = NDArray

# Blocks up to this many pairs (a group of 50 samples) are expanded to pairs.
MOST_PAIRS = 50 * 49 // 2


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Links in a row: single pairs first, then one link a member for blocks too large to be expanded to pairs.

    A group of g samples has g (g - 1) / 2 pairs. Up to `MOST_PAIRS` they are all here; above, each member has one
    link, to the group as a whole: it holds to the degree that the member's pairs do, and where a partner has to be
    named (`partners`) one is drawn. Separations likewise.

    Attributes
    ----------
    must : (s,) bool array
    weight : (s,) float array
    statement : (s,) int array
        The id of the statement that each belongs to.
    i : (s,) int array
        One end.
    j : (p,) int array
        The other end of the p single pairs.
    block : (s - p,) int array
        Which of `blocks` the other links point to.
    own_share : (s - p,) float array
        What the end itself counts for in that block: 0 where it isn't in it.
    blocks : Ragged
        Large blocks: members and shares.
    """

    must: Array
    weight: Array
    statement: Array
    i: Array
    j: Array
    block: Array
    own_share: Array
    blocks: Ragged

    def __len__(self) -> int:
        return len(self.i)

    @classmethod
    def of(cls, known: ConstraintSet) -> LinkTable:
        """The table of all pairs, groups and separations."""
        pairs = known.pairs
        expanded: list[tuple[Any, ...]] = [(pairs.i, pairs.j, pairs.must, pairs.weight, pairs.id)]
        to_blocks: list[tuple[Any, ...]] = []
        for block, weight, id_ in zip(known.groups.block, known.groups.weight, known.groups.id):
            samples, shares = known.blocks.row(block)
            if len(samples) * (len(samples) - 1) // 2 <= MOST_PAIRS:
                a, b = np.triu_indices(len(samples), 1)
                expanded.append((samples[a], samples[b], True, weight * shares[a] * shares[b], id_))
            else:
                to_blocks.append((samples, block, True, weight * shares, id_, shares))
        s = known.separations
        for block_a, block_b, weight, id_ in zip(s.a, s.b, s.weight, s.id):
            (left, left_shares), (right, right_shares) = known.blocks.row(block_a), known.blocks.row(block_b)
            if len(left) * len(right) <= MOST_PAIRS:
                shares = np.outer(left_shares, right_shares).ravel()
                ends = np.repeat(left, len(right)), np.tile(right, len(left))
                expanded.append((*ends, False, weight * shares, id_))
            else:
                to_blocks.append((left, block_b, False, weight * left_shares, id_, 0.0))
                to_blocks.append((right, block_a, False, weight * right_shares, id_, 0.0))
        i, j, must, weight, id_ = _stacked(expanded, 5)
        member, block, member_must, member_weight, member_id, own_share = _stacked(to_blocks, 6)
        return cls(
            must=np.concatenate([must, member_must]).astype(bool),
            weight=np.concatenate([weight, member_weight]),
            statement=np.concatenate([id_, member_id]).astype(np.int64),
            i=np.concatenate([i, member]).astype(np.int64),
            j=j.astype(np.int64),
            block=block.astype(np.int64),
            own_share=own_share,
            blocks=known.blocks,
        )

    def partners(self, rng: np.random.Generator) -> Array:
        """(s,) the other end of each link.

        The members of a large group all get the same partner, drawn among them (which itself gets the member after
        it), so that the group hangs together; those of a separation each draw theirs.
        """
        if not len(self.block):
            return self.j
        member, must = self.i[len(self.j) :], self.must[len(self.j) :]
        lengths = self.blocks.lengths
        hub = rng.integers(lengths)[self.block]
        own = rng.integers(lengths[self.block])
        place = np.where(must, hub, own)
        starts = self.blocks.indptr[:-1][self.block]
        itself = self.blocks.items[starts + place] == member
        place = np.where(itself, (place + 1) % lengths[self.block], place)
        return np.concatenate([self.j, self.blocks.items[starts + place]])

    def agreement(self, labels: Array) -> Array:
        """(s,) to which degree each link holds under hard `labels`: 0 or 1 for a pair."""
        p = len(self.j)
        together = (labels[self.i[:p]] == labels[self.j]).astype(float)
        if len(self.block):
            together = np.concatenate([together, self._together_with_blocks(labels)])
        return np.where(self.must, together, 1 - together)

    def _together_with_blocks(self, labels: Array) -> Array:
        """For each link to a block, the share of the block's samples in the cluster of its member."""
        b, k = len(self.blocks), int(labels.max()) + 1
        entry_block, shares = self.blocks.row_of_entry, self.blocks.values
        counts = np.bincount(entry_block * k + labels[self.blocks.items], shares, minlength=b * k).reshape(b, k)
        sizes = counts.sum(axis=1)[self.block]
        same = counts[self.block, labels[self.i[len(self.j) :]]]
        # A member of a group is no partner of its own.
        return (same - self.own_share) / (sizes - self.own_share)


def _stacked(rows: list[tuple], n_columns: int) -> tuple[Array, ...]:
    """Columns of all rows, single values repeated to the length of their row's first column."""
    lengths = [len(row[0]) for row in rows]
    return tuple(
        np.concatenate([np.broadcast_to(row[c], n) for row, n in zip(rows, lengths)]) if rows else np.empty(0)
        for c in range(n_columns)
    )
