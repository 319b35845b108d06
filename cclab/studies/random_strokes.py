"""Strokes as a person might paint them, drawn at random from the truth."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from cclab.images import Stroke

# Pixels between two points of a path, and how far it turns between them, in radians.
PACE, TURN = 2.0, 0.35


def plausible_stroke(
    mask: np.ndarray, rng: np.random.Generator, region: int, *, size: float = 5.0, length: float = 40.0
) -> Stroke:
    """A winding stroke that stays inside a mask, away from its border as far as the mask is wide enough.

    Parameters
    ----------
    mask : bool array of shape (height, width)
    rng : Generator
    region : int
    size : float
        Diameter of the brush.
    length : float
        Of the path; shorter where it runs into the border.
    """
    depth = ndimage.distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]
    size = max(1.0, min(size, 2 * depth.max() - 1))
    inside = depth >= min(size / 2 + 0.5, depth.max())
    rows, columns = np.nonzero(inside)
    if not len(rows):
        raise ValueError("there is nothing to paint: the mask is empty")
    best: list[np.ndarray] = []
    for _ in range(20):
        start = rng.integers(len(rows))
        path = _winding(inside, np.array([columns[start], rows[start]]) + 0.5, round(length / PACE), rng)
        if len(path) > len(best):
            best = path
        if len(best) * PACE >= 0.75 * length:
            break
    return Stroke("brush", region, size, np.array(best))


def correcting_stroke(
    found: np.ndarray, truth: np.ndarray, rng: np.random.Generator, *, size: float = 5.0, length: float = 10.0
) -> Stroke | None:
    """A short stroke in the right colour where the largest error is; None where there is none to see.

    Parameters
    ----------
    found, truth : int arrays of shape (height, width)
        Regions from 1; 0 in the truth says that nothing is wanted there.
    """
    wrong = (found != truth) & (truth > 0)
    best, most = None, 0
    for region in np.unique(truth[wrong]):
        pieces, n = ndimage.label(wrong & (truth == region))
        sizes = np.bincount(pieces.ravel())[1:]
        if n and sizes.max() > most:
            most = int(sizes.max())
            best = int(region), pieces == 1 + int(sizes.argmax())
    if best is None or most < 4:
        return None
    # No one hits the error alone: the dab covers what is near it and of the same region.
    region, piece = best
    return plausible_stroke(
        ndimage.binary_dilation(piece, iterations=3) & (truth == region), rng, region, size=size, length=length
    )


def _winding(inside: np.ndarray, start: np.ndarray, n_points: int, rng: np.random.Generator) -> list[np.ndarray]:
    path, heading = [start], rng.uniform(0, 2 * np.pi)
    while len(path) < n_points:
        for narrow in range(12):
            turned = heading + rng.normal(0, TURN * (1 + narrow / 2))
            point = path[-1] + PACE * np.array([np.cos(turned), np.sin(turned)])
            column, row = np.floor(point).astype(int)
            if 0 <= row < inside.shape[0] and 0 <= column < inside.shape[1] and inside[row, column]:
                path.append(point)
                heading = turned
                break
        else:
            break
    return path
