"""Reading a belief about objects as regions of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import ndimage

from cclab.core import Credal, Partition, Possibilistic, State
from cclab.images.picture import Picture
from cclab.images.pixel_doubt import SURE, doubt
from cclab.images.posed import Posed, by_region, regions_of_clusters
from cclab.images.prototypes import Dab

# A belief without sets of clusters leaves an object undecided when its second region is this near to the first.
TORN = 0.8
NOWHERE = 0


@dataclass(frozen=True, eq=False)
class Regions:
    """A picture in regions.

    Attributes
    ----------
    labels : uint8 array of shape (height, width)
        The region of each pixel; 0 where it belongs to none.
    undecided : bool array of the same shape
        Where the belief is about several regions at once, or about none.
    """

    labels: np.ndarray
    undecided: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.labels.shape

    @classmethod
    def of(cls, posed: Posed, partition: Partition) -> Regions:
        """What a solver believes about the objects of a painting, as regions of its pixels."""
        degrees, regions = by_region(posed, partition)
        labels = regions[degrees.argmax(axis=1)]
        lost = _outside(posed, partition)
        labels = posed.objects.lift(np.where(lost, NOWHERE, labels).astype(np.uint8))
        labels.ravel()[posed.unknown.ravel()] = NOWHERE
        if posed.forest is None and posed.choice is None:
            undecided = posed.objects.lift(_spanning(posed, partition, degrees)) | posed.unknown
        else:
            undecided = doubt(posed, partition) > 1 - SURE
        for region in posed.recipe.options.connected:
            if region in regions and len(posed.palette.of_region(region)):  # else there is nothing to touch
                labels = _connected(posed, labels, region, degrees, regions)
        for region in posed.palette.painted:  # paint is the person's word
            pixels = posed.palette.of_region(region)
            labels.ravel()[pixels], undecided.ravel()[pixels] = region, False
        if posed.picture.invalid is not None:  # there is nothing, whatever was painted
            labels[posed.picture.invalid], undecided[posed.picture.invalid] = NOWHERE, True
        return cls(labels, undecided)

    @classmethod
    def nowhere(cls, shape: tuple[int, int]) -> Regions:
        """A picture with no paint on it."""
        return cls(np.full(shape, NOWHERE, dtype=np.uint8), np.zeros(shape, dtype=bool))

    def mask(self, region: int) -> np.ndarray:
        """(height, width) where the region is."""
        return self.labels == region


def plausibility(posed: Posed, partition: Partition, region: int) -> np.ndarray:
    """(height, width) how much nothing speaks against a region; for other beliefs how much speaks for it."""
    if posed.votes is not None and region in posed.palette.painted:
        shares = posed.votes
        mine = shares[:, int(np.searchsorted(posed.palette.painted, region))]
        return posed.objects.lift(mine / shares.max(axis=1))
    clusters = np.flatnonzero(regions_of_clusters(posed, partition) == region)
    if isinstance(partition, Credal):
        values = partition.plausibility(clusters.tolist()) if len(clusters) else np.zeros(partition.n_samples)
    else:
        values = partition.degrees[:, clusters].sum(axis=1) if len(clusters) else np.zeros(partition.n_samples)
    return posed.objects.lift(np.clip(values, 0, 1))


def typicality(posed: Posed, state: State) -> np.ndarray:
    """(height, width) how like the nearest prototype each pixel is, from 0 to 1.

    A forest compares with the nearest stroke; a possibilistic belief says so itself; else it is a Gaussian of the
    distance in units of the paint's scatter.
    """
    partition = state.partition
    if posed.forest is not None and posed.seen is not None:
        return posed.objects.lift(posed.forest.typicality(posed.seen))
    if (
        isinstance(partition, Possibilistic)
        or state.centers is None
        or state.centers.shape[1] != posed.problem.n_features
    ):
        values = (
            partition.typicalities.max(axis=1) if isinstance(partition, Possibilistic) else 1 - partition.ambiguity()
        )
    else:
        squares = [((posed.problem.X - center) ** 2).sum(axis=1) for center in state.centers]
        values = np.exp(-np.min(squares, axis=0) / 2)
    return posed.objects.lift(np.clip(values, 0, 1))


def measure(picture: Picture, regions: Regions, posed: Posed | None, names: Sequence[str]) -> pd.DataFrame:
    """One row per region: strokes, pixels, share of the picture, mean value or lightness, Dice where truth is known.

    Parameters
    ----------
    picture : Picture
    regions : Regions
    posed : Posed or None
        None before anything is painted.
    names : sequence of str
        Of the regions from 1.

    Notes
    -----
    What a region should be is read off the paint (see `true_mask`).
    """
    grey = 100 * picture.lab[..., 0] if picture.is_colour else picture.values
    rows = []
    for region, name in enumerate(names, 1):
        mask = regions.mask(region)
        n = int(mask.sum())
        dabs = [] if posed is None else [dab for dab in posed.palette.dabs if dab.region == region]
        truth = None if picture.truth is None or posed is None else true_mask(picture, posed.palette.dabs, region)
        rows.append(
            {
                "region": name,
                "strokes": len(dabs),
                "pixels": n,
                "area": n / mask.size,
                "mean": float((grey[mask] if grey.ndim == 2 else grey[mask][:, 0]).mean()) if n else np.nan,
                "dice": dice(mask, truth) if truth is not None and truth.any() else np.nan,
            }
        )
    return pd.DataFrame(rows, columns=["region", "strokes", "pixels", "area", "mean", "dice"])


def measure_all(picture: Picture, regions: Regions, posed: Posed | None, names: Sequence[str]) -> pd.DataFrame:
    """The same, and a row each for pixels that are undecided and, where there are any, for those without a value."""
    lost = np.zeros(picture.shape, dtype=bool) if picture.invalid is None else picture.invalid
    rest = {"Undecided": regions.undecided & ~lost} | ({"No value": lost} if lost.any() else {})
    rows = [
        {"region": name, "strokes": 0, "pixels": int(mask.sum()), "area": float(mask.mean())}
        for name, mask in rest.items()
    ]
    return pd.concat([measure(picture, regions, posed, names), pd.DataFrame(rows)], ignore_index=True)


def true_mask(picture: Picture, dabs: Sequence[Dab], region: int) -> np.ndarray:
    """(height, width) the true classes that a region should be, read off the paint of all regions.

    A class belongs to the region with most of the paint on it, if at least one dab of that region lies mostly in it: so
    a slip of the brush into another class does not change what is looked for.
    """
    assert picture.truth is not None
    n_classes, n_regions = len(picture.truth_names), max((dab.region for dab in dabs), default=0) + 1
    paint, meant = np.zeros((n_regions, n_classes), dtype=np.int64), np.zeros((n_regions, n_classes), dtype=bool)
    for dab in dabs:
        counts = np.bincount(picture.truth.ravel()[dab.pixels], minlength=n_classes)
        paint[dab.region] += counts
        meant[dab.region, counts.argmax()] = True
    if region >= n_regions:
        return np.zeros(picture.shape, dtype=bool)
    paint[0] = 0  # "don't know" looks for nothing
    mine = meant[region] & (paint.argmax(axis=0) == region)
    return mine[picture.truth]


def dice(found: np.ndarray, truth: np.ndarray) -> float:
    """Twice the common area over the sum of both; 1 where both are empty.

    >>> dice(np.array([True, True, False]), np.array([True, False, False]))
    0.6666666666666666
    """
    total = int(found.sum()) + int(truth.sum())
    return 2 * int((found & truth).sum()) / total if total else 1.0


def _outside(posed: Posed, partition: Partition) -> np.ndarray:
    """Which objects are nowhere: only where one region alone is painted must there be something else."""
    if len(posed.palette.painted) > 1:
        return np.zeros(partition.n_samples, dtype=bool)
    return partition.outliers()


def _spanning(posed: Posed, partition: Partition, degrees: np.ndarray) -> np.ndarray:
    """Which objects are torn between regions."""
    if isinstance(partition, Credal):
        of = regions_of_clusters(posed, partition)
        spans = np.array([len({int(of[k]) for k in clusters}) != 1 for clusters in partition.focal_sets])
        if len(posed.palette.painted) == 1:
            return np.zeros(partition.n_samples, dtype=bool)
        return spans[partition.hard_sets()]
    if degrees.shape[1] == 1:
        return np.zeros(len(degrees), dtype=bool)
    second, first = np.partition(degrees, -2, axis=1)[:, -2:].T
    return second > TORN * first


def _connected(posed: Posed, labels: np.ndarray, region: int, degrees: np.ndarray, regions: np.ndarray) -> np.ndarray:
    """Pixels of a region in no one piece with its paint go to the region that is next likely."""
    pieces, n = ndimage.label(labels == region)
    touched = np.zeros(n + 1, dtype=bool)
    touched[pieces.ravel()[posed.palette.of_region(region)]] = True
    stray = (pieces > 0) & ~touched[pieces]
    if len(regions) == 1:
        return np.where(stray, NOWHERE, labels).astype(np.uint8)
    rest = np.where(regions == region, -np.inf, degrees)
    next_best = posed.objects.lift(regions[rest.argmax(axis=1)].astype(np.uint8))
    return np.where(stray, next_best, labels).astype(np.uint8)
