"""How a belief looks: hue, shape and opacity of each sample, and the legend. Pure functions, no widgets.

One cluster is a circle of its hue, two are a diamond of the blend, more are a grey square, an outlier is hollow with a
cross. Certainty is opacity. Hues follow `State.cluster_ids`, so they stay when other clusters vanish; numbers are
those of `Snapshot.page_numbers`, from 1 and without gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.core import Credal, Hard, Partition, Possibilistic, State
from cclab.looks.palette import hue, recoloured, told_apart
from cclab.looks.signs import FAINTEST, SHAPES
from cclab.session import Snapshot

#: What colour may stand for, with its name for a person.
MODES = {"belief": "Belief", "labels": "Labels", "truth": "Truth", "certainty": "Certainty"}

#: Before the name of a partition that a state shows besides its belief.
ASIDE = "aside "

Set = tuple[int, ...]

_BLOCK = 2**14


@dataclass(frozen=True)
class Look:
    """How a page shows each cluster of a state.

    Attributes
    ----------
    hues : list of int
        The cluster, from 0, whose hue it has.
    numbers : list of int
        From 1.
    given : mapping from int to str
        The names of those that a person has named.
    """

    hues: list[int]
    numbers: list[int]
    given: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, snapshot: Snapshot) -> Look:
        """How the clusters of a snapshot are shown."""
        given = snapshot.cluster_names
        chosen = {place: name.color - 1 for place, name in given.items() if name.color}
        hues = recoloured(told_apart(snapshot.state.cluster_ids.tolist()), chosen)
        return cls(hues, snapshot.page_numbers.tolist(), {k: name.name for k, name in given.items() if name.name})

    @property
    def names(self) -> list[str]:
        """What each cluster is called: its name, or else its number; both where another is called the same."""
        names = [self.given.get(place) or str(number) for place, number in enumerate(self.numbers)]
        return [f"{name} ({k})" if names.count(name) > 1 else name for name, k in zip(names, self.numbers)]

    @classmethod
    def plain(cls, n_clusters: int) -> Look:
        """Each by its place."""
        return cls(list(range(n_clusters)), list(range(1, n_clusters + 1)))

    @property
    def order(self) -> list[int]:
        """The clusters by their numbers."""
        return sorted(range(len(self.numbers)), key=self.numbers.__getitem__)


@dataclass(frozen=True)
class Sign:
    """One entry of the legend.

    Attributes
    ----------
    name : str
    color : str
        A CSS variable of the theme.
    shape : str
        One of `SHAPES`.
    count : int
        How many samples have it.
    opacity : float
    """

    name: str
    color: str
    shape: str = "circle"
    count: int = 0
    opacity: float = 1.0


@dataclass(frozen=True)
class Bar:
    """The colour bar of a legend: what is shown, and the values at its two ends."""

    name: str
    low: str
    high: str


@dataclass(frozen=True, eq=False)
class Encoding:
    """What a scatter needs to draw n samples.

    Attributes
    ----------
    palette : tuple of str
        CSS variables.
    color : (n,) uint8 array
        Place in `palette`.
    shape : (n,) uint8 array
        Place in `SHAPES`.
    certainty : (n,) float array in [0, 1]
        Shown as opacity, which never falls below `FAINTEST`.
    legend : tuple of Sign
        Those that some sample has now.
    bar : Bar, optional
        Where the palette begins with a ramp (`cclab.looks.palette.RAMP`).
    """

    palette: tuple[str, ...]
    color: NDArray[np.uint8]
    shape: NDArray[np.uint8]
    certainty: NDArray[np.float64]
    legend: tuple[Sign, ...]
    bar: Bar | None = None


# ---------------------------------------------------------------------- sets of clusters


def set_name(members: Sequence[int], look: Look) -> str:
    """A set of clusters in words.

    >>> [set_name(members, Look.plain(4)) for members in ([], [0], [1, 2], [0, 1, 2], [0, 1, 2, 3])]
    ['outlier', '1', '2 or 3', '1, 2 or 3', 'any']
    """
    if not len(members):
        return "outlier"
    if len(members) == len(look.numbers) > 2:
        return "any"
    names = look.names
    *others, last = (names[k] for k in sorted(members, key=look.numbers.__getitem__))
    return f"{', '.join(others)} or {last}" if others else last


def set_sign(members: Sequence[int], look: Look, count: int = 0) -> Sign:
    """How a set of clusters is drawn, and what it is called."""
    shape = ("outlier", "circle", "diamond", "square")[min(len(members), 3)]
    return Sign(set_name(members, look), hue([look.hues[k] for k in members]), shape, count)


def can_flag(partition: Partition) -> bool:
    """Whether such a belief can call a sample an outlier."""
    if isinstance(partition, Credal):
        return () in partition.focal_sets
    return isinstance(partition, Possibilistic)


def n_sets(partition: Partition) -> int:
    """How many sets of clusters samples may be shown in."""
    return len(partition.focal_sets) if isinstance(partition, Credal) else partition.n_clusters


def sets_of(partition: Partition, threshold: float | None = None) -> tuple[NDArray[np.intp], tuple[Set, ...]]:
    """The set of clusters that each sample is shown in.

    Parameters
    ----------
    partition : Partition
    threshold : float, optional
        Who is an outlier. None is the belief's own rule, which for a credal one is the set of highest mass.

    Returns
    -------
    which : (n,) int array
        Place in `sets`.
    sets : tuple of tuples of int
        Places of clusters; the empty one stands for outliers.
    """
    if isinstance(partition, Credal):
        which = partition.hard_sets()
        if threshold is not None and can_flag(partition):
            empty = partition.focal_sets.index(())
            flagged = partition.outliers(threshold)
            undone = (which == empty) & ~flagged
            others = partition.masses[undone]
            others[:, empty] = -1
            which[undone] = others.argmax(axis=1)
            which[flagged] = empty
        return which, partition.focal_sets
    sets: tuple[Set, ...] = tuple((k,) for k in range(partition.n_clusters))
    which = np.array(partition.labels(), dtype=np.intp)
    if can_flag(partition):
        which[partition.outliers(threshold)] = len(sets)
        sets += ((),)
    return which, sets


def outliers_of(partition: Partition, threshold: float | None = None) -> NDArray[np.bool_]:
    """(n,) the samples that are shown as outliers."""
    which, sets = sets_of(partition, threshold)
    return which == sets.index(()) if () in sets else np.zeros(partition.n_samples, dtype=bool)


def certainty(partition: Partition) -> NDArray[np.float64]:
    """(n,) how far the best answer is ahead of the second best: 1 = alone, 0 = they are alike.

    Answers are clusters, and sets of clusters for a credal belief: a sample that is surely in "1 or 2" is certain.
    """
    if isinstance(partition, Hard):
        return np.ones(partition.n_samples)
    first, second = _two_largest(partition.masses if isinstance(partition, Credal) else partition.degrees)
    return 1 - np.divide(second, first, out=np.ones_like(first), where=first > 0)


def _two_largest(values: NDArray) -> tuple[NDArray, NDArray]:
    """The largest and the second largest entry of each row (0 where there is one column)."""
    # Column by column, in blocks that fit the cache: with many rows several times faster than sorting each.
    first, second = np.empty(len(values)), np.zeros(len(values))
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        columns = np.ascontiguousarray(values[block].T)
        first[block] = columns[0]
        for column in columns[1:]:
            np.maximum(second[block], np.minimum(first[block], column), out=second[block])
            np.maximum(first[block], column, out=first[block])
    return first, second


# ---------------------------------------------------------------------- encodings


def shown_partition(mode: str, state: State) -> tuple[str, Partition]:
    """What `encode` needs for a mode: ``"aside NAME"`` is one of the partitions that the state shows aside."""
    if mode.startswith(ASIDE):
        return "labels", state.asides()[mode.removeprefix(ASIDE)]
    return mode, state.partition


def encode(mode: str, partition: Partition, look: Look, data: Any, threshold: float | None = None) -> Encoding:
    """The encoding of a mode of `MODES`, or of any column: ``"column petal width (cm)"``.

    Parameters
    ----------
    mode : str
    partition : Partition
    look : Look
    data : Dataset
        For its truth and its features.
    threshold : float, optional
        For outliers; None is the belief's own.
    """
    if mode == "belief":
        return encode_belief(partition, look, threshold)
    if mode == "labels":
        k = partition.n_clusters
        # A partition aside may have more clusters than the belief, or fewer: then they have numbers of their own.
        return encode_sets(partition.labels(), [(c,) for c in range(k)], look if k == len(look.hues) else Look.plain(k))
    if mode == "truth":
        return encode_truth(data.target, data.target_names)
    if mode == "certainty":
        return encode_values(certainty(partition), "certain", "torn")
    if mode.startswith("column "):
        from cclab.looks.column_encoding import encode_column  # which builds on this file
        from cclab.looks.sample_columns import SampleColumns

        return encode_column(SampleColumns(data), mode.removeprefix("column "))
    raise ValueError(f"there is no colour mode {mode!r}; there are {', '.join(MODES)} and 'column NAME'")


def encode_belief(partition: Partition, look: Look, threshold: float | None = None) -> Encoding:
    """Set of clusters = hue and shape, certainty = opacity."""
    which, sets = sets_of(partition, threshold)
    return encode_sets(which, sets, look, certainty(partition))


def encode_sets(which: NDArray, sets: Sequence[Set], look: Look, certain: NDArray | None = None) -> Encoding:
    """Samples in sets of clusters; outliers are always opaque, since a faint ring is lost among dots."""
    counts = np.bincount(which, minlength=len(sets))
    signs = [set_sign(members, look, int(count)) for members, count in zip(sets, counts)]
    palette = tuple(dict.fromkeys(sign.color for sign in signs))
    colors = np.array([palette.index(sign.color) for sign in signs], dtype=np.uint8)
    shapes = np.array([SHAPES.index(sign.shape) for sign in signs], dtype=np.uint8)
    shape = shapes[which]
    shown = np.ones(len(which)) if certain is None else np.where(shape == SHAPES.index("outlier"), 1, certain)
    numbers = [sorted(look.numbers[k] for k in members) for members in sets]
    order = sorted(range(len(sets)), key=lambda s: (not sets[s], len(sets[s]), numbers[s]))
    return Encoding(palette, colors[which], shape, shown, tuple(signs[s] for s in order if counts[s]))


def encode_truth(target: NDArray | None, names: Sequence[str]) -> Encoding:
    """Class = hue; a sample of no class looks like an outlier."""
    if target is None:
        raise ValueError("the truth of these data is not known; colour by something else")
    sets: list[Set] = [(k,) for k in range(len(names))] + [()]
    encoding = encode_sets(np.where(target < 0, len(names), target), sets, Look.plain(len(names)))
    titles = {str(k + 1): name for k, name in enumerate(names)} | {"outlier": "no class"}
    return replace(encoding, legend=tuple(replace(sign, name=titles[sign.name]) for sign in encoding.legend))


def encode_values(values: ArrayLike, high: str, low: str) -> Encoding:
    """A number = opacity, in ink: hue keeps meaning cluster."""
    values = np.asarray(values, dtype=float)
    least, most = float(values.min()), float(values.max())
    share = (values - least) / (most - least) if most > least else np.ones(len(values))
    nothing = np.zeros(len(values), dtype=np.uint8)
    legend = (Sign(high, "--cc-ink"), Sign(low, "--cc-ink", opacity=FAINTEST))
    return Encoding(("--cc-ink",), nothing, nothing.copy(), share, legend)
