"""What a person knows about the samples: `ConstraintSet`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import as_pairs
from cclab.core.constraints.blocks import checked_block, checked_sides, compacted, with_blocks
from cclab.core.constraints.links import LinkOperator
from cclab.core.constraints.naming import Finder, Naming, located, located_labels, located_pairs
from cclab.core.constraints.ragged import Ragged
from cclab.core.constraints.statement import Statement, argument, runs, stated_in
from cclab.core.constraints.tables import Array, Groups, Labels, Pairs, Separations, provenance, read_labels
from cclab.core.words import counted

if TYPE_CHECKING:
    from cclab.core.constraints.conflicts import Conflict
    from cclab.core.constraints.satisfaction import Satisfaction

# Two samples make one 64-bit key.
_MOST_SAMPLES = 2**31 - 1


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
    _conflicts: dict[tuple[int | None, int], tuple[Conflict, ...]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        n = self.n_samples
        if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
            raise ValueError(f"n_samples must be a whole number of at least 1, got {n!r:.40}")
        if n > _MOST_SAMPLES:
            raise ValueError(f"n_samples must be at most {_MOST_SAMPLES:,}")
        object.__setattr__(self, "n_samples", int(n))

    # ------------------------------------------------------------------ stating

    def with_must_link(
        self,
        pairs: ArrayLike,
        *,
        weight: ArrayLike = 1.0,
        source: str | Sequence[str] = "code",
        by: Finder | None = None,
    ) -> ConstraintSet:
        """State that the two samples of each pair belong together.

        Parameters
        ----------
        pairs : (m, 2) array of int
        weight : float or (m,) array in (0, 1]
            How certain each pair is.
        source : str or list of str
            Where the statements (each of them) come from: "lasso", "query", "stroke", "file", "code", ...
        by : Dataset, optional
            Who knows the samples by name: they are then named by id, index label or number, whichever they can only
            be; ``data.by("id")`` takes ids alone. By default samples are named by their position from 0.

        Examples
        --------
        >>> import pandas as pd
        >>> from cclab import load_dataset
        >>> data = load_dataset(pd.DataFrame({"x": [1.0, 2.0, 9.0]}, index=["ann", "bob", "cy"]))
        >>> ConstraintSet(3).with_must_link([["ann", "cy"]], by=data).must.total
        1.0
        """
        return self._with_pairs(located_pairs(pairs, by, self.n_samples, "must_link"), True, weight, source)

    def with_cannot_link(
        self,
        pairs: ArrayLike,
        *,
        weight: ArrayLike = 1.0,
        source: str | Sequence[str] = "code",
        by: Finder | None = None,
    ) -> ConstraintSet:
        """State that the two samples of each pair belong apart. Parameters as for `with_must_link`."""
        return self._with_pairs(located_pairs(pairs, by, self.n_samples, "cannot_link"), False, weight, source)

    def _with_pairs(
        self, pairs: ArrayLike, must: bool, weight: ArrayLike, source: str | Sequence[str]
    ) -> ConstraintSet:
        name = "must_link" if must else "cannot_link"
        i, j = np.sort(as_pairs(pairs, self.n_samples, name), axis=1).T
        m = len(i)
        if not m:
            return self
        same = np.flatnonzero(i == j)
        if len(same):
            raise ValueError(f"{name}: row {same[0]} links sample {i[same[0]]} to itself; name two samples")
        new = Pairs(i=i, j=j, must=np.full(m, must), **provenance(self.next_id, m, weight, source, name))
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
        by: Finder | None = None,
    ) -> ConstraintSet:
        """State that all of `samples` belong together.

        Parameters
        ----------
        samples : (g,) array of int
        shares : (g,) array of float, optional
            How many samples each member stands for (default: one).
        by : Dataset, optional
            As for `with_must_link`.
        """
        samples = located(samples, by, self.n_samples, "group")
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
        by: Finder | None = None,
    ) -> ConstraintSet:
        """State that no sample of `a` belongs together with any sample of `b`.

        Parameters
        ----------
        a, b : (g,) and (h,) arrays of int
        shares : two arrays of float, optional
            How many samples each member of `a` and of `b` stands for.
        by : Dataset, optional
            As for `with_must_link`.
        """
        a = located(a, by, self.n_samples, "separation, first set")
        b = located(b, by, self.n_samples, "separation, second set")
        rows = checked_sides(a, b, shares, self.n_samples)
        blocks, (block_a, block_b) = with_blocks(self.blocks, rows)
        new = Separations(
            a=np.array([block_a]), b=np.array([block_b]), **provenance(self.next_id, 1, weight, source, "separation")
        )
        return replace(self, separations=self.separations + new, blocks=blocks, next_id=self.next_id + 1)

    def with_labels(
        self,
        labels: ArrayLike | Mapping[Any, Any],
        *,
        weight: ArrayLike = 1.0,
        source: str | Sequence[str] = "code",
        by: Finder | None = None,
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
        by : Dataset, optional
            As for `with_must_link`; labels are then a mapping, or a Series whose index names the samples.
        """
        samples, closed, degrees = read_labels(located_labels(labels, by, self.n_samples), self.n_samples)
        m = len(samples)
        if not m:
            return self
        about = provenance(self.next_id, m, weight, source, "labels")
        new = Labels(sample=samples, closed=closed, degrees=degrees, **about)
        stay = ~np.isin(self.labels.sample, samples)
        return replace(self, labels=self.labels.rows(stay) + new, next_id=self.next_id + m)

    def with_statements(self, statements: Iterable[Statement]) -> ConstraintSet:
        """State each of `statements`; they get new ids, in order."""
        known = self
        for run in runs(statements):
            name, value = argument(run)
            about: dict[str, Any] = {"weight": [s.weight for s in run], "source": [s.source for s in run]}
            if run[0].shares is not None:
                about["shares"] = run[0].shares
            values = value if name == "separation" else (value,)
            known = getattr(known, f"with_{name}")(*values, **about)
        return known

    def without(self, ids: int | Iterable[int]) -> ConstraintSet:
        """Forget the statements with these ids."""
        chosen = np.array(list(ids) if isinstance(ids, Iterable) else [ids])
        unknown = chosen[~np.isin(chosen, self.ids)]
        if len(unknown):
            raise ValueError(f"there is no statement with id {unknown[0]}")
        return compacted(self.rows(~np.isin(self.ids, chosen)))

    # ------------------------------------------------------------------ looking

    @property
    def tables(self) -> tuple[Pairs, Groups, Separations, Labels]:
        """All statements, a table for each kind."""
        return self.pairs, self.groups, self.separations, self.labels

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids of all statements."""
        return np.concatenate([table.id for table in self.tables])

    def statements(self, ids: Iterable[int] | None = None) -> Iterator[Statement]:
        """Each statement as a value, or those with these ids: links first, then groups, separations, labels."""
        return stated_in(self, ids)

    def rows(self, chosen: NDArray[np.bool_]) -> ConstraintSet:
        """The statements at the chosen places of `ids`."""
        p, g, s, l = np.split(chosen, np.cumsum([len(table) for table in self.tables])[:-1])
        tables = {"pairs": self.pairs.rows(p), "groups": self.groups.rows(g), "separations": self.separations.rows(s)}
        return replace(self, **tables, labels=self.labels.rows(l))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return sum(len(table) for table in self.tables)

    @property
    def shape(self) -> tuple[int]:
        """One entry for each sample: so scikit-learn's searches give each fold what is known of its own samples."""
        return (self.n_samples,)

    def __getitem__(self, samples: Any) -> ConstraintSet:
        """What is known about some of the samples: as `restrict`, which also takes a mask here, or a slice."""
        chosen = samples[0] if isinstance(samples, tuple) and samples[1:] == (Ellipsis,) else samples
        if isinstance(chosen, tuple | Integral):
            raise TypeError("index what is known by samples: a list of them, a slice or a mask")
        return self.restrict(np.arange(self.n_samples)[chosen])

    def __repr__(self) -> str:
        must = int(self.pairs.must.sum())
        kinds = ("must-link", "cannot-link", "group", "separation", "label")
        counts = (must, len(self.pairs) - must, *(len(table) for table in self.tables[1:]))
        said = ", ".join(counted(n, kind) for kind, n in zip(kinds, counts) if n)
        return f"ConstraintSet({self.n_samples} samples: {said or 'nothing stated'})"

    @cached_property
    def must(self) -> LinkOperator:
        """All must-links (pairs and groups) as a link operator."""
        return LinkOperator.of(self, must=True)

    @cached_property
    def cannot(self) -> LinkOperator:
        """All cannot-links (pairs and separations) as a link operator."""
        return LinkOperator.of(self, must=False)

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
        """All links that follow from the stated ones: see `cclab.core.constraints.closure.closure`."""
        from cclab.core.constraints.closure import closure

        return closure(self)

    @cached_property
    def must_components(self) -> Array:
        """(n,) the component of each sample under must-links: see `closure.must_components`."""
        from cclab.core.constraints.closure import must_components

        return must_components(self)

    def conflicts(self, n_clusters: int | None = None, *, limit: int = 100) -> tuple[Conflict, ...]:
        """Statements that contradict each other, explained: see `cclab.core.constraints.conflicts.conflicts`."""
        from cclab.core.constraints.conflicts import conflicts

        if n_clusters is None and () in self._conflicts.values():
            return ()  # found to hold with some number of clusters
        if (n_clusters, limit) not in self._conflicts:
            self._conflicts[n_clusters, limit] = conflicts(self, n_clusters, limit=limit)
        return self._conflicts[n_clusters, limit]

    def satisfaction(self, labels: ArrayLike) -> Satisfaction:
        """How far hard cluster labels respect each statement: see `satisfaction.satisfaction`."""
        from cclab.core.constraints.satisfaction import satisfaction

        return satisfaction(self, labels)

    def links_from_labels(self) -> ConstraintSet:
        """The links that the labels imply, in place of the labels: see `closure.links_from_labels`."""
        return self._links  # one object, so that what follows from it is kept

    @cached_property
    def _links(self) -> ConstraintSet:
        from cclab.core.constraints.closure import links_from_labels

        return links_from_labels(self) if len(self.labels) else self

    def restrict(self, samples: ArrayLike) -> ConstraintSet:
        """What is known about some of the samples only, renumbered: see `cclab.core.constraints.restrict.restrict`."""
        from cclab.core.constraints.restrict import restrict

        return restrict(self, samples)

    # ------------------------------------------------------------------ exchange

    def to_frame(self, by: Naming | None = None, *, first: int = 0) -> pd.DataFrame:
        """One row a statement: see `cclab.core.constraints.exchange.to_frame`."""
        from cclab.core.constraints.exchange import to_frame

        return to_frame(self, by, first=first)

    @staticmethod
    def from_frame(frame: pd.DataFrame, n_samples: int | None = None, *, by: Naming | None = None) -> ConstraintSet:
        """The inverse of `to_frame`; also reads tables with the columns ``kind, i, j`` alone."""
        from cclab.core.constraints.exchange import from_frame

        return from_frame(frame, n_samples, by=by)

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary that `from_json` reads back exactly."""
        from cclab.core.constraints.exchange import to_json

        return to_json(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> ConstraintSet:
        """The inverse of `to_json`."""
        from cclab.core.constraints.exchange import from_json

        return from_json(document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstraintSet) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]
