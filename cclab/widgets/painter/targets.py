"""What paint is applied to: the slices of a stack, or files, some of which may have paint of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cclab.images import Applied, Failed, Model, Painting, Picture, Recipe, Stack
from cclab.images.batch import is_large, on_slice

Result = Applied | Failed


@dataclass
class Targets:
    """Pictures in the order that they came in.

    Attributes
    ----------
    pictures : list of Picture or Failed
    slices : dict
        Which of them are painted on: the place in the list, and the slice of the painting.
    is_stack : bool
        Whether they are the slices of a stack, and no files beside it.
    """

    pictures: list[Picture | Failed] = field(default_factory=list)
    slices: dict[int, int] = field(default_factory=dict)
    is_stack: bool = False

    @classmethod
    def of_stack(cls, stack: Stack) -> Targets:
        """All slices."""
        return cls(list(stack), {place: place for place in range(len(stack))}, is_stack=True)

    def add(self, picture: Picture | Failed, painting: Painting) -> None:
        """One more file, unless it is there already; paint holds on the one that is painted on."""
        if any(_same(picture, other) for other in self.pictures):
            return
        self.pictures.append(picture)
        painted = (place for place, one in enumerate(painting.stack) if _same(picture, one))
        if (place := next(painted, None)) is not None:
            self.slices[len(self.pictures) - 1] = place

    def painted_on(self, place: int, stack: Stack) -> Targets:
        """The same once one of them is the last slice of a stack."""
        return Targets(list(self.pictures), self.slices | {place: len(stack) - 1})

    def maker(self, painting: Painting, recipe: Recipe) -> Callable[[int], Result]:
        """What gives the regions of the picture at a place; made anew when the paint is another."""
        alone = len(self.slices) == len(self.pictures) and not is_large(painting)
        model = None if alone else painting.model(recipe)

        def make(place: int) -> Result:
            picture = self.pictures[place]
            if isinstance(picture, Failed):
                return picture
            if place in self.slices:
                return on_slice(painting, recipe, self.slices[place], model)
            return _applied(model or painting.model(recipe), picture)

        return make


def _same(one: Picture | Failed, other: Picture | Failed) -> bool:
    if isinstance(one, Failed) or isinstance(other, Failed):
        return one == other
    return one.fingerprint == other.fingerprint and one.name == other.name


def _applied(model: Model, picture: Picture) -> Result:
    try:
        return model.apply(picture)
    except ValueError as error:
        return Failed(picture.name, str(error))
