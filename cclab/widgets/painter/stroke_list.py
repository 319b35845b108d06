"""What one watches while painting, and the status line."""

from __future__ import annotations

import numpy as np

from cclab.session import Snapshot
from cclab.widgets.easel.easel import Easel
from cclab.widgets.easel.paint import swatch
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import gauge, text, with_classes
from cclab.widgets.rows import Action, Rows
from cclab.widgets.status import Status
from cclab.widgets.watch import Part
from cclab.widgets.watch.charts import Course

MOST_PLACES = 200


class Undecided(Part):
    """How many pixels are undecided, over the timeline; snapshots that were never looked at are left out.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel
    title = "Undecided pixels"

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self.note = text()
        self.chart = Course(low=0)
        self.widget = gauge(self.title, self.chart.widget, note=self.note)
        self.start()

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        session = self.desk.session
        self.desk.regions_at(new)
        counts = [(place, self.desk.undecided_at(s)) for place, s in enumerate(session.snapshots)]
        known = [(place, n) for place, n in counts if n is not None][-MOST_PLACES:]
        if not known:
            self.note.value = "nothing painted"
            return
        places, values = zip(*known)
        self.chart.show(np.array(places), [values], session.position, len(session.snapshots) - 1)
        now, before = self.desk.undecided_at(new), values[0]
        was = f", was {before:,}" if now is not None and before != now else ""
        self.note.value = "" if now is None else f"{now:,}{was}"


class StrokeList(Part):
    """Every stroke, what became of it, and a way to forget it.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel
    title = "Strokes"

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self.note = text()
        self._rows = with_classes(Rows(kind="table", label="Strokes"), "cc-dense")
        self._rows.on_action(self._act)
        self.widget = gauge(self.title, self._rows, note=self.note)
        self.start()

    def _act(self, action: Action) -> None:
        self.desk.without(int(action.id))

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        recipe, posed = self.desk.recipe_at(new), self.desk.posed_at(new)
        dabs = iter(() if posed is None else posed.palette.dabs)
        left = self.desk.painting.left_of(recipe)
        self._rows.head = tag(
            "tr", tag("th", "Stroke"), tag("th", "Pixels", class_="cc-number"), tag("th", "Role"), tag("th", "")
        )
        rows = []
        for number, (stroke, pixels) in enumerate(zip(recipe.strokes, left)):
            dab = next(dabs, None) if len(pixels) else None
            rows.append((number, self._row(number, stroke, len(pixels), role(dab))))
        self._rows.show(rows[::-1])
        self.note.value = f"{len(rows)} stroke{'' if len(rows) == 1 else 's'}"

    def _row(self, number, stroke, n_pixels, words) -> Html:
        names = ("Don’t know", *self.desk.regions)
        erases = stroke.kind == "erase"
        name = "Eraser" if erases else names[stroke.region] if stroke.region < len(names) else f"Region {stroke.region}"
        sign = tag("i", class_="cc-swatch cc-none") if erases else swatch(stroke.region)
        remove = tag(
            "button",
            class_="cc-button cc-icon cc-remove cc-i-close",
            data_action="forget",
            data_id=number,
            title="Forget this stroke",
            aria_label=f"Forget stroke {number + 1}",
        )
        return tag(
            "tr",
            tag("td", tag("span", sign, name, class_="cc-kind")),
            tag("td", "–" if erases else f"{n_pixels:,}", class_="cc-number"),
            tag("td", "" if erases else words, class_="cc-faint"),
            tag("td", remove, class_="cc-tool"),
        )


def role(dab) -> str:
    """What a dab does, in words."""
    if dab is None:
        return "painted over"
    if dab.region == 0:
        return "left out"
    if dab.founds:
        return f"prototype {dab.prototype + 1}"
    return "correction" if dab.prototype is None else f"joins {dab.prototype + 1}"


class PaintStatus(Status):
    """Pixels, objects, strokes, what is undecided, and Dice where the truth is known.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel

    def _show(self) -> None:
        desk, session = self.desk, self.desk.session
        posed, state = desk.posed_at(session.current), self.state
        css = {"Running": "cc-state cc-running", "Stopped": "cc-state cc-stopped"}.get(state, "cc-state")
        height, width = desk.picture.shape
        items = [
            tag("span", state if posed is not None else "Paint a stroke in each of two regions", class_=css),
            join("pixels ", tag("b", f"{height * width:,}")),
        ]
        if posed is not None:
            frame = desk.table_at(session.current)
            kind = "objects" if posed.objects.kind == "pixels" else posed.objects.kind
            items += [
                join(f"{kind} ", tag("b", f"{len(posed.objects):,}")),
                join("strokes ", tag("b", len(posed.recipe.strokes))),
                join("undecided ", tag("b", f"{int(frame['pixels'].iloc[-1]):,}")),
            ]
            if len(posed.palette.painted) == 1:
                items.append("Paint a second region to tell it apart")
            elif desk.picture.truth is not None and not np.isnan(frame["dice"].iloc[0]):
                items.append(join(f"Dice of {desk.regions[0]} ", tag("b", f"{frame['dice'].iloc[0]:.2f}")))
        shown = [tag("span", item, class_="cc-item") for item in items]
        self._line.value = tag("div", shown, class_="cc-status-items", role="status", aria_live="polite")
        self._show_saved()
