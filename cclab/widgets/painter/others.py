"""What was painted, applied to the other slices or to files: a bar while it works, then a list, doubtful ones first."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator
from functools import partial

import ipywidgets as widgets

from cclab.export.files import File
from cclab.export.masks import contact_sheet, masks_zip, png, thumbnail
from cclab.images import Applied, Failed, Model, Picture, Stack, load_image, over_slices, table_of
from cclab.session import Snapshot
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, gauge, press, row, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.notices import Notice, in_words, sentence
from cclab.widgets.painter.canvas_panel import swatch
from cclab.widgets.painter.model import Easel
from cclab.widgets.watch import Part

SIDE = 56
#: How much the slices beside one count against its own, where they are tied.
ACROSS = 0.5


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
        self.results: list[Applied | Failed] = []
        self._pictures: list[Picture | Failed] = []
        self._to_slices = False
        self._kept: list[Picture | Failed] = []  # what is still to be applied to once another file is painted on
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
            ("Masks", "Label images at the size of the files, and the table (ZIP)", self.masks),
            ("Table", "One row for each region of each picture (CSV)", self.table),
            ("Sheet", "All pictures on one sheet (PNG)", self.sheet),
        )
        made = [button(name, partial(self._hand_out, make), icon="export", hint=hint) for name, hint, make in exports]
        self._exports = row(*made, css="cc-tools")
        tools = row(self.slices_button, self.across_button, self.files_button, self.folder_button, css="cc-tools")
        body = column(tools, self.progress, self._rows, self._exports)
        self.widget = gauge(self.title, body, note=self.note)
        self.listen(desk.developed, self._again)
        self.start()

    # ------------------------------------------------------------------ applying

    def apply_to_slices(self) -> None:
        """Apply the paint to every slice of the stack."""
        self._to_slices, self._pictures = True, []
        self._begin()

    def _toggle_across(self) -> None:
        self.desk.set_options(across=0.0 if self.desk.recipe.options.across else ACROSS)

    def take_files(self, name: str, content: bytes) -> None:
        """Apply the paint to one more file."""
        if self._to_slices:
            self._to_slices, self._pictures = False, []
        try:
            self._pictures.append(load_image(content, filename=name))
        except (ValueError, ImportError) as error:
            self._pictures.append(Failed(name, sentence(in_words(error))))
        self._begin()

    def _again(self) -> None:
        """What is painted has changed: so has what it makes of all others."""
        if self.results and (self._to_slices or self._pictures):
            self._begin()

    def _begin(self) -> None:
        desk = self.desk
        if len(desk.painting.painted_regions(desk.recipe)) < 2:
            desk.tell(Notice("info", "Paint a stroke in each of two regions first"))
            return
        self._turn += 1
        self._tasks.start(self._apply(self._turn))

    async def _apply(self, turn: int) -> None:
        """One after the other, off the loop; another start ends this one."""
        desk, recipe, painting = self.desk, self.desk.recipe.with_regions(self.desk.regions), self.desk.painting
        recipe = recipe.with_options({"objects": desk.objects})
        try:
            work: Iterator[Applied | Failed]
            if self._to_slices:
                total, work = len(painting.stack), over_slices(painting, recipe)
            else:
                model = await asyncio.to_thread(painting.model, recipe)
                pictures = list(self._pictures)
                total, work = len(pictures), (_one(model, picture) for picture in pictures)
            results: list[Applied | Failed] = []
            self.progress.max = total
            while len(results) < total:
                self.progress.value = len(results)
                self._show_progress(len(results), total)
                results.append(await asyncio.to_thread(next, work))
                if turn != self._turn or desk.session is not self._session:
                    return
        except Exception as error:
            desk.tell_of(error)
            self._show_progress(0, 0)
            return
        self.results = results
        self._show_progress(0, 0)
        self._show()

    # ------------------------------------------------------------------ showing

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        if self.desk.session is not self._session:
            self._session, self.results, self._to_slices = self.desk.session, [], False
            self._pictures, self._kept = self._kept, []
        self._show()

    def _show_progress(self, done: int, total: int) -> None:
        self.progress.layout.display = "" if total else "none"
        if total:
            self.note.value = f"{done} of {total}"

    def _show(self) -> None:
        for made in (self.slices_button, self.across_button):
            made.layout.display = "" if self.desk.n_slices > 1 else "none"
        press(self.across_button, bool(self.desk.recipe.options.across))
        self._exports.layout.display = "" if self.results else "none"
        if not self.results:
            self._show_progress(0, 0)
            self.note.value = ""
            self._rows.show([])
            return
        failed = sum(isinstance(one, Failed) for one in self.results)
        self.note.value = f"{len(self.results):,} pictures" + (f", {failed} not read" if failed else "")
        order = sorted(range(len(self.results)), key=lambda k: -getattr(self.results[k], "doubtful", 2.0))
        self._rows.show((k, self._row(k, self.results[k])) for k in order)

    def _row(self, place: int, one: Applied | Failed) -> Html:
        if isinstance(one, Failed):
            return tag("div", tag("b", one.name), tag("span", one.why, class_="cc-faint"), class_="cc-other cc-failed")
        small = base64.b64encode(png(thumbnail(one, side=SIDE))).decode()
        shares = [
            tag("span", swatch(region), f" {100 * (one.labels == region).mean():.1f} %", class_="cc-share")
            for region in range(1, len(one.regions) + 1)
        ]
        image = tag("img", src=f"data:image/png;base64,{small}", alt=f"{one.picture.name} with its regions")
        words = tag("span", tag("b", one.picture.name), tag("span", shares), class_="cc-words")
        doubt = tag("span", f"doubt {100 * one.doubtful:.0f} %", class_="cc-faint cc-push")
        hint = "Go to this slice" if self._to_slices else "Paint on this picture, too"
        about = {"data_action": "go", "data_id": place, "tabindex": 0, "role": "button", "title": hint}
        return tag("div", image, words, doubt, class_="cc-other", **about)

    def _act(self, action: Action) -> None:
        place = int(action.id)
        if self._to_slices:
            self.desk.go_to(place)
        else:
            self.paint_on(place)

    def paint_on(self, place: int) -> None:
        """Paint on one of the files as well: it becomes a further slice, with all that is painted; others stay here."""
        picture = self._pictures[place]
        stack = None if isinstance(picture, Failed) else self.desk.attempt(joined, self.desk.painting.stack, picture)
        if stack is None:
            return
        self._kept = self._pictures[:place] + self._pictures[place + 1 :]
        recipe = self.desk.recipe.with_regions(self.desk.regions).with_options({"slice": len(stack) - 1})
        self.desk.open_painting(stack, recipe)

    # ------------------------------------------------------------------ taking out

    def masks(self, _desk: Easel) -> File:
        """All masks, and the table."""
        return masks_zip(self._stem, self.results, self.desk.painting.stack if self._to_slices else None)

    def table(self, _desk: Easel) -> File:
        """One row for each region of each picture."""
        return File(f"{self._stem}-all.csv", table_of(self.results).to_csv(index=False).encode(), "text/csv")

    def sheet(self, _desk: Easel) -> File:
        """All pictures on one sheet."""
        return contact_sheet(self._stem, self.results)

    def _hand_out(self, make: Callable[[Easel], File]) -> None:
        self.desk.hand_out(make)

    @property
    def _stem(self) -> str:
        return "".join(c if c.isalnum() or c in "-_" else "_" for c in self.desk.painting.name) or "picture"

    def close(self) -> None:
        self._turn += 1
        self._tasks.cancel()
        super().close()


def joined(stack: Stack, picture: Picture) -> Stack:
    """A stack with one more picture."""
    return Stack.of([*stack, picture], axis="file", name=stack.name)


def _one(model: Model, picture: Picture | Failed) -> Applied | Failed:
    if isinstance(picture, Failed):
        return picture
    try:
        return model.apply(picture)
    except ValueError as error:
        return Failed(picture.name, str(error))
