"""The Watch panel: whatever the belief has, in three tabs."""

from __future__ import annotations

import ipywidgets as widgets

from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.html import tag
from cclab.widgets.layout import column, row, text, with_classes
from cclab.widgets.watch.clusters import Clusters
from cclab.widgets.watch.credal_sets import CredalSets
from cclab.widgets.watch.gauges import Gauges
from cclab.widgets.watch.objective import Objective
from cclab.widgets.watch.outliers import Outliers
from cclab.widgets.watch.part import Part, put_away
from cclab.widgets.watch.sample import SampleBelief
from cclab.widgets.watch.scores import Scores

TABS: dict[str, tuple[type[Part], ...]] = {
    "Belief": (Objective, Gauges, CredalSets, SampleBelief, Outliers),
    "Scores": (Scores,),
    "Clusters": (Clusters,),
}


class Watch(View):
    """Parts in tabs. A part that the belief has nothing for is left out; one on another tab costs nothing.

    Parameters
    ----------
    desk : Desk
    tabs : mapping from str to sequence of Part classes
    """

    def __init__(self, desk: Desk, tabs: dict[str, tuple[type[Part], ...]] = TABS) -> None:
        super().__init__(desk)
        self._classes = tabs
        # Made when its tab is first opened.
        self.parts: dict[str, tuple[Part, ...]] = {}
        self._pages: dict[str, widgets.Box] = {name: column(css="cc-watch-page") for name in tabs}
        self.tabs = with_classes(
            widgets.ToggleButtons(options=self._names(), description="Watch", layout={"width": "auto"}),
            "cc-tabs cc-quiet-label cc-push",
        )
        self.tabs.observe(lambda _: self._open_tab(), "value")
        head = row(text(tag("span", "Watch", class_="cc-title")), self.tabs, css="cc-head")
        body = column(*self._pages.values(), css="cc-scroll cc-grow")
        self.widget = column(head, body, css="cc-panel cc-watch cc-grow")
        self._open_tab()

    def _names(self) -> list[str]:
        known = self.desk.session.data.target is not None
        return [name for name in self._classes if known or name != "Scores"]

    def _open_tab(self) -> None:
        opened = self.tabs.value
        if opened not in self.parts:
            self.parts[opened] = tuple(part(self.desk) for part in self._classes[opened])
            self._pages[opened].children = [part.widget for part in self.parts[opened]]
        for name, page in self._pages.items():
            put_away(page, name != opened)
            for part in self.parts.get(name, ()):
                part.seen = name == opened

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is None and list(self.tabs.options) != self._names():
            self.tabs.options = self._names()

    def close(self) -> None:
        for parts in self.parts.values():
            for part in parts:
                part.close()
        super().close()
