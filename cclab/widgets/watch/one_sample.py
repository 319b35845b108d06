"""What is believed about one sample: the one under the pointer, or the only one selected."""

from __future__ import annotations

from typing import NamedTuple

from cclab.core import Credal, FuzzyPossibilistic, Partition, Possibilistic
from cclab.looks.encoding import Look, set_name
from cclab.looks.palette import hue
from cclab.session import Snapshot
from cclab.widgets.kit.html import join, tag
from cclab.widgets.kit.layout import column, heading, row, show, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.queries.sample import sample_content, sample_name
from cclab.widgets.watch.charts import BarChart
from cclab.widgets.watch.part import Part, put_away

MOST_BARS = 10


class Bar(NamedTuple):
    """One bar: its name, its value, and the CSS variable of its colour."""

    name: str
    value: float
    color: str


class SampleBelief(Part):
    """Membership, typicality or mass bars of a sample, with belief and plausibility, and its values or its picture.

    Parameters
    ----------
    desk : Desk
    """

    tab, order = "Belief", 3

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.note = text(css="cc-push cc-note")
        self.heading = text()
        self.chart = BarChart(high=1.0)
        self.content = text()
        self._shown: int | None = None
        self.widget = column(
            row(self.heading, self.note, css="cc-head cc-minor"), self.chart.widget, self.content, css="cc-gauge"
        )
        self.listen(desk.pointed, lambda _: self.redraw())
        self.listen(desk.selected, lambda _: self.redraw())
        self.listen(desk.pinned_columns, lambda _: self.redraw())
        self.start()

    @property
    def sample(self) -> int | None:
        """The sample that is shown: after the pointer has left, still the last one."""
        desk = self.desk
        if desk.sample is not None:
            return desk.sample
        if len(desk.selection) == 1:
            return int(desk.selection[0])
        return self._shown

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        data = self.desk.session.data
        sample = self.sample
        if sample is not None and sample >= data.n_samples:  # another session was opened
            sample = None
        if sample != self._shown or old is None:
            self.content.value = (
                ""
                if sample is None
                else tag("div", sample_content(data, sample, 4, self.desk.pinned), class_="cc-sample")
            )
        self._shown = sample
        put_away(self.chart.widget, sample is None)
        show(self.content, sample is not None)
        title = "Sample" if sample is None else f"Sample {sample_name(data, sample)}"
        self.heading.value = heading(title)
        self.heading.tooltip = title
        if sample is None:
            self.note.value = "point at one"
            return
        belief = new.partition.restrict(sample)
        look = Look.of(new)
        bars = sample_bars(belief, look)
        self.chart.show({bar.name: bar.value for bar in bars}, [bar.color for bar in bars])
        self.note.value = join(in_numbers(belief, look))


def sample_bars(belief: Partition, look: Look) -> list[Bar]:
    """The bars of a belief about one sample; of many the `MOST_BARS` largest, in order."""
    if isinstance(belief, Credal):
        bars = [
            Bar(
                "∅" if not members else set_name(members, look),
                float(mass),
                hue([look.hues[k] for k in members]),
            )
            for members, mass in zip(belief.focal_sets, belief.masses[0])
        ]
    else:
        first = belief.memberships if isinstance(belief, FuzzyPossibilistic) else belief.degrees
        bars = [Bar(look.names[k], float(first[0, k]), hue(look.hues[k])) for k in look.order]
        if isinstance(belief, FuzzyPossibilistic):
            T = belief.typicalities[0]
            bars += [Bar(f"t {look.names[k]}", float(T[k]), hue(look.hues[k])) for k in look.order]
    if len(bars) <= MOST_BARS:
        return bars
    least = sorted((bar.value for bar in bars), reverse=True)[MOST_BARS - 1]
    return [bar for bar in bars if bar.value >= least][:MOST_BARS]


def in_numbers(belief: Partition, look: Look) -> str:
    """What stands beside the sample's name: the best cluster, with belief and plausibility where there are any."""
    best = int(belief.labels()[0])
    cluster = look.given.get(best) or f"cluster {look.numbers[best]}"
    if isinstance(belief, Credal):
        return f"{cluster}: bel {belief.belief(best)[0]:.2f} · pl {belief.plausibility(best)[0]:.2f}"
    if isinstance(belief, FuzzyPossibilistic):
        return f"memberships · typicality {belief.typicalities[0].max():.2f}"
    if isinstance(belief, Possibilistic):
        return f"{cluster}: typicality {belief.typicalities[0].max():.2f}"
    if belief.kind == "hard":
        return cluster
    return f"{cluster}: membership {belief.degrees[0, best]:.2f}"
