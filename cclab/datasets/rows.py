"""Where samples came from: `Rows`, and how to find a sample by what a person calls it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


class DroppedRows(UserWarning):
    """Rows of a table that are no samples, since a value is missing or infinite.

    Attributes
    ----------
    counts : dict from str to int
        How many rows were dropped for which reason: ``missing``, ``infinite``.
    rows : int array
        Their row numbers, from 0.
    """

    def __init__(self, message: str, counts: dict[str, int], rows: np.ndarray):
        super().__init__(message)
        self.counts, self.rows = counts, rows


@dataclass(frozen=True)
class Reading:
    """How the data can be read again: a file by its name, and what to do with it.

    Attributes
    ----------
    file : str
        The name of the file, without its folder.
    target : str or None
        The column that was asked for as the truth.
    fingerprint : str
        Of the data as they are read, before anything else is done; empty where it may differ between machines in the
        last digit, as features of texts and pictures do.
    result : str
        The fingerprint of the data as they are now; while it holds, reading them again gives the same.
    standardized : bool
    options : mapping
        What else `load_dataset` was given, ready for JSON: roles of columns and so on.
    """

    file: str
    target: str | None
    fingerprint: str
    result: str
    standardized: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """For each sample its row in the table it came from. A frozen value.

    Attributes
    ----------
    positions : int array (n_samples,)
        The row of each sample, from 0.
    n_rows : int
        How many rows the table has, those that are no samples included.
    index : pandas.Index
        The label of every row; 0, 1, ... where the table has no index of its own.
    ids : tuple of str, or None
        The id of every row, where the table has any.
    table : DataFrame or None
        The table itself, as it was given (no copy).
    matrix : array or CSR array (n_rows, d), or None
        Numbers beside the table that are in none of its columns: vectors out of a file of their own.
    matrix_names : tuple of str
        What its columns are called, if anything.
    candidates : int array, or None
        The rows that may be samples, where a part of the table was chosen; None for all.
    is_itself : bool
        Whether the samples themselves are the table, as those of an array are.
    reading : Reading or None
        How to read the data from their file again, where they came from one and nothing else was changed.

    Examples
    --------
    >>> rows = Rows([0, 2], 3, ids=("ann", "bob", "cy"))
    >>> rows.dropped.tolist(), rows.find(["cy"], "group").tolist()
    ([1], [1])
    >>> rows.find(["bob"], "group")
    Traceback (most recent call last):
    ...
    ValueError: group: 'bob' is row 1 of the table (from 0), which is no sample: it was left out of the data
    """

    positions: np.ndarray
    n_rows: int
    index: pd.Index = None  # type: ignore[assignment]  # 0, 1, ...
    ids: tuple[str, ...] | None = None
    table: pd.DataFrame | None = None
    matrix: Any = None
    matrix_names: tuple[str, ...] = ()
    candidates: np.ndarray | None = None
    is_itself: bool = False
    reading: Reading | None = None

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)
        positions = np.array(self.positions, dtype=np.int64)
        positions.flags.writeable = False
        keep("positions", positions)
        keep("n_rows", int(self.n_rows))
        keep("index", pd.RangeIndex(self.n_rows) if self.index is None else self.index)
        if positions.ndim != 1 or (len(positions) and not 0 <= positions.min() <= positions.max() < self.n_rows):
            raise ValueError(f"rows: positions must be a flat list of row numbers from 0 to {self.n_rows - 1}")
        for name in ("index", "ids", "table", "matrix"):
            values = getattr(self, name)
            n_entries = self.n_rows if values is None else values.shape[0] if name == "matrix" else len(values)
            if n_entries != self.n_rows:
                raise ValueError(f"rows: {name} has {n_entries} entries, expected one for each of {self.n_rows} rows")

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.positions)

    @cached_property
    def dropped(self) -> np.ndarray:
        """Rows of the table that are no samples."""
        return np.setdiff1d(np.arange(self.n_rows), self.positions)

    @cached_property
    def has_own_index(self) -> bool:
        """Whether the rows are called anything but 0, 1, 2, ..."""
        index = self.index
        return not (index.nlevels == 1 and index.dtype.kind in "iu" and index.equals(pd.RangeIndex(self.n_rows)))

    @cached_property
    def is_plain(self) -> bool:
        """Whether row and sample are the same, and are called by their number alone."""
        every_row = self.n_samples == self.n_rows and bool((self.positions == np.arange(self.n_rows)).all())
        return every_row and not self.has_own_index

    def subset(self, samples: ArrayLike) -> Rows:
        """Some of the samples, of the same table."""
        positions = self.positions[np.asarray(samples)]
        return replace(self, positions=positions, candidates=positions, reading=None)

    def named(self, names: tuple[str, ...] | None) -> Rows:
        """The same rows, the samples' ids being `names`."""
        if names is None or (self.ids is not None and names == tuple(self.ids[row] for row in self.positions)):
            return self
        ids = list(self.ids or [""] * self.n_rows)
        for row, name in zip(self.positions.tolist(), names):
            ids[row] = name
        return replace(self, ids=tuple(ids))

    def spread(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame with one row for each sample as one with a row for each row of the table; others are empty."""
        if len(np.unique(self.positions)) < self.n_samples:
            raise ValueError("some samples are the same row of the table, so there is no one row for each of them")
        return frame.set_axis(self.positions).reindex(np.arange(self.n_rows)).set_axis(self.index)

    # ------------------------------------------------------------------ finding samples

    @cached_property
    def naming(self) -> str:
        """By what samples are best called outside: "id", else "row", or "position" where the two are the same."""
        if self.ids is not None and len(set(self.ids)) == self.n_rows:
            return "id"
        return "position" if self.is_plain else "row"

    def names_of(self, samples: Iterable[int]) -> list[Any]:
        """What these samples are called, by `naming`."""
        rows = self.positions[list(samples)].tolist()
        return [self.ids[row] for row in rows] if self.ids is not None and self.naming == "id" else rows

    def by(self, kind: str) -> Finder:
        """What finds samples by ``"id"``, ``"index"`` (label), ``"row"`` or ``"position"`` (sample number) alone."""
        return Finder(self, (_checked_kind(kind),))

    def find(self, entries: Iterable[Any], what: str, kind: str | None = None) -> np.ndarray:
        """The samples that `entries` name, by id, index label or number; what could be two of them is refused."""
        kinds = ("id", "index", "position") if kind is None else (_checked_kind(kind),)
        return Finder(self, kinds).find(entries, what)

    @cached_property
    def _samples_of_row(self) -> dict[int, list[int]]:
        return _places(self.positions.tolist())

    @cached_property
    def _rows_of_id(self) -> dict[str, list[int]]:
        return _places(self.ids or ())

    @cached_property
    def _rows_of_label(self) -> dict[Any, list[int]]:
        return _places(self.index)

    def called(self, entry: Any, kind: str) -> Sequence[int]:
        """The rows that an entry of this kind names."""
        number = isinstance(entry, Integral | float) and not isinstance(entry, bool)
        whole = number and (isinstance(entry, Integral) or entry.is_integer())
        try:
            match kind:
                case "id":
                    return self._rows_of_id.get(str(int(entry) if whole else entry), ())
                case "index":
                    labels = () if isinstance(entry, bool) else (entry, str(entry))
                    return next((self._rows_of_label[label] for label in labels if label in self._rows_of_label), ())
                case "row":
                    return (int(entry),) if whole and 0 <= entry < self.n_rows else ()
        except TypeError:  # a list or a dictionary is no label
            return ()
        return (int(self.positions[int(entry)]),) if whole and 0 <= entry < self.n_samples else ()


KINDS = ("id", "index", "row", "position")
_IN_WORDS = {"id": "the id {}", "index": "the index label {}", "row": "row {}", "position": "sample {}"}


@dataclass(frozen=True)
class Finder:
    """Finds samples by some ways to name them."""

    rows: Rows
    kinds: tuple[str, ...]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.rows.n_samples

    def find(self, entries: Iterable[Any], what: str) -> np.ndarray:
        """The position of each entry's sample.

        Raises
        ------
        ValueError
            An entry that names no sample, a dropped row, or more than one row.
        """
        return np.array([self._sample(entry, what) for entry in entries], dtype=np.int64)

    def _sample(self, entry: Any, what: str) -> int:
        entry = entry.item() if isinstance(entry, np.generic) else entry
        meanings = {kind: self.rows.called(entry, kind) for kind in self.kinds}
        found = {row for rows in meanings.values() for row in rows}
        if not found:
            raise ValueError(f"{what} names sample {entry!r:.80}, but there is none of that name{self._hint()}")
        if len(found) > 1:
            raise ValueError(f"{what}: {self._ambiguous(entry, meanings)}")
        (row,) = found
        samples = self.rows._samples_of_row.get(row, ())
        if len(samples) != 1:
            reason = "several samples are made of" if samples else "is no sample: it was left out of the data"
            raise ValueError(f"{what}: {entry!r:.80} is row {row} of the table (from 0), which {reason}")
        return samples[0]

    def _hint(self) -> str:
        known = []
        if "id" in self.kinds and self.rows.ids is not None:
            known.append(f"ids are such as {self.rows.ids[0]!r:.40}")
        if "index" in self.kinds and self.rows.has_own_index:
            known.append(f"index labels are such as {self.rows.index[0]!r:.40}")
        if "row" in self.kinds:
            known.append(f"rows run from 0 to {self.rows.n_rows - 1}")
        if "position" in self.kinds:
            known.append(f"samples run from 0 to {self.n_samples - 1}")
        if self.kinds == ("id",) and self.rows.ids is None:
            known.append("these data have no ids; name rows or index labels")
        return f"; {', '.join(known)}" if known else ""

    def _ambiguous(self, entry: Any, meanings: Mapping[str, Sequence[int]]) -> str:
        twice = next((kind for kind, rows in meanings.items() if len(rows) > 1), None)
        if twice is not None:
            rows = ", ".join(map(str, list(meanings[twice])[:5]))
            name = _IN_WORDS[twice].format(repr(entry)[:80])
            return f"{name} is that of more than one row (rows {rows}, from 0); name rows by their number: by('row')"
        said = [
            f"{_IN_WORDS[kind].format(repr(entry)[:80])} (row {rows[0]} of the table)"
            for kind, rows in meanings.items()
            if rows
        ]
        kinds = [repr(kind) for kind, rows in meanings.items() if rows]
        return (
            f"{entry!r:.80} could be {' or '.join(said)}, which are not the same; say which: in Python "
            f"by=data.by({' or '.join(kinds)}), in a file a column 'by' that holds {' or '.join(kinds)}"
        )


def _checked_kind(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"samples are named by {', '.join(map(repr, KINDS))}, not by {kind!r:.40}")
    return kind


def _places(labels: Iterable[Any]) -> dict[Any, list[int]]:
    places: dict[Any, list[int]] = {}
    for row, label in enumerate(labels):
        places.setdefault(label, []).append(row)
    return places
