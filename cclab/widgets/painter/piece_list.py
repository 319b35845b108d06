"""The pieces of a region, counted and measured."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cclab.export.files import File
from cclab.images import Pieces, find_pieces
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, gauge, press, row, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.painter.model import Easel
from cclab.widgets.watch import Part

MOST_ROWS = 300


class PieceList(Part):
    """One row per piece of the chosen region; a click shows where it is.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel
    title = "Objects"

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self.split = True
        self.pieces: Pieces | None = None
        self._known: tuple[Snapshot, int, bool] | None = None
        self.note = text()
        self._split = button("Part touching ones", self._toggle, hint="Part touching objects where they are thin")
        press(self._split, self.split)
        self._export = button("CSV", lambda: desk.hand_out(self.csv), icon="export", hint="Export all objects (CSV)")
        self._rows = with_classes(Rows(kind="table", label="Objects"), "cc-dense")
        self._rows.on_action(self._act)
        tools = row(self._split, with_classes(self._export, "cc-push"), css="cc-tools")
        self.widget = gauge(self.title, tools, self._rows, note=self.note)
        self.listen(desk.chosen, self.redraw)
        self.start()

    def _toggle(self) -> None:
        self.split = not self.split
        press(self._split, self.split)
        self.redraw()

    def _act(self, action: Action) -> None:
        if self.pieces is None:
            return
        line = self.pieces.table.iloc[int(action.id)]
        self.desk.mark([(int(line["row"]), int(line["column"]))])

    def csv(self, _desk: Easel) -> File:
        """All objects of the region as a table."""
        if self.pieces is None:
            raise ValueError("there are no objects yet; paint a stroke in each of two regions")
        name = f"{self.desk.picture.name}-{self.desk.regions[max(self.desk.region, 1) - 1]}"
        plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
        return File(f"{plain}-objects.csv", self.pieces.table.to_csv(index=False).encode(), "text/csv")

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        desk, region = self.desk, max(self.desk.region, 1)
        regions, posed = desk.regions_at(new), desk.posed_at(new)
        if regions is None or posed is None:
            self.pieces, self._known = None, None
            self.note.value = "nothing painted"
            self._rows.show([])
            return
        if self.pieces is None or self._known != (new, region, self.split):
            self.pieces = find_pieces(regions.mask(region), posed.picture, split=self.split)
            self._known = new, region, self.split
        table = self.pieces.table
        self.note.value = f"{len(table):,} of {desk.regions[region - 1]}"
        length = desk.picture.length
        area = f"area ({length}²)" if desk.picture.spacing is not None else "area"
        heads = ("Object", f"Area{f' {length}²' if area != 'area' else ''}", "Mean", "Round")
        self._rows.head = tag(
            "tr", [tag("th", head, class_="cc-number" if k else None) for k, head in enumerate(heads)]
        )
        largest = np.argsort(-table["area"].to_numpy(), kind="stable")[:MOST_ROWS]
        self._rows.show((int(table["object"].iloc[k]), self._row(k, table.iloc[k], area)) for k in largest)

    def _row(self, place: int, line: pd.Series, area: str) -> Html:
        cells = (f"{line[area]:,.4g}", f"{line['mean']:.4g}", f"{line['circularity']:.2f}")
        about = {"data_action": "show", "data_id": int(place), "tabindex": 0, "title": "Show where it is"}
        numbers = [tag("td", cell, class_="cc-number") for cell in cells]
        return tag("tr", tag("td", f"{int(line['object'])}"), numbers, **about)
