"""What a person knows about the samples: `ConstraintSet`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cclab.core.arrays import as_pairs
from cclab.core.blocks import checked_block, compacted, with_blocks
from cclab.core.links import LinkOperator
from cclab.core.ragged import Ragged
from cclab.core.statements import Array, Groups, Labels, Pairs, Separations, Table, provenance, read_labels

if TYPE_CHECKING:
    from cclab.core.conflicts import Conflict
    from cclab.core.satisfaction import Satisfaction

T = TypeVar("T", bound=Table)


@dataclass(frozen=True, eq=False)
class ConstraintSet:
    """Statements about `n_samples` samples. A value: every change gives a new one.

    Must-link and cannot-link *pairs*; *groups* (all of its samples belong together) and *separations* (two sets of
    samples stay apart), both kept compact and never expanded to pairs; *labels* (degrees of possibility of some
    clusters for some samples). Each statement has an id, a weight in (0, 1] (1 = certain) and a source.

    The same pair stated twice counts once and the last weight wins; a sample labelled twice keeps the last label;
    all other statements add up.

    Parameters
    ----------
    n_samples : int
        How many samples there are.

    Examples
    --------
    >>> known = ConstraintSet(6).with_must_link([[0, 1]]).with_group([2, 3, 4]).with_cannot_link([[1, 5]])
    >>> known.must @ np.arange(6.0)
    array([1., 0., 7., 6., 5., 0.])
    >>> known.must.total
    4.0
    >>> known.with_must_link([[0, 9]])
    Traceback (most recent call last):
    ValueError: must_link: row 0 names sample 9, but samples run from 0 to 5
    """

    n_samples: int
    pairs: Pairs = field(default_factory=Pairs, repr=False)
    groups: Groups = field(default_factory=Groups, repr=False)
    separations: Separations = field(default_factory=Separations, repr=False)
    labels: Labels = field(default_factory=Labels, repr=False)
    blocks: Ragged = field(default_factory=Ragged.from_rows, repr=False)
    next_id: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        n = self.n_samples
        if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
            raise ValueError(f"n_samples must be a whole number of at least 1, got {n!r}")
        object.__setattr__(self, "n_samples", int(n))

    # ------------------------------------------------------------------ stating

    def with_must_link(
        self, pairs: ArrayLike, *, weight: ArrayLike = 1.0, source: str | Sequence[str] = "code"
    ) -> ConstraintSet:
        """State that the two samples of each pair belong together.

        Parameters
        ----------
        pairs : (m, 2) array of int
        weight : float or (m,) array in (0, 1]
            How certain each pair is.
        source : str or list of str
            Where the statements (each of them) come from: "lasso", "query", "stroke", "file", "code", ...
        """
        return self._with_pairs(pairs, True, weight, source)

    def with_cannot_link(
        self, pairs: ArrayLike, *, weight: ArrayLike = 1.0, source: str | Sequence[str] = "code"
    ) -> ConstraintSet:
        """State that the two samples of each pair belong apart. Parameters as for `with_must_link`."""
        return self._with_pairs(pairs, False, weight, source)

    def _with_pairs(
        self, pairs: ArrayLike, must: bool, weight: ArrayLike, source: str | Sequence[str]
    ) -> ConstraintSet:
        name = "must_link" if must else "cannot_link"
        ends = np.sort(as_pairs(pairs, self.n_samples, name), axis=1)
        if not len(ends):
            return self
        same = np.flatnonzero(ends[:, 0] == ends[:, 1])
        if len(same):
            raise ValueError(f"{name}: row {same[0]} links sample {ends[same[0], 0]} to itself; name two samples")
        m = len(ends)
        new = Pairs(
            i=ends[:, 0], j=ends[:, 1], must=np.full(m, must), **provenance(self.next_id, m, weight, source, name)
        )
        stated = self.pairs + new
        key = (stated.must * self.n_samples + stated.i) * self.n_samples + stated.j
        _, last = np.unique(key[::-1], return_index=True)
        return replace(self, pairs=stated.rows(np.sort(len(key) - 1 - last)), next_id=self.next_id + m)

    def with_group(
        self,
        samples: ArrayLike,
        *,
        shares: ArrayLike | None = None,
        weight: float = 1.0,
        source: str = "code",
    ) -> ConstraintSet:
        """State that all of `samples` belong together.

        Parameters
        ----------
        samples : (g,) array of int
        shares : (g,) array of float, optional
            How many samples each member stands for (default: one).
        """
        row = checked_block(samples, shares, self.n_samples, "group")
        if row[1].sum() < 2:
            raise ValueError(f"a group needs at least two samples, got {len(row[0])}")
        blocks, (block,) = with_blocks(self.blocks, [row])
        new = Groups(block=np.array([block]), **provenance(self.next_id, 1, weight, source, "group"))
        return replace(self, groups=self.groups + new, blocks=blocks, next_id=self.next_id + 1)

    def with_separation(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        shares: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
        weight: float = 1.0,
        source: str = "code",
    ) -> ConstraintSet:
        """State that no sample of `a` belongs together with any sample of `b`.

        Parameters
        ----------
        a, b : (g,) and (h,) arrays of int
        shares : two arrays of float, optional
            How many samples each member of `a` and of `b` stands for.
        """
        rows = [
            checked_block(a, shares[0], self.n_samples, "separation, first set"),
            checked_block(b, shares[1], self.n_samples, "separation, second set"),
        ]
        shared = np.intersect1d(rows[0][0], rows[1][0])
        if len(shared):
            raise ValueError(f"sample {shared[0]} is in both sets; it can't be kept apart from itself")
        if not len(rows[0][0]) or not len(rows[1][0]):
            raise ValueError("a separation needs at least one sample in each of its two sets")
        blocks, (block_a, block_b) = with_blocks(self.blocks, rows)
        new = Separations(
            a=np.array([block_a]), b=np.array([block_b]), **provenance(self.next_id, 1, weight, source, "separation")
        )
        return replace(self, separations=self.separations + new, blocks=blocks, next_id=self.next_id + 1)

    def with_labels(
        self,
        labels: ArrayLike | Mapping[int, Any],
        *,
        weight: ArrayLike = 1.0,
        source: str | Sequence[str] = "code",
    ) -> ConstraintSet:
        """State to which clusters some samples may belong.

        Parameters
        ----------
        labels : (n,) int array, (n, k) float array, or mapping
            Integers: the cluster of each sample, -1 where nothing is known. An (n, k) array: a degree of possibility
            in [0, 1] for each cluster, NaN where nothing is known. A mapping from sample to what is known of it: a
            cluster, a set of possible clusters, or a mapping from clusters to degrees. A cluster or a set of them
            denies all other clusters; degrees say nothing about those they leave out.
        weight : float or array in (0, 1]
            How certain each statement is: one for all, or one for each labelled sample in order.
        """
        samples, closed, degrees = read_labels(labels, self.n_samples)
        m = len(samples)
        if not m:
            return self
        outside = np.flatnonzero(~((degrees.values >= 0) & (degrees.values <= 1)))
        if len(outside):
            entry = outside[0]
            raise ValueError(
                f"labels: the degree of cluster {degrees.items[entry]} for sample "
                f"{samples[degrees.row_of_entry[entry]]} is {degrees.values[entry]:g}, outside [0, 1]"
            )
        about = provenance(self.next_id, m, weight, source, "labels")
        new = Labels(sample=samples, closed=closed, degrees=degrees, **about)
        stay = ~np.isin(self.labels.sample, samples)
        return replace(self, labels=self.labels.rows(stay) + new, next_id=self.next_id + m)

    def without(self, ids: int | Iterable[int]) -> ConstraintSet:
        """Forget the statements with these ids."""
        chosen = np.array(list(ids) if isinstance(ids, Iterable) else [ids])
        unknown = chosen[~np.isin(chosen, self.ids)]
        if len(unknown):
            raise ValueError(f"there is no statement with id {unknown[0]}")

        def kept(table: T) -> T:
            return table.rows(~np.isin(table.id, chosen))

        return compacted(
            replace(
                self,
                pairs=kept(self.pairs),
                groups=kept(self.groups),
                separations=kept(self.separations),
                labels=kept(self.labels),
            )
        )

    # ------------------------------------------------------------------ looking

    @property
    def tables(self) -> tuple[Pairs, Groups, Separations, Labels]:
        return self.pairs, self.groups, self.separations, self.labels

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of all statements."""
        return np.concatenate([table.id for table in self.tables])

    def __len__(self) -> int:
        return sum(len(table) for table in self.tables)

    def __repr__(self) -> str:
        must = int(self.pairs.must.sum())
        counts = {
            "must-link": must,
            "cannot-link": len(self.pairs) - must,
            "group": len(self.groups),
            "separation": len(self.separations),
            "label": len(self.labels),
        }
        said = ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in counts.items() if n)
        return f"ConstraintSet({self.n_samples} samples: {said or 'nothing stated'})"

    @cached_property
    def must(self) -> LinkOperator:
        """All must-links (pairs and groups) as a link operator."""
        rows = self.pairs.rows(self.pairs.must)
        b = len(self.blocks)
        coupling = sparse.coo_array((self.groups.weight, (self.groups.block, self.groups.block)), shape=(b, b))
        return LinkOperator(self.n_samples, rows.i, rows.j, rows.weight, self.blocks, coupling)

    @cached_property
    def cannot(self) -> LinkOperator:
        """All cannot-links (pairs and separations) as a link operator."""
        rows = self.pairs.rows(~self.pairs.must)
        b, s = len(self.blocks), self.separations
        coupling = sparse.coo_array(
            (np.tile(s.weight, 2), (np.concatenate([s.a, s.b]), np.concatenate([s.b, s.a]))), shape=(b, b)
        )
        return LinkOperator(self.n_samples, rows.i, rows.j, rows.weight, self.blocks, coupling)

    @cached_property
    def constrained(self) -> NDArray[np.bool_]:
        """(n,) which samples any statement is about."""
        mask = np.zeros(self.n_samples, dtype=bool)
        for samples in (self.pairs.i, self.pairs.j, self.blocks.items, self.labels.sample):
            mask[samples] = True
        return mask

    def label_degrees(self, n_clusters: int) -> tuple[Array, Array, Array]:
        """What the labels say about `n_clusters` clusters.

        Returns
        -------
        samples : (m,) int array
            The labelled samples.
        degrees : (m, n_clusters) float array
            Degrees of possibility, NaN where nothing is known.
        weights : (m,) float array
        """
        return self.labels.sample, self.labels.matrix(n_clusters), self.labels.weight

    # ------------------------------------------------------------------ reasoning (in rooms of their own)

    def closure(self) -> ConstraintSet:
        """All links that follow from the stated ones: see `cclab.core.closure.closure`."""
        from cclab.core.closure import closure

        return closure(self)

    def conflicts(self, n_clusters: int | None = None, *, limit: int = 100) -> tuple[Conflict, ...]:
        """Statements that contradict each other, explained: see `cclab.core.conflicts.conflicts`."""
        from cclab.core.conflicts import conflicts

        return conflicts(self, n_clusters, limit=limit)

    def satisfaction(self, labels: ArrayLike) -> Satisfaction:
        """How far hard cluster labels respect each statement: see `cclab.core.satisfaction.satisfaction`."""
        from cclab.core.satisfaction import satisfaction

        return satisfaction(self, labels)

    def links_from_labels(self) -> ConstraintSet:
        """The links that the labels imply, in place of the labels: see `cclab.core.closure.links_from_labels`."""
        return self._links

    @cached_property
    def _links(self) -> ConstraintSet:
        # Asked for at every step of a solver that takes links alone: one object, so that what follows from it is kept.
        from cclab.core.closure import links_from_labels

        return links_from_labels(self) if len(self.labels) else self

    def restrict(self, samples: ArrayLike) -> ConstraintSet:
        """What is known about some of the samples only, renumbered: see `cclab.core.restriction.restrict`."""
        from cclab.core.restriction import restrict

        return restrict(self, samples)

    # ------------------------------------------------------------------ exchange

    def to_frame(self) -> pd.DataFrame:
        """One row a statement: see `cclab.core.exchange.to_frame`."""
        from cclab.core.exchange import to_frame

        return to_frame(self)

    @staticmethod
    def from_frame(frame: pd.DataFrame, n_samples: int) -> ConstraintSet:
        """The inverse of `to_frame`; also reads tables with the columns ``kind, i, j`` alone."""
        from cclab.core.exchange import from_frame

        return from_frame(frame, n_samples)

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary that `from_json` reads back exactly."""
        from cclab.core.exchange import to_json

        return to_json(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> ConstraintSet:
        """The inverse of `to_json`."""
        from cclab.core.exchange import from_json

        return from_json(document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstraintSet) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]
