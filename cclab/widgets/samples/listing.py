"""The samples panel: those that are selected, or all, as a table that can be sorted or as cards to look at."""

from __future__ import annotations

import asyncio

import ipywidgets as widgets
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cclab.core.words import counted
from cclab.looks.encoding import Look, Sign, set_sign, sets_of
from cclab.looks.sample_columns import SampleColumns
from cclab.session import Moment
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, heading, press, row, show, text, with_classes
from cclab.widgets.kit.long_table import LongTable
from cclab.widgets.kit.rows import Action, Row, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.queries.sample import clipped, sample_content, sample_name
from cclab.widgets.scatter.glyphs import glyph

#: So many columns, and so many cards, are shown.
MOST_COLUMNS, MOST_CARDS = 30, 60
#: More samples than this are sorted aside.
_AT_ONCE = 50_000


class Listing(View):
    """What is selected, or all that the filters let through, sample by sample; a click selects.

    Parameters
    ----------
    desk : Desk
    tabs : widget, optional
        What stands in the head, to go to other panels.
    """

    def __init__(self, desk: Desk, tabs: widgets.Widget | None = None) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self._seen = self._cards_seen = False
        self._columns = SampleColumns(desk.session.data)
        self.names: list[str] = []
        self.sorted_by: str | None = None
        self.descending = False
        self.all = False
        self.order: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._counts = text(css="cc-note")
        self.all_button = button("All", self.toggle_all, hint="All samples, not only those that are selected")
        self.taller_button = button(icon="fit", hint="Larger or smaller", on_click=self.toggle_height)
        self.table = LongTable(label="Samples")
        self.table.on_action(self._act)
        self._cards = with_classes(Rows(label="Samples as cards"), "cc-cards cc-scroll cc-hidden")
        self._cards.on_action(self._act)
        self._cards.on_hover(lambda sample: desk.point_at(None if sample is None else int(sample)))
        tools = [] if tabs is None else [tabs]
        head = row(
            text(heading("Samples")),
            self._counts,
            text(css="cc-push"),
            self.all_button,
            *tools,
            self.taller_button,
            css="cc-head",
        )
        self._table_box = column(self.table, css="cc-long-box cc-grow")
        self.widget = column(head, self._table_box, self._cards, css="cc-panel cc-constraints cc-samples")
        self.listen(desk.selected, lambda _: self._rows_changed())
        self.listen(desk.filtered, lambda _: self._rows_changed())
        self.update(None, desk.moment)

    # ------------------------------------------------------------------ what is shown

    def see(self, seen: bool, *, cards: bool = False) -> None:
        """Show the table, or the cards, or neither: what is not seen costs nothing."""
        self._seen, self._cards_seen = seen, cards
        show(self._table_box, not cards)
        show(self._cards, cards)
        self._rows_changed()

    def toggle_all(self) -> None:
        """All samples, or those that are selected where some are."""
        self.all = not self.all
        self._rows_changed()

    def toggle_height(self) -> None:
        """Make the panel larger, or as it was."""
        tall = "cc-tall" in self.widget._dom_classes
        (self.widget.remove_class if tall else self.widget.add_class)("cc-tall")

    @property
    def listed(self) -> NDArray[np.int64]:
        """The samples that are listed, in their own order."""
        desk = self.desk
        if len(desk.selection) and not self.all:
            return desk.selection
        looked_at = desk.looked_at
        return np.arange(desk.session.data.n_samples) if looked_at is None else np.flatnonzero(looked_at)

    def sort_by(self, name: str) -> None:
        """Sort by a column: upwards, downwards, and not at all, by turns."""
        if self.sorted_by != name:
            self.sorted_by, self.descending = name, False
        elif not self.descending:
            self.descending = True
        else:
            self.sorted_by = None
        self._rows_changed()

    # ------------------------------------------------------------------ gestures

    def _act(self, action: Action) -> None:
        desk = self.desk
        match action.name:
            case "sort":
                self.sort_by(str(action.id))
            case "pin":
                desk.pin(str(action.id))
                self._show()
            case "select" if action.id is not None:
                sample = int(action.id)
                if self.all or action.shift or action.ctrl:
                    self.all = True  # or one click would leave a table of one
                    chosen = np.setxor1d(desk.selection, [sample]) if action.shift or action.ctrl else [sample]
                    desk.select(chosen)
                else:
                    desk.point_at(sample)

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None:
            self._columns = SampleColumns(self.desk.session.data)
            others = [name for name in self._columns if not self._columns.is_feature(name)]
            features = [name for name in self._columns if self._columns.is_feature(name)]
            self.names = [*others, *features][:MOST_COLUMNS]
            self.sorted_by, self.all = None, False
            self._rows_changed()
        elif self._seen and (old.snapshot is not new.snapshot or old.names is not new.names) and not new.running:
            self.table.refresh()

    def _rows_changed(self) -> None:
        if not self._seen:
            return
        listed = self.listed
        if self.sorted_by is not None and len(listed) > _AT_ONCE:
            self._tasks.cancel()
            self._tasks.start(self._sort_in_thread(listed))
        else:
            self._take(self._sorted(listed))

    async def _sort_in_thread(self, listed: NDArray) -> None:
        self._counts.value = "sorting …"
        self._take(await asyncio.to_thread(self._sorted, listed))

    def _sorted(self, listed: NDArray) -> NDArray[np.int64]:
        if self.sorted_by is None:
            return listed
        name, columns = self.sorted_by, self._columns
        values = columns[name]
        chosen = values.iloc[listed] if isinstance(values, pd.Series) else np.asarray(values)[listed]
        if columns.kind(name) in ("number", "date"):
            keys = np.asarray(columns.numbers(name)[listed], dtype=float)
        else:
            codes, _ = pd.factorize(pd.Series(chosen).reset_index(drop=True), sort=True)
            keys = np.where(codes < 0, np.nan, codes)
        # What is missing comes last, whichever way.
        return listed[np.argsort(-keys if self.descending else keys, kind="stable")]

    def _take(self, order: NDArray[np.int64]) -> None:
        self.order = order
        self._show()

    def _show(self) -> None:
        n, some = len(self.order), len(self.desk.selection)
        self._counts.value = counted(n, "sample") + ("" if self.all or not some else " selected")
        show(self.all_button, bool(some))
        press(self.all_button, self.all)
        if self._cards_seen:
            self._show_cards()
        else:
            self.table.show(n, self._head(), self._row)

    def _head(self) -> Html:
        cells = [tag("th", "Sample", class_="cc-sample-name"), tag("th", "Cluster", class_="cc-sample-cluster")]
        for name in self.names:
            arrow = "" if name != self.sorted_by else " ↓" if self.descending else " ↑"
            pinned = name in self.desk.pinned
            pin = tag(
                "button",
                class_="cc-button cc-icon cc-i-eye cc-pin" + " cc-on" * pinned,
                title=f"{'Do not show' if pinned else 'Show'} {name} on cards",
                data_action="pin",
                data_id=name,
                aria_pressed=pinned,
            )
            sort = tag(
                "button", f"{name}{arrow}", class_="cc-sort", title=f"Sort by {name}", data_action="sort", data_id=name
            )
            kind = self._columns.kind(name)
            cells.append(tag("th", sort, pin, class_="cc-number" if kind == "number" else f"cc-{kind}"))
        return tag("tr", cells)

    def _row(self, place: int) -> Html:
        if place >= len(self.order):
            return tag("tr")
        sample, data = int(self.order[place]), self.desk.session.data
        sign = self._sign(sample)
        cells = [
            tag("td", sample_name(data, sample), class_="cc-sample-name"),
            tag("td", tag("span", glyph(sign.shape, sign.color), sign.name, class_="cc-kind")),
        ]
        for name in self.names:
            words = clipped(self._columns.words(name, sample), 120)
            kind = self._columns.kind(name)
            cells.append(tag("td", words, class_="cc-number" if kind == "number" else f"cc-{kind}", title=words))
        chosen = place < len(self.order) and self._is_selected(sample)
        css = "cc-current" if chosen and self.all else None
        return tag("tr", cells, data_action="select", data_id=sample, tabindex=0, class_=css)

    def _sign(self, sample: int) -> Sign:
        snapshot = self.desk.session.current
        which, sets = sets_of(snapshot.partition.restrict(sample), self.desk.threshold)
        return set_sign(sets[which[0]], Look.of(snapshot))

    def _is_selected(self, sample: int) -> bool:
        selection = self.desk.selection
        at = int(np.searchsorted(selection, sample))
        return at < len(selection) and int(selection[at]) == sample

    def _show_cards(self) -> None:
        data, shown = self.desk.session.data, self.order[:MOST_CARDS]
        cards: list[Row] = []
        for sample in map(int, shown):
            sign = self._sign(sample)
            name = sample_name(data, sample)
            title = tag("span", name, class_="cc-name", title=name)
            head = tag("header", glyph(sign.shape, sign.color), title, tag("span", sign.name))
            content = sample_content(data, sample, 4, self.desk.pinned)
            about = {"data_hover": sample, "data_action": "select", "data_id": sample, "tabindex": 0}
            cards.append((sample, tag("div", head, content, class_="cc-sample", **about)))
        if len(self.order) > len(shown):
            more = f"and {len(self.order) - len(shown):,} more"
            cards.append(("more", tag("div", more, class_="cc-help cc-padded")))
        self._cards.show(cards)

    def close(self) -> None:
        self._tasks.cancel()
        super().close()
