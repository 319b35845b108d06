"""Spots: where dabs lie, and how far around them holds what they teach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cclab.images.strokes import Stroke

# What a dab teaches fades over so many times its own size: whoever paints a larger one means more by it.
REACH = 8.0


@dataclass(frozen=True)
class Spot:
    """A dab by its middle.

    Attributes
    ----------
    slice : int
    row, column : float
    reach : float
        In pixels, as a standard deviation.
    """

    slice: int
    row: float
    column: float
    reach: float

    @classmethod
    def of(cls, place: int, pixels: np.ndarray, width: int) -> Spot:
        """Of some pixels, as flat indices, of a slice."""
        rows, columns = np.divmod(pixels, width)
        return cls(place, float(rows.mean()), float(columns.mean()), REACH * float(np.sqrt(len(pixels))))


def spots_of(
    strokes: Sequence[Stroke], long: Sequence[Stroke], left: Sequence[np.ndarray], width: int
) -> tuple[Spot, ...]:
    """Where dabs lie: strokes that have lost their region in `long`, by the pixels that are left of each."""
    together = zip(strokes, long, left)
    return tuple(
        Spot.of(s.slice, pixels, width) for s, kept, pixels in together if len(pixels) and s.region != kept.region
    )


def nearness_to(spots: Iterable[Spot], rows: slice, columns: slice) -> np.ndarray:
    """(n_rows, n_columns) how near the nearest spot is: 1 in its middle, towards 0 where it is far.

    >>> nearness_to([Spot(0, 2, 1, 2)], slice(2, 3), slice(5)).round(2).tolist()
    [[0.88, 1.0, 0.88, 0.61, 0.32]]
    """
    down, across = (np.arange(part.start or 0, part.stop) for part in (rows, columns))
    near = np.zeros((len(down), len(across)))
    for spot in spots:
        along = (np.exp(-(((at - to) / spot.reach) ** 2) / 2) for at, to in ((down, spot.row), (across, spot.column)))
        np.maximum(near, np.outer(*along), out=near)
    return near
