"""Samples named by id or by index label, as positions: what ``by=`` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray


class Finder(Protocol):
    """Who knows the samples by name: a `Dataset`, or what its `by` gives."""

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        ...

    def find(self, entries: Iterable[Any], what: str) -> NDArray[np.int64]:
        """The position of each entry's sample; ValueError where an entry names none, or could name two."""


class Naming(Finder, Protocol):
    """Who knows the samples by name, in both directions: a `Dataset`."""

    @property
    def naming(self) -> str:
        """By what samples are best called outside: "id", "row" or "position"."""

    def names_of(self, samples: Iterable[int]) -> list[Any]:
        """What these samples are called, by `naming`."""

    def by(self, kind: str) -> Finder:
        """Who knows them by names of one kind alone."""


def located(samples: Any, by: Finder | None, n_samples: int, what: str) -> Any:
    """Positions of the named samples; unchanged where nobody knows them by name."""
    if by is None:
        return samples
    _check(by, n_samples, what)
    if isinstance(samples, str) or not isinstance(samples, Iterable):
        raise ValueError(f"{what} must be a list of samples, got {samples!r:.40}")
    return by.find(list(samples), what)


def located_pairs(pairs: Any, by: Finder | None, n_samples: int, what: str) -> Any:
    """Pairs of positions for pairs of named samples; unchanged where nobody knows them by name."""
    if by is None:
        return pairs
    _check(by, n_samples, what)
    rows = pairs.to_numpy().tolist() if isinstance(pairs, pd.DataFrame) else list(pairs)
    for number, row in enumerate(rows):
        if isinstance(row, str) or not isinstance(row, Iterable) or len(list(row)) != 2:
            raise ValueError(f"{what}: row {number} must name two samples, got {row!r:.60}")
    return by.find([sample for row in rows for sample in row], what).reshape(-1, 2)


def located_labels(labels: Any, by: Finder | None, n_samples: int) -> Any:
    """Labels by position for labels by name: of a mapping, or of a Series by its index; missing ones say nothing."""
    if by is None:
        return labels
    _check(by, n_samples, "labels")
    if isinstance(labels, pd.Series):
        known = labels[labels.notna() & (labels != -1)]
        names, values = list(known.index), [_whole(value) for value in known]
    elif isinstance(labels, Mapping):
        names, values = list(labels), list(labels.values())
    else:
        raise ValueError(
            "labels: samples are named by a mapping from each sample to its label, or by the index of a Series, got "
            f"{type(labels).__name__}; leave `by` out for an array with one label for each sample"
        )
    samples = by.find(names, "labels").tolist()
    said: dict[int, Any] = {}
    for name, sample, value in zip(names, samples, values):
        if sample in said:
            raise ValueError(f"labels: {name!r} is sample {sample}, which was named before; name it once")
        said[sample] = value
    return said


def _whole(label: Any) -> Any:
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _check(by: Finder, n_samples: int, what: str) -> None:
    if not hasattr(by, "n_samples"):
        raise ValueError(f"{what}: `by` is a Dataset, or data.by('id'), which know samples by name; got {by!r:.40}")
    if by.n_samples != n_samples:
        raise ValueError(f"{what}: `by` knows {by.n_samples} samples, but there are {n_samples}")
