"""Where a solver stands after a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core.arrays import readonly
from cclab.core.beliefs.partitions import Partition
from cclab.core.registry import states
from cclab.core.sample_blocks import Block, Chunked


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
    by_cluster : bool
        Whether there is one value for each cluster of the state, in its order; a page then names them as it names
        the clusters.
    """

    name: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    by_cluster: bool = False


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

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if cls._partition is not State._partition:
            states.add(cls)

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

    def belief(self, block: Block) -> Partition:
        """The belief about some of the samples, where it can be had without that about all."""
        raise NotImplementedError(f"{type(self).__name__} can't tell its belief about some of the samples alone")

    @property
    def cluster_ids(self) -> NDArray[np.int64]:
        """(k,) a name for each cluster that it keeps when others vanish."""
        return np.arange(self.partition.n_clusters)

    @property
    def progress(self) -> dict[str, Any]:
        """How far the run has come, as fields of a state that takes the place of this one."""
        return {"restart": self.restart, "iteration": self.iteration, "shift": self.shift}

    def progress_to(self, V: NDArray, spread: float) -> dict[str, Any]:
        """`progress` after one more step, which moves the centres to `V`."""
        assert self.centers is not None
        shift = center_shift(self.centers, V, spread)
        return {"restart": self.restart, "iteration": self.iteration + 1, "shift": shift}

    def rests_since(self, previous: Any) -> bool:
        """Whether nothing but the centres could still move; where links have just been stated, these come after."""
        return True

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


@dataclass(frozen=True, eq=False, kw_only=True)
class CenterState(State):
    """A state with centres, from which the belief about the samples follows.

    Attributes
    ----------
    X : (n, p) array or `Chunked`
        The samples (not a copy).
    centers : (k, p) array
    """

    X: NDArray = field(repr=False)
    centers: NDArray = field(repr=False)

    def _partition(self) -> Partition:
        if isinstance(self.X, Chunked):
            raise ValueError("the samples are not in memory: solver.beliefs(X, fitted=True) gives it in chunks")
        return self.belief(Block(0, self.X))


def center_shift(before: NDArray, after: NDArray, spread: float) -> float:
    """The largest move of a centre, over the spread of the samples."""
    return float(np.sqrt(((after - before) ** 2).sum(axis=1).max()) / spread)


def own_bytes(value: Any, shared: Any) -> int:
    """Bytes of all arrays inside `value`, without those that are a view of `shared`."""
    if isinstance(value, np.ndarray):
        return 0 if isinstance(shared, np.ndarray) and np.may_share_memory(value, shared) else value.nbytes
    if value is shared:
        return 0
    if sparse.issparse(value):
        return sum(getattr(value, name).nbytes for name in ("data", "indices", "indptr") if hasattr(value, name))
    if isinstance(value, dict):
        return sum(own_bytes(v, shared) for v in value.values())
    if isinstance(value, tuple | list):
        return sum(own_bytes(v, shared) for v in value)
    if isinstance(value, State):
        return sum(own_bytes(v, shared) for name, v in value.__dict__.items() if name != "partition")
    return 0
