"""Blocks: sets of samples that groups and separations name, each kept once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cclab.core.arrays import as_samples
from cclab.core.constraints.ragged import Ragged
from cclab.core.constraints.tables import Array

if TYPE_CHECKING:
    from cclab.core.constraints.set import ConstraintSet


def checked_block(samples: ArrayLike, shares: ArrayLike | None, n_samples: int, what: str) -> tuple[Array, Array]:
    """Members and shares of a block, sorted by sample, or an error that names the first bad one."""
    members = as_samples(samples, n_samples, what)
    values = np.ones(len(members)) if shares is None else np.asarray(shares, dtype=float)
    if values.shape != members.shape:
        raise ValueError(f"{what}: {len(members)} samples but {values.size} shares")
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        raise ValueError(f"{what}: the share of sample {members[~good][0]} must be above 0")
    order = np.argsort(members, kind="stable")
    members, values = members[order], values[order]
    twice = members[1:][members[1:] == members[:-1]]
    if len(twice):
        raise ValueError(f"{what}: sample {twice[0]} is named twice")
    return members, values


def checked_sides(
    a: ArrayLike, b: ArrayLike, shares: tuple[ArrayLike | None, ArrayLike | None], n_samples: int
) -> list[tuple[Array, Array]]:
    """The two blocks that a separation keeps apart."""
    sides = [
        checked_block(a, shares[0], n_samples, "separation, first set"),
        checked_block(b, shares[1], n_samples, "separation, second set"),
    ]
    (first, _), (second, _) = sides
    shared = np.intersect1d(first, second)
    if len(shared):
        raise ValueError(f"sample {shared[0]} is in both sets; it can't be kept apart from itself")
    if not len(first) or not len(second):
        raise ValueError("a separation needs at least one sample in each of its two sets")
    return sides


def with_blocks(blocks: Ragged, rows: Sequence[tuple[Array, Array]]) -> tuple[Ragged, list[int]]:
    """The blocks with `rows` among them, and the number of each; a block that is there already is used again."""
    numbers: list[int] = []
    for members, values in rows:
        number = _find(blocks, members, values)
        if number is None:
            number = len(blocks)
            blocks = blocks + Ragged.from_rows([(members, values)])
        numbers.append(number)
    return blocks, numbers


def _find(blocks: Ragged, members: Array, values: Array) -> int | None:
    """The number of the block with these members and shares, or None."""
    alike = np.flatnonzero(blocks.lengths == len(members))
    alike = alike[blocks.items[blocks.indptr[alike]] == members[0]]
    for number in alike.tolist():
        there, shares = blocks.row(number)
        if np.array_equal(there, members) and np.array_equal(shares, values):
            return number
    return None


def compacted(known: ConstraintSet) -> ConstraintSet:
    """The same statements, without blocks that none of them names."""
    used, place = np.unique(
        np.concatenate([known.groups.block, known.separations.a, known.separations.b]), return_inverse=True
    )
    g, s = len(known.groups), len(known.separations)
    return replace(
        known,
        blocks=known.blocks[used],
        groups=replace(known.groups, block=place[:g]),
        separations=replace(known.separations, a=place[g : g + s], b=place[g + s :]),
    )
