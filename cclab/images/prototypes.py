"""Strokes as the model sees them: dabs of paint, the prototypes that they found, and the units they measure in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cclab.images.strokes import Stroke

# In units of the scatter within dabs. A further dab of a region founds a prototype of its own when it is far from the
# region's others, and not near to another region's either; and when it scatters little about its mean, for a place so
# far away. Halfway between two regions lies what a mix of both looks like: there it must be clearly astray, nearer to
# the other region's, or large: no mere touch. As prototypes, all others would lead the model astray.
NEAR, FAR, CLEARLY = 1.0, 1.8, 1.1
MIXED, MIXED_FAR = 1.2, 0.4
# Of the region's largest dab: what is smaller never founds, and what is large founds halfway, too.
SMALL, LARGE = 1 / 6, 1 / 3
ENOUGH, MOST_PROTOTYPES = 20, 6
# The pooled covariance is drawn towards a multiple of the identity by this much.
SHRINKAGE = 0.1
# No feature scatters less than this share of its spread over the picture: flat paint says nothing about noise.
LEAST_SCATTER = 0.02


@dataclass(frozen=True, eq=False)
class Dab:
    """What is left of one stroke.

    Attributes
    ----------
    region : int
        0 is "don't know".
    pixels : int array
        Flat indices.
    prototype : int or None
        The cluster that it founded or joined; None for a correction that only holds for its own pixels.
    founds : bool
        Whether it founded that cluster.
    """

    region: int
    pixels: np.ndarray
    prototype: int | None = None
    founds: bool = False


@dataclass(frozen=True, eq=False)
class Palette:
    """The dabs on a picture, sorted into prototypes.

    Attributes
    ----------
    dabs : tuple of Dab
    regions : int array of shape (n_prototypes,)
        The region of each prototype: a region may be made of several.
    units : array of shape (n_features, n_features)
        Features times this are measured in the scatter within dabs: a distance of 1 is one standard deviation.
    """

    dabs: tuple[Dab, ...]
    regions: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, strokes: Sequence[Stroke], left: Sequence[np.ndarray], features: np.ndarray) -> Palette:
        """Read strokes one after the other.

        The first dab of a region founds a prototype. A later one founds another if it is a thing of its own (see the
        constants above), joins the nearest if that is near and of its own region, and else is a correction of its own
        pixels.

        Parameters
        ----------
        strokes : sequence of Stroke
        left : sequence of int arrays
            The pixels that are left of each stroke, as `surviving_pixels` gives.
        features : array of shape (n_pixels, n_features)
        """
        return cls.founded([stroke.region for stroke in strokes], left, features)

    @classmethod
    def founded(cls, regions_of: Iterable[int], left: Sequence[np.ndarray], features: np.ndarray) -> Palette:
        """The same by the regions of strokes."""
        founded = _Founded(features)
        dabs = [founded.placed(int(region), pixels) for region, pixels in zip(regions_of, left) if len(pixels)]
        regions = np.array([dab.region for dab in founded.founders], dtype=np.int64)
        return cls(tuple(dabs), regions, founded.units)

    @property
    def painted(self) -> np.ndarray:
        """Regions that have paint, in order."""
        return np.unique(self.regions)

    def of_region(self, region: int) -> np.ndarray:
        """All pixels painted in a region, sorted."""
        found = [dab.pixels for dab in self.dabs if dab.region == region]
        return np.sort(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)

    def of_prototype(self, prototype: int) -> np.ndarray:
        """All pixels of the dabs that found or join a prototype."""
        found = [dab.pixels for dab in self.dabs if dab.prototype == prototype]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def within(self, n_pixels: int) -> Palette:
        """The same prototypes, with those dabs alone that lie on the first pixels."""
        return replace(self, dabs=tuple(dab for dab in self.dabs if dab.pixels[0] < n_pixels))


class _Founded:
    """The prototypes so far: worked out anew only when there is one more, so that a later dab costs no more."""

    def __init__(self, features: np.ndarray) -> None:
        self.features = features
        self.spread = features.std(axis=0, dtype=float)
        self.founders: list[Dab] = []
        self.units = _units([], features, self.spread)
        self.centers = np.empty((0, features.shape[1]))

    def placed(self, region: int, pixels: np.ndarray) -> Dab:
        """What becomes of the next dab."""
        if region == 0:
            return Dab(0, pixels)
        if any(dab.region == region for dab in self.founders):
            nearest, founds = self._judged(region, pixels)
            if not founds:
                return Dab(region, pixels, nearest)
        dab = Dab(region, pixels, len(self.founders), founds=True)
        self.founders.append(dab)
        self.units = _units(self.founders, self.features, self.spread)
        means = [self.features[dab.pixels].mean(axis=0, dtype=float) for dab in self.founders]
        self.centers = np.stack(means) @ self.units
        return dab

    def _judged(self, region: int, pixels: np.ndarray) -> tuple[int | None, bool]:
        """The prototype that a dab joins, if it is its own region's, and whether it founds another."""
        founders, centers = self.founders, self.centers
        values = self.features[pixels].astype(float) @ self.units
        distances = np.linalg.norm(centers - values.mean(axis=0), axis=1)
        own = np.array([dab.region == region for dab in founders])
        nearest = int(distances.argmin())
        mixed = np.sqrt(values.var(axis=0).sum()) > max(MIXED, MIXED_FAR * distances[nearest])
        size = len(pixels) / max(len(dab.pixels) for dab in founders if dab.region == region)
        unlike = distances[own].min() > FAR and (own.all() or _is_elsewhere(distances, own, centers, size >= LARGE))
        enough = len(pixels) >= ENOUGH and size >= SMALL
        founds = bool(unlike and not mixed and enough and len(founders) < MOST_PROTOTYPES)
        joins = own[nearest] and distances[nearest] <= FAR  # from further away it would draw the prototype along
        return (nearest if joins else None), founds


def _is_elsewhere(distances: np.ndarray, own: np.ndarray, centers: np.ndarray, large: bool) -> bool:
    """Whether a place is not near another region, nor (unless the dab is large) where a mix of both would be."""
    mine, other = (np.flatnonzero(side)[distances[side].argmin()] for side in (own, ~own))
    # Within the ball that has both as its poles.
    between = distances[mine] ** 2 + distances[other] ** 2 < ((centers[mine] - centers[other]) ** 2).sum()
    halfway = between and distances[mine] <= CLEARLY * distances[other]
    return bool(distances[other] > NEAR and (large or not halfway))


def _units(founders: Iterable[Dab], features: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """(p, p) a root of the inverse of the covariance within dabs, so scaled that p features count as one."""
    p = features.shape[1]
    floor = np.diag(np.where(spread > 0, LEAST_SCATTER * spread, 1.0) ** 2)
    scatter, n = np.zeros((p, p)), 0
    for dab in founders:
        values = features[dab.pixels].astype(float)
        values -= values.mean(axis=0)
        scatter += values.T @ values
        n += len(values)
    covariance = scatter / max(n, 1) + floor
    covariance = (1 - SHRINKAGE) * covariance + SHRINKAGE * np.trace(covariance) / p * np.eye(p)
    return np.linalg.cholesky(np.linalg.inv(covariance)) / np.sqrt(p)


def means_of(palette: Palette, features: np.ndarray) -> np.ndarray:
    """(n_prototypes, n_features) where the paint of each prototype lies, in its units."""
    painted = [palette.of_prototype(k) for k in range(len(palette.regions))]
    return np.stack([features[pixels].mean(axis=0, dtype=float) for pixels in painted]) @ palette.units


def nearness(X: np.ndarray, centers: np.ndarray, regions: np.ndarray) -> np.ndarray:
    """(n, n_regions) shares of regions in what is near, by the inverse of squared distances to their prototypes."""
    squares = np.stack([((X - center) ** 2).sum(axis=1) for center in centers], axis=1)
    nearest = np.stack([squares[:, regions == region].min(axis=1) for region in np.unique(regions)], axis=1)
    near = 1 / np.maximum(nearest, 1e-9)
    return near / near.sum(axis=1, keepdims=True)
