"""From strokes to a problem: a picture and a recipe give data, knowledge and a solver that starts where the paint is.

A region is a colour of paint and may be made of several clusters, one for each prototype that its dabs found. Painted
objects are held to the clusters of their region (a label that names a set); neighbours are weakly tied; distances are
in units of the scatter within the dabs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from scipy import sparse

from cclab.core import Problem, Solver
from cclab.core.registry import solvers
from cclab.maths.focal_sets import gabriel_pairs

from .dabs import Palette
from .features import features as pixel_features
from .features import flattened
from .knowledge import likeness, net_shares, statements, weights
from .objects import Objects, distinct_values, single_pixels, superpixels
from .picture import Picture
from .recipes import Options, Recipe
from .strokes import surviving_pixels

# With one region alone, what is further from its paint than this (squared, in units of its scatter) is nowhere.
UNLIKE = 4.0
# How much doubt between two regions is held back (alpha): borders are thin.
RESOLVE = 2.5
# How many steps at most, and how little prototypes move at the last. Pixels take the prototypes that superpixels have
# found: steps of their own would move them so little that it can't be seen.
STOPS = {"pixels": (0, 0.1), "superpixels": (3, 0.02), "values": (3, 0.02)}
KEPT = 8


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
    """

    recipe: Recipe
    objects: Objects
    palette: Palette
    problem: Problem
    solver: Solver
    notes: tuple[str, ...] = ()

    @cached_property
    def unknown(self) -> np.ndarray:
        """(height, width) where "don't know" is painted."""
        mask = np.zeros(self.objects.labels_of_pixels.shape, dtype=bool)
        mask.ravel()[self.palette.of_region(0)] = True
        return mask


@dataclass(eq=False)
class Painting:
    """A picture that is painted on; what the strokes don't change is worked out once.

    Parameters
    ----------
    picture : Picture

    Examples
    --------
    >>> from cclab.images import Painting, Recipe, Stroke, load_image
    >>> strokes = Stroke("brush", 1, 5, [[110, 70], [120, 78]]), Stroke("brush", 2, 5, [[50, 60], [60, 90]])
    >>> posed = Painting(load_image("phantom")).pose(Recipe(strokes))
    >>> posed.problem.constraints, posed.solver.n_clusters
    (ConstraintSet(... samples: ... labels), 2)
    """

    picture: Picture
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)
    _posed: dict[str, Posed] = field(default_factory=dict, repr=False)
    _making: Any = field(default_factory=RLock, repr=False)

    def pose(self, recipe: Recipe | Mapping[str, Any]) -> Posed:
        """The problem that a recipe makes of the picture. The same recipe gives the same problem.

        Raises
        ------
        ValueError
            Where nothing is painted, or the recipe makes no sense.
        """
        recipe = recipe if isinstance(recipe, Recipe) else Recipe.from_json(recipe)
        key = json.dumps(recipe.to_json(), sort_keys=True)
        posed = self._posed.get(key)
        if posed is None:
            with self._making:  # who needs what another thread is making waits for it
                posed = self._posed.get(key) or self._make(recipe)
                self._posed[key] = posed
                while len(self._posed) > KEPT:
                    del self._posed[next(iter(self._posed))]
        return posed

    def prepare(self, options: Options) -> None:
        """Work out now what the first stroke would have to wait for."""
        for kind in {options.objects, "superpixels"} if options.objects == "pixels" else {options.objects}:
            self.objects(Recipe(options=replace(options, objects=kind)))

    def is_blank(self, recipe: Recipe) -> bool:
        """Whether no paint of any region is left."""
        left = zip(recipe.strokes, self.left_of(recipe))
        return not any(stroke.region and len(pixels) for stroke, pixels in left)

    def left_of(self, recipe: Recipe) -> list[np.ndarray]:
        """The pixels that are left of each stroke."""
        return surviving_pixels(recipe.strokes, self.picture.shape)

    def _make(self, recipe: Recipe) -> Posed:
        options = recipe.options
        objects = self.objects(recipe)
        palette = Palette.of(recipe.strokes, self._features(recipe), self.picture.shape)
        if not len(palette.regions):
            raise ValueError("nothing is painted yet; paint a stroke in each of two regions")
        X = objects.features.astype(float) @ palette.units
        share, disputed = net_shares(objects, palette)
        region = np.where(share.max(axis=1) > 0, share.argmax(axis=1), -1)
        solver_class = solvers.get(options.solver)
        means = self._means(recipe, palette)
        weight = weights(objects, palette, region, options) * np.where(region < 0, likeness(X, means), 1)
        problem = Problem(
            X,
            statements(objects, palette, region, solver_class.uses),
            sample_weight=weight if "sample_weight" in solver_class.uses else None,
            affinity=self._ties(recipe),
        )
        solver = self._solver(recipe, solver_class, X, palette)
        notes = []
        if disputed:
            what = {"values": "value", "superpixels": "superpixel", "pixels": "pixel"}[objects.kind]
            notes.append(
                f"{disputed} {what}{'s are' if disputed > 1 else ' is'} painted in two colours: the colour with more "
                "paint counts; paint finer, or choose pixels"
            )
        return Posed(recipe, objects, palette, problem, solver, tuple(notes))

    # ------------------------------------------------------------------ what strokes don't change

    def _once(self, key, make):
        with self._making:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def _seen(self, recipe: Recipe) -> Picture:
        """The picture that features are taken from."""
        return self._once("flat", lambda: flattened(self.picture)) if recipe.options.flatten else self.picture

    def _names(self, recipe: Recipe) -> tuple[str, ...] | None:
        options = recipe.options
        if options.features is None and options.objects == "values":
            return ("lab",) if self.picture.is_colour else ("intensity",)
        return options.features

    def _features(self, recipe: Recipe) -> np.ndarray:
        names = self._names(recipe)
        return self._once(
            ("features", names, recipe.options.flatten), lambda: pixel_features(self._seen(recipe), names)
        )

    def objects(self, recipe: Recipe) -> Objects:
        """What is clustered under a recipe."""
        kind = recipe.options.objects
        make = {"values": distinct_values, "superpixels": superpixels, "pixels": single_pixels}[kind]
        key = ("objects", kind, self._names(recipe), recipe.options.flatten)
        return self._once(key, lambda: make(self._seen(recipe), self._features(recipe)))

    def _ties(self, recipe: Recipe) -> sparse.csr_array | None:
        """How strongly neighbours are tied; frozen, so that what follows from it is worked out once for all strokes."""
        objects, smoothness = self.objects(recipe), recipe.options.smoothness
        if objects.affinity is None or not smoothness:
            return None
        ties = self._once(("ties", id(objects), smoothness), lambda: objects.affinity * smoothness)
        ties.data.setflags(write=False)
        return ties

    # ------------------------------------------------------------------ the solver

    def _solver(self, recipe, solver_class, X, palette) -> Solver:
        options = recipe.options
        centers = self._centers(recipe, X, palette)
        steps, tolerance = STOPS[options.objects]
        wanted = {
            "n_clusters": len(centers),
            "init": centers,
            "n_init": 1,
            "max_iter": steps,
            "tol": tolerance,
            "random_state": 0,
        }
        if len(palette.painted) == 1:
            wanted["rho2"] = UNLIKE
        else:
            wanted |= {"focal_sets": _doubts(palette, centers), "alpha": RESOLVE}
        takes = solver_class.all_parameters()
        return solver_class(**{name: value for name, value in wanted.items() if name in takes} | options.parameters)

    def _centers(self, recipe, X, palette) -> np.ndarray:
        """Means of the paint; pixels start where superpixels end."""
        if recipe.options.objects == "pixels":
            coarse = self.pose(replace(recipe, options=replace(recipe.options, objects="superpixels")))
            centers = coarse.solver.solve(coarse.solver.adapt(coarse.problem)).centers
            if centers is not None and centers.shape == (len(palette.regions), X.shape[1]):
                return centers
        return self._means(recipe, palette)

    def _means(self, recipe, palette) -> np.ndarray:
        """(n_prototypes, n_features) where the paint of each prototype lies, in its units."""
        painted = [palette.of_prototype(k) for k in range(len(palette.regions))]
        features = self._features(recipe)
        return np.stack([features[pixels].mean(axis=0, dtype=float) for pixels in painted]) @ palette.units


def _doubts(palette: Palette, centers: np.ndarray) -> list[list[int]]:
    """The sets of clusters that belief may be about: each alone, and neighbours of different regions.

    Halfway between others there may be a third cluster, or tissue that no one has painted: no place for doubts.
    """
    between = [[a, b] for a, b in gabriel_pairs(centers) if palette.regions[a] != palette.regions[b]]
    return [[k] for k in range(len(centers))] + between
