"""How far hard labels respect what is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from cclab.core.constraints.set import ConstraintSet
from cclab.core.constraints.tables import Array


@dataclass(frozen=True, eq=False)
class Satisfaction:
    """For each statement, to which degree it holds.

    Attributes
    ----------
    ids : (m,) int array
    degrees : (m,) float array in [0, 1]
        1 or 0 for a pair; for a group or separation the share of its pairs that hold; for a label the possibility it
        gives to the cluster that the sample is in.
    must_rate, cannot_rate : float
        Weighted share of linked pairs that hold, 1 where there are none.
    """

    ids: Array
    degrees: Array
    must_rate: float
    cannot_rate: float

    @property
    def satisfied(self) -> Array:
        """(m,) which statements hold entirely."""
        return self.degrees >= 1 - 1e-12

    @property
    def violated_ids(self) -> Array:
        """Ids of the statements that are not satisfied."""
        return self.ids[~self.satisfied]

    @property
    def n_satisfied(self) -> int:
        """How many statements are satisfied."""
        return int(self.satisfied.sum())

    @property
    def rate(self) -> float:
        """Share of statements that hold entirely, 1 where there are none."""
        return self.n_satisfied / len(self.ids) if len(self.ids) else 1.0


def satisfaction(known: ConstraintSet, labels: ArrayLike) -> Satisfaction:
    """Compare hard cluster labels with each statement.

    Parameters
    ----------
    known : ConstraintSet
    labels : (n,) int array
        The cluster of each sample; -1 (in no cluster) is together with nobody.
    """
    labels = np.asarray(labels, dtype=np.int64)
    if labels.shape != (known.n_samples,):
        raise ValueError(f"labels must have shape ({known.n_samples},), got {labels.shape}")
    k = int(labels.max(initial=-1)) + 1
    inside = np.flatnonzero(labels >= 0)
    indicator = sparse.csr_array((np.ones(len(inside)), (inside, labels[inside])), shape=(len(labels), max(k, 1)))
    # How much of each block lies in each cluster.
    counts = (known.blocks.matrix(known.n_samples) @ indicator).toarray()
    size = np.bincount(known.blocks.row_of_entry, known.blocks.values, minlength=len(known.blocks))
    own = np.bincount(known.blocks.row_of_entry, known.blocks.values**2, minlength=len(known.blocks))
    own_inside = np.bincount(
        known.blocks.row_of_entry,
        known.blocks.values**2 * (labels[known.blocks.items] >= 0),
        minlength=len(known.blocks),
    )

    p, g, s, l = known.tables
    same = (labels[p.i] == labels[p.j]) & (labels[p.i] >= 0)
    pairs = np.where(p.must, same, ~same).astype(float)
    together = (counts**2).sum(axis=1) - own_inside
    possible = size**2 - own
    groups = np.divide(together, possible, out=np.ones(len(size)), where=possible > 0)[g.block]
    meeting = (counts[s.a] * counts[s.b]).sum(axis=1)
    separations = 1 - meeting / (size[s.a] * size[s.b])
    in_cluster = l.degrees.items == labels[l.sample][l.degrees.row_of_entry]
    stated = np.bincount(l.degrees.row_of_entry, in_cluster, minlength=len(l))
    degree = np.bincount(l.degrees.row_of_entry, in_cluster * l.degrees.values, minlength=len(l))
    label = np.where(stated > 0, degree, np.where(l.closed, 0.0, 1.0))

    def rate(total: float, held: float) -> float:
        return float(held / total) if total > 0 else 1.0

    must_weight = p.weight * p.must
    cannot_weight = p.weight * ~p.must
    group_pairs = g.weight * possible[g.block] / 2
    separation_pairs = s.weight * size[s.a] * size[s.b]
    return Satisfaction(
        known.ids,
        np.concatenate([pairs, groups, separations, label]),
        rate(must_weight.sum() + group_pairs.sum(), must_weight @ pairs + group_pairs @ groups),
        rate(
            cannot_weight.sum() + separation_pairs.sum(),
            cannot_weight @ pairs + separation_pairs @ separations,
        ),
    )
