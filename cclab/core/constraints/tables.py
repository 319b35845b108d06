"""The statements a constraint set holds, a table for each kind, and the forms in which labels come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.core.arrays import as_samples, readonly
from cclab.core.constraints.ragged import Ragged

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Table:
    """Statements of one kind, a column a field, a row a statement."""

    id: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weight: Array = field(default_factory=lambda: np.empty(0))
    source: Array = field(default_factory=lambda: np.empty(0, dtype=object))

    def __post_init__(self) -> None:
        for name, column in self.columns().items():
            if not isinstance(column, Ragged):
                object.__setattr__(self, name, readonly(column))

    def columns(self) -> dict[str, Any]:
        """The columns by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __len__(self) -> int:
        return len(self.id)

    def rows(self, chosen: Array) -> Self:
        """The chosen rows (indices or a mask), in order."""
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return type(self)(**{name: column[chosen] for name, column in self.columns().items()})

    def __add__(self, other: Self) -> Self:
        def both(a: Any, b: Any) -> Any:
            return a + b if isinstance(a, Ragged) else np.concatenate([a, b])

        mine, theirs = self.columns(), other.columns()
        return type(self)(**{name: both(mine[name], theirs[name]) for name in mine})


def _integers() -> Array:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Pairs(Table):
    """Two samples ``i < j`` that belong together (``must``) or apart."""

    i: Array = field(default_factory=_integers)
    j: Array = field(default_factory=_integers)
    must: Array = field(default_factory=lambda: np.empty(0, dtype=bool))


@dataclass(frozen=True, eq=False)
class Groups(Table):
    """A block of samples that all belong together."""

    block: Array = field(default_factory=_integers)


@dataclass(frozen=True, eq=False)
class Separations(Table):
    """Two blocks of samples, no one of the one together with any one of the other."""

    a: Array = field(default_factory=_integers)
    b: Array = field(default_factory=_integers)


@dataclass(frozen=True, eq=False)
class Labels(Table):
    """For one sample, degrees of possibility of some clusters.

    `closed` statements deny (degree 0) every cluster that they don't name; open ones say nothing about those.
    """

    sample: Array = field(default_factory=_integers)
    closed: Array = field(default_factory=lambda: np.empty(0, dtype=bool))
    degrees: Ragged = field(default_factory=Ragged.from_rows)

    def matrix(self, n_clusters: int) -> Array:
        """(m, n_clusters) degrees of possibility, NaN where nothing is known."""
        beyond = np.flatnonzero(self.degrees.items >= n_clusters)
        if len(beyond):
            entry = beyond[0]
            raise ValueError(
                f"sample {self.sample[self.degrees.row_of_entry[entry]]} is labelled "
                f"{self.degrees.items[entry]}, but there are only {n_clusters} clusters (0 to {n_clusters - 1})"
            )
        matrix = np.full((len(self), n_clusters), np.nan)
        matrix[self.closed] = 0.0
        matrix[self.degrees.row_of_entry, self.degrees.items] = self.degrees.values
        return matrix


def provenance(first_id: int, m: int, weight: ArrayLike, source: str | Sequence[str], what: str) -> dict[str, Array]:
    """The columns that all tables share, for `m` new statements; a bad weight is named."""
    try:
        weights = np.asarray(weight, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: weight must be a number in (0, 1], got {weight!r}") from None
    if weights.ndim > 1 or (weights.ndim == 1 and len(weights) != m):
        raise ValueError(f"{what}: weight must be one number or {m} of them, got shape {weights.shape}")
    weights = np.broadcast_to(weights, (m,))
    bad = np.flatnonzero(~((weights > 0) & (weights <= 1)))
    if len(bad):
        raise ValueError(f"{what}: the weight of row {bad[0]} is {weights[bad[0]]:g}; weights lie in (0, 1]")
    return {
        "id": np.arange(first_id, first_id + m),
        "weight": weights,
        "source": np.broadcast_to(np.array(source, dtype=object), (m,)),
    }


def read_labels(labels: ArrayLike | Mapping[int, Any], n_samples: int) -> tuple[Array, Array, Ragged]:
    """Labels in any of their forms as (samples, closed, degrees)."""
    samples, closed, degrees = _read_labels(labels, n_samples)
    outside = np.flatnonzero(~((degrees.values >= 0) & (degrees.values <= 1)))
    if len(outside):
        entry = outside[0]
        raise ValueError(
            f"labels: the degree of cluster {degrees.items[entry]} for sample "
            f"{samples[degrees.row_of_entry[entry]]} is {degrees.values[entry]:g}, outside [0, 1]"
        )
    return samples, closed, degrees


def _read_labels(labels: ArrayLike | Mapping[int, Any], n_samples: int) -> tuple[Array, Array, Ragged]:
    if isinstance(labels, Mapping):
        samples = as_samples(list(labels), n_samples, "labels")
        if all(
            type(known) is int and 0 <= known < 2**31 for known in labels.values()
        ):  # most often, and then for thousands
            return _one_each(samples, np.fromiter(labels.values(), dtype=np.int64, count=len(labels)))
        closed: list[bool] = []
        rows: list[tuple[Array, Any]] = []
        for sample, known in labels.items():
            if isinstance(known, Mapping):
                rows.append((_as_clusters(list(known), sample), list(known.values())))
            else:
                clusters = [known] if np.ndim(known) == 0 and not isinstance(known, set | frozenset) else list(known)
                rows.append((np.unique(_as_clusters(clusters, sample)), 1.0))
            closed.append(not isinstance(known, Mapping))
        return samples, np.array(closed, dtype=bool), Ragged.from_rows(rows)
    array = np.asarray(labels)
    if array.ndim not in (1, 2) or len(array) != n_samples:
        raise ValueError(
            f"labels must have shape ({n_samples},) or ({n_samples}, n_clusters), or be a mapping; got {array.shape}"
        )
    if array.ndim == 1:
        if not np.issubdtype(array.dtype, np.integer):
            raise ValueError(
                f"labels must be integers with -1 where nothing is known, got {array.dtype} values; "
                "encode names as integers first (pandas.factorize does)"
            )
        if array.min(initial=0) < -1:
            bad = int(np.argmin(array))
            raise ValueError(f"labels: sample {bad} has label {array[bad]}; use -1 where nothing is known")
        samples = np.flatnonzero(array >= 0)
        return _one_each(samples, array[samples])
    array = array.astype(float)
    stated = ~np.isnan(array)
    samples = np.flatnonzero(stated.any(axis=1))
    stated = stated[samples]
    degrees = Ragged(
        np.concatenate([[0], np.cumsum(stated.sum(axis=1))]), np.nonzero(stated)[1], array[samples][stated]
    )
    return samples, np.zeros(len(samples), dtype=bool), degrees


def _one_each(samples: Array, clusters: Array) -> tuple[Array, Array, Ragged]:
    """Each sample in one cluster."""
    m = len(samples)
    return samples, np.ones(m, dtype=bool), Ragged(np.arange(m + 1), clusters, np.ones(m))


def _as_clusters(clusters: list, sample: int) -> Array:
    array = np.asarray(clusters)
    if not len(array) or not np.issubdtype(array.dtype, np.integer) or array.min() < 0:
        raise ValueError(f"labels: sample {sample} must name clusters by numbers from 0, got {clusters}")
    return array
