"""Pieces of a region, counted and measured: cells, grains, lesions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import ndimage

from cclab.images.picture import Picture

# In pixels: what is smaller is no piece, and how far apart the middles of touching pieces are at least.
LEAST_AREA, APART = 10, 5


@dataclass(frozen=True, eq=False)
class Pieces:
    """The connected pieces of a region.

    Attributes
    ----------
    labels : int32 array of shape (height, width)
        The number of each pixel's piece, from 1; 0 where there is none.
    table : DataFrame
        One row per piece: number, row and column of its middle, area, mean value, circularity, diameter.
    """

    labels: np.ndarray
    table: pd.DataFrame

    def __len__(self) -> int:
        return len(self.table)

    def at(self, row: int, column: int) -> int:
        """The number of the piece at a pixel, or 0."""
        return int(self.labels[row, column])


def find_pieces(mask: np.ndarray, picture: Picture, *, split: bool = True, least_area: int = LEAST_AREA) -> Pieces:
    """The connected pieces of a mask, with what there is to measure about them.

    Parameters
    ----------
    mask : bool array of shape (height, width)
    picture : Picture
    split : bool
        Part touching pieces where they are thin between their middles (a watershed on the distance to the border).
    least_area : int
        In pixels; smaller pieces are left out.

    Returns
    -------
    Pieces
        Circularity is 4π area / perimeter², 1 for a disc. Areas and diameters are in pixels, and in units of length
        where the size of a pixel is known.

    Examples
    --------
    >>> y, x = np.indices((40, 60))
    >>> two = (np.hypot(y - 20, x - 20) < 10) | (np.hypot(y - 20, x - 37) < 10)
    >>> discs = Picture("discs", two * 1.0)
    >>> len(find_pieces(two, discs)), len(find_pieces(two, discs, split=False))
    (2, 1)
    """
    from skimage.measure import regionprops_table

    mask = np.asarray(mask, dtype=bool)
    labels = _split(mask) if split else ndimage.label(mask, np.ones((3, 3)))[0]
    labels = _without_small(labels.astype(np.int32), least_area)
    values = picture.lab[..., 0] * 100 if picture.is_colour else picture.values
    names = ("label", "centroid", "area", "perimeter", "equivalent_diameter_area", "bbox", "intensity_mean")
    found = regionprops_table(labels, values, properties=names) if labels.any() else {}
    table = pd.DataFrame(
        {
            "object": found.get("label", []),
            "row": found.get("centroid-0", []),
            "column": found.get("centroid-1", []),
            "area": found.get("area", []),
            "mean": found.get("intensity_mean", found.get("intensity_mean-0", [])),
        }
    )
    for name in [name for name in found if name.startswith("intensity_mean-")] if picture.channels else []:
        table[f"mean {picture.channels[int(name.rsplit('-', 1)[1])]}"] = found[name]
    perimeter = np.asarray(found.get("perimeter", []), dtype=float)
    area = np.asarray(found.get("area", []), dtype=float)
    table["circularity"] = np.clip(4 * np.pi * area / np.maximum(perimeter, 1e-9) ** 2, 0, 1)
    table["diameter"] = found.get("equivalent_diameter_area", [])
    if picture.spacing is not None:
        one = picture.spacing[0] * picture.spacing[1]
        table[f"area ({picture.length}²)"] = area * one
        table[f"diameter ({picture.length})"] = np.asarray(table["diameter"], dtype=float) * np.sqrt(one)
    return Pieces(labels, table)


def count_pieces(mask: np.ndarray, least_area: int = LEAST_AREA) -> int:
    """How many pieces there are, touching ones parted."""
    return int(len(np.unique(_without_small(_split(mask), least_area))) - 1) if mask.any() else 0


def _split(mask: np.ndarray) -> np.ndarray:
    """Pieces by a watershed on the distance to the border: touching ones are parted where they are thin."""
    from skimage.feature import peak_local_max
    from skimage.segmentation import watershed

    if not mask.any():
        return np.zeros(mask.shape, dtype=np.int32)
    distance = ndimage.gaussian_filter(ndimage.distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1], 1)
    connected, _ = ndimage.label(mask, np.ones((3, 3)))
    middles = peak_local_max(distance, min_distance=APART, labels=connected, exclude_border=False)
    seeds = np.zeros(mask.shape, dtype=np.int32)
    seeds[tuple(middles.T)] = np.arange(1, len(middles) + 1)
    return watershed(-distance, seeds, mask=mask).astype(np.int32)


def _without_small(labels: np.ndarray, least_area: int) -> np.ndarray:
    """The same pieces but the small ones, numbered from 1 without gaps."""
    counts = np.bincount(labels.ravel())
    kept = counts >= least_area
    kept[0] = False
    numbers = np.zeros(len(counts), dtype=np.int32)
    numbers[kept] = np.arange(1, int(kept.sum()) + 1)
    return numbers[labels]
