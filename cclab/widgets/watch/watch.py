"""The Watch panel: whatever the belief has, in tabs."""

from __future__ import annotations

import ipywidgets as widgets

from cclab.session import Moment
from cclab.widgets.kit.layout import column, heading, row, text, with_classes
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.watch.part import Part, put_away, watch_parts


def registered() -> dict[str, tuple[type[Part], ...]]:
    """All parts that name a tab, by their tabs."""
    ordered = sorted(map(watch_parts.get, watch_parts.names()), key=lambda part: part.order)
    tabs = dict.fromkeys(part.tab for part in ordered)
    return {tab: tuple(part for part in ordered if part.tab == tab) for tab in tabs}


class Watch(View):
    """Parts in tabs. A part that the belief has nothing for is left out; one on another tab costs nothing.

    Parameters
    ----------
    desk : Desk
    tabs : mapping from str to sequence of Part classes, optional
        Default: all parts that name a tab.
    """

    def __init__(self, desk: Desk, tabs: dict[str, tuple[type[Part], ...]] | None = None) -> None:
        super().__init__(desk)
        self._classes = tabs = registered() if tabs is None else tabs
        # Made when its tab is first opened.
        self.parts: dict[str, tuple[Part, ...]] = {}
        self._pages: dict[str, widgets.Box] = {name: column(css="cc-watch-page") for name in tabs}
        self.tabs = with_classes(
            widgets.ToggleButtons(options=self._names(), description="Watch", layout={"width": "auto"}),
            "cc-tabs cc-quiet-label cc-push",
        )
        self.tabs.observe(lambda _: self._open_tab(), "value")
        head = row(text(heading("Watch")), self.tabs, css="cc-head")
        body = column(*self._pages.values(), css="cc-scroll cc-grow")
        self.widget = column(head, body, css="cc-panel cc-watch cc-grow")
        self._open_tab()

    def _names(self) -> list[str]:
        data = self.desk.session.data
        return [name for name, classes in self._classes.items() if any(part.suits(data) for part in classes)]

    def _open_tab(self) -> None:
        opened = self.tabs.value
        if opened not in self.parts:
            self.parts[opened] = tuple(part(self.desk) for part in self._classes[opened])
            self._pages[opened].children = [part.widget for part in self.parts[opened]]
        for name, page in self._pages.items():
            put_away(page, name != opened)
            for part in self.parts.get(name, ()):
                part.seen = name == opened

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None and list(self.tabs.options) != self._names():
            self.tabs.options = self._names()

    def close(self) -> None:
        for parts in self.parts.values():
            for part in parts:
                part.close()
        super().close()
