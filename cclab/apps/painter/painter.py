"""The painter: say it with a brush. Two strokes on a scan, and the lesion stands out."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps import exports, painted
from cclab.apps.bar import OPEN_FILE, Bar, _fill, _title
from cclab.apps.keeping import slot_of
from cclab.apps.keys import KeySheet
from cclab.apps.page import Page
from cclab.core.registry import solvers
from cclab.images import Picture, image_names, load_image
from cclab.images.tables import poser_of
from cclab.session import Session, Snapshot
from cclab.session.journal import Journal
from cclab.session.packing import unpack_dataset
from cclab.widgets.banner import Banner
from cclab.widgets.drawer import Drawer
from cclab.widgets.easel import Easel, Paint, PaintStatus, Places, RegionTable, StrokeList, Undecided
from cclab.widgets.easel.easel import session_on, suiting_regions
from cclab.widgets.layout import column, row, with_classes
from cclab.widgets.stepper import Stepper
from cclab.widgets.watch import Objective, Watch

ENDINGS = ".png,.jpg,.jpeg,.tif,.tiff,.bmp,.gif,.webp,.json"
OBJECTS = {"Pixels": "pixels", "Superpixels": "superpixels", "Distinct values": "values"}
TITLES = {"mr_t1": "MR T1", "mr_t2like": "MR T2-like"}
RUNS = {"After each stroke": True, "By hand": False}
KEYS = {
    "B E G": "brush, eraser, polygon",
    "1 … 9": "region to paint",
    "0": "don’t know",
    "[ ]": "smaller, larger brush",
    "O": "hold to see the original",
    "H F": "hand, fit",
    "→ ←": "step, back",
    "Home End": "first, last",
    "Space": "run or pause",
    "S D X": "same, different, don’t know",
    "Ctrl+Z": "undo",
    "Ctrl+Shift+Z": "redo",
    "Ctrl+S": "save",
    "P": "parameters",
    "Esc": "close",
    "?": "this list",
}


def painter(
    image: Any = None,
    *,
    truth: Any = None,
    regions: tuple[str, ...] | None = None,
    journal: str | Path | None = None,
    height: int | None = None,
) -> Painter:
    """The painter, to be shown in a notebook or served as a page.

    Parameters
    ----------
    image : str, path, bytes, array or Picture, optional
        Anything that `load_image` takes; default: the phantom, or the session that this browser has left here.
    truth : int array, path or bytes, optional
        The true region of each pixel: Dice and errors are then shown.
    regions : tuple of str, optional
        Names of the regions to begin with.
    journal : path, optional
        A folder to keep the session in. By default it is kept for the visitor's browser.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = painter("phantom")
    >>> page.desk.picture
    <Picture phantom: 217 x 181, 8-bit grey; truth: background, tissue, fluid, lesion>
    >>> page.close()
    """
    picture = load_image("phantom" if image is None else image, truth=truth)
    slot = "page" if image is None else slot_of(picture.name, picture.shape, regions or suiting_regions(picture))
    return Painter(picture, regions=regions, slot=slot, journal=journal, height=height)


def open_journal(folder: Path) -> Session:
    """The session of a painter whose journal is in a folder."""
    data, _ = Journal(folder).read()
    return Session.open(folder, poser=poser_of(data))


class Painter(Page):
    """The page that `painter` makes."""

    open_journal = staticmethod(open_journal)
    desk: Easel

    def __init__(
        self,
        picture: Picture,
        *,
        regions: tuple[str, ...] | None = None,
        slot: str = "page",
        journal: str | Path | None = None,
        height: int | None = None,
    ) -> None:
        self.desk_on = partial(Easel, regions=regions)
        super().__init__("painter", "cclab painter", session_on(picture), slot=slot, journal=journal)
        self.shell.accept = ENDINGS
        desk, pace = self.desk, self.shell.ready
        desk.pace = pace
        self.drawer = self.add(PaintDrawer(desk))
        self.key_sheet = KeySheet(KEYS)
        self.bar = self.add(
            PaintBar(
                desk,
                self.shell,
                data_names=tuple(image_names()),
                on_data=self.open_data,
                on_solver=self.switch_solver,
                on_parameters=self.drawer.toggle,
                on_save=self.save,
                exports={
                    "Label image (PNG)": partial(self.take_out, painted.labels_png),
                    "Mask of the region (PNG)": partial(self.take_out, painted.mask_png),
                    "Overlay figure (PNG)": partial(self.take_out, self._overlay),
                    "Table of regions (CSV)": partial(self.take_out, painted.table_csv),
                    "Session (JSON)": self.save,
                    "Python code": partial(self.take_out, painted.code),
                },
                on_help=self.key_sheet.toggle,
            )
        )
        self.banner = self.add(Banner(desk))
        self.paint = self.add(Paint(desk, over=(self.banner.widget,)))
        self.stepper = self.add(Stepper(desk, pace))
        runs = widgets.Dropdown(description="run", options=list(RUNS), value="After each stroke")
        runs.observe(lambda change: setattr(desk, "run_after", RUNS[change["new"]]), "value")
        runs.layout.width = "auto"
        self.stepper.widget.children = (*self.stepper.widget.children[:-1], with_classes(runs, "cc-plain cc-wide"))
        self.regions = self.add(RegionTable(desk, on_export=partial(self.take_out, painted.table_csv)))
        self.queries = self.add(Places(desk, pace=pace))
        self.watch = self.add(Watch(desk, {"Belief": (Undecided, Objective), "Strokes": (StrokeList,)}))
        self.status = self.add(PaintStatus(desk))
        left = column(self.paint.widget, self.stepper.widget, css="cc-column cc-left")
        right = column(self.regions.widget, self.queries.widget, self.watch.widget, css="cc-column cc-right")
        body = row(left, right, css="cc-body")
        floating = (self.drawer.widget, self.bar.menu.widget, self.key_sheet.widget)
        self.show(self.bar.widget, body, self.status.widget, *floating, height=height)
        self.bind_keys(
            *(self.paint, self.stepper, self.queries, self.bar),
            own={"?": self.key_sheet.toggle},
            floating=(self.key_sheet, self.bar.menu, self.drawer, self.banner),
        )
        self.shell.bind("o", partial(self.paint.show_original, True), partial(self.paint.show_original, False))
        self.tell_of_data(*picture.notes)

    # ------------------------------------------------------------------ opening

    def open_data(self, name: str) -> None:
        """Open a picture by name."""
        self._tasks.start(self._open_with(lambda: session_on(load_image(name))))

    async def _take_file(self, name: str, content: bytes) -> None:
        await self._open_with(lambda: read_file(name, content))

    def switch_solver(self, name: str) -> None:
        """Let another solver work on the same paint."""
        self.desk.set_options(solver=name, parameters={})

    # ------------------------------------------------------------------ taking out

    def take_out(self, make) -> None:
        """Let the browser save a file."""
        file = self.desk.attempt(make, self.desk)
        if file is not None:
            self.shell.download(file.name, file.data, file.media_type)

    def _overlay(self, desk: Easel) -> exports.File:
        return painted.overlay_png(desk, opacity=self.paint.opacity.value, dark=self.shell.theme == "dark")

    def close(self) -> None:
        self.desk.close()
        super().close()


class PaintBar(Bar):
    """The bar with a choice of what is clustered, and the solvers that can be told by paint."""

    desk: Easel

    def __init__(self, desk: Easel, *args: Any, **options: Any) -> None:
        self.objects = with_classes(
            widgets.Dropdown(description="Objects", options=list(OBJECTS.items()), value=desk.objects), "cc-quiet-label"
        )
        self.objects.layout.width = "auto"
        super().__init__(desk, *args, **options)
        self.objects.observe(self._objects_chosen, "value")
        children = list(self.widget.children)
        children.insert(children.index(self.parameters_button) + 1, self.objects)
        self.widget.children = children
        self.open_button.tooltip = "Open a picture (PNG, JPEG, TIFF) or a saved session"

    def undo(self) -> None:
        """Take the last stroke back."""
        self.desk.undo()

    def redo(self) -> None:
        """Paint it again."""
        self.desk.redo()

    def _objects_chosen(self, change: dict) -> None:
        if not self._filling:
            self.desk.set_objects(change["new"])

    def _show_choices(self, snapshot: Snapshot) -> None:
        self._filling = True
        try:
            name = self.desk.picture.name
            others = [] if name in self._data_names else [(name, name)]
            named = [(TITLES.get(each, _title(each)), each) for each in self._data_names]
            _fill(self.data, [*others, *named, (OPEN_FILE, OPEN_FILE)], name)
            told = [each for each in solvers.names() if solvers.get(each).uses & {"labels", "must"}]
            _fill(self.solver, [(each, each) for each in told], self.desk.recipe_at(snapshot).options.solver)
            self.objects.value = self.desk.objects
        finally:
            self._filling = False


class PaintDrawer(Drawer):
    """Parameters of the solver; they hold for all strokes that follow."""

    desk: Easel

    def open(self) -> None:
        """Show the drawer, once there is something to set."""
        if self.desk.posed_at(self.desk.session.current) is None:
            self.desk.tell("info", "Paint something first")
        else:
            super().open()

    def apply(self) -> None:
        """Start anew with the values of the form."""
        if self.apply_button.disabled:
            return
        changed = {name: field.value for name, field in self.fields.items() if field.changed}
        self.desk.set_options(parameters={**self.desk.recipe.options.parameters, **changed})


def read_file(name: str, content: bytes) -> Session:
    """A session on a picture, or one that was saved; told apart by what is in the file."""
    if content.lstrip()[:1] != b"{":
        return session_on(load_image(content, name=Path(name).stem))
    try:
        document = json.loads(content)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is no session file: {error}") from None
    if not isinstance(document.get("data"), dict):
        raise ValueError(f"{name} is no session of the painter: it has no data")
    data = unpack_dataset(document["data"], name)
    session = Session.from_json(document, where=name, poser=poser_of(data))
    return session
