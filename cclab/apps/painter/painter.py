"""The painter: say it with a brush. Two strokes on a scan, and the lesion stands out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.page.key_sheet import KeySheet
from cclab.apps.page.page import Page
from cclab.apps.page.solver_menu import SolverMenu
from cclab.apps.page.top_bar import TopBar
from cclab.apps.page.visitor_store import slot_of
from cclab.apps.painter import exports as painted
from cclab.core.registry import solvers
from cclab.export import files as exports
from cclab.images import Painting, Picture, Recipe, Stack, image_names, load_image, load_stack
from cclab.images.batch import is_large
from cclab.images.reading import in_order, stack_of_files
from cclab.session import Moment, Session
from cclab.session.storage.serialize import read_json
from cclab.session.threads import in_thread
from cclab.widgets.kit.layout import column, dropdown, row, with_classes
from cclab.widgets.model.notices import Notice
from cclab.widgets.model.view import View
from cclab.widgets.notices.banner import Banner
from cclab.widgets.painter import (
    Easel,
    Others,
    Paint,
    PieceList,
    Places,
    Reasons,
    RegionTable,
    Scan,
    StrokeList,
    Undecided,
    status_items,
)
from cclab.widgets.painter.fresh import session_on, suiting_regions
from cclab.widgets.parameters.drawer import Drawer
from cclab.widgets.queries.card import Queries
from cclab.widgets.timeline.bar import Stepper
from cclab.widgets.timeline.status import Status
from cclab.widgets.watch import Objective, Part, Watch

ENDINGS = ".png,.jpg,.jpeg,.tif,.tiff,.bmp,.gif,.webp,.dcm,.nii,.gz,.zip,.json"
#: What is painted on where nobody says what.
FIRST = "immunohistochemistry"
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
    "↑ ↓": "slice before, after",
    "→ ←": "step, back",
    "Home End": "first, last",
    "Space": "run or pause",
    "S D X": "first, second region, don’t know",
    "Ctrl+Z": "undo",
    "Ctrl+Shift+Z": "redo",
    "Ctrl+S": "save",
    "P": "parameters",
    "Esc": "close",
    "?": "this list",
}


_TABS: dict[str, tuple[type[Part], ...]] = {
    "Belief": (Reasons, Undecided, Objective),
    "Strokes": (StrokeList,),
    "Objects": (PieceList,),
    "Apply": (Others,),
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
    image : str, path, bytes, array, Picture or Stack, optional
        Anything that `load_image` takes, or `load_stack`: a file of several slices, a folder, a list of files. Default:
        stained tissue, or the session that this browser has left here.
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
    picture = read_picture(FIRST if image is None else image, truth)
    slot = "page" if image is None else slot_of(picture.fingerprint, regions or suiting_regions(picture))
    return Painter(picture, regions=regions, slot=slot, journal=journal, height=height)


def read_picture(image: Any, truth: Any = None) -> Picture | Stack:
    """A picture, or a stack where there are several slices."""
    if isinstance(image, Stack):
        return image
    if truth is not None or isinstance(image, Picture | np.ndarray) or image in image_names():
        return load_image(image, truth=truth)
    stack = load_stack(image)
    return stack[0] if len(stack) == 1 else stack


def open_journal(folder: Path, **options: Any) -> Session:
    """The session of a painter whose journal is in a folder; the options are those of `Session.open`."""
    return painted_on(Session.open(folder, **options), str(folder))


class Painter(Page):
    """The page that `painter` makes."""

    open_journal = staticmethod(open_journal)
    desk: Easel

    def __init__(
        self,
        picture: Picture | Stack,
        *,
        regions: tuple[str, ...] | None = None,
        slot: str = "page",
        journal: str | Path | None = None,
        height: int | None = None,
    ) -> None:
        self.desk_on = partial(Easel, regions=regions)
        super().__init__("painter", "cclab painter", session_on(picture), slot=slot, journal=journal)
        self.shell.accept, self.shell.together = ENDINGS, True
        self.shell.on_files(lambda files: self.start(self._open_with(partial(read_files, files))))
        desk, pace = self.desk, self.shell.ready
        desk.pace = pace
        self.drawer = self.add(Drawer(desk, self._set_parameters))
        self.objects = self.add(Objects(desk))
        self.key_sheet = KeySheet(KEYS)
        self.solver_menu = self.add(
            SolverMenu(
                desk,
                self.switch_solver,
                names=[name for name in solvers.names() if solvers.get(name).uses & {"labels", "must"}],
                solver_at=lambda snapshot: desk.recipe_at(snapshot).options.solver,
            )
        )
        self.bar = self.add(
            TopBar(
                desk,
                self.shell,
                data_names=self.data_names,
                on_data=self.open_data,
                solver_choice=self.solver_menu.widget,
                on_parameters=self.toggle_parameters,
                on_undo=self.undo,
                on_redo=self.redo,
                on_save=self.save,
                exports={
                    "Label image (PNG)": partial(self.take_out, painted.labels_png),
                    "Mask of the region (PNG)": partial(self.take_out, painted.mask_png),
                    "Overlay figure (PNG)": partial(self.take_out, self._overlay),
                    "Regions as layers (OME-TIFF)": partial(self.take_out, painted.layers),
                    "Belief as layers (OME-TIFF)": partial(self.take_out, painted.belief),
                    "Strokes as labels for ilastik (TIFF)": partial(self.take_out, painted.paint_labels),
                    "Table of regions (CSV)": partial(self.take_out, painted.table_csv),
                    "Session (JSON)": self.save,
                    "Python code": partial(self.take_out, painted.code),
                },
                on_recent=self.recent.toggle,
                on_help=self.key_sheet.toggle,
                titles=TITLES,
                extra=(self.objects.widget,),
                open_hint="Open a picture, several slices, a stack (PNG, JPEG, TIFF, DICOM, NIfTI, ZIP) or a session",
            )
        )
        self.banner = self.add(Banner(desk))
        self.scan = self.add(Scan(desk))
        self.paint = self.add(Paint(desk, over=(self.scan.widget, self.banner.widget)))
        desk.hand_out = self.take_out
        desk.ask_for_files = partial(self.shell.choose_file, "apply", several=True)
        desk.open_painting = self._open_painting
        self.shell.on_file(self._apply_to, "apply")
        runs = dropdown("run", [(name, name) for name in RUNS], "After each stroke", plain=True)
        runs.observe(lambda change: setattr(desk, "run_after", RUNS[change["new"]]), "value")
        self.stepper = self.add(Stepper(desk, pace, extra=with_classes(runs, "cc-wide")))
        self.regions = self.add(RegionTable(desk, on_export=partial(self.take_out, painted.table_csv)))
        self.queries = self.add(Queries(desk, pace=pace, about=Places(desk)))
        self.watch = self.add(Watch(desk, _TABS))
        self.status = self.add(Status(desk, partial(status_items, desk)))
        left = column(self.paint.widget, self.stepper.widget, css="cc-column cc-left")
        right = column(self.regions.widget, self.queries.widget, self.watch.widget, css="cc-column cc-right")
        body = row(left, right, css="cc-body")
        floating = (
            *(self.drawer.widget, self.bar.menu.widget, self.solver_menu.floating.widget),
            self.key_sheet.widget,
        )
        self.show(self.bar.widget, body, self.status.widget, *floating, height=height)
        self.bind_keys(
            *(self.paint, self.scan, self.stepper, self.queries, self.bar),
            own={"?": self.key_sheet.toggle},
            floating=(self.key_sheet, self.bar.menu, self.solver_menu, self.drawer, self.banner),
        )
        self.shell.bind("o", partial(self.paint.show_original, True), partial(self.paint.show_original, False))
        self.tell_of_data(*desk.painting.notes)

    # ------------------------------------------------------------------ opening

    @property
    def data_names(self) -> tuple[str, ...]:
        return tuple(image_names())

    def show_choices(self) -> None:
        self.bar.show_choices()

    def open_data(self, name: str) -> None:
        """Open a picture by name, one of those that are offered: a name from a file is never taken for a path."""
        self.start(self._open_with(lambda: session_on(load_image(self._offered(name)))))

    def undo(self) -> None:
        """Take the last stroke back."""
        self.desk.undo()

    def redo(self) -> None:
        """Paint it again."""
        self.desk.redo()

    async def _take_file(self, name: str, content: bytes) -> None:
        await self._open_with(lambda: read_file(name, content))

    def switch_solver(self, name: str) -> None:
        """Let another solver work on the same paint."""
        self.desk.set_options(solver=name, parameters={})

    def toggle_parameters(self) -> None:
        """Open the drawer, once there is something to set, or put it away."""
        if self.drawer.is_open or self.desk.posed_at(self.desk.session.current) is not None:
            self.drawer.toggle()
        else:
            self.desk.tell(Notice("info", "Paint something first"))

    def _set_parameters(self, changed: dict[str, Any]) -> None:
        """They hold for all strokes that follow."""
        self.desk.set_options(parameters={**self.desk.recipe.options.parameters, **changed})

    def _apply_to(self, name: str, content: bytes) -> None:
        """Apply what is painted to one of the files that were chosen; a folder may hold sessions, too."""
        if name.lower().endswith(".json"):
            return
        self.watch.tabs.value = "Apply"
        for part in self.watch.parts["Apply"]:
            if isinstance(part, Others):
                part.take_files(name, content)

    def _open_painting(self, stack: Stack, recipe: Recipe) -> None:
        """Open a stack that has paint on it already."""

        def begun() -> Session:
            session = session_on(stack)
            session.pose(recipe.to_json())
            return session

        self.start(self._open_with(begun))

    # ------------------------------------------------------------------ taking out

    def take_out(self, make: Callable[..., exports.File]) -> None:
        """Let the browser save a file; masks of a large picture take their time, and the page goes on meanwhile."""
        if is_large(self.desk.painting):
            self.start(self._take_out(make))
        elif (file := self.desk.attempt(make, self.desk)) is not None:
            self.shell.download(file.name, file.data, file.media_type)

    async def _take_out(self, make: Callable[..., exports.File]) -> None:
        desk = self.desk
        desk.set_busy("Making a file of every pixel")
        try:
            file = await in_thread(make, desk)
            self.shell.download(file.name, file.data, file.media_type)
        except Exception as error:
            desk.tell_of(error)
        finally:
            desk.set_busy("")

    def _overlay(self, desk: Easel) -> exports.File:
        return painted.overlay_png(desk, opacity=self.paint.opacity.value, dark=self.shell.theme == "dark")

    def close(self) -> None:
        self.desk.close()
        super().close()


class Objects(View):
    """A choice of what is clustered."""

    desk: Easel

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self.widget = dropdown("What is clustered", list(OBJECTS.items()), desk.objects)
        self.widget.observe(self._chosen, "value")

    def _chosen(self, change: dict) -> None:
        if change["new"] != self.desk.objects:
            self.desk.set_objects(change["new"])

    def update(self, old: Moment | None, new: Moment) -> None:
        self.widget.value = self.desk.objects


def read_file(name: str, content: bytes) -> Session:
    """A session on a picture, or one that was saved; told apart by what is in the file."""
    if content.lstrip()[:1] != b"{":
        stack = load_stack(content, filename=name)
        return session_on(stack[0] if len(stack) == 1 else stack)
    return painted_on(Session.from_json(read_json(content, f"{name} is no session file"), where=name), name)


def read_files(files: list[tuple[str, bytes]]) -> Session:
    """A session on the pictures of several files, one after the other."""
    files = sorted(files, key=lambda file: in_order(file[0]))
    return session_on(stack_of_files(files, name=common_name([name for name, _ in files])))


def common_name(names: list[str]) -> str:
    """What several files are called together: what their names begin with.

    >>> common_name(["scan_001.dcm", "scan_002.dcm"])
    'scan'
    >>> common_name(["a.png", "b.png"])
    '2 files'
    """
    first, last = min(names), max(names)
    alike = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last)))
    return alike.rstrip("0123456789-_. (") or f"{len(names)} files"


def painted_on(session: Session, where: str) -> Session:
    """The same session, if it is one of the painter."""
    if not isinstance(session.data, Painting):
        session.close()
        raise ValueError(f"{where}: {session.data.name} is no picture: a session of the painter is wanted")
    return session
