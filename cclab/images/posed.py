"""A recipe as a problem: what a solver is given, and what is needed to read its answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cclab.core import Problem, Solver
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
    forest : Forest or None
        What was learned from the paint; None where values are clustered as they are.
    seen : array of shape (n_objects, n_maps), or None
        What the filters say of each object, where a forest has learned by them.
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
    forest: Forest | None = None
    seen: np.ndarray | None = None

    @cached_property
    def unknown(self) -> np.ndarray:
        """(height, width) where "don't know" is painted, or there is no value."""
        mask = np.zeros(self.objects.labels_of_pixels.shape, dtype=bool)
        if self.picture.invalid is not None:
            mask |= self.picture.invalid
        mask.ravel()[self.palette.of_region(0)] = True
        return mask
