"""A recipe as a problem: what a solver is given, and what is needed to read its answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cclab.core import Partition, Problem, Solver
from cclab.images.choice import Choice
from cclab.images.forest import Forest
from cclab.images.objects import Objects
from cclab.images.picture import Picture
from cclab.images.prototypes import Dab, Palette
from cclab.images.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Posed:
    """A recipe as a problem, with what is needed to read the answer.

    Attributes
    ----------
    recipe : Recipe
    objects : Objects
    palette : Palette
    problem : Problem
    solver : Solver
    notes : tuple of str
        What a person should know: paint of two colours on one object.
    picture : Picture
        The slice that is clustered.
    centers : array of shape (n_prototypes, n_features)
        Where the solver starts.
    roles : tuple of Dab or None
        What became of each stroke; None where nothing is left of it.
    painted : int array of shape (n_objects,)
        The region that each object is painted in; 0 for "don't know", -1 for no paint.
    choice : Choice or None
        How it was chosen whether to learn; None where that was said.
    forest : Forest or None
        What was learned from the paint; None where values are clustered as they are.
    seen : array of shape (n_objects, n_maps), or None
        What the filters say of each object, where a forest has learned by them.
    second : Forest or None
        Where values alone are clustered, though not because a person said so: what was learned, to be asked how sure
        that is.
    """

    recipe: Recipe
    objects: Objects
    palette: Palette
    problem: Problem
    solver: Solver
    notes: tuple[str, ...]
    picture: Picture
    centers: np.ndarray
    roles: tuple[Dab | None, ...]
    painted: np.ndarray
    choice: Choice | None = None
    forest: Forest | None = None
    seen: np.ndarray | None = None
    second: Forest | None = None

    @cached_property
    def votes(self) -> np.ndarray | None:
        """(n_objects, n_regions) how probable regions are by what was learned; None where nothing was."""
        if self.forest is not None:
            return self.forest.calibrated(self.problem.X)
        if self.second is not None and self.seen is not None:
            return self.second.calibrated(self.second.probabilities(self.seen))
        return None

    @property
    def by_values(self) -> bool:
        """Whether values tell regions apart: because it was chosen so, or because nothing else was looked at."""
        return self.forest is None if self.choice is None else self.choice.by_values

    @property
    def unknown(self) -> np.ndarray:
        """(height, width) where "don't know" is painted, or there is no value."""
        mask = np.zeros(self.objects.labels_of_pixels.shape, dtype=bool)
        if self.picture.invalid is not None:
            mask |= self.picture.invalid
        mask.ravel()[self.palette.of_region(0)] = True
        return mask


def by_region(posed: Posed, partition: Partition) -> tuple[np.ndarray, np.ndarray]:
    """(n_objects, n_regions) degrees of the regions, and which regions these are."""
    regions = posed.palette.painted
    belongs = np.equal.outer(regions_of_clusters(posed, partition), regions).astype(float)
    return partition.degrees @ belongs, regions


def regions_of_clusters(posed: Posed, partition: Partition) -> np.ndarray:
    """(n_clusters,) the region of each cluster: that of its prototype, or of the paint on it.

    A solver that chooses the number of clusters, or where they start, leaves it to the paint which is which; what has
    no paint on it goes to the nearest that has.
    """
    regions = posed.palette.regions
    if partition.n_clusters == len(regions) and "init" in type(posed.solver).all_parameters():
        return regions
    degrees = partition.degrees
    votes = np.stack([degrees[posed.painted == region].sum(axis=0) for region in posed.palette.painted], axis=1)
    found = posed.palette.painted[votes.argmax(axis=1)]
    blank = votes.sum(axis=1) < 1e-3 * max(votes.sum(), 1e-12)
    if blank.any() and not blank.all():
        weights = degrees / np.maximum(degrees.sum(axis=0), 1e-12)
        centers = weights.T @ posed.problem.X
        squares = ((centers[:, None] - centers[None, ~blank]) ** 2).sum(axis=2)
        found = np.where(blank, found[~blank][squares.argmin(axis=1)], found)
    return found
