"""Verbs of a session whose problems are posed from a recipe: what is painted, forgotten, or set otherwise.

A command holds what it changes about the recipe, so that a journal grows by the stroke and not by the painting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cclab.session.commands import Leading, checked_setting, settled
from cclab.session.history import History, Moment
from cclab.session.origin import Origin, Setting
from cclab.session.outcome import Written
from cclab.session.snapshot import Snapshot
from cclab.session.storage.stored import StoredSession


class Posing(Leading):
    """A command that changes the recipe; the solver starts anew on the problem that the new one poses."""

    begins_anew = True
    poses = True

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        if not history.origin.can_pose:
            raise ValueError("a session without a poser can't pose problems; open it in the app that made it")
        return super().prepare(moment, history, written)

    def setting(self, before: Setting | None, here: Snapshot) -> Setting:
        return checked_setting(*here.origin.pose(here.recipe))


@dataclass(frozen=True)
class Pose(Posing):
    """A whole recipe in place of the one before."""

    verb = "pose"
    recipe: dict[str, Any]

    def recipe_after(self, before: Any, origin: Origin) -> Any:
        return origin.read_recipe(self.recipe)


@dataclass(frozen=True)
class _Painting(Posing):
    """A command of the painter; whichever it is, it may change options and names of regions at the same time."""

    options: dict[str, Any] | None = field(default=None, kw_only=True)
    regions: list[str] | None = field(default=None, kw_only=True)

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        if not history.origin.has_recipes:
            raise ValueError(f"{history.origin.data.name} is no picture: there is nothing to paint on")
        return super().prepare(moment, history, written)

    def recipe_after(self, before: Any, origin: Origin) -> Any:
        before = origin.read_recipe({}) if before is None else before
        return self.changed(before).with_options(self.options or {}).with_regions(self.regions)

    def changed(self, recipe: Any) -> Any:
        """The recipe after this command, but for options and names."""
        return recipe


@dataclass(frozen=True)
class Paint(_Painting):
    """One more stroke; it may be the answer to a question."""

    verb = "paint"
    stroke: dict[str, Any]
    settles: list[int] | None = field(default=None, kw_only=True)

    def prepare(self, moment: Moment, history: History, written: Written | None = None) -> Moment:
        after = super().prepare(moment, history, written)
        if self.settles is None:
            return after
        return replace(after, dialogue=settled(moment.dialogue, tuple(self.settles)))

    def changed(self, recipe: Any) -> Any:
        return recipe.with_stroke(self.stroke)


@dataclass(frozen=True)
class Forget(_Painting):
    """One stroke less."""

    verb = "forget"
    stroke_id: int

    def changed(self, recipe: Any) -> Any:
        return recipe.without_stroke(self.stroke_id)


@dataclass(frozen=True)
class SetOptions(_Painting):
    """Other options for the same paint."""

    verb = "set_options"


class PosingSession(StoredSession):
    """The verbs of a session whose problems are posed."""

    def pose(self, recipe: Mapping[str, Any], *, run: int | None = None) -> Snapshot:
        """Start anew on the problem that a whole recipe poses.

        Parameters
        ----------
        recipe : mapping
            Ready for JSON.
        run : int, optional
            A number that `new_run` gave: verbs of the same run are undone as one.
        """
        return self._do(Pose(dict(recipe), run=run))

    async def apose(self, recipe: Mapping[str, Any] | Posing, *, run: int | None = None) -> Snapshot | None:
        """As `pose`, worked out in the worker thread; dropped (None) if another snapshot was gone to meanwhile.

        A command such as `Paint` is taken too.
        """
        command = recipe if isinstance(recipe, Posing) else Pose(dict(recipe), run=run)
        return self.current if await self._runner.once(command) else None

    def paint(
        self,
        stroke: Any,
        *,
        options: Mapping[str, Any] | None = None,
        regions: Sequence[str] | None = None,
        run: int | None = None,
    ) -> Snapshot:
        """Paint a stroke on the picture that the session is about; the solver starts anew.

        Parameters
        ----------
        stroke : Stroke
        options : mapping, optional
            Fields of `cclab.images.Options` that change at the same time.
        regions : sequence of str, optional
            New names of the regions.
        run : int, optional
            As for `pose`.

        Examples
        --------
        >>> from cclab import Session
        >>> from cclab.images import Painting, Stroke, load_image
        >>> session = Session(Painting(load_image("phantom")))
        >>> _ = session.paint(Stroke("brush", 1, 5, [[110, 70], [120, 78]]), options={"objects": "superpixels"})
        >>> session.paint(Stroke("brush", 2, 5, [[50, 60], [60, 90]])).recipe.ids
        (1, 2)
        >>> session.forget(1).recipe.ids
        (2,)
        """
        return self._do(Paint(stroke.to_json(), options=_plain(options), regions=_listed(regions), run=run))

    def forget(self, stroke_id: int, *, options: Mapping[str, Any] | None = None, run: int | None = None) -> Snapshot:
        """Forget a stroke, by its id in ``session.current.recipe.ids``."""
        return self._do(Forget(int(stroke_id), options=_plain(options), run=run))

    def set_options(self, *, regions: Sequence[str] | None = None, run: int | None = None, **options: Any) -> Snapshot:
        """Let the same paint be read with other options: fields of `cclab.images.Options`."""
        return self._do(SetOptions(options=_plain(options), regions=_listed(regions), run=run))


def _plain(options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Options ready for JSON."""
    if not options:
        return None
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}


def _listed(regions: Sequence[str] | None) -> list[str] | None:
    return None if regions is None else [str(name) for name in regions]
