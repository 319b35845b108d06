"""What samples stand for that are a part of a large table: `Coreset`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cclab.core.arrays import readonly


@dataclass(frozen=True, eq=False)
class Coreset:
    """Which rows of a file are in a table, and how many rows each stands for. A frozen value.

    Attributes
    ----------
    n_rows : int
        Rows of the file.
    rows : (m,) int array
        The row of the file that each row of the table is, rising.
    weights : (m,) array
        How many rows of the file it stands for.
    file : str
        The name of the file.
    path : str
        Where the file was found; empty after a session was opened elsewhere.
    """

    n_rows: int
    rows: NDArray
    weights: NDArray
    file: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", readonly(self.rows, np.int64))
        object.__setattr__(self, "weights", readonly(self.weights, float))
        if self.rows.ndim != 1 or self.rows.shape != self.weights.shape:
            raise ValueError(f"a coreset has a weight for each row, got {self.weights.shape} for {self.rows.shape}")
        if len(self.rows) and not 0 <= self.rows.min() <= self.rows.max() < self.n_rows:
            raise ValueError(f"a coreset names rows from 0 to {self.n_rows - 1}")
