"""What one watches while painting, and the status line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cclab.images import Dab, Stroke
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import gauge, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.painter.canvas_panel import swatch
from cclab.widgets.painter.model import Easel
from cclab.widgets.watch import Part
from cclab.widgets.watch.charts import Course
from cclab.widgets.watch.part import put_away

MOST_PLACES = 200
ONLY_HERE = "only here: paint longer to teach"


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
        put_away(self.chart.widget, not known)
        if not known:
            self.note.value = "nothing painted"
            return
        places, values = zip(*known)
        self.chart.show(np.array(places), [values], session.position)
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
        self.desk.forget(int(action.id))

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        recipe, posed = self.desk.recipe_at(new), self.desk.posed_at(new)
        roles = [None] * len(recipe.strokes) if posed is None else posed.roles
        left = self.desk.painting.left_of(recipe)
        self._rows.head = tag(
            "tr", tag("th", "Stroke"), tag("th", "Pixels", class_="cc-number"), tag("th", "Role"), tag("th", "")
        )
        rows = []
        forest = None if posed is None else posed.forest or posed.second
        effects = iter(() if forest is None else forest.effects)
        for stroke_id, stroke, pixels, dab in zip(recipe.ids, recipe.strokes, left, roles):
            effect = next(effects, None) if dab is not None and dab.region else None
            words = role(dab, self.desk.regions, effect) if posed is not None or not len(pixels) else ""
            if self.desk.n_slices > 1:
                words = f"slice {stroke.slice + 1} · {words}" if words else f"slice {stroke.slice + 1}"
            rows.append((stroke_id, self._row(stroke_id, stroke, len(pixels), words)))
        self._rows.show(rows[::-1])
        self.note.value = f"{len(rows)} stroke{'' if len(rows) == 1 else 's'}"

    def _row(self, stroke_id: int, stroke: Stroke, n_pixels: int, words: str) -> Html:
        names = ("Don’t know", *self.desk.regions)
        erases = stroke.kind == "erase"
        name = "Eraser" if erases else names[stroke.region] if stroke.region < len(names) else f"Region {stroke.region}"
        sign = tag("i", class_="cc-swatch cc-none") if erases else swatch(stroke.region)
        remove = tag(
            "button",
            class_="cc-button cc-icon cc-remove cc-i-close",
            data_action="forget",
            data_id=stroke_id,
            title="Forget this stroke",
            aria_label=f"Forget stroke {stroke_id}",
        )
        return tag(
            "tr",
            tag("td", tag("span", sign, name, class_="cc-kind")),
            tag("td", "–" if erases else f"{n_pixels:,}", class_="cc-number"),
            tag("td", "" if erases else words, class_="cc-faint"),
            tag("td", remove, class_="cc-tool"),
        )


def role(dab: Dab | None, regions: Sequence[str], effect: tuple[str, str] | None = None) -> str:
    """What a dab does, in words.

    Parameters
    ----------
    dab : Dab or None
        None where nothing is left of it.
    regions : sequence of str
        Names, from region 1.
    effect : (str, str), optional
        What a forest has learned from it: see `Forest.effects`.
    """
    if dab is None:
        return "painted over"
    if dab.region == 0:
        return "left out"
    name = regions[dab.region - 1] if dab.region <= len(regions) else f"Region {dab.region}"
    if effect is not None:
        what, kind = effect
        return {"taught": f"taught: {kind} of {name}", "confirms": "confirms"}.get(what, ONLY_HERE)
    if dab.founds:
        return f"taught: look {(dab.prototype or 0) + 1}"
    return ONLY_HERE if dab.prototype is None else f"confirms look {dab.prototype + 1}"


def status_items(desk: Easel, state: str) -> list[Html | str]:
    """For the status line: pixels, objects, strokes, what is undecided, and Dice where the truth is known."""
    posed = desk.posed_at(desk.session.current)
    height, width = desk.picture.shape
    pixels = join("pixels ", tag("b", f"{height * width:,}"))
    if posed is None:
        return ["Paint a stroke in each of two regions", pixels]
    if len(posed.palette.painted) == 1:
        return ["Paint a second region to tell it apart", pixels, join("strokes ", tag("b", len(posed.recipe.strokes)))]
    if desk.developing and posed.objects.kind != desk.objects and state != "Stopped":
        state = "Running"  # pixels are still to come
    elif state == "Converged" and desk.session.current.how == "start":
        state = "Done"  # what was learned, or found by superpixels, moves no more
    frame = desk.table_at(desk.session.current)
    kind = "objects" if posed.objects.kind == "pixels" else posed.objects.kind
    items: list[Html | str] = [
        state,
        pixels,
        join(f"{kind} ", tag("b", f"{len(posed.objects):,}")),
        join("strokes ", tag("b", len(posed.recipe.strokes))),
        join("undecided ", tag("b", f"{desk.undecided_at(desk.session.current) or 0:,}")),
    ]
    if desk.picture.truth is not None and not np.isnan(frame["dice"].iloc[0]):
        items.append(join(f"Dice of {desk.regions[0]} ", tag("b", f"{frame['dice'].iloc[0]:.2f}")))
    return items
