"""Recipes: what was painted and with which options, ready for JSON. A problem follows from a picture and a recipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from cclab.datasets.limits import MOST_REGIONS, MOST_STROKES, check_limit
from cclab.images.bank import KINDS
from cclab.images.features import FEATURES
from cclab.images.strokes import Stroke, are_long

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
    slice : int
        The slice of a stack that is clustered, from 0; paint on all slices counts.
    learn : bool or "auto"
        Let a forest learn from the paint what tells regions apart, by filters of many scales, and cluster what it
        says; else values are clustered, about prototypes. "auto" takes whichever does better on paint that was left
        out, values where both do as well. Distinct values are always clustered as they are.
    across : float
        How much the slices before and after have a say in what a forest says of each pixel, against its own slice; 0
        leaves slices to themselves. It takes single pixels.
    maps : tuple of str
        Kinds of filters that the forest may look at, among `cclab.images.bank.KINDS`. Default: all.
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
    slice: int = 0
    learn: bool | str = False
    across: float = 0.0
    maps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.objects not in OBJECTS:
            raise ValueError(f"objects are one of {', '.join(OBJECTS)}; got {self.objects!r:.40}")
        if not isinstance(self.features, tuple | None):
            raise ValueError(f"features are a list of names, or None; got {self.features!r:.40}")
        for name in self.features or ():
            if not isinstance(name, str) or name not in FEATURES:
                raise ValueError(f"no feature is called {name!r:.40}; known are {', '.join(FEATURES)}")
        for name in ("smoothness", "emphasis", "across"):
            value = getattr(self, name)
            # A whole number of hundreds of digits can be compared, but is no float.
            if not isinstance(value, Real) or value < 0 or not value <= sys.float_info.max:
                raise ValueError(f"{name} is a number from 0 up; got {value!r:.40}")
        if isinstance(self.slice, bool) or not isinstance(self.slice, Integral) or self.slice < 0:
            raise ValueError(f"slices are numbered from 0; got {self.slice!r:.40}")
        if not isinstance(self.connected, tuple) or not all(isinstance(region, Integral) for region in self.connected):
            raise ValueError(f"connected regions are a list of whole numbers; got {self.connected!r:.40}")
        if not isinstance(self.learn, bool) and self.learn != "auto":
            raise ValueError(f'learn is true, false or "auto"; got {self.learn!r:.40}')
        if not isinstance(self.maps, tuple) or not set(self.maps) <= set(KINDS):
            raise ValueError(f"maps are a list among {', '.join(KINDS)}; got {self.maps!r:.60}")
        if not isinstance(self.solver, str) or not isinstance(self.parameters, Mapping):
            raise ValueError(f"a solver is a name, its parameters a mapping; got {self.solver!r:.40}")

    @property
    def learns(self) -> bool:
        """Whether a forest may learn; distinct values have no surroundings to learn from."""
        return bool(self.learn) and self.objects != "values"


class UnknownOption(ValueError):
    """An option that only another version knows."""


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
    ids : tuple of int, optional
        By which strokes can be forgotten, in increasing order. Default: from 1.

    Examples
    --------
    >>> recipe = Recipe((Stroke("brush", 1, 5, [[3, 4], [8, 4]]),))
    >>> Recipe.from_json(recipe.to_json()).strokes[0].points.tolist()
    [[3.0, 4.0], [8.0, 4.0]]
    """

    strokes: tuple[Stroke, ...] = ()
    options: Options = Options()
    regions: tuple[str, ...] = REGIONS
    ids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.strokes):  # given none, or those of other strokes
            object.__setattr__(self, "ids", tuple(range(1, len(self.strokes) + 1)))

    @property
    def key(self) -> tuple[Any, ...]:
        """Another for every recipe that poses another problem; names make none."""
        return tuple(stroke.key for stroke in self.strokes), json.dumps(asdict(self.options), sort_keys=True)

    def with_stroke(self, stroke: Stroke | Mapping[str, Any]) -> Recipe:
        """One more stroke, the newest."""
        check_limit(len(self.strokes) + 1, MOST_STROKES, "strokes", "Paint with fewer.")
        stroke = stroke if isinstance(stroke, Stroke) else Stroke.from_json(stroke)
        return replace(self, strokes=(*self.strokes, stroke), ids=(*self.ids, max(self.ids, default=0) + 1))

    def without_stroke(self, stroke_id: int) -> Recipe:
        """One stroke less."""
        if stroke_id not in self.ids:
            raise ValueError(
                f"there is no stroke {stroke_id!r:.40}; there are {', '.join(map(str, self.ids)) or 'none'}"
            )
        kept = [(stroke, known) for stroke, known in zip(self.strokes, self.ids) if known != stroke_id]
        return replace(self, strokes=tuple(s for s, _ in kept), ids=tuple(known for _, known in kept))

    def without_region(self, region: int) -> Recipe:
        """One region less, with its paint; those after it move up."""
        kept = [stroke for stroke in self.strokes if stroke.region != region or stroke.kind == "erase"]
        strokes = tuple(replace(s, region=s.region - 1) if s.region > region else s for s in kept)
        connected = tuple(r - (r > region) for r in self.options.connected if r != region)
        options = replace(self.options, connected=connected)
        return Recipe(strokes, options, self.regions[: region - 1] + self.regions[region:])

    def without_dabs(self, sizes: Sequence[int]) -> Recipe:
        """Dabs say nothing of what they cover, by how many pixels are left of each stroke."""
        long = are_long(np.array([stroke.region for stroke in self.strokes], dtype=int), np.array(sizes, dtype=int))
        strokes = tuple(s if kept else replace(s, region=0) for s, kept in zip(self.strokes, long))
        return replace(self, strokes=strokes)

    def with_options(self, options: Mapping[str, Any]) -> Recipe:
        """Some options other than they were, given as in JSON."""
        return replace(self, options=replace(self.options, **_read_options(options))) if options else self

    def enlarged(self, factor: int) -> Recipe:
        """The same paint on a picture with so many times as many pixels, down and across."""
        strokes = tuple(replace(s, size=s.size * factor, points=s.points * factor) for s in self.strokes)
        return self if factor == 1 else replace(self, strokes=strokes)

    def with_regions(self, names: Sequence[str] | None) -> Recipe:
        """Other names of regions, where there are any."""
        if names is None:
            return self
        check_limit(len(names), MOST_REGIONS, "regions", "Paint with fewer.")
        return replace(self, regions=tuple(str(name) for name in names))

    def to_json(self) -> dict[str, Any]:
        """As plain lists and numbers."""
        strokes = [stroke.to_json() for stroke in self.strokes]
        return {"strokes": strokes, "options": asdict(self.options), "regions": list(self.regions)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Recipe:
        """The inverse of `to_json`; what is wrong is named."""
        try:
            options = _read_options(document.get("options", {}))
            strokes, regions = list(document.get("strokes", ())), list(document.get("regions", REGIONS))
        except UnknownOption:
            raise
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"this is no recipe of a painting: {error}") from None
        check_limit(len(strokes), MOST_STROKES, "strokes", "Paint with fewer.")
        check_limit(len(regions), MOST_REGIONS, "regions", "Paint with fewer.")
        return cls(
            tuple(_stroke(stroke, number) for number, stroke in enumerate(strokes, 1)),
            Options(**options),
            tuple(str(name) for name in regions),
        )


def _read_options(written: Mapping[str, Any]) -> dict[str, Any]:
    options = dict(written)
    unknown = set(options) - {f.name for f in fields(Options)}
    if unknown:
        raise UnknownOption(f"a painting has no option {sorted(unknown)[0]!r:.60}; it was written by another version")
    for name in ("features", "connected", "maps"):
        if isinstance(options.get(name), list):
            options[name] = tuple(options[name])
    return options


def _stroke(document: Any, number: int) -> Stroke:
    try:
        return Stroke.from_json(document)
    except (TypeError, ValueError) as error:
        raise ValueError(f"this is no recipe of a painting: stroke {number}: {error}") from None
