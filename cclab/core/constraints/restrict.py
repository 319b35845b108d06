"""What is known about some of the samples only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import as_samples
from cclab.core.constraints.blocks import compacted
from cclab.core.constraints.ragged import Ragged
from cclab.core.constraints.set import ConstraintSet


def restrict(known: ConstraintSet, samples: ArrayLike) -> ConstraintSet:
    """The statements about `samples`, renumbered in the order given.

    Pairs that lose an end, groups left with one member, and separations that lose a side are dropped.
    """
    samples = as_samples(samples, known.n_samples, "samples")
    if not len(samples):
        raise ValueError("samples: name at least one")
    if len(np.unique(samples)) != len(samples):
        raise ValueError("samples: each sample may be named once")
    place = np.full(known.n_samples, -1)
    place[samples] = np.arange(len(samples))
    return renumbered(known, place, len(samples))


def renumbered(known: ConstraintSet, place: NDArray[np.int64], n_samples: int) -> ConstraintSet:
    """The same statements about samples that have other numbers.

    Parameters
    ----------
    known : ConstraintSet
    place : (n,) array of int
        The new number of each sample; -1 for those that are there no more. What is stated about these is dropped as by
        `restrict`.
    n_samples : int
        How many samples there are now.
    """
    blocks = []
    for members, shares in known.blocks.rows():
        stay = place[members] >= 0
        order = np.argsort(place[members[stay]])
        blocks.append((place[members[stay]][order], shares[stay][order]))
    left = np.array([shares.sum() for _, shares in blocks])

    p, g, s, l = known.tables
    pairs = p.rows((place[p.i] >= 0) & (place[p.j] >= 0))
    ends = np.sort([place[pairs.i], place[pairs.j]], axis=0)
    labels = l.rows(place[l.sample] >= 0)
    return compacted(
        ConstraintSet(
            n_samples=n_samples,
            pairs=replace(pairs, i=ends[0], j=ends[1]),
            groups=g.rows(left[g.block] >= 2) if len(g) else g,
            separations=s.rows((left[s.a] > 0) & (left[s.b] > 0)) if len(s) else s,
            labels=replace(labels, sample=place[labels.sample]),
            blocks=Ragged.from_rows(blocks),
            next_id=known.next_id,
        )
    )
