"""Recipes: what was painted and with which options, ready for JSON. A problem follows from a picture and a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .features import FEATURES
from .strokes import Stroke

OBJECTS = ("superpixels", "pixels", "values")
REGIONS = ("Region 1", "Region 2")


@dataclass(frozen=True)
class Options:
    """How strokes are turned into a problem.

    Parameters
    ----------
    objects : {"superpixels", "pixels", "values"}
        What is clustered.
    features : tuple of str, optional
        Among `FEATURES`. Default: grey or Lab, as it is and sharpened; of distinct values the value alone.
    flatten : bool
        Take slow changes of light away first.
    smoothness : float
        How strongly neighbours are tied; 0 leaves each object to itself.
    emphasis : float
        How much all paint together counts against the rest of the picture when prototypes move.
    weighted : bool
        Let objects count by their number of pixels. Unweighted, rare values have their say: it paints better.
    connected : tuple of int
        Regions of which only what is connected to their strokes is kept.
    solver : str
        Name of the solver.
    parameters : mapping
        Of the solver, where they are not what the recipe gives it.
    """

    objects: str = "superpixels"
    features: tuple[str, ...] | None = None
    flatten: bool = False
    smoothness: float = 1.0
    emphasis: float = 0.5
    weighted: bool = False
    connected: tuple[int, ...] = ()
    solver: str = "CECM"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        if self.objects not in OBJECTS:
            raise ValueError(f"objects are one of {', '.join(OBJECTS)}; got {self.objects!r}")
        for name in self.features or ():
            if name not in FEATURES:
                raise ValueError(f"no feature is called {name!r}; known are {', '.join(FEATURES)}")
        for name in ("smoothness", "emphasis"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} is a number from 0 up; got {getattr(self, name)}")


@dataclass(frozen=True)
class Recipe:
    """All that was painted, with the options.

    Parameters
    ----------
    strokes : tuple of Stroke
        The oldest first.
    options : Options
    regions : tuple of str
        Names of the regions, from region 1.

    Examples
    --------
    >>> recipe = Recipe((Stroke("brush", 1, 5, [[3, 4], [8, 4]]),))
    >>> Recipe.from_json(recipe.to_json()).strokes[0].points.tolist()
    [[3.0, 4.0], [8.0, 4.0]]
    """

    strokes: tuple[Stroke, ...] = ()
    options: Options = Options()
    regions: tuple[str, ...] = REGIONS

    def to_json(self) -> dict[str, Any]:
        """As plain lists and numbers."""
        strokes = [
            {"kind": s.kind, "region": s.region, "size": float(s.size), "points": s.points.tolist()}
            for s in self.strokes
        ]
        return {"strokes": strokes, "options": asdict(self.options), "regions": list(self.regions)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Recipe:
        """The inverse of `to_json`; what is wrong is named."""
        try:
            options = dict(document.get("options", {}))
            strokes = tuple(Stroke(**stroke) for stroke in document.get("strokes", ()))
            regions = tuple(str(name) for name in document.get("regions", REGIONS))
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"this is no recipe of a painting: {error}") from None
        unknown = set(options) - {f.name for f in fields(Options)}
        if unknown:
            raise ValueError(f"a painting has no option {sorted(unknown)[0]!r}; it was written by another version")
        for name in ("features", "connected"):
            if options.get(name) is not None:
                options[name] = tuple(options[name])
        return cls(strokes, Options(**options), regions)
