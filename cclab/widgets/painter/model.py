"""What all views of the painter share: a session whose problems follow from the paint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from psygnal import Signal

from cclab.images import Painting, Picture, Posed, Recipe, Regions, Stack, Stroke
from cclab.images.regions import measure_all
from cclab.session import Session, Snapshot
from cclab.session.posing import Forget, Paint, Pose, Posing, SetOptions
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks, is_looping
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice, sentence
from cclab.widgets.model.run import Pace, run
from cclab.widgets.painter.fresh import suiting_objects, suiting_regions

MOST_REGIONS = 9
_KEPT = 32
#: In seconds: who goes on through the slices within it waits for none of them.
PATIENCE = 0.15


class Easel(Desk):
    """A desk with a picture on it.

    Parameters
    ----------
    session : Session
        On a `Painting`.
    regions : sequence of str, optional
        Names of the regions before anything is painted; default: names that suit the picture.

    Attributes
    ----------
    painting : Painting
    region : int
        The region that is painted now; 0 is "don't know".
    objects : {"pixels", "superpixels", "values"}
        What is to be clustered; pixels come after superpixels, which are quick.
    learn : bool or "auto"
        Whether a forest is to learn from the paint what tells regions apart.
    run_after : bool
        Whether the solver runs after each stroke.
    pace : coroutine function or None
        Awaited after each step of such a run.
    slice : int
        Of a stack, the one that is looked at.
    window : (low, high)
        The values from black to white, on all slices.
    developing : bool
        Whether there is more to come than is shown.
    places : list of (row, column)
        What is asked about now.
    chosen : Signal
        The region that is painted, or the list of regions, has changed.
    marked : Signal
        Other places are asked about.
    looked : Signal
        Another slice, or another window of values, is looked at.
    developed : Signal
        What was painted last is worked out to the end.
    hand_out : callable
        Gives a file to the person; set by the page.
    ask_for_files, open_painting : callables
        Let the person choose files to apply the paint to; open a stack with paint on it. Set by the page.
    """

    chosen = Signal()
    marked = Signal()
    looked = Signal()
    developed = Signal()

    def __init__(self, session: Session, regions: tuple[str, ...] | None = None) -> None:
        self._given_regions = regions
        self.run_after = True
        self.pace: Pace | None = None
        self._tasks = Tasks()
        self._turn = 0
        self.developing = False
        self.hand_out: Callable[[Callable[..., Any]], object] = lambda make: None
        self.ask_for_files: Callable[..., object] = lambda **how: None
        self.open_painting: Callable[[Stack, Recipe], object] = lambda stack, recipe: None
        self._gate: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        super().__init__(session)

    def _take(self, session: Session) -> None:
        super()._take(session)
        self.painting: Painting = session.data
        # Known for as long as the session keeps the snapshot.
        self._read: WeakKeyDictionary[Snapshot, Regions] = WeakKeyDictionary()
        self._undecided: WeakKeyDictionary[Snapshot, int] = WeakKeyDictionary()
        self._measured: WeakKeyDictionary[Snapshot, tuple[tuple[str, ...], pd.DataFrame]] = WeakKeyDictionary()
        self._known: WeakKeyDictionary[Snapshot, tuple[Recipe, Posed | None]] = WeakKeyDictionary()
        self.region = 1
        self.slice = 0
        self.places: list[tuple[int, int]] = []
        recipe = self.recipe
        self.slice = min(recipe.options.slice, len(self.painting.stack) - 1)
        self.window = self.picture.window or self.painting.stack.contrast
        self.objects = recipe.options.objects if recipe.strokes else suiting_objects(self.picture)
        self.learn: bool | str = recipe.options.learn if recipe.strokes else "auto"
        self.regions: tuple[str, ...] = recipe.regions
        if is_looping():  # so that the first stroke need not wait
            options = replace(recipe.options, objects=self.objects, slice=self.slice, learn=self.learn)
            self._tasks.start(in_thread(self.painting.prepare, options))

    # ------------------------------------------------------------------ looking

    @property
    def picture(self) -> Picture:
        """The slice that is looked at."""
        return self.painting.stack[self.slice]

    @property
    def n_slices(self) -> int:
        """How many slices there are."""
        return len(self.painting.stack)

    @property
    def recipe(self) -> Recipe:
        """What is painted, at the current snapshot."""
        return self.recipe_at(self.session.current)

    def recipe_at(self, snapshot: Snapshot) -> Recipe:
        """What was painted when the solver stood there."""
        return self._meaning(snapshot)[0]

    def posed_at(self, snapshot: Snapshot) -> Posed | None:
        """The problem of a snapshot with what it means; None where nothing was painted."""
        return self._meaning(snapshot)[1]

    def _meaning(self, snapshot: Snapshot | None) -> tuple[Recipe, Posed | None]:
        """The recipe that led to a snapshot, and its problem; worked out once for all steps that follow."""
        snapshot = _posed(snapshot)
        if snapshot is None:
            return Recipe(regions=self._given_regions or suiting_regions(self.picture)), None
        if snapshot not in self._known:
            recipe = snapshot.recipe
            self._known[snapshot] = recipe, None if self.painting.is_blank(recipe) else self.painting.pose(recipe)
        return self._known[snapshot]

    def regions_at(self, snapshot: Snapshot) -> Regions | None:
        """The picture in regions, as the solver saw it then; None before two regions have paint."""
        if snapshot not in self._read:
            posed = self.posed_at(snapshot)
            if posed is None or len(posed.palette.painted) < 2:
                return None
            self._read[snapshot] = found = Regions.of(posed, snapshot.partition)
            lost = posed.picture.invalid
            self._undecided[snapshot] = int((found.undecided if lost is None else found.undecided & ~lost).sum())
            while len(self._read) > _KEPT:
                del self._read[next(iter(self._read))]
        return self._read[snapshot]

    def undecided_at(self, snapshot: Snapshot) -> int | None:
        """How many pixels were undecided, where that is known already."""
        return self._undecided.get(snapshot)

    def table_at(self, snapshot: Snapshot) -> pd.DataFrame:
        """One row a region, and others for pixels that are in none."""
        names, frame = self._measured.get(snapshot, (None, None))
        if frame is None or names != self.regions:
            posed = self.posed_at(snapshot)
            picture = self.picture if posed is None else posed.picture
            regions = self.regions_at(snapshot) or Regions.nowhere(picture.shape)
            frame = measure_all(picture, regions, posed, self.regions)
            self._measured[snapshot] = self.regions, frame
        return frame

    # ------------------------------------------------------------------ gestures

    def mark(self, places: list[tuple[int, int]]) -> None:
        """Say which places are asked about."""
        if places != self.places:
            self.places = places
            self.marked.emit()

    def choose(self, region: int) -> None:
        """Paint this region from now on."""
        if 0 <= region <= len(self.regions):
            self.region = region
            self.chosen.emit()

    def add_region(self) -> None:
        """One more region, to be painted next."""
        if len(self.regions) >= MOST_REGIONS:
            self.tell(Notice("info", f"There are {MOST_REGIONS} regions at most"))
            return
        self.regions = (*self.regions, f"Region {len(self.regions) + 1}")
        self.choose(len(self.regions))

    def remove_region(self, region: int) -> None:
        """One region less, with its paint; those after it move up."""
        if len(self.regions) <= 2:
            self.tell(Notice("info", "There are two regions at least"))
            return
        recipe = replace(self.recipe, regions=self.regions).without_region(region)
        self.regions = recipe.regions
        self.choose(min(self.region, len(self.regions)) or 1)
        self.develop(recipe)

    def go_to(self, place: int) -> None:
        """Look at another slice; what is painted on others holds there, too."""
        place = int(np.clip(place, 0, self.n_slices - 1))
        if place == self.slice:
            return
        self.slice = place
        self.looked.emit()
        if not self.painting.is_blank(self.recipe):
            self._change(SetOptions, after=PATIENCE)

    def look_through(self, window: tuple[float, float]) -> None:
        """Show other values from black to white."""
        self.window = window
        self.looked.emit()

    def rename(self, region: int, name: str) -> None:
        """Give a region another name."""
        name = " ".join(name.split())[:40] or f"Region {region}"
        names = list(self.regions)
        names[region - 1] = name
        self.regions = tuple(names)
        self.chosen.emit()

    def paint(self, stroke: Stroke) -> None:
        """One more stroke, on the slice that is looked at."""
        self._change(partial(Paint, replace(stroke, slice=self.slice).to_json()))

    def settle(self, samples: tuple[int, ...], stroke: Stroke) -> None:
        """Answer a question by a stroke; undone as one."""
        self._change(partial(Paint, replace(stroke, slice=self.slice).to_json(), settles=list(samples)))

    def forget(self, stroke_id: int) -> None:
        """Forget a stroke, by its id in the recipe."""
        self._change(partial(Forget, stroke_id))

    def set_objects(self, objects: str) -> None:
        """Cluster other objects."""
        self.objects = objects
        self._change(SetOptions)

    def set_learning(self, learn: bool | str, maps: tuple[str, ...] = ()) -> None:
        """Learn from the paint, by some kinds of filters or by all; or go by values."""
        self.learn = learn
        self.set_options(maps=maps)

    def set_options(self, **options: Any) -> None:
        """Paint on with other options."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
        self._change(lambda *, options, **more: SetOptions(options={**plain, **options}, **more))

    def develop(self, recipe: Recipe) -> None:
        """Let the solver work on this, from the start."""

        def pose(*, options: dict[str, Any], regions: list[str] | None, run: int) -> Posing:
            return Pose(recipe.with_options(options).with_regions(regions).to_json(), run=run)

        self._change(pose)

    def undo(self) -> None:
        """Take the last stroke back, also one that the session is about to hear of."""
        self._go(self.session.undo)

    def redo(self) -> None:
        """Paint again what was taken back last."""
        self._go(self.session.redo)

    # ------------------------------------------------------------------ one after the other

    @property
    def _posing(self) -> asyncio.Lock:
        """Who changes what is painted waits here: changes come fast, and each builds on the one before."""
        loop = asyncio.get_running_loop()
        if self._gate is None or self._gate[0] is not loop:
            self._gate = loop, asyncio.Lock()
        return self._gate[1]

    async def _at_rest(self, session: Session) -> None:
        """End the run that is under way."""
        session.pause()
        while session.running:
            await asyncio.sleep(0.002)

    def _go(self, verb: Callable[[], Snapshot]) -> None:
        self._turn += 1
        self._tasks.start(self._gone(verb, self._turn))

    async def _gone(self, verb: Callable[[], Snapshot], turn: int) -> None:
        async with self._posing:
            await self._at_rest(self.session)
            if turn == self._turn:
                self.developing = False  # what was under way has been left
            self.attempt(verb)

    def _change(self, command: Callable[..., Posing], after: float = 0) -> None:
        """Let the solver work on what is painted after a command: called with options, names and a run.

        One that waits is dropped if another comes meanwhile.
        """
        self._turn += 1
        self._tasks.start(self._develop(command, self._turn, after))

    def _new_names(self) -> list[str] | None:
        """The names of the regions, where the session does not know them yet."""
        recipe = self.session.current.recipe
        return None if recipe is not None and recipe.regions == self.regions else list(self.regions)

    async def _develop(self, command: Callable[..., Posing], turn: int, after: float) -> None:
        """Every change is posed, so that it can be undone; all that follows only if no other has come meanwhile."""
        session = self.session

        def goes_on() -> bool:
            return turn == self._turn and session is self.session

        if after:
            await asyncio.sleep(after)
            if not goes_on():
                return
        try:
            self.developing = True
            async with self._posing:
                await self._at_rest(session)
                stage, number = None, session.new_run()
                # Superpixels are quick; pixels come after.
                kinds = ["superpixels", "pixels"] if self.objects == "pixels" else [self.objects]
                if not self.run_after:  # by hand, from the start: pixels would begin where superpixels have ended
                    kinds = kinds[:1]
                while stage is None:  # anew where someone went elsewhere in time meanwhile
                    if session is not self.session:
                        return
                    options = {"objects": kinds[0]} | ({"slice": self.slice} if self.n_slices > 1 else {})
                    if self.recipe.options.learn != self.learn:
                        options["learn"] = self.learn
                    stage = await session.apose(command(options=options, regions=self._new_names(), run=number))
            # Asked once: while the next stage is made in its thread, who asks the painting waits, and the page with it.
            if len(self.painting.painted_regions(stage.recipe)) < 2:
                return
            for kind in kinds:
                if stage is None or not goes_on():
                    return
                staged = stage.recipe.with_options({"objects": kind})
                if kind != kinds[0]:
                    async with self._posing:
                        if not goes_on() or _posed(session.current) is not stage:
                            return
                        stage = await session.apose(SetOptions(options={"objects": kind}, run=number))
                elif len(kinds) > 1:
                    following = stage.recipe.with_options({"objects": kinds[1]})
                    self._tasks.start(in_thread(self._prepare, following, turn))
                if self.run_after and not await run(self, pace=self.pace, number=number):
                    return
        except Exception as error:
            self.developing = False
            self.tell_of(error)
            self.stopped.emit(session.current)
            return
        finally:
            self.developing = self.developing and turn != self._turn
        if goes_on():
            self._tell_of(self.painting.pose(staged))
            self.developed.emit()

    def _prepare(self, recipe: Recipe, turn: int) -> None:
        """Work out what the next stage needs while this one is drawn."""
        if turn == self._turn:
            with suppress(Exception):  # told of when its turn comes
                self.painting.pose(recipe)

    def _tell_of(self, posed: Posed) -> None:
        """What a person should know of the problem; at the end, since a step wipes away what was told before."""
        for note in (*posed.notes, posed.solver.explain_ignored(posed.problem)):
            if note:
                self.tell(Notice("warning", sentence(note)))

    def close(self) -> None:
        """Stop what is under way."""
        self._turn += 1
        self._tasks.cancel()


def _posed(snapshot: Snapshot | None) -> Snapshot | None:
    """Where the problem of a snapshot was posed; None where nothing was painted."""
    back = () if snapshot is None else snapshot.back()
    return next((earlier for earlier in back if earlier.command.poses), None)
