"""The columns of a table at a glance: kind, how much is missing, how the values are spread, what they are used for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cclab.core.words import short_number
from cclab.datasets.columns.kinds import KINDS
from cclab.datasets.columns.plan import MATRIX, Plan

_BINS = 16
# So many rows show how the values are spread.
_LOOKED_AT = 50_000


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    name : str
    kind : str
        One of `KINDS`.
    role : str
        One of `ROLES`.
    missing : float
        The share of rows without a value.
    counts : tuple of int
        A histogram: of numbers and dates by size, of categories the most frequent first, of texts by length.
    about : str
        A few words: from where to where the values go, or what the first ones are.
    """

    name: str
    kind: str
    role: str
    missing: float
    counts: tuple[int, ...]
    about: str


def overview(data: Any) -> tuple[list[Column], Plan]:
    """All columns of the table that data came from, and the plan.

    Raises
    ------
    ValueError
        The table is not at hand.
    """
    from cclab.datasets.tables import columns_of

    columns, plan, _ = columns_of(data)
    found = []
    for name, kind in columns.kinds.items():
        if name == MATRIX:
            found.append(Column(name, kind, plan.roles[name], 0.0, (), f"{columns.matrix.shape[1]:,} numbers each"))
            continue
        values = columns.frame[name]
        found.append(Column(name, kind, plan.roles[name], float(values.isna().mean()), *_spread(values, kind)))
    return found, plan


def _spread(values: pd.Series, kind: str) -> tuple[tuple[int, ...], str]:
    some = values.dropna()
    if some.empty:
        return (), KINDS["empty"]
    if len(some) > _LOOKED_AT:
        some = some.iloc[np.linspace(0, len(some) - 1, _LOOKED_AT).astype(int)]
    match kind:
        case "number":
            numbers = some.to_numpy(dtype=float)
            numbers = numbers[np.isfinite(numbers)]
            if not len(numbers):
                return (), "infinite"
            return _histogram(numbers), f"{short_number(numbers.min())} to {short_number(numbers.max())}"
        case "date":
            days = pd.to_datetime(some)
            return _histogram(days.astype("int64").to_numpy(float)), f"{days.min():%Y-%m-%d} to {days.max():%Y-%m-%d}"
        case "category" | "name":
            counts = some.astype(str).value_counts()
            return tuple(map(int, counts.head(_BINS))), ", ".join(counts.index[:3])
        case "text":
            return _histogram(some.astype(str).str.len().to_numpy(float)), str(some.iloc[0])
        case "vector":
            return (), f"{len(some.iloc[0]):,} numbers each"
    first = some.iloc[0]
    return (), first if isinstance(first, str) else KINDS[kind]


def _histogram(numbers: np.ndarray) -> tuple[int, ...]:
    return tuple(np.histogram(numbers, bins=_BINS)[0].tolist())
