"""Search: samples by a text, an expression or a rule; they are selected, or all others are filtered out."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from cclab.core.words import counted, shortened
from cclab.datasets.rules import names_in
from cclab.datasets.searching import find
from cclab.session import Moment
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import button, column, row, show, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import in_words, sentence
from cclab.widgets.model.view import View

#: What becomes of the samples that are found.
MODES = {"select": "selects", "add": "adds", "narrow": "narrows", "filter": "filters"}
_MOST_NAMES = 9


class Search(View):
    """A line to type into, over the scatter; what filters are on stands below it.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self.is_open = False
        self.words = with_classes(
            widgets.Text(
                placeholder='a text, /an expression/, or a rule: x > 5 and kind == "a"',
                description="Find",
                continuous_update=False,
                layout={"width": "auto"},
            ),
            "cc-quiet-label cc-grow",
        )
        self.mode = with_classes(
            widgets.Dropdown(
                description="what it does",
                options=[(title, mode) for mode, title in MODES.items()],
                layout={"width": "auto"},
            ),
            "cc-plain cc-quiet-label",
        )
        close = button(icon="close", hint="Close (Esc)", on_click=self.hide)
        self.said = text(css="cc-outcome")
        self._filters = with_classes(Rows(label="Filters"), "cc-chips")
        self._filters.on_action(self._act)
        self._line = row(self.words, self.mode, close, css="cc-search-line cc-takes-focus cc-hidden")
        self.widget = column(self._line, self.said, self._filters, css="cc-search cc-hidden")
        self.open_button = button(icon="search", hint="Find samples (/)", on_click=self.toggle)
        self.words.observe(lambda _: self.search(), "value")
        self.mode.observe(lambda _: self.search(), "value")
        self.listen(desk.filtered, lambda _: self._show())
        self.update(None, desk.moment)

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        return {"/": self.toggle}

    def toggle(self) -> None:
        """Show the line, or put it away; filters stay."""
        self.is_open = not self.is_open
        self._show()

    def hide(self) -> None:
        """Put the line away."""
        self.is_open = False
        self._show()

    # ------------------------------------------------------------------ searching

    def search(self) -> None:
        """Look for what is typed."""
        if self.words.value.strip():
            self._tasks.start(self._search(self.words.value.strip(), self.mode.value))

    async def _search(self, words: str, mode: str) -> None:
        desk, session = self.desk, self.desk.session
        columns = desk.columns
        self._say(join("Looking…"))
        try:
            mask = await in_thread(find, words, columns, columns.searched())
        except Exception as error:
            self._say(join(sentence(in_words(error))), bad=True)
            return
        if session is not desk.session:
            return
        seen = mask if desk.looked_at is None else mask & desk.looked_at
        if mode == "filter":
            if not seen.any():
                among = " among what the other filters leave" if mask.any() else ""
                self._say(join(f"Nothing is found{among}, so nothing would be left to look at."), bad=True)
                return
            desk.set_filter(words, mask)
        found = np.flatnonzero(seen)
        if mode == "add":
            found = np.union1d(desk.selection, found)
        elif mode == "narrow":
            found = np.intersect1d(desk.selection, found)
        if mode != "filter":
            desk.select(found)
        passing = " pass all filters" if len(desk.filters) > 1 else ""
        self._say(join(tag("b", counted(int(seen.sum()), "sample")), f" of {len(mask):,}{passing}."))

    def _act(self, action: Action) -> None:
        if action.name == "forget" and action.id is not None:
            self.desk.set_filter(action.id, None)

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self.words.value = ""
            names = [*names_in(self.desk.columns)]
            more = " …" if len(names) > _MOST_NAMES else ""
            self._say(join(f"Columns: {', '.join(names[:_MOST_NAMES])}{more}"))
            self._show()

    def _say(self, words: Html, *, bad: bool = False) -> None:
        self.said.value = tag("div", words, role="alert" if bad else "status", class_="cc-bad" if bad else None)

    def _show(self) -> None:
        filters = self.desk.filters
        show(self.widget, self.is_open or bool(filters))
        show(self._line, self.is_open)
        show(self.said, self.is_open)
        show(self._filters, bool(filters))
        self._filters.show([(words, _chip(words, int(mask.sum()))) for words, mask in filters.items()])

    def close(self) -> None:
        self._tasks.cancel()
        super().close()


def _chip(words: str, count: int) -> Html:
    remove = tag(
        "button",
        class_="cc-button cc-icon cc-i-close cc-remove",
        title=f"Take the filter {words} away",
        data_action="forget",
        data_id=words,
    )
    return tag("span", shortened(words, 60), tag("b", f"{count:,}"), remove, class_="cc-chip")
