"""The objective and its terms over the timeline."""

from __future__ import annotations

from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import gauge, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.watch.charts import STYLES, Course, seen_places
from cclab.widgets.watch.part import Part


class Objective(Part):
    """A line for the objective, thinner ones for its terms, a marker at the current place.

    Parameters
    ----------
    desk : Desk
    """

    title = "Objective"
    tab, order = "Belief", 0

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.note = text()
        self.chart = Course()
        self.names = text()
        self.widget = gauge(self.title, self.chart.widget, self.names, note=self.note)
        self.start()

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        session = self.desk.session
        places, snapshots = seen_places(session)
        terms = terms_to_show(snapshots)
        lines = [[s.summary.objective for s in snapshots]]
        lines += [[s.summary.terms.get(name, float("nan")) for s in snapshots] for name in terms]
        self.chart.show(places, lines, session.position)
        self.note.value = f"{new.summary.objective:.4g}"
        self.names.value = key_to_lines(terms, first=1) if terms else ""


def terms_to_show(snapshots: list[Snapshot]) -> list[str]:
    """The names of the terms that count for something; none where there is one only, which is the objective itself."""
    present = dict.fromkeys(name for s in snapshots for name, value in s.summary.terms.items() if value != 0)
    return list(present) if len(present) > 1 else []


def key_to_lines(names: list[str], first: int = 0) -> Html:
    """Which line of a chart is which, from the `first` on; line 0 is in ink."""

    def entry(place: int, name: str) -> Html:
        style = "solid" if place == 0 else STYLES[(place - 1) % len(STYLES)].replace("dash_dotted", "dashed")
        color = "var(--cc-ink)" if place == 0 else "var(--cc-text3)"
        return tag("span", tag("i", style=f"border-top:{2 if place == 0 else 1.2}px {style} {color}"), name)

    return tag("div", [entry(place, name) for place, name in enumerate(names, first)], class_="cc-line-key")
