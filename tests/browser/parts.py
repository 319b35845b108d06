"""A page with every part once, for `test_parts.py`: what happens in Python is written on the page as JSON."""

import asyncio
import json
import os

import ipywidgets
import numpy as np

from cclab.looks.palette import hue
from cclab.widgets.kit import layout
from cclab.widgets.kit.bridge import Shell
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.rows import Rows
from cclab.widgets.scatter.plot import Points, combine

SIDE = 10


def grid() -> np.ndarray:
    """Samples on a grid of 10 by 10 over the unit square; sample 37 lies at x = 7/9, y = 3/9."""
    return np.array([[x, y] for y in range(SIDE) for x in range(SIDE)]) / (SIDE - 1)


class Parts:
    """The page, and what it has seen."""

    def __init__(self):
        self.seen = {"keys": [], "files": [], "actions": [], "hovers": [], "visitor": "", "painted": 0}
        self.log = layout.text(css="seen cc-unseen")
        self.shell = Shell(app="parts", label="Parts", accept=".csv", max_bytes=12 * 2**20)
        self.shell.observe(lambda change: self.note(visitor=change.new), "visitor")
        self.shell.on_file(lambda name, data: self.add("files", [name, len(data), sum(data[::997])]))
        for key in ("m", "ctrl+z", "Space", "ArrowRight", "?"):
            self.shell.bind(key, lambda key=key: self.add("keys", key))
        self.shell.bind("o", lambda: self.add("keys", "o down"), lambda: self.add("keys", "o up"))
        self.views = {"canvas": Points(100), "flat": Points(100, renderer="2d")}
        for name, view in self.views.items():
            self.prepare(name, view)
        self.rows = Rows(kind="table", label="Statements", head=tag("tr", tag("th", "Kind"), tag("th", "State")))
        self.rows.on_action(lambda action: self.add("actions", [action.name, action.id]))
        self.rows.on_hover(lambda key: self.add("hovers", key))
        self.show_rows("satisfied")
        self.note()

    def note(self, **changes) -> None:
        self.seen |= changes
        self.log.value = json.dumps(self.seen)

    def add(self, name: str, value: object) -> None:
        self.note(**{name: [*self.seen[name], value]})

    def prepare(self, name: str, view: Points) -> None:
        view.set_positions(grid(), "across", "up")
        shape = np.zeros(100, int)
        shape[:4] = range(4)
        view.set_marks(np.arange(100) % 7, shape, 1.0, [hue(k) for k in range(7)])
        view.describe = lambda index: tag("b", f"sample {index}")
        view.on_select(lambda indices, mode: self.select(name, indices, mode))
        view.on_hover(lambda index: self.note(**{f"{name} hover": index}))
        view.on_click(lambda index: self.note(**{f"{name} click": index}))
        self.seen |= {f"{name} selection": [], f"{name} reports": 0, f"{name} hover": None}

    def select(self, name: str, indices: np.ndarray, mode: str) -> None:
        selection = combine(self.seen[f"{name} selection"], indices, mode)
        self.views[name].set_selection(selection)
        reports = self.seen[f"{name} reports"] + 1
        self.note(**{f"{name} selection": selection.tolist(), f"{name} reports": reports})

    def show_rows(self, state: str) -> None:
        self.rows.show(
            (i, tag("tr", tag("td", f"link {i}"), tag("td", state if i == 20 else ""), data_action="find", data_id=i)
             if i % 2 else
             tag("tr", tag("td", f"link {i}"),
                 tag("td", tag("button", state, data_action="forget", data_id=i, data_hover=i))))
            for i in range(40)
        )  # fmt: skip

    def use(self, tool: str) -> None:
        for view in self.views.values():
            view.tool = tool

    async def play(self) -> None:
        for frame in range(10):
            for view in self.views.values():
                view.set_marks((np.arange(100) + frame) % 7, 0, 1.0, [hue(k) for k in range(7)])
            self.seen["painted"] += await self.shell.painted(timeout=10)
        self.note()

    def page(self) -> ipywidgets.Widget:
        """All of it as one page."""
        verbs = {
            "Lasso": lambda: self.use("lasso"),
            "Box": lambda: self.use("box"),
            "Hand": lambda: self.use("hand"),
            "Fit": lambda: [view.fit() for view in self.views.values()],
            "Download": lambda: self.shell.download("labels.csv", "sample,label\n0,1\n", "text/csv"),
            "Theme": self.shell.toggle_theme,
            "Violate": lambda: self.show_rows("violated"),
            "Say": lambda: self.shell.say("Said"),
            "Play": lambda: asyncio.ensure_future(self.play()),
            "End": lambda: os._exit(1),
        }
        bar = layout.row(
            *(layout.button(name, call, look="outlined", hint=f"{name} it") for name, call in verbs.items()),
            layout.button("Open", icon="open", css="cc-choose-file"),
            ipywidgets.Text(placeholder="typing"),
            layout.with_classes(ipywidgets.IntSlider(description="scrub"), "cc-quiet-label"),
            css="cc-bar",
        )
        panels = [layout.panel(name, view.widget, css=f"cc-grow {name}") for name, view in self.views.items()]
        rows = layout.panel("Rows", self.rows)
        rows.layout.height = "200px"
        body = layout.column(layout.row(*panels, css="cc-grow"), rows, css="cc-column cc-grow")
        return layout.app(self.shell, bar, body, self.log)
