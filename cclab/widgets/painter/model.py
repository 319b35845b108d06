"""What all views of the painter share: a session whose problems follow from the paint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from psygnal import Signal

from cclab.images import Painting, Picture, Posed, Recipe, Regions, Stroke
from cclab.images.regions import measure
from cclab.images.tables import blank_solver, painting_of, poser_of, to_dataset
from cclab.session import Session, Snapshot
from cclab.widgets.desk import Desk, in_words, sentence
from cclab.widgets.running import Pace, run
from cclab.widgets.tasks import Tasks, is_looping

#: In a larger picture superpixels are what is clustered unless someone asks for pixels.
MOST_PIXELS = 300_000
MOST_REGIONS = 9
_KEPT = 32


def session_on(picture: Picture) -> Session:
    """A new session on a picture."""
    data = to_dataset(picture)
    return Session(data, blank_solver(), poser=poser_of(data))


class Easel(Desk):
    """A desk with a picture on it.

    Parameters
    ----------
    session : Session
        Made by `session_on`, or opened with `poser_of` its data.
    regions : sequence of str, optional
        Names of the regions before anything is painted; default: names that suit the picture.

    Attributes
    ----------
    painting : Painting
    region : int
        The region that is painted now; 0 is "don't know".
    objects : {"pixels", "superpixels", "values"}
        What is to be clustered; pixels come after superpixels, which are quick.
    run_after : bool
        Whether the solver runs after each stroke.
    pace : coroutine function or None
        Awaited after each step of such a run.
    places : list of (row, column)
        What is asked about now.
    chosen : Signal
        The region that is painted, or the list of regions, has changed.
    marked : Signal
        Other places are asked about.
    """

    chosen = Signal()
    marked = Signal()

    def __init__(self, session: Session, regions: tuple[str, ...] | None = None) -> None:
        self._given_regions = regions
        self.run_after = True
        self.pace: Pace | None = None
        self._tasks = Tasks()
        self._turn = 0
        self._gate: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        super().__init__(session)

    def _take(self, session: Session) -> None:
        super()._take(session)
        self.painting: Painting = painting_of(session.data)
        # Known for as long as the session keeps the snapshot.
        self._read: WeakKeyDictionary[Snapshot, Regions] = WeakKeyDictionary()
        self._undecided: WeakKeyDictionary[Snapshot, int] = WeakKeyDictionary()
        self._measured: WeakKeyDictionary[Snapshot, tuple[tuple[str, ...], pd.DataFrame]] = WeakKeyDictionary()
        self._known: WeakKeyDictionary[Snapshot, tuple[Recipe, Posed | None]] = WeakKeyDictionary()
        self.region = 1
        self.places: list[tuple[int, int]] = []
        recipe = self.recipe
        self.objects = recipe.options.objects if recipe.strokes else self._suiting_objects()
        self.regions: tuple[str, ...] = recipe.regions
        if is_looping():  # so that the first stroke need not wait
            options = replace(recipe.options, objects=self.objects)
            self._tasks.start(asyncio.to_thread(self.painting.prepare, options))

    def _suiting_objects(self) -> str:
        height, width = self.picture.shape
        return "pixels" if height * width <= MOST_PIXELS else "superpixels"

    # ------------------------------------------------------------------ looking

    @property
    def picture(self) -> Picture:
        return self.painting.picture

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
            recipe = Recipe.from_json(snapshot.command["recipe"])
            self._known[snapshot] = recipe, None if self.painting.is_blank(recipe) else self.painting.pose(recipe)
        return self._known[snapshot]

    def regions_at(self, snapshot: Snapshot) -> Regions | None:
        """The picture in regions, as the solver saw it then."""
        if snapshot not in self._read:
            posed = self.posed_at(snapshot)
            if posed is None:
                return None
            self._read[snapshot] = found = Regions.of(posed, snapshot.partition)
            self._undecided[snapshot] = int(found.undecided.sum())
            while len(self._read) > _KEPT:
                del self._read[next(iter(self._read))]
        return self._read[snapshot]

    def undecided_at(self, snapshot: Snapshot) -> int | None:
        """How many pixels were undecided, where that is known already."""
        return self._undecided.get(snapshot)

    def table_at(self, snapshot: Snapshot) -> pd.DataFrame:
        """One row a region, and one for the undecided pixels."""
        names, frame = self._measured.get(snapshot, (None, None))
        if frame is None or names != self.regions:
            regions = self.regions_at(snapshot) or Regions.nowhere(self.picture.shape)
            frame = measure(self.picture, regions, self.posed_at(snapshot), self.regions)
            n = int(regions.undecided.sum())
            undecided = {"region": "Undecided", "strokes": 0, "pixels": n, "area": n / regions.undecided.size}
            frame = pd.concat([frame, pd.DataFrame([undecided])], ignore_index=True)
            self._measured[snapshot] = self.regions, frame
        return frame

    def place_of(self, posed: Posed, sample: int) -> tuple[int, int]:
        """Row and column of the pixel in the middle of an object."""
        return self.middle_of(np.flatnonzero(posed.objects.labels_of_pixels == sample))

    def middle_of(self, pixels: np.ndarray) -> tuple[int, int]:
        """Row and column of the one of some pixels (flat indices) that is nearest to their middle."""
        rows, columns = np.divmod(pixels, self.picture.shape[1])
        nearest = np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2)
        return int(rows[nearest]), int(columns[nearest])

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
            self.tell("info", f"There are {MOST_REGIONS} regions at most")
            return
        self.regions = (*self.regions, f"Region {len(self.regions) + 1}")
        self.choose(len(self.regions))

    def rename(self, region: int, name: str) -> None:
        """Give a region another name."""
        name = " ".join(name.split())[:40] or f"Region {region}"
        names = list(self.regions)
        names[region - 1] = name
        self.regions = tuple(names)
        self.chosen.emit()

    def paint(self, stroke: Stroke) -> None:
        """One more stroke."""
        self._change(lambda recipe: replace(recipe, strokes=(*recipe.strokes, stroke)))

    def without(self, number: int) -> None:
        """Forget a stroke."""
        self._change(lambda recipe: replace(recipe, strokes=recipe.strokes[:number] + recipe.strokes[number + 1 :]))

    def set_objects(self, objects: str) -> None:
        """Cluster other objects."""
        self.objects = objects
        self._change(lambda recipe: recipe)

    def set_options(self, **options: Any) -> None:
        """Paint on with other options."""
        self._change(lambda recipe: replace(recipe, options=replace(recipe.options, **options)))

    def develop(self, recipe: Recipe) -> None:
        """Let the solver work on this, from the start."""
        self._change(lambda _: recipe)

    def undo(self) -> None:
        """Take the last stroke back, also one that the session is about to hear of."""
        self._turn += 1
        self._tasks.start(self._go(self.session.undo))

    def redo(self) -> None:
        """Paint again what was taken back last."""
        self._turn += 1
        self._tasks.start(self._go(self.session.redo))

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

    async def _go(self, verb: Callable[[], Snapshot]) -> None:
        async with self._posing:
            await self._at_rest(self.session)
            self.attempt(verb)

    def _change(self, change: Callable[[Recipe], Recipe]) -> None:
        """Let the solver work on what is painted after a change."""
        self._turn += 1
        self._tasks.start(self._develop(change, self._turn))

    def _stages(self, recipe: Recipe) -> list[Recipe]:
        """Superpixels first, pixels after."""
        kinds = ["superpixels", "pixels"] if self.objects == "pixels" else [self.objects]
        return [replace(recipe, options=replace(recipe.options, objects=kind)) for kind in kinds]

    async def _develop(self, change: Callable[[Recipe], Recipe], turn: int) -> None:
        """Every change is posed, so that it can be undone; all that follows only if no other has come meanwhile."""
        session = self.session

        def goes_on() -> bool:
            return turn == self._turn and session is self.session

        try:
            async with self._posing:
                await self._at_rest(session)
                stage, number = None, session.new_run()
                while stage is None:  # anew where someone went elsewhere in time meanwhile
                    if session is not self.session:
                        return
                    first, *following = self._stages(replace(change(self.recipe), regions=self.regions))
                    stage = await session.apose(first.to_json(), run=number)
            for staged in [first, *following]:
                if not goes_on() or self.painting.is_blank(staged):
                    return
                if staged is not first:
                    async with self._posing:
                        if not goes_on() or _posed(session.current) is not stage:
                            return
                        stage = await session.apose(staged.to_json(), run=number)
                elif following:
                    self._tasks.start(asyncio.to_thread(self._prepare, following[0], turn))
                if self.run_after and not await run(self, pace=self.pace, number=number):
                    return
        except Exception as error:
            self.tell("bad", in_words(error))
            return
        if goes_on():
            self._tell_of(self.painting.pose(staged))

    def _prepare(self, recipe: Recipe, turn: int) -> None:
        """Work out what the next stage needs while this one is drawn."""
        if turn == self._turn:
            with suppress(Exception):  # told of when its turn comes
                self.painting.pose(recipe)

    def _tell_of(self, posed: Posed) -> None:
        """What a person should know of the problem; at the end, since a step wipes away what was told before."""
        for note in (*posed.notes, posed.solver.explain_ignored(posed.problem)):
            if note:
                self.tell("warning", sentence(note))

    def close(self) -> None:
        """Stop what is under way."""
        self._turn += 1
        self._tasks.cancel()


def suiting_regions(picture: Picture) -> tuple[str, ...]:
    """Names of the regions to begin with."""
    return ("Lesion", "Rest") if "lesion" in picture.truth_names else ("Region 1", "Region 2")


def _posed(snapshot: Snapshot | None) -> Snapshot | None:
    """Where the problem of a snapshot was posed; None where nothing was painted."""
    while snapshot is not None and snapshot.command["verb"] != "pose":
        snapshot = snapshot.previous
    return snapshot
