"""What paint says about the objects that are clustered: how much they count, and what is stated about them."""

from __future__ import annotations

import numpy as np

from cclab.core import ConstraintSet
from cclab.images.objects import Objects
from cclab.images.prototypes import Palette
from cclab.images.recipe import Options

# Up to this squared distance from the paint objects have their full say; far away the least.
ALIKE, LEAST_SAY = 2.0, 0.05
# What is painted "don't know" counts this much of an object.
UNHEARD = 1e-3


def likeness(X: np.ndarray, means: np.ndarray) -> np.ndarray:
    """(n,) how much what founds no prototype has a say in where these go: what is unlike their paint has little.

    Else a dark background would draw the nearest prototype away from the tissue it was painted on.
    """
    squares = np.min([((X - mean) ** 2).sum(axis=1) for mean in means], axis=0)
    return np.maximum(LEAST_SAY, np.exp(-np.maximum(squares - ALIKE, 0) / ALIKE))


def prototypical(objects: Objects, palette: Palette) -> np.ndarray:
    """(n_objects,) which objects have paint that founds or joins a prototype: corrections are not to draw it away."""
    found = np.zeros(len(objects), dtype=bool)
    for k in range(len(palette.regions)):
        found[objects.overlap(palette.of_prototype(k))[0]] = True
    return found


def net_shares(objects: Objects, palette: Palette) -> tuple[np.ndarray, int]:
    """How much more paint of each region lies on each object than of all others, and how many have paint of several.

    Returns
    -------
    (n_objects, n_regions) int array
        Net shares, above 0 for at most one region; the first column is "don't know".
    int
    """
    n_regions = int(palette.painted.max(initial=0)) + 1
    counts = np.zeros((len(objects), n_regions), dtype=np.int64)
    for dab in palette.dabs:
        found, shares = objects.overlap(dab.pixels)
        counts[found, dab.region] += shares
    net = 2 * counts - counts.sum(axis=1, keepdims=True)
    return np.maximum(net, 0), int((np.count_nonzero(counts, axis=1) > 1).sum())


def painted_regions(
    objects: Objects, palette: Palette, without_value: np.ndarray | None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """(n_objects,) the region painted on each object, and what a person should know about it."""
    share, disputed = net_shares(objects, palette)
    region = np.where(share.max(axis=1) > 0, share.argmax(axis=1), -1)
    if without_value is not None:
        region[without_value] = 0
    if not disputed:
        return region, ()
    what = {"values": "value", "superpixels": "superpixel", "pixels": "pixel"}[objects.kind]
    note = (
        f"{disputed} {what}{'s are' if disputed > 1 else ' is'} painted in two colours: the colour with more "
        "paint counts; paint finer, or choose pixels"
    )
    return region, (note,)


def weights(objects: Objects, palette: Palette, region: np.ndarray, options: Options) -> np.ndarray:
    """Objects count by one (or by their pixels); the paint of each prototype counts as a share of them all."""
    weight = objects.multiplicity.astype(float) if options.weighted else np.ones(len(objects))
    n_clusters, total = len(palette.regions), weight.sum()
    if options.emphasis:
        for k, of in enumerate(palette.regions):
            found, shares = objects.overlap(palette.of_prototype(k))
            mine = region[found] == of
            if mine.any():
                weight[found[mine]] = options.emphasis * total / n_clusters * shares[mine] / shares[mine].sum()
    weight[region == 0] *= UNHEARD
    return weight


def statements(objects: Objects, palette: Palette, region: np.ndarray, uses: frozenset[str]) -> ConstraintSet:
    """What is painted, in statements that a solver of these `uses` takes."""
    if "labels" not in uses:
        return linked(objects, palette)
    possible = np.equal.outer(region, palette.regions).astype(float)
    possible[region <= 0] = np.nan
    return ConstraintSet(len(objects)).with_labels(possible, source="stroke")


def linked(objects: Objects, palette: Palette) -> ConstraintSet:
    """Paint as links: a group for the paint of each prototype, a separation between any two regions.

    Members stand for as many pixels as are painted. Paint of another region on the same object is set off against it.
    """
    known = ConstraintSet(len(objects))
    net, _ = net_shares(objects, palette)
    region = np.where(net.max(axis=1) > 0, net.argmax(axis=1), -1)
    for k, of in enumerate(palette.regions):
        found, shares = objects.overlap(palette.of_prototype(k))
        mine = region[found] == of
        if shares[mine].sum() > 1:
            known = known.with_group(found[mine], shares=shares[mine], source="stroke")
    for i, one in enumerate(palette.painted):
        for other in palette.painted[i + 1 :]:
            a, b = np.flatnonzero(region == one), np.flatnonzero(region == other)
            if len(a) and len(b):
                known = known.with_separation(a, b, shares=(net[a, one], net[b, other]), source="stroke")
    return known
