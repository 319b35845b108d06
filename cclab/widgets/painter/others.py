"""What was painted, applied to the other slices or to files: a bar while it works, then a list, doubtful ones first."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np

from cclab.export.files import File
from cclab.export.masks import contact_sheet, masks_zip, png, thumbnail
from cclab.images import Applied, Failed, Recipe, load_image, table_of
from cclab.session import Snapshot
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, dropdown, gauge, press, row, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.notices import Notice, in_words, sentence
from cclab.widgets.painter.canvas_panel import swatch
from cclab.widgets.painter.model import Easel
from cclab.widgets.painter.targets import Result, Targets
from cclab.widgets.watch import Part

SIDE = 56
#: How much the slices beside one count against its own, where they are tied.
ACROSS = 0.5
# In which order pictures are looked through.
DOUBTFUL, LEAST, AS_GIVEN = "Doubtful first", "Least of the region", "In order"


class Others(Part):
    """Applies the paint to all slices, or to files that the person chooses; painting on updates all of them.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel
    title = "Other pictures"

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self._targets = Targets()
        self.results: list[Result] = []  # in the order of the targets
        self._kept: tuple[Targets, list[Result]] | None = None  # for the session in which one more is painted on
        self._working = False
        self._applied: tuple[Any, ...] | None = None  # the paint that the results come from
        self._session = desk.session
        self._tasks = Tasks()
        self._turn = 0
        self.note = text()
        self.slices_button = button("All slices", self.apply_to_slices, look="outlined", hint="Apply to every slice")
        self.files_button = button(
            "Files …", lambda: desk.ask_for_files(), look="outlined", hint="Apply to pictures that you choose"
        )
        self.folder_button = button(
            "Folder …",
            lambda: desk.ask_for_files(folder=True),
            look="outlined",
            hint="Apply to a folder of pictures",
        )
        self.across_button = button(
            "Tie slices",
            self._toggle_across,
            look="outlined",
            hint="Let the slices before and after have a say in each",
        )
        self.progress = with_classes(widgets.IntProgress(0, 0, 1, layout={"width": "auto"}), "cc-applying")
        self._rows = with_classes(Rows(label="Pictures with their regions"), "cc-others")
        self._rows.on_action(self._act)
        exports = (
            ("Masks", "label images at the size of the files, and the table (ZIP)", self.masks),
            ("Table", "one row for each region of each picture (CSV)", self.table),
            ("Sheet", "all pictures on one sheet (PNG)", self.sheet),
        )
        made = [button(name, partial(self._hand_out, make), hint=f"Save {hint}") for name, hint, make in exports]
        clear = button(icon="close", hint="Clear this list", on_click=self.clear)
        self.sorting = with_classes(
            dropdown("Order", [(name, name) for name in (DOUBTFUL, LEAST, AS_GIVEN)], DOUBTFUL), "cc-plain cc-push"
        )
        self.sorting.observe(lambda _: self._show(), "value")
        self._exports = row(*made, self.sorting, clear, css="cc-tools cc-exports")
        stop = button("Stop", self.stop, hint="Leave it at those that are done")
        self._under_way = row(self.progress, stop, css="cc-tools cc-under-way")
        self._volumes = text(css="cc-note cc-volumes")
        tools = row(self.slices_button, self.across_button, self.files_button, self.folder_button, css="cc-tools")
        body = column(tools, self._under_way, self._exports, self._volumes, self._rows)
        self.widget = gauge(self.title, body, note=self.note)
        self.listen(desk.developed, self._again)
        self.listen(desk.chosen, lambda: self._show() if self.sorting.value == LEAST else None)
        self._show()
        self.start()

    # ------------------------------------------------------------------ applying

    def apply_to_slices(self) -> None:
        """Apply the paint to every slice of the stack."""
        self._targets = Targets.of_stack(self.desk.painting.stack)
        self._begin()

    def _toggle_across(self) -> None:
        self.desk.set_options(across=0.0 if self.desk.recipe.options.across else ACROSS)

    def take_files(self, name: str, content: bytes) -> None:
        """Apply the paint to one more file."""
        if self._targets.is_stack:
            self._targets, self._working = Targets(), False
        try:
            self._targets.add(load_image(content, filename=name), self.desk.painting)
        except (ValueError, ImportError) as error:
            self._targets.add(Failed(name, sentence(in_words(error))), self.desk.painting)
        if not self._working:  # else its turn comes
            self._begin()

    def clear(self) -> None:
        """Apply the paint to nothing any more."""
        self._turn += 1
        self._targets, self.results = Targets(), []
        self._rest()

    def stop(self) -> None:
        """Leave it at those that are done."""
        self._turn += 1
        self._rest()

    def _again(self) -> None:
        """What is painted has changed: so has what it makes of all others."""
        if (self.results or self._working) and self._paint() != self._applied:
            self._begin()

    def _recipe(self) -> Recipe:
        recipe = self.desk.recipe.with_regions(self.desk.regions)
        return recipe.with_options({"objects": self.desk.objects})

    def _paint(self) -> tuple[Any, ...]:
        """What the results depend on: not the slice that is looked at."""
        recipe = self._recipe().with_options({"slice": 0})
        return (*recipe.key, recipe.regions)

    def _begin(self) -> None:
        desk = self.desk
        if len(desk.painting.painted_regions(desk.recipe)) < 2:
            desk.tell(Notice("info", "Paint a stroke in each of two regions first"))
            return
        self._turn += 1
        self._tasks.start(self._apply(self._turn))

    async def _apply(self, turn: int) -> None:
        """One after the other, off the loop; another start ends this one, and files may still come in."""
        desk, targets = self.desk, self._targets
        self._working, self._applied = True, self._paint()
        results: list[Result] = []
        try:
            make = await asyncio.to_thread(targets.maker, desk.painting, self._recipe())
            while len(results) < len(targets.pictures):
                self._show_progress(len(results), len(targets.pictures))
                found = await asyncio.to_thread(make, len(results))
                if turn != self._turn or desk.session is not self._session:
                    return
                results.append(found)
                self.results = results
        except Exception as error:
            desk.tell_of(error)
        self._rest()

    def _rest(self) -> None:
        self._working = False
        self._show()

    # ------------------------------------------------------------------ showing

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        if self.desk.session is not self._session:
            self._turn += 1
            self._session, self._working = self.desk.session, False
            # What is painted on one of them goes on with all.
            (self._targets, self.results), self._kept = self._kept or (Targets(), []), None
            self._show()
        for made in (self.slices_button, self.across_button):
            made.layout.display = "" if self.desk.n_slices > 1 else "none"
        press(self.across_button, bool(self.desk.recipe.options.across))

    def _show_progress(self, done: int, total: int) -> None:
        self.progress.max, self.progress.value = max(total, 1), done
        self._under_way.layout.display = "" if total else "none"
        for part in (self._exports, self._volumes):
            part.layout.display = "" if self.results and not total else "none"
        if total:
            self.note.value = f"{done} of {total}"

    def _show(self) -> None:
        if self._working:
            return
        self._show_progress(0, 0)
        results = self.results
        failed = sum(isinstance(one, Failed) for one in results)
        what = "slices" if self._targets.is_stack else "pictures"
        whole, n = len(results) == len(self._targets.pictures), f"{len(results):,}"
        counted = f"{n if whole else f'{n} of {len(self._targets.pictures):,}'} {what}"
        self.note.value = counted + (f", {failed} not read" if failed else "") if results else ""
        self._volumes.value = tag("span", volumes(results) if whole else "")
        order = sorted(range(len(results)), key=lambda k: self._rank(results[k]))
        self._rows.show((k, self._row(k, results[k])) for k in order)

    def _rank(self, one: Result) -> float:
        """What can't be read comes first, then as is wanted."""
        if isinstance(one, Failed):
            return -np.inf
        if self.sorting.value == LEAST:
            return float((one.labels == max(self.desk.region, 1)).mean())
        return -one.doubtful if self.sorting.value == DOUBTFUL else 0.0

    def _row(self, place: int, one: Result) -> Html:
        if isinstance(one, Failed):
            return tag("div", tag("b", one.name), tag("span", one.why, class_="cc-faint"), class_="cc-other cc-failed")
        small = base64.b64encode(png(thumbnail(one, side=SIDE, window=self._window))).decode()
        shares = [
            tag("span", swatch(region), f" {100 * (one.labels == region).mean():.1f} %", class_="cc-share")
            for region in range(1, len(one.regions) + 1)
        ]
        image = tag("img", src=f"data:image/png;base64,{small}", alt=f"{one.called} with its regions")
        words = tag("span", tag("b", _capital(one.called)), tag("span", shares), class_="cc-words")
        doubt = tag("span", f"doubt {100 * one.doubtful:.0f} %", class_="cc-faint cc-push")
        hint = "Go to it" if place in self._targets.slices else "Paint on this picture, too"
        about = {"data_action": "go", "data_id": place, "tabindex": 0, "role": "button"}
        return tag("div", image, words, doubt, class_="cc-other", title=f"{one.picture.name}: {hint.lower()}", **about)

    def _act(self, action: Action) -> None:
        place = int(action.id)
        if place in self._targets.slices:
            self.desk.go_to(self._targets.slices[place])
        else:
            self.paint_on(place)

    def paint_on(self, place: int) -> None:
        """Paint on one of the files as well: it becomes a further slice, with all that is painted; others stay here."""
        picture = self._targets.pictures[place]
        if isinstance(picture, Failed):
            return
        stack = self.desk.attempt(self.desk.painting.stack.joined, picture)
        if stack is None:
            return
        self._kept = self._targets.painted_on(place, stack), self.results
        recipe = self.desk.recipe.with_regions(self.desk.regions).with_options({"slice": len(stack) - 1})
        self.desk.open_painting(stack, recipe)

    # ------------------------------------------------------------------ taking out

    def masks(self, _desk: Easel) -> File:
        """All masks, and the table."""
        return masks_zip(self._stem, self.results, self.desk.painting.stack if self._targets.is_stack else None)

    def table(self, _desk: Easel) -> File:
        """One row for each region of each picture."""
        return File(f"{self._stem}-all.csv", table_of(self.results).to_csv(index=False).encode(), "text/csv")

    def sheet(self, _desk: Easel) -> File:
        """All pictures on one sheet."""
        return contact_sheet(self._stem, self.results, window=self._window)

    def _hand_out(self, make: Callable[[Easel], File]) -> None:
        self.desk.hand_out(make)

    @property
    def _window(self) -> tuple[float, float] | None:
        """Slices are seen as on the canvas; each file as it wants."""
        return self.desk.window if self._targets.is_stack else None

    @property
    def _stem(self) -> str:
        return "".join(c if c.isalnum() or c in "-_" else "_" for c in self.desk.painting.name) or "picture"

    def close(self) -> None:
        self._turn += 1
        self._tasks.cancel()
        super().close()


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:] if name.startswith("slice ") else name


def volumes(results: Sequence[Result]) -> str:
    """How large each region is in all slices together, in words; nothing where their distance is not known."""
    slices = [one for one in results if isinstance(one, Applied) and one.thickness is not None]
    if not slices or len(slices) < len(results) or slices[0].picture.full.spacing is None:
        return ""
    rows, columns = slices[0].picture.full.spacing
    voxel, length = rows * columns * (slices[0].thickness or 0), slices[0].picture.length
    factor, unit = (0.001, "ml") if length == "mm" else (1.0, f"{length}³")
    totals = np.sum([np.bincount(one.whole.ravel(), minlength=len(one.regions) + 1) for one in slices], axis=0)
    return " · ".join(f"{name} {n * voxel * factor:,.4g} {unit}" for name, n in zip(slices[0].regions, totals[1:]))
