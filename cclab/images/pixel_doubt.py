"""How doubtful each pixel is, and where it is best to ask."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from cclab.core import Partition
from cclab.images.posed import Posed, by_region
from cclab.images.prototypes import nearness

# A pixel is undecided where its region is held for less probable than this.
SURE = 0.7
# So far around it is looked how many go with the same region, as a standard deviation in pixels: borders are doubtful.
# What was learned is no sharper than the filters behind it: where regions are wide, it is looked further, by this share
# of their width and so far at most.
NEAR, OF_WIDTH, FURTHEST = 1.0, 0.1, 3.0
# How much counts what is seen, how many around go with the same region, and how like the paint it is: nobody knows
# about what no paint is like.
SEEN, SAME, LIKE = 0.6, 0.3, 0.1
# Diameter of the place that is asked about, in pixels, and how far from paint and from earlier places it lies.
ASKED, AWAY = 7.0, 9.0
# Of all doubt, what is looked through for the largest piece: the most doubtful share of the pixels.
MOST_DOUBTFUL = 0.1


def doubt(posed: Posed, partition: Partition) -> np.ndarray:
    """(height, width) how improbable the region of each pixel is, from 0 to 1.

    Ties make neighbours sure of each other, right or wrong, so belief says little. Doubt is what is missing to
    three shares: of what speaks for the region by what is seen at the pixel (see `probable`), of the pixels around
    it that go with the same region, and how like the nearest paint it is.
    """
    degrees, regions = by_region(posed, partition)
    labels, shares = posed.objects.lift(degrees.argmax(axis=1)), probable(posed)
    around = 0.0 if posed.by_values else min(OF_WIDTH * _width(labels, len(regions)), FURTHEST)
    found = np.zeros(labels.shape, dtype=np.float32)
    for k in range(len(regions)):
        mine, share = labels == k, posed.objects.lift(shares[:, k].astype(np.float32))
        if around:
            share = ndimage.gaussian_filter(share, around)
        same = ndimage.gaussian_filter(mine.astype(np.float32), max(around, NEAR))
        found[mine] = (SEEN * share + SAME * same)[mine]
    found = np.clip(1 - found - LIKE * _likeness(posed), 0, 1)
    for region in posed.palette.painted:  # paint is the person's word
        found.ravel()[posed.palette.of_region(region)] = 0
    found[posed.unknown] = 1
    return found


def _likeness(posed: Posed) -> np.ndarray | float:
    """(height, width) how like the nearest stroke each pixel is, from 0 to 1; 1 where no forest looks at it."""
    learned = posed.forest or posed.second
    if learned is None or posed.seen is None:
        return 1.0
    return posed.objects.lift(learned.typicality(posed.seen).astype(np.float32))


def _width(labels: np.ndarray, n_regions: int) -> float:
    """How wide the thinnest region is, in pixels: twice its area over the length of its border."""
    down, across = labels[1:] != labels[:-1], labels[:, 1:] != labels[:, :-1]
    sides = [labels[1:][down], labels[:-1][down], labels[:, 1:][across], labels[:, :-1][across]]
    border = np.bincount(np.concatenate(sides), minlength=n_regions)
    area = np.bincount(labels.ravel(), minlength=n_regions)
    return float(np.min(2 * area[border > 0] / border[border > 0], initial=np.inf))


def probable(posed: Posed) -> np.ndarray:
    """(n_objects, n_regions) how probable regions are by what is seen at each object, without its neighbours.

    Votes of a forest are held against paint that was left out (`Forest.calibrated`); where values were chosen, they are
    a second opinion. Without a forest it goes by the distance to prototypes.
    """
    if posed.votes is not None:
        return posed.votes
    return nearness(posed.problem.X, posed.centers, posed.palette.regions)


@dataclass(frozen=True)
class Place:
    """A round place to be asked about.

    Attributes
    ----------
    row, column : int
        Of its middle.
    size : float
        Its diameter, in pixels.
    regions : tuple of int
        Which it may be, the likeliest first.
    pixels : int
        How many doubtful pixels lie in one piece around it.
    """

    row: int
    column: int
    size: float
    regions: tuple[int, ...]
    pixels: int


def place_to_ask(posed: Posed, partition: Partition, apart_from: list[tuple[int, int]] | None = None) -> Place | None:
    """The middle of the largest piece of doubt; None where everything is clear.

    Parameters
    ----------
    posed : Posed
    partition : Partition
    apart_from : list of (row, column), optional
        Places that were asked about before, without an answer.
    """
    found = ndimage.gaussian_filter(doubt(posed, partition), 1.0)
    free = ~posed.unknown
    for region in posed.palette.painted:
        free.ravel()[posed.palette.of_region(region)] = False
    for row, column in apart_from or ():
        free[row, column] = False
    if not free.any():
        return None
    distance = ndimage.distance_transform_edt(np.pad(free, 1, constant_values=True))[1:-1, 1:-1]
    away = distance >= min(AWAY, 0.5 * distance.max())
    least = max(float(np.quantile(found[away], 1 - MOST_DOUBTFUL)), 1e-3)
    pieces, n = ndimage.label((found >= least) & away)
    if not n:
        return None
    weights = ndimage.sum_labels(found, pieces, np.arange(1, n + 1))
    piece = pieces == 1 + int(np.argmax(weights))
    depth = ndimage.distance_transform_edt(np.pad(piece, 1))[1:-1, 1:-1]
    row, column = (int(at) for at in np.unravel_index(int((depth * found).argmax()), depth.shape))
    degrees, regions = by_region(posed, partition)
    shares = (
        degrees[posed.objects.labels_of_pixels[row, column]]
        + 1e-3 * probable(posed)[posed.objects.labels_of_pixels[row, column]]
    )
    likely = tuple(int(region) for region in regions[np.argsort(-shares)])
    return Place(row, column, ASKED, likely, int(piece.sum()))
