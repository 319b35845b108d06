"""Strokes and the pixels that they cover.

Points are ``(x, y)`` in image coordinates: the pixel in row r and column c is the unit square from (c, r) to
(c + 1, r + 1), its centre is (c + 0.5, r + 0.5). A stroke is rasterised row by row into runs of flat
indices: a piece of a round brush is convex, so it meets the centres of one row in a single run; along a row,
the edges of a polygon open a run and close it by turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cclab.datasets.limits import FURTHEST_PAINT, MOST_POINTS, MOST_REGIONS, check_limit

KINDS = ("brush", "polygon", "erase")
# Strokes are long from this share of their region's longest on; shorter ones are dabs, which correct. Of a stroke so
# many pixels count at most: more of the same say nothing new.
LONG, MOST_OF_A_STROKE = 1 / 3, 250
# So many pieces of a path are met with rows of the picture at a time.
_MOST_AT_A_TIME = 2**20


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
    slice : int
        Of a stack, from 0.
    """

    kind: str
    region: int
    size: float
    points: np.ndarray
    slice: int = 0
    _covers: dict[tuple[int, int], np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"a stroke is one of {', '.join(KINDS)}; got {self.kind!r:.40}")
        if isinstance(self.region, bool) or not isinstance(self.region, Integral) or self.region < 0:
            raise ValueError(f"regions are numbered from 0 (don't know); got {self.region!r:.40}")
        if self.region > MOST_REGIONS:
            raise ValueError(f"there are {MOST_REGIONS} regions at most; got region {self.region}")
        if isinstance(self.size, bool) or not isinstance(self.size, Real) or not 0 < self.size <= FURTHEST_PAINT:
            raise ValueError(
                f"the size of a brush is a positive number of pixels, {FURTHEST_PAINT:,} at most; got {self.size!r:.40}"
            )
        if isinstance(self.slice, bool) or not isinstance(self.slice, Integral) or self.slice < 0:
            raise ValueError(f"slices are numbered from 0; got {self.slice!r:.40}")
        points = _checked_points(self.points)
        points.setflags(write=False)
        object.__setattr__(self, "points", points)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Another for every other stroke."""
        return self.kind, int(self.region), float(self.size), int(self.slice), self.points.tobytes()

    def covers(self, shape: tuple[int, int]) -> np.ndarray:
        """What `rasterize` gives, worked out once."""
        if shape not in self._covers:
            pixels = rasterize(self, shape)
            pixels.setflags(write=False)
            self._covers[shape] = pixels
        return self._covers[shape]

    def to_json(self) -> dict[str, Any]:
        """As plain lists and numbers, none longer than it has to be to be read back as it is."""
        points = [[float(str(value)) for value in point] for point in self.points]
        plain = {"kind": self.kind, "region": int(self.region), "size": float(self.size), "points": points}
        return {**plain, "slice": int(self.slice)} if self.slice else plain

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Stroke:
        """The inverse of `to_json`; what is wrong is named."""
        try:
            return cls(**document)
        except TypeError as error:
            raise ValueError(f"this is no stroke: {error}") from None


def _checked_points(points: ArrayLike) -> np.ndarray:
    try:
        points = np.asarray(points, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("points of a stroke are pairs of numbers") from None
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"points have the shape (n_points, 2), at least one; got {points.shape}")
    check_limit(len(points), MOST_POINTS, "points of a stroke", "Paint it in several strokes.")
    if not np.isfinite(points).all():
        raise ValueError("points of a stroke must be finite numbers")
    furthest = np.abs(points).max()
    if furthest > FURTHEST_PAINT:
        raise ValueError(f"points of a stroke lie within {FURTHEST_PAINT:,} pixels of the picture; got {furthest:g}")
    return points.astype(np.float32)


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
    height, width = shape
    found = []
    for band in _bands(len(points), height):
        if stroke.kind == "polygon":
            first, stop = _polygon_runs(points, band, width)
        else:
            first, stop = _union(*_brush_runs(points, stroke.size / 2, band, width))
        found.append(_expand(first, stop)[1])
    return np.concatenate(found)


def _bands(n_points: int, height: int) -> list[range]:
    """The rows of a picture in bands, so low that a path of many points can't fill the memory."""
    size = max(_MOST_AT_A_TIME // n_points, 1)
    return [range(top, min(top + size, height)) for top in range(0, height, size)]


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
    top = np.full(shape[0] * shape[1], -1, dtype=np.int32)
    for number, stroke in enumerate(strokes):
        top[stroke.covers(shape)] = -1 if stroke.kind == "erase" else number
    painted = np.flatnonzero(top >= 0)
    ends = np.bincount(top[painted], minlength=len(strokes)).cumsum()
    return np.split(painted[np.argsort(top[painted], kind="stable")], ends)[: len(strokes)]


def _expand(first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All (run, index) with ``first[run] <= index < stop[run]``, run after run."""
    counts = np.maximum(stop - first, 0)
    run = np.repeat(np.arange(len(counts)), counts)
    return run, np.arange(len(run)) + np.repeat(first - (counts.cumsum() - counts), counts)


def _union(first: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same indices as disjoint runs in order."""
    kept = first < stop
    order = np.argsort(first[kept])
    first, stop = first[kept][order], np.maximum.accumulate(stop[kept][order])
    opens = np.append(True, first[1:] > stop[:-1])[: len(first)]
    closes = np.append(opens[1:], True)[: len(first)]
    return first[opens], stop[closes]


def _rows(low: np.ndarray, high: np.ndarray, band: range) -> tuple[np.ndarray, np.ndarray]:
    """All (piece, row) such that ``low[piece] <= row <= high[piece]`` and the row is in the band."""
    low, high = np.maximum(low, band.start), np.minimum(high, band.stop - 1)
    return _expand(low.astype(np.int64), high.astype(np.int64) + 1)


def _brush_runs(points: np.ndarray, radius: float, band: range, width: int) -> tuple[np.ndarray, np.ndarray]:
    """A run for each row that each piece of the path meets; runs overlap and may be empty."""
    start, end = (points[:-1], points[1:]) if len(points) > 1 else (points, points)
    y = np.sort(np.column_stack([start[:, 1], end[:, 1]]), axis=1)
    piece, rows = _rows(np.ceil(y[:, 0] - radius - 0.5), np.floor(y[:, 1] + radius - 0.5), band)
    low, high = _capsule_on_line(start[piece], end[piece], radius, rows + 0.5)
    found = [(rows, np.ceil(low - 0.5), np.floor(high - 0.5))]
    if radius < np.sqrt(0.5):  # a thin brush can slip between the centres; a wider one meets all it crosses
        piece, rows = _rows(np.floor(y[:, 0]), np.floor(y[:, 1]), band)
        low, high = _segment_in_row(start[piece], end[piece], rows)
        found.append((rows, np.floor(low), np.floor(high)))
    rows, first, last = (np.concatenate(parts) for parts in zip(*found))
    first, stop = (np.clip(column, 0, width).astype(np.int64) for column in (first, last + 1))
    return rows * width + first, rows * width + stop


def _capsule_on_line(p: np.ndarray, q: np.ndarray, radius: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def _between(slope: np.ndarray, offset: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Interval of t where ``low <= slope t + offset <= high``; all or nothing where the slope is 0."""
    flat = slope == 0
    safe = np.where(flat, 1, slope)
    one, other = (low - offset) / safe, (high - offset) / safe
    holds = (low <= offset) & (offset <= high)
    first = np.where(flat, np.where(holds, -np.inf, np.inf), np.minimum(one, other))
    last = np.where(flat, np.where(holds, np.inf, -np.inf), np.maximum(one, other))
    return first, last


def _segment_in_row(p: np.ndarray, q: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Horizontal extent of the part of each segment pq that lies in a row of pixels."""
    rise = q[:, 1] - p[:, 1]
    flat = rise == 0
    safe = np.where(flat, 1, rise)
    ends = [np.where(flat, side, np.clip((edge - p[:, 1]) / safe, 0, 1)) for side, edge in ((0, rows), (1, rows + 1))]
    x = np.sort(np.stack([p[:, 0] + t * (q[:, 0] - p[:, 0]) for t in ends]), axis=0)
    return x[0], x[1]


def _polygon_runs(points: np.ndarray, band: range, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The runs inside a polygon by the even-odd rule, in order."""
    start, end = points, np.roll(points, -1, axis=0)
    y = np.sort(np.column_stack([start[:, 1], end[:, 1]]), axis=1)
    # Half-open in y, so that a vertex on the line of centres counts for one of its two edges only.
    piece, rows = _rows(np.ceil(y[:, 0] - 0.5), np.ceil(y[:, 1] - 0.5) - 1, band)
    p, q = start[piece], end[piece]
    x = p[:, 0] + (rows + 0.5 - p[:, 1]) * (q[:, 0] - p[:, 0]) / (q[:, 1] - p[:, 1])
    # A closed polygon passes each row an even number of times, so sorted crossings pair up row by row.
    order = np.lexsort((x, rows))
    crossings = (rows * width + np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64))[order]
    return crossings[::2], crossings[1::2]


def are_long(regions: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(n_strokes,) which strokes are long, by their regions and by how many pixels are left of them.

    >>> are_long(np.array([1, 2, 1]), np.array([90, 20, 20]))
    array([ True,  True, False])
    """
    counted = np.minimum(sizes, MOST_OF_A_STROKE)
    longest = np.zeros(int(regions.max(initial=0)) + 1)
    np.maximum.at(longest, regions, counted)
    return counted >= LONG * longest[regions]
