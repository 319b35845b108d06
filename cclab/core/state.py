"""Where a solver stands after a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core.arrays import readonly
from cclab.core.partitions import Partition


@dataclass(frozen=True)
class Gauge:
    """A few named numbers that an algorithm wants watched: kernel weights, priorities, the number of clusters.

    Attributes
    ----------
    name : str
        What they are, for a person: "Kernel weights".
    labels : tuple of str
        One for each value.
    values : tuple of float
    """

    name: str
    labels: tuple[str, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """One state of a solver. A value: arrays are read-only, and a step makes a new one.

    Attributes
    ----------
    iteration : int
        0 for the start.
    restart : int
    objective : float
        The objective at this state's own fields.
    terms : mapping from str to float
        The parts of the objective by name.
    notes : tuple of str
        What happened in this step that a person would want to know, in words.
    centers : (k, p) array or None
        The cluster centres, where there are any.
    shift : float
        How far the centre that moved most has moved in this step, over the spread of the samples.
    """

    iteration: int = 0
    restart: int = 0
    objective: float
    terms: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    centers: NDArray | None = field(default=None, repr=False)
    shift: float = np.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "objective", float(self.objective))
        object.__setattr__(self, "terms", MappingProxyType({name: float(v) for name, v in self.terms.items()}))
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, f.name, readonly(value))

    @cached_property
    def partition(self) -> Partition:
        """The belief that this state stands for."""
        return self._partition()

    def _partition(self) -> Partition:
        raise NotImplementedError(f"{type(self).__name__} must say what its partition is")

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        """(k,) a name for each cluster that it keeps when others vanish."""
        return np.arange(self.partition.n_clusters)

    def gauges(self) -> tuple[Gauge, ...]:
        """What the algorithm wants watched."""
        return ()

    def emphasis(self) -> tuple[NDArray, NDArray] | None:
        """Ids of statements and how much each counts now, over their mean; None where all count as they were stated."""
        return None

    def asides(self) -> Mapping[str, Partition]:
        """Partitions besides the belief that a person may want to see, by name: the latest of many hypotheses, say."""
        return {}

    def forget(self) -> None:
        """Drop what can be derived again, to save memory."""
        self.__dict__.pop("partition", None)

    def __getstate__(self) -> dict[str, Any]:
        kept = {f.name: getattr(self, f.name) for f in fields(self)}
        return kept | {"terms": dict(self.terms)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self.__post_init__()


def center_shift(before: NDArray, after: NDArray, spread: float) -> float:
    """The largest move of a centre, over the spread of the samples."""
    return float(np.sqrt(((after - before) ** 2).sum(axis=1).max()) / spread)
