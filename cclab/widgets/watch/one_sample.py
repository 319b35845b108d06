"""What is believed about one sample: the one under the pointer, or the only one selected."""

from __future__ import annotations

from typing import NamedTuple

from cclab.core import Credal, FuzzyPossibilistic, Partition, Possibilistic
from cclab.session import Snapshot
from cclab.widgets.desk import Desk
from cclab.widgets.encoding import rows_of, set_name
from cclab.widgets.html import tag
from cclab.widgets.layout import column, row, show, text
from cclab.widgets.samples import sample_content, sample_name
from cclab.widgets.theme import hue, told_apart
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

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.note = text(css="cc-push cc-note")
        self._title = text()
        self.chart = BarChart(high=1.0)
        self._content = text()
        self._shown: int | None = None
        self.widget = column(
            row(self._title, self.note, css="cc-head cc-minor"), self.chart.widget, self._content, css="cc-gauge"
        )
        self.listen(desk.pointed, lambda _: self.redraw())
        self.listen(desk.selected, lambda _: self.redraw())
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
        if old is new:
            return
        data = self.desk.session.data
        sample = self.sample
        if sample is not None and sample >= data.n_samples:  # another session was opened
            sample = None
        if sample != self._shown or old is None:
            self._content.value = (
                "" if sample is None else tag("div", sample_content(data, sample, 4), class_="cc-sample")
            )
        self._shown = sample
        put_away(self.chart.widget, sample is None)
        show(self._content, sample is not None)
        title = "Sample" if sample is None else f"Sample {sample_name(data, sample)}"
        self._title.value = tag("span", title, class_="cc-title")
        if sample is None:
            self.note.value = "point at one"
            return
        belief = rows_of(new.partition, sample)
        bars = sample_bars(belief, new.state.cluster_ids)
        self.chart.show({bar.name: bar.value for bar in bars}, [bar.color for bar in bars])
        self.note.value = in_numbers(belief, new.state.cluster_ids)


def sample_bars(belief: Partition, cluster_ids) -> list[Bar]:
    """The bars of a belief about one sample; of many the `MOST_BARS` largest, in order."""
    hues = told_apart(cluster_ids)
    if isinstance(belief, Credal):
        bars = [
            Bar(
                "∅" if not members else set_name(members, cluster_ids),
                float(mass),
                hue([hues[k] for k in members]),
            )
            for members, mass in zip(belief.focal_sets, belief.masses[0])
        ]
    else:
        first = belief.memberships if isinstance(belief, FuzzyPossibilistic) else belief.degrees
        bars = [Bar(str(id_ + 1), float(v), hue(h)) for id_, h, v in zip(cluster_ids, hues, first[0])]
        if isinstance(belief, FuzzyPossibilistic):
            bars += [
                Bar(f"t {id_ + 1}", float(v), hue(h)) for id_, h, v in zip(cluster_ids, hues, belief.typicalities[0])
            ]
    if len(bars) <= MOST_BARS:
        return bars
    least = sorted((bar.value for bar in bars), reverse=True)[MOST_BARS - 1]
    return [bar for bar in bars if bar.value >= least][:MOST_BARS]


def in_numbers(belief: Partition, cluster_ids) -> str:
    """What stands beside the sample's name: the best cluster, with belief and plausibility where there are any."""
    best = int(belief.labels()[0])
    cluster = f"cluster {int(cluster_ids[best]) + 1}"
    if isinstance(belief, Credal):
        return f"{cluster}: bel {belief.belief(best)[0]:.2f} · pl {belief.plausibility(best)[0]:.2f}"
    if isinstance(belief, FuzzyPossibilistic):
        return f"memberships · typicality {belief.typicalities[0].max():.2f}"
    if isinstance(belief, Possibilistic):
        return f"{cluster}: typicality {belief.typicalities[0].max():.2f}"
    if belief.kind == "hard":
        return cluster
    return f"{cluster}: membership {belief.degrees[0, best]:.2f}"
