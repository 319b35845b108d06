"""What was learned from paint, and what it makes of other pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cclab.core import Partition, Problem, Solver
from cclab.core.registry import solvers
from cclab.images.forest import Forest
from cclab.images.picture import Picture
from cclab.images.prototypes import nearness
from cclab.images.recipe import Options
from cclab.images.sheet import Sheet
from cclab.images.tied_shares import settled_shares
from cclab.maths.focal_sets import gabriel_pairs

Progress = Callable[[int, int], None]

# With one region alone, what is further from its paint than this (squared, in units of its scatter) is nowhere.
UNLIKE = 4.0
# How much doubt between two regions is held back (alpha): borders are thin.
RESOLVE = 2.5
# How many steps at most, and how little prototypes move at the last. Pixels take the prototypes that superpixels have
# found: steps of their own would move them so little that it can't be seen.
STOPS = {"pixels": (0, 0.1), "superpixels": (3, 0.02), "values": (3, 0.02)}
# Larger pictures are shown by superpixels; their masks are made pixel by pixel, in blocks.
MOST_PIXELS = 300_000
# Neighbours in such a mask have settled when their masses change by less than this, on average.
SETTLED = 1e-3


def solver_for(options: Options, regions: np.ndarray, centers: np.ndarray, *, moves: bool) -> Solver:
    """The solver of the options, which starts at some centres; on pictures without paint it leaves them there."""
    steps, tolerance = STOPS[options.objects]
    wanted: dict[str, Any] = {
        "n_clusters": len(centers),
        "init": centers,
        "n_init": 1,
        "max_iter": steps if moves else 0,
        "tol": tolerance,
        "random_state": 0,
    }
    if len(np.unique(regions)) == 1:
        wanted["rho2"] = UNLIKE
    else:
        wanted |= {"focal_sets": _doubts(regions, centers), "alpha": RESOLVE}
    solver_class = solvers.get(options.solver)
    takes = solver_class.all_parameters()
    if "init" not in takes:  # it can't start where the paint is, so it has to find its way
        wanted["max_iter"] = max(wanted["max_iter"], STOPS["superpixels"][0])
    return solver_class(**{name: value for name, value in wanted.items() if name in takes} | dict(options.parameters))


def _doubts(regions: np.ndarray, centers: np.ndarray) -> list[list[int]]:
    """The sets of clusters that belief may be about: each alone, and neighbours of different regions.

    Halfway between others there may be a third cluster, or tissue that no one has painted: no place for doubts.
    """
    between = [[a, b] for a, b in gabriel_pairs(centers) if regions[a] != regions[b]]
    return [[k] for k in range(len(centers))] + between


@dataclass(frozen=True, eq=False)
class Applied:
    """What a model makes of a picture.

    Attributes
    ----------
    picture : Picture
    whole : uint8 array of the shape of the file
        The region of each pixel, 0 where it has no value.
    doubt : float array of shape (height, width)
        Where a forest has learned, how improbable the region is; else from 0 (as like a region as its paint, and unlike
        all others) to 1 (between two regions, or unlike all paint).
    regions : tuple of str
    slice : int or None
        The number of the slice, from 1, where it is one of several.
    thickness : float or None
        How far it is to the next slice, in the length of the picture.
    """

    picture: Picture
    whole: np.ndarray
    doubt: np.ndarray
    regions: tuple[str, ...]
    slice: int | None = None
    thickness: float | None = None

    @property
    def called(self) -> str:
        """What a person calls it: a slice by its number, another picture by its name."""
        return self.picture.name if self.slice is None else f"slice {self.slice}"

    @property
    def labels(self) -> np.ndarray:
        """(height, width) the regions at the size that the picture is shown at."""
        return as_shown(self.whole, self.picture)

    @property
    def doubtful(self) -> float:
        """The mean of all doubt: by this pictures are looked through."""
        return float(self.doubt.mean())

    def measured(self) -> pd.DataFrame:
        """One row per region: pixels (of the file), share, area and volume in their units, mean, number of pieces."""
        from cclab.images.pieces import count_pieces

        picture, labels = self.picture, self.labels
        counts = np.bincount(self.whole.ravel(), minlength=len(self.regions) + 1)
        values = 100 * picture.lab[..., 0] if picture.is_colour else picture.values
        rows = []
        for region, name in enumerate(self.regions, 1):
            mask, n = labels == region, int(counts[region])
            row: dict[str, Any] = {"picture": picture.name} | ({} if self.slice is None else {"slice": self.slice})
            row |= {"region": name, "pixels": n, "area": n / self.whole.size}
            if picture.full.spacing is not None:
                row[f"area ({picture.length}²)"] = area = n * picture.full.spacing[0] * picture.full.spacing[1]
                if self.thickness is not None:
                    row[f"volume ({picture.length}³)"] = area * self.thickness
            inside = values[mask]
            row["mean"] = float(inside.mean()) if len(inside) else np.nan
            row["count"] = count_pieces(mask)
            row["doubt"] = self.doubtful
            rows.append(row)
        return pd.DataFrame(rows)


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """Prototypes of regions and the units that they are measured in, free of the picture that they were painted on.

    Attributes
    ----------
    options : Options
    units : array of shape (n_features, n_features)
    centers : array of shape (n_prototypes, n_features)
        In these units.
    prototypes : int array of shape (n_prototypes,)
        The region of each.
    regions : tuple of str
        Names of the regions, from region 1.
    learned_on : Picture
        Whose scale of values holds for all pictures.
    forest : Forest or None
        What was learned; None where values alone are compared with prototypes.
    say : float
        How much values count beside what was learned, from 0 to 1.

    Examples
    --------
    >>> from cclab.images import Painting, Recipe, Stroke, load_image
    >>> strokes = Stroke("brush", 1, 5, [[110, 70], [120, 78]]), Stroke("brush", 2, 5, [[50, 60], [60, 90]])
    >>> picture = load_image("phantom")
    >>> model = Painting(picture).model(Recipe(strokes))
    >>> model.apply(picture).labels.shape
    (217, 181)
    """

    options: Options
    units: np.ndarray
    centers: np.ndarray
    prototypes: np.ndarray
    regions: tuple[str, ...]
    learned_on: Picture
    forest: Forest | None = None
    say: float = 0.0

    def apply(self, picture: Picture | Any) -> Applied:
        """The regions of another picture, of any size, with the same channels.

        Parameters
        ----------
        picture : Picture, or anything that `load_image` takes
        """
        if not isinstance(picture, Picture):
            from cclab.images.reading import load_image

            picture = load_image(picture)
        if picture.pixels.shape[2:] != self.learned_on.pixels.shape[2:]:
            raise ValueError(
                f"{picture.name} is {_channels(picture)}, and the paint is on {_channels(self.learned_on)}: a model is "
                "applied to pictures of the same kind; convert it, or paint on one like it"
            )
        return self.over(Sheet(picture.on_scale_of(self.learned_on).full), picture)

    def over(self, sheet: Sheet, picture: Picture, place: int | None = None) -> Applied:
        """What is made of a picture at the size of its file: all at once, or pixel by pixel in blocks.

        Parameters
        ----------
        sheet : Sheet
        picture : Picture
            As it is shown.
        place : int, optional
            The slice of what was painted on that this is; what dabs on it teach holds near them.
        """
        options, invalid = self.options, sheet.picture.invalid
        if sheet.n_pixels > MOST_PIXELS and options.objects == "superpixels":
            options = replace(options, objects="pixels")
        labels = np.zeros(sheet.picture.shape, dtype=np.uint8)
        doubt = np.zeros(sheet.picture.shape, dtype=np.float16)
        for block, part in sheet.blocks(options):
            near = 0.0 if self.forest is None else self.forest.near(place, *block.around)
            found, doubtful = self._regions_of(part, options, near)
            labels[block.core], doubt[block.core] = found[block.inner], doubtful[block.inner]
        if invalid is not None:
            labels[invalid], doubt[invalid] = 0, 0
        return Applied(picture, labels, as_shown(doubt, picture).astype(np.float32), self.regions)

    def _regions_of(self, sheet: Sheet, options: Options, near: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """(height, width) the region of each pixel of a picture, and its doubt."""
        objects, X = sheet.objects(options), self._evidence(sheet, options, near)
        doubtful = objects.lift(self.doubt_of(X).astype(np.float16))
        clusters, centers = self._clusters
        ties = sheet.ties(options)
        if self.forest is not None and objects.kind == "pixels" and ties is not None:
            degrees = settled_shares(X.astype(np.float32), ties, sheet.picture.shape, RESOLVE, SETTLED)
            return objects.lift(clusters[degrees.argmax(axis=1)].astype(np.uint8)), doubtful
        problem = Problem(X, affinity=ties)
        solver = solver_for(replace(options, solver="CECM", parameters={}), clusters, centers, moves=False)
        return objects.lift(self._labels(solver.solve(solver.adapt(problem)).partition)), doubtful

    def _evidence(self, sheet: Sheet, options: Options, near: np.ndarray | float) -> np.ndarray:
        """(n_objects, k) what is clustered: values in units of the paint, or what speaks for each region."""
        votes = None
        if self.forest is not None:
            votes = self.forest.probabilities(sheet.described(options), near).astype(float)
        if votes is not None and not self.say:
            return votes
        values = sheet.objects(options).features.astype(float)
        if values.shape[1] != len(self.units):
            raise ValueError(f"{sheet.picture.name} has other features than the picture that was painted on")
        X = values @ self.units
        return X if votes is None else (1 - self.say) * votes + self.say * nearness(X, self.centers, self.prototypes)

    @property
    def _clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """The region of each cluster, and where it lies: what was learned has one a region, where it is surely that."""
        if self.forest is None:
            return self.prototypes, self.centers
        return self.forest.regions, np.eye(len(self.forest.regions))

    def _labels(self, partition: Partition) -> np.ndarray:
        clusters, _ = self._clusters
        regions = np.unique(clusters)
        degrees = partition.degrees @ np.equal.outer(clusters, regions).astype(float)
        labels = regions[degrees.argmax(axis=1)]
        return np.where(partition.outliers() if len(regions) == 1 else False, 0, labels).astype(np.uint8)

    def doubt_of(self, X: np.ndarray) -> np.ndarray:
        """(n_objects,) by what is seen at each alone: ties between neighbours would hide it."""
        if self.forest is not None:
            return 1 - self.forest.calibrated(X).max(axis=1)
        squares = np.stack([((X - center) ** 2).sum(axis=1) for center in self.centers], axis=1)
        regions = np.unique(self.prototypes)
        nearest = np.stack([squares[:, self.prototypes == region].min(axis=1) for region in regions], axis=1)
        nearest.sort(axis=1)
        first = nearest[:, 0]
        between = 2 * first / np.maximum(first + nearest[:, 1], 1e-12) if len(regions) > 1 else np.zeros(len(X))
        unlike = 1 - np.exp(-np.maximum(first - UNLIKE, 0) / (2 * UNLIKE))
        return np.clip(np.maximum(between, unlike), 0, 1)

    def apply_to(self, sources: Iterable[Any], progress: Progress | None = None) -> Iterator[Applied | Failed]:
        """One after the other: files, pictures or slices. What can't be read is told of in its place, and no more.

        Parameters
        ----------
        sources : iterable of anything that `load_image` takes
        progress : callable, optional
            Called with how many are done and how many there are.
        """
        sources = list(sources)
        for done, source in enumerate(sources, 1):
            found: Applied | Failed
            try:
                found = self.apply(source)
            except (ValueError, OSError, ImportError) as error:
                found = Failed(_name_of(source), str(error))
            if progress is not None:
                progress(done, len(sources))
            yield found

    def __repr__(self) -> str:
        names = ", ".join(self.regions[region - 1] for region in np.unique(self.prototypes))
        n = len(self.prototypes)
        return f"<Model of {names}: {n} prototype{'' if n == 1 else 's'}>"


@dataclass(frozen=True)
class Failed:
    """A picture that a model could not be applied to, and why."""

    name: str
    why: str


def as_shown(values: np.ndarray, picture: Picture) -> np.ndarray:
    """Values of every pixel of a file at those that are shown: in the middle of each square that became one."""
    step = picture.reduced_by
    rows, columns = (np.minimum(np.arange(n) * step + step // 2, m - 1) for n, m in zip(picture.shape, values.shape))
    return values if step == 1 else values[np.ix_(rows, columns)]


def _name_of(source: Any) -> str:
    return source.name if isinstance(source, Picture | Path) else str(source)[:80]


def _channels(picture: Picture) -> str:
    n = picture.pixels[0, 0].size
    return "a colour picture" if picture.is_colour else "grey" if n == 1 else f"of {n} channels"
