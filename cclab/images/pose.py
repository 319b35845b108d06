"""From strokes to a problem: a picture and a recipe give data, knowledge and a solver that starts where the paint is.

A region is a colour of paint and may be made of several clusters, one for each prototype that its dabs found. Painted
objects are held to the clusters of their region (a label that names a set); neighbours are weakly tied; distances are
in units of the scatter within the dabs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from cclab.core import Problem, Solver
from cclab.core.registry import solvers
from cclab.images.choice import Choice, choose
from cclab.images.constraints import likeness, painted_regions, prototypical, statements, weights
from cclab.images.forest import N_TREES, Forest, Paint, gather
from cclab.images.kept import Kept
from cclab.images.learned import Model, solver_for
from cclab.images.objects import Objects
from cclab.images.picture import Picture
from cclab.images.posed import Posed
from cclab.images.prototypes import Dab, Palette, means_of, nearness
from cclab.images.recipe import Options, Recipe
from cclab.images.sheet import MOST_KEPT, Sheet
from cclab.images.spots import spots_of
from cclab.images.stack import Stack
from cclab.images.strokes import Stroke, surviving_pixels

# So many slices are kept with what follows from them (of large pictures the one that is looked at), and features of
# strokes on other slices.
KEPT_SHEETS, KEPT_PAINT, LARGE = 4, 2000, 1_000_000


@dataclass(eq=False)
class Painting:
    """A picture or a stack of pictures that is painted on; what the strokes don't change is worked out once.

    A session can be about it as about a table: ``Session(Painting(picture))``.

    Parameters
    ----------
    picture : Picture or Stack

    Examples
    --------
    >>> from cclab.images import Painting, Recipe, Stroke, load_image
    >>> strokes = Stroke("brush", 1, 5, [[110, 70], [120, 78]]), Stroke("brush", 2, 5, [[50, 60], [60, 90]])
    >>> posed = Painting(load_image("phantom")).pose(Recipe(strokes))
    >>> posed.problem.constraints, posed.solver.n_clusters
    (ConstraintSet(... samples: ... labels), 2)
    """

    kind: ClassVar[str] = "picture"

    picture: Picture
    stack: Stack = field(init=False, repr=False)
    _sheets: dict[int, Sheet] = field(default_factory=dict, init=False, repr=False)
    _making: Any = field(default_factory=RLock, init=False, repr=False)

    if TYPE_CHECKING:  # a stack is taken too; `picture` is its first slice then

        def __init__(self, picture: Picture | Stack) -> None: ...

    def __post_init__(self) -> None:
        self.stack = Stack.of(self.picture)
        self.picture = self.stack[0]
        self._posed, self._made, self._left = (Kept(self._making) for _ in range(3))
        self._voted, self._painted = Kept(self._making, KEPT_SHEETS), Kept(self._making, KEPT_PAINT)

    @cached_property
    def full(self) -> Painting:
        """The same at the size of the file, where it was reduced to be painted on."""
        whole = tuple(picture.full for picture in self.stack)
        return self if self.picture.whole is None else Painting(replace(self.stack, slices=whole))

    # ------------------------------------------------------------------ as what a session is about

    @property
    def name(self) -> str:
        """Of the stack."""
        return self.stack.name

    @property
    def notes(self) -> tuple[str, ...]:
        """Of the picture."""
        return self.picture.notes

    @property
    def fingerprint(self) -> str:
        """Of the content."""
        return self.stack.fingerprint

    @property
    def target(self) -> None:
        """What is clustered may be other things than pixels, so there are no classes of samples."""

    @property
    def n_samples(self) -> int:
        """The number of pixels."""
        return self.picture.shape[0] * self.picture.shape[1] * len(self.stack)

    @property
    def n_features(self) -> int:
        """The number of channels."""
        return self.picture.pixels[0, 0].size

    def pack(self) -> dict[str, Any]:
        """The picture, as arrays and values that are ready for JSON."""
        return self.stack.pack()

    @classmethod
    def unpack(cls, packed: Mapping[str, Any]) -> Self:
        """The inverse of `pack`."""
        return cls(Stack.unpack(packed))

    def read_recipe(self, written: Mapping[str, Any]) -> Recipe:
        """A recipe from JSON."""
        return Recipe.from_json(written)

    def begin(self) -> tuple[Problem, Solver]:
        """Without any paint there is one cluster of everything."""
        return Problem(np.zeros((1, 1))), solvers.get("FCM")(n_clusters=1)

    def setting(self, recipe: Recipe) -> tuple[Problem, Solver]:
        """The problem that a recipe poses, and the solver for it."""
        if self.is_blank(recipe):
            return self.begin()
        posed = self.pose(recipe)
        return posed.problem, posed.solver

    # ------------------------------------------------------------------ posing

    def pose(self, recipe: Recipe | Mapping[str, Any]) -> Posed:
        """The problem that a recipe makes of the picture. The same recipe gives the same problem.

        Raises
        ------
        ValueError
            Where nothing is painted, or the recipe makes no sense.
        """
        posing = recipe if isinstance(recipe, Recipe) else Recipe.from_json(recipe)
        return self._posed.things.get(posing.key) or self._posed.once(posing.key, lambda: self._make(posing))

    def sheet(self, place: int) -> Sheet:
        """A slice, with what follows from it alone; only the last few are kept."""
        if not 0 <= place < len(self.stack):
            raise ValueError(f"there are slices 0 to {len(self.stack) - 1}; got {place}")
        with self._making:
            self._sheets[place] = sheet = self._sheets.pop(place, None) or Sheet(self.stack[place])
            while len(self._sheets) > (KEPT_SHEETS if sheet.n_pixels <= LARGE else 1):
                del self._sheets[next(iter(self._sheets))]
            return sheet

    def prepare(self, options: Options) -> None:
        """Work out now what the first stroke would have to wait for."""
        self.sheet(options.slice).prepare(options)

    def objects(self, recipe: Recipe) -> Objects:
        """What is clustered under a recipe."""
        return self.sheet(recipe.options.slice).objects(recipe.options)

    def is_blank(self, recipe: Recipe) -> bool:
        """Whether no paint of any region is left."""
        return not self.painted_regions(recipe)

    def painted_regions(self, recipe: Recipe) -> set[int]:
        """The regions that have paint on any slice."""
        return {int(stroke.region) for stroke, _ in self._painted_strokes(recipe)}

    def _painted_strokes(self, recipe: Recipe) -> list[tuple[Stroke, np.ndarray]]:
        """Strokes of regions, with the pixels that are left of them."""
        return [(s, pixels) for s, pixels in zip(recipe.strokes, self.left_of(recipe)) if s.region and len(pixels)]

    def left_of(self, recipe: Recipe) -> list[np.ndarray]:
        """The pixels that are left of each stroke, on its slice."""

        def make() -> list[np.ndarray]:
            left = [np.empty(0, dtype=np.int64)] * len(recipe.strokes)
            for place in {stroke.slice for stroke in recipe.strokes}:
                mine = [k for k, stroke in enumerate(recipe.strokes) if stroke.slice == place]
                strokes = [recipe.strokes[k] for k in mine]
                for k, pixels in zip(mine, surviving_pixels(strokes, self.stack.shape)):
                    left[k] = pixels
            return left

        return self._left.once(recipe.key[0], make)

    def home(self, recipe: Recipe) -> int:
        """The slice with the most paint: there prototypes may move, on all others they are taken as they are."""
        counts: dict[int, int] = {}
        for stroke, pixels in self._painted_strokes(recipe):
            counts[stroke.slice] = counts.get(stroke.slice, 0) + len(pixels)
        return max(counts, key=lambda place: (counts[place], -place), default=0)

    def model(self, recipe: Recipe | Mapping[str, Any]) -> Model:
        """What was learned from the paint, to be applied to other pictures.

        Examples
        --------
        >>> from cclab.images import Painting, Recipe, Stroke, load_image
        >>> strokes = Stroke("brush", 1, 5, [[110, 70], [120, 78]]), Stroke("brush", 2, 5, [[50, 60], [60, 90]])
        >>> Painting(load_image("phantom")).model(Recipe(strokes, regions=("Lesion", "Rest")))
        <Model of Lesion, Rest: 2 prototypes>
        """
        recipe = recipe if isinstance(recipe, Recipe) else Recipe.from_json(recipe)
        return self.full._model(recipe.enlarged(self.picture.reduced_by), self.say_of_values(recipe))

    def _model(self, recipe: Recipe, say: float) -> Model:
        forest = self._grown(recipe) if say < 1 else None
        if forest is not None and not say:
            eye = np.eye(len(forest.regions))
            return Model(recipe.options, eye, eye, forest.regions, recipe.regions, self.picture, forest)
        palette, centers = self._prototypes(recipe)
        known = palette.units, centers, palette.regions
        return Model(recipe.options, *known, recipe.regions, self.picture, forest, say)

    def _prototypes(self, recipe: Recipe) -> tuple[Palette, np.ndarray]:
        """By values: where superpixels of the most painted slice leave them; in a very large one where the paint is."""
        # Where a forest learns, dabs are left to it: a prototype on one would take more than is meant.
        if recipe.options.learns and len(self.painted_regions(recipe)) > 1:
            recipe = self._long(recipe)
        if self.sheet(0).n_pixels > MOST_KEPT:
            features, places = self._pooled(recipe)
            return (palette := Palette.of(recipe.strokes, places, features)), means_of(palette, features)
        posed = self.pose(recipe.with_options({"objects": "superpixels", "slice": self.home(recipe), "learn": False}))
        return posed.palette, _moved(posed, posed.centers)

    def _long(self, recipe: Recipe) -> Recipe:
        """Its long strokes: dabs say nothing."""
        return recipe.without_dabs([len(pixels) for pixels in self.left_of(recipe)])

    def say_of_values(self, recipe: Recipe) -> float:
        """How much values count beside what is learned: 1 where nothing is to learn, or one region alone has paint."""
        if not recipe.options.learns or len(self.painted_regions(recipe)) < 2:
            return 1.0
        choice = self.choice(recipe)
        return 0.0 if choice is None else choice.say

    def forest(self, recipe: Recipe) -> Forest | None:
        """What a forest learns from the paint for the objects of a recipe; None where these go by values alone."""
        choice, quick = self.choice(recipe), recipe.options.objects != "pixels"
        alone = self.say_of_values(recipe) == 1 or (quick and choice is not None and choice.by_values)
        return None if alone else self._grown(recipe)

    def _grown(self, recipe: Recipe) -> Forest:
        options = recipe.options
        bank, paint = self.sheet(options.slice).maps(options), self._gathered(recipe, "bank")
        columns, n_trees = bank.columns(options.maps), N_TREES[options.objects]
        key = "forest", recipe.key[0], options.flatten, options.maps, options.objects
        spots = spots_of(recipe.strokes, self._long(recipe).strokes, self.left_of(recipe), self.stack.shape[1])
        return self._made.once(key, lambda: Forest.grown(paint, bank, columns, n_trees, spots))

    def choice(self, recipe: Recipe) -> Choice | None:
        """How well values tell the regions apart, and how well a forest does; None where that is not asked."""
        options, sheet = recipe.options, self.sheet(recipe.options.slice)
        if options.learn != "auto" or not options.learns or len(self.painted_regions(recipe)) < 2:
            return None
        columns, names = sheet.maps(options).columns(options.maps), sheet.names(options)
        plain, seen = (self._gathered(recipe, what) for what in (names, "bank"))
        key = "choice", recipe.key[0], options.flatten, options.maps, names
        return self._made.once(key, lambda: choose(plain, seen, columns, sheet.sampled(options)))

    def _gathered(self, recipe: Recipe, what: str | tuple[str, ...] | None) -> Paint:
        """The paint of all slices, by what the bank says of it, or by features."""

        def make() -> Paint:
            painted, options = self._painted_strokes(recipe), recipe.options
            seen = [(int(s.region), pixels, self._paint_of(s, pixels, what, options)) for s, pixels in painted]
            return gather(seen, self.stack.shape[1])

        return self._made.once(("paint", recipe.key[0], recipe.options.flatten, what), make)

    def _make_learned(self, recipe: Recipe, forest: Forest) -> Posed:
        """The problem of clustering what speaks for regions: one prototype for each, where it is surely that one."""
        options, left = recipe.options, self.left_of(recipe)
        sheet = self.sheet(options.slice)
        objects = sheet.objects(options)
        places = {int(region): k for k, region in enumerate(forest.regions)}
        pairs = zip(recipe.strokes, left)
        roles = tuple(Dab(s.region, pixels, places.get(int(s.region))) if len(pixels) else None for s, pixels in pairs)
        here = [dab for dab, stroke in zip(roles, recipe.strokes) if dab is not None and stroke.slice == options.slice]
        centers = np.eye(len(forest.regions))
        palette = Palette(tuple(here), forest.regions, centers)
        region, notes = painted_regions(objects, palette, sheet.without_value(options))
        seen, uses = sheet.described(options), solvers.get(options.solver).uses
        known = statements(objects, palette, region, uses)
        problem = Problem(self._evidence(recipe, forest), known, affinity=sheet.ties(options))
        solver = solver_for(options, palette.regions, centers, moves=False)
        about = (self.stack[options.slice], centers, roles, region, self.choice(recipe), forest, seen)
        return Posed(recipe, objects, palette, problem, solver, notes, *about)

    def _evidence(self, recipe: Recipe, forest: Forest) -> np.ndarray:
        """(n_objects, n_regions) what speaks for each region: votes of a forest and, as far as they count, values."""
        options, say = recipe.options, self.say_of_values(recipe)
        votes = self._votes(forest, options).astype(float)
        if not say:
            return votes
        palette, centers = self._prototypes(recipe)
        X = self.objects(recipe).features.astype(float) @ palette.units
        return (1 - say) * votes + say * nearness(X, centers, palette.regions)

    def _votes(self, forest: Forest, options: Options) -> np.ndarray:
        """(n_objects, n_regions) what a forest says of a slice; those beside it have a say where that is wanted."""
        own = self._own_votes(forest, options)
        if not options.across or options.objects != "pixels":
            return own
        beside = [place for place in (options.slice - 1, options.slice + 1) if 0 <= place < len(self.stack)]
        others = [self._own_votes(forest, replace(options, slice=place)) for place in beside]
        return (own + options.across * sum(others)) / (1 + options.across * len(others))

    def _own_votes(self, forest: Forest, options: Options) -> np.ndarray:
        sheet, key = self.sheet(options.slice), (forest, options.slice, options.objects)

        def vote() -> np.ndarray:
            near, objects = forest.near(options.slice, *map(slice, self.stack.shape)), sheet.objects(options)
            if isinstance(near, np.ndarray) and objects.kind != "pixels":
                near = objects.means_of(near[:, None])
            return forest.probabilities(sheet.described(options), near)

        return self._voted.once(key, vote)

    def _make(self, recipe: Recipe) -> Posed:
        options = recipe.options
        forest = self.forest(recipe)
        if forest is not None:
            return self._make_learned(recipe, forest)
        sheet, (features, places) = self.sheet(options.slice), self._pooled(recipe)
        objects = sheet.objects(options)
        pooled = Palette.of(recipe.strokes, places, features)
        if not len(pooled.regions):
            raise ValueError("nothing is painted yet; paint a stroke in each of two regions")
        palette = pooled.within(sheet.n_pixels)
        means = means_of(pooled, features)
        X = objects.features.astype(float) @ palette.units
        region, notes = painted_regions(objects, palette, sheet.without_value(options))
        solver_class = solvers.get(options.solver)
        weight = weights(objects, palette, region, options)
        if len(palette.painted) > 1:  # one region alone draws nothing away: what is unlike its paint is nowhere
            weight = weight * np.where(prototypical(objects, palette), 1, likeness(X, means))
        problem = Problem(
            X,
            statements(objects, palette, region, solver_class.uses),
            sample_weight=weight if "sample_weight" in solver_class.uses else None,
            affinity=sheet.ties(options),
        )
        moves = options.slice == self.home(recipe)
        centers = self._centers(recipe, means, moves)
        solver = solver_for(options, palette.regions, centers, moves=moves)
        dabs = iter(pooled.dabs)
        roles = tuple(next(dabs) if len(pixels) else None for pixels in places)
        about, choice = (self.stack[options.slice], centers, roles, region), self.choice(recipe)
        asked = () if choice is None else (choice, None, sheet.described(options), self._grown(recipe))
        return Posed(recipe, objects, palette, problem, solver, notes, *about, *asked)

    def _pooled(self, recipe: Recipe) -> tuple[np.ndarray, list[np.ndarray]]:
        """Features of all pixels of the slice (of a large one of none) and of the paint; and where each dab's are."""
        options, left = recipe.options, self.left_of(recipe)
        sheet = self.sheet(options.slice)
        small = sheet.n_pixels <= MOST_KEPT
        blocks, n = ([sheet.features(options)], sheet.n_pixels) if small else ([], 0)
        places = []
        for stroke, pixels in zip(recipe.strokes, left):
            if (small and stroke.slice == options.slice) or not len(pixels):
                places.append(pixels)
                continue
            blocks.append(self._paint_of(stroke, pixels, sheet.names(options), options))
            places.append(np.arange(n, n + len(pixels)))
            n += len(pixels)
        return (np.concatenate(blocks) if len(blocks) > 1 else blocks[0]), places

    def _paint_of(
        self, stroke: Stroke, pixels: np.ndarray, what: str | tuple[str, ...] | None, options: Options
    ) -> np.ndarray:
        """Features of what is left of a stroke, or what the bank says of it; kept, whichever slice it is on."""
        key, covered = (stroke.key, what, options.flatten), stroke.covers(self.stack.shape)

        def see() -> np.ndarray:
            return self.sheet(stroke.slice).at(covered, options, filters=what == "bank")

        return self._painted.once(key, see)[np.searchsorted(covered, pixels)]

    def _centers(self, recipe: Recipe, means: np.ndarray, moves: bool) -> np.ndarray:
        """Means of the paint; pixels, and other slices, start where superpixels of the most painted slice end."""
        if recipe.options.objects != "pixels" and moves:
            return means
        return _moved(self.pose(recipe.with_options({"objects": "superpixels", "slice": self.home(recipe)})), means)


def _moved(posed: Posed, centers: np.ndarray) -> np.ndarray:
    """Where the solver leaves prototypes, if it has as many of them."""
    found = posed.solver.solve(posed.solver.adapt(posed.problem)).centers
    return found if found is not None and found.shape == centers.shape else centers
