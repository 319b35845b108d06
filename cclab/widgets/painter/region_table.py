"""The regions as a table: strokes, pixels, mean, Dice."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from cclab.session import Moment
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, panel, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.kit.throttle import Throttle
from cclab.widgets.model.view import View
from cclab.widgets.painter.canvas_panel import rest_sign, swatch
from cclab.widgets.painter.model import Easel


class RegionTable(View):
    """What is in each region; a click chooses it.

    Parameters
    ----------
    desk : Easel
    on_export : callable
    """

    desk: Easel

    def __init__(self, desk: Easel, on_export: Callable[[], object]) -> None:
        super().__init__(desk)
        self._throttle = Throttle()
        self._rows = with_classes(Rows(kind="table", label="Regions"), "cc-dense")
        self._rows.on_action(self._act)
        export = button(icon="export", hint="Export this table (CSV)", on_click=on_export, css="cc-push")
        self.widget = panel("Regions", self._rows, tools=[export], css="cc-region-table")
        self.listen(desk.chosen, self._show)
        self.update(None, desk.moment)

    def _act(self, action: Action) -> None:
        self.desk.choose(int(action.id))

    def update(self, old: Moment | None, new: Moment) -> None:
        if not self._throttle.holds(new):
            self._show()

    def _show(self) -> None:
        frame = self.desk.table_at(self.desk.session.current)
        known = self.desk.picture.truth is not None
        columns = ["strokes", "pixels", "mean", *(["dice"] if known else [])]
        self._rows.head = tag(
            "tr", tag("th", "Region"), [tag("th", name.capitalize(), class_="cc-number") for name in columns]
        )
        lines = enumerate(line for _, line in frame.iterrows())
        self._rows.show((place, self._row(place + 1, line, columns)) for place, line in lines)

    def _row(self, region: int, line: pd.Series, columns: list[str]) -> Html:
        last = region > len(self.desk.regions)
        sign = rest_sign(line["region"]) if last else swatch(region)
        cells = [tag("td", _number(name, line[name], last), class_="cc-number") for name in columns]
        about: dict[str, object] = {"title": f"{100 * line['area']:.1f} % of the picture"}
        if not last:
            about |= {"data_action": "choose", "data_id": region, "tabindex": 0}
            about["class_"] = "cc-current" if region == self.desk.region else None
        return tag("tr", tag("td", tag("span", sign, line["region"], class_="cc-kind")), cells, **about)


def _number(name: str, value: float, last: bool) -> str:
    if pd.isna(value) or (last and name == "strokes"):
        return "–"
    return {"mean": f"{value:.4g}", "dice": f"{value:.2f}"}.get(name, f"{value:,.0f}")
