"""Strokes and the pixels that they cover.

Points are ``(x, y)`` in image coordinates: the pixel in row r and column c is the unit square from (c, r) to
(c + 1, r + 1), its centre is (c + 0.5, r + 0.5). A stroke is rasterised row by row into runs of flat
indices: a piece of a round brush is convex, so it meets the centres of one row in a single run; along a row,
the edges of a polygon open a run and close it by turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

KINDS = ("brush", "polygon", "erase")


@dataclass(frozen=True, eq=False)
class Stroke:
    """One gesture of the painter.

    Parameters
    ----------
    kind : {"brush", "polygon", "erase"}
        A round brush, a filled polygon, or a round eraser.
    region : int
        The region painted; 0 means "don't know". The eraser removes the paint of every region.
    size : float
        Diameter of the brush in image pixels (unused by a polygon).
    points : array of shape (n_points, 2)
        The path as (x, y) in image coordinates; it may leave the image.
    """

    kind: str
    region: int
    size: float
    points: np.ndarray

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"a stroke is one of {', '.join(KINDS)}; got {self.kind!r}")
        if self.region < 0:
            raise ValueError(f"regions are numbered from 0 (don't know); got {self.region}")
        if not (np.isfinite(self.size) and self.size > 0):
            raise ValueError(f"the size of a brush is a positive number of pixels; got {self.size}")
        points = np.array(self.points, dtype=np.float32)
        if points.ndim != 2 or points.shape[1] != 2 or not len(points):
            raise ValueError(f"points have the shape (n_points, 2), at least one; got {points.shape}")
        if not np.isfinite(points).all():
            raise ValueError("points of a stroke must be finite numbers")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)


def rasterize(stroke: Stroke, shape: tuple[int, int]) -> np.ndarray:
    """Pixels that a stroke covers.

    A brush covers the pixels whose centre lies within half its size of the path, and those that the path
    crosses (so that even the thinnest brush leaves an unbroken line). A polygon covers the pixels whose
    centre is inside by the even-odd rule.

    Parameters
    ----------
    stroke : Stroke
    shape : (height, width)

    Returns
    -------
    array of int64
        Sorted flat indices (row * width + column); empty when the stroke lies outside the image.

    Examples
    --------
    >>> rasterize(Stroke("brush", 1, 1, [[0.5, 0.5], [2.5, 0.5]]), (2, 4))
    array([0, 1, 2])
    >>> rasterize(Stroke("polygon", 1, 1, [[0, 0], [2, 0], [2, 2], [0, 2]]), (3, 3))
    array([0, 1, 3, 4])
    """
    points = stroke.points.astype(float)
    if stroke.kind == "polygon":
        first, stop = _polygon_runs(points, *shape)
    else:
        first, stop = _union(*_brush_runs(points, stroke.size / 2, *shape))
    return _expand(first, stop)[1]


def surviving_pixels(strokes: Sequence[Stroke], shape: tuple[int, int]) -> list[np.ndarray]:
    """What is left of each stroke once the later ones, the eraser's among them, lie on top of it.

    Returns
    -------
    list of arrays of int64, one a stroke
        Sorted flat indices; empty for the eraser's strokes and for what was painted over or erased.

    Examples
    --------
    >>> line = Stroke("brush", 1, 1, [[0.5, 0.5], [3.5, 0.5]])
    >>> dot = Stroke("erase", 0, 1, [[1.5, 0.5]])
    >>> surviving_pixels([line, dot], (1, 4))
    [array([0, 2, 3]), array([], dtype=int64)]
    """
    covered = [rasterize(stroke, shape) for stroke in strokes]
    top = np.full(shape[0] * shape[1], -1, dtype=np.int32)
    for number, pixels in enumerate(covered):
        top[pixels] = number
    return [
        pixels[top[pixels] == number] if stroke.kind != "erase" else pixels[:0]
        for number, (stroke, pixels) in enumerate(zip(strokes, covered))
    ]


def _expand(first, stop):
    """All (run, index) with ``first[run] <= index < stop[run]``, run after run."""
    counts = np.maximum(stop - first, 0)
    run = np.repeat(np.arange(len(counts)), counts)
    return run, np.arange(len(run)) + np.repeat(first - (counts.cumsum() - counts), counts)


def _union(first, stop):
    """The same indices as disjoint runs in order."""
    kept = first < stop
    order = np.argsort(first[kept])
    first, stop = first[kept][order], np.maximum.accumulate(stop[kept][order])
    opens = np.append(True, first[1:] > stop[:-1])[: len(first)]
    closes = np.append(opens[1:], True)[: len(first)]
    return first[opens], stop[closes]


def _rows(low, high, height):
    """All (piece, row) such that ``low[piece] <= row <= high[piece]`` and the row is in the image."""
    return _expand(np.maximum(low, 0).astype(np.int64), np.minimum(high, height - 1).astype(np.int64) + 1)


def _brush_runs(points, radius, height, width):
    """A run for each row that each piece of the path meets; runs overlap and may be empty."""
    start, end = (points[:-1], points[1:]) if len(points) > 1 else (points, points)
    y = np.sort(np.column_stack([start[:, 1], end[:, 1]]), axis=1)
    piece, rows = _rows(np.ceil(y[:, 0] - radius - 0.5), np.floor(y[:, 1] + radius - 0.5), height)
    low, high = _capsule_on_line(start[piece], end[piece], radius, rows + 0.5)
    found = [(rows, np.ceil(low - 0.5), np.floor(high - 0.5))]
    if radius < np.sqrt(0.5):  # a thin brush can slip between the centres; a wider one meets all it crosses
        piece, rows = _rows(np.floor(y[:, 0]), np.floor(y[:, 1]), height)
        low, high = _segment_in_row(start[piece], end[piece], rows)
        found.append((rows, np.floor(low), np.floor(high)))
    rows, first, last = (np.concatenate(parts) for parts in zip(*found))
    first, stop = (np.clip(column, 0, width).astype(np.int64) for column in (first, last + 1))
    return rows * width + first, rows * width + stop


def _capsule_on_line(p, q, radius, y):
    """Where the horizontal lines at heights ``y`` meet the points within ``radius`` of the segments pq.

    The shape is the hull of two discs, so its interval is the span of three: one for each disc and one for
    the band between them. A part that is missed has the empty span (inf, -inf).
    """
    d = q - p
    rise = y - p[:, 1]
    low, high = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    for centre in (p, q):
        under_root = radius**2 - (y - centre[:, 1]) ** 2
        half = np.sqrt(np.maximum(under_root, 0))
        met = under_root >= 0
        low = np.where(met, np.minimum(low, centre[:, 0] - half), low)
        high = np.where(met, np.maximum(high, centre[:, 0] + half), high)
    squared = (d**2).sum(axis=1)
    # Along the segment: 0 <= (x - p)·d <= |d|²; across it: |(x - p) × d| <= radius |d|.
    along = _between(d[:, 0], rise * d[:, 1], np.zeros_like(squared), squared)
    across = _between(-d[:, 1], rise * d[:, 0], *(s * radius * np.sqrt(squared) for s in (-1, 1)))
    band_low, band_high = np.maximum(along[0], across[0]), np.minimum(along[1], across[1])
    met = (band_low <= band_high) & (squared > 0)
    low = np.where(met, np.minimum(low, p[:, 0] + band_low), low)
    high = np.where(met, np.maximum(high, p[:, 0] + band_high), high)
    return low, high


def _between(slope, offset, low, high):
    """Interval of t where ``low <= slope t + offset <= high``; all or nothing where the slope is 0."""
    flat = slope == 0
    safe = np.where(flat, 1, slope)
    one, other = (low - offset) / safe, (high - offset) / safe
    holds = (low <= offset) & (offset <= high)
    first = np.where(flat, np.where(holds, -np.inf, np.inf), np.minimum(one, other))
    last = np.where(flat, np.where(holds, np.inf, -np.inf), np.maximum(one, other))
    return first, last


def _segment_in_row(p, q, rows):
    """Horizontal extent of the part of each segment pq that lies in a row of pixels."""
    rise = q[:, 1] - p[:, 1]
    flat = rise == 0
    safe = np.where(flat, 1, rise)
    ends = [np.where(flat, side, np.clip((edge - p[:, 1]) / safe, 0, 1)) for side, edge in ((0, rows), (1, rows + 1))]
    x = np.sort(np.stack([p[:, 0] + t * (q[:, 0] - p[:, 0]) for t in ends]), axis=0)
    return x[0], x[1]


def _polygon_runs(points, height, width):
    """The runs inside a polygon by the even-odd rule, in order."""
    start, end = points, np.roll(points, -1, axis=0)
    y = np.sort(np.column_stack([start[:, 1], end[:, 1]]), axis=1)
    # Half-open in y, so that a vertex on the line of centres counts for one of its two edges only.
    piece, rows = _rows(np.ceil(y[:, 0] - 0.5), np.ceil(y[:, 1] - 0.5) - 1, height)
    p, q = start[piece], end[piece]
    x = p[:, 0] + (rows + 0.5 - p[:, 1]) * (q[:, 0] - p[:, 0]) / (q[:, 1] - p[:, 1])
    # A closed polygon passes each row an even number of times, so sorted crossings pair up row by row.
    order = np.lexsort((x, rows))
    crossings = (rows * width + np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64))[order]
    return crossings[::2], crossings[1::2]
