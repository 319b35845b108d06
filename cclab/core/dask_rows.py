"""Dask arrays as samples: each chunk is a task, on whatever scheduler or cluster is in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cclab.core.sample_blocks import Block, Chunked


def is_dask(X: Any) -> bool:
    """Whether these are data of Dask; Dask is not imported for that."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "dask")


class DaskRows(Chunked):
    """The rows of a `dask.array` of two dimensions.

    Parameters
    ----------
    array : dask.array.Array
        With known chunks. Columns are brought together; rows stay in the chunks that they are in.
    """

    def __init__(self, array: Any) -> None:
        if not hasattr(array, "rechunk"):
            raise ValueError(f"a {type(array).__name__} of Dask is no array; give frame.to_dask_array(lengths=True)")
        if array.ndim != 2:
            raise ValueError(f"X must have shape (n_samples, n_features), got {array.shape}")
        if np.isnan(array.shape).any():
            raise ValueError("the Dask array does not know how long its chunks are; call compute_chunk_sizes() first")
        if not isinstance(array._meta, np.ndarray) or array.dtype.kind not in "biufO":
            kind = f"{array.dtype} values in chunks of type {type(array._meta).__name__}"
            raise ValueError(f"X must be numeric, in chunks that are arrays, got {kind}")
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(float)
        if isinstance(array._meta, np.ma.MaskedArray):
            array = array.map_blocks(np.ma.filled, np.nan)  # what is masked is missing
        self.array = array.rechunk({1: -1})
        self.shape = self.array.shape

    def chunks(self) -> Iterator[NDArray]:
        for chunk in self._delayed():
            yield chunk.compute()

    def rows(self, samples: NDArray) -> NDArray:
        return np.asarray(self.array[samples].compute())

    def map(self, work: Callable[[Block], Any], sample_weight: NDArray | None = None) -> Iterable[Any]:
        from dask.base import compute
        from dask.delayed import delayed

        # What the work holds goes out once, as a task of its own.
        worker = delayed(_Work(work), pure=False)
        lengths = self.array.chunks[0]
        tasks = [
            worker(start, X, None if sample_weight is None else sample_weight[start : start + n])
            for start, n, X in zip(accumulate(lengths, initial=0), lengths, self._delayed())
            if n
        ]
        return compute(*tasks)  # type: ignore[no-untyped-call]

    def _delayed(self) -> list[Any]:
        return self.array.to_delayed().ravel().tolist()


class _Work:
    """Something to do with a block, as a function of what the block is made of."""

    def __init__(self, work: Callable[[Block], Any]) -> None:
        self.work = work

    def __call__(self, start: int, X: NDArray, sample_weight: NDArray | None) -> Any:
        return self.work(Block(start, X, sample_weight))
