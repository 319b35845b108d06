"""What is known about some of the samples only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cclab.core.arrays import as_samples
from cclab.core.blocks import compacted
from cclab.core.constraints import ConstraintSet
from cclab.core.ragged import Ragged


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
            n_samples=len(samples),
            pairs=replace(pairs, i=ends[0], j=ends[1]),
            groups=g.rows(left[g.block] >= 2) if len(g) else g,
            separations=s.rows((left[s.a] > 0) & (left[s.b] > 0)) if len(s) else s,
            labels=replace(labels, sample=place[labels.sample]),
            blocks=Ragged.from_rows(blocks),
            next_id=known.next_id,
        )
    )
