"""Outlines of groups: a rounded hull a little way outside the samples."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

# Distance from the samples, as a share of the plot's width and height: about the same number of pixels on a plot that
# is twice as wide as high.
_PADDING = np.array([0.014, 0.028])


@dataclass(frozen=True)
class Outline:
    """A group's name, its polygon (m, 2) in the unit square, and where the name goes."""

    name: str
    polygon: np.ndarray
    anchor: np.ndarray


def outline(name: str, points: np.ndarray) -> Outline:
    """Outline of points (g, 2), g >= 1: the hull of small ellipses around them."""
    corners = points if len(points) < 3 else points[_hull(points)]
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = np.column_stack([np.cos(turns), np.sin(turns)]) * _PADDING
    cloud = (corners[:, None] + ring).reshape(-1, 2)
    polygon = cloud[_hull(cloud)]
    corner = polygon[np.argmax(polygon.sum(axis=1))]
    # The name stays inside the plot, whose room ends a little above the highest sample.
    return Outline(name, polygon, np.minimum(corner, [1.0, 0.985]))


def _hull(points: np.ndarray) -> np.ndarray:
    """Indices of the hull's corners in order; all of the points where they lie on a line."""
    spread = points - points.mean(axis=0)
    if np.linalg.matrix_rank(spread, tol=1e-9) < 2:
        return np.arange(len(points))
    return ConvexHull(points).vertices
