"""What an algorithm wants watched: kernel weights, priorities, the number of clusters. Knows no algorithm."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np

from cclab.core import Gauge
from cclab.looks.encoding import Look
from cclab.looks.palette import hue
from cclab.session import Snapshot
from cclab.widgets.kit.close import close_all
from cclab.widgets.kit.html import join
from cclab.widgets.kit.layout import column, gauge, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.watch.charts import BarChart, Course, seen_places
from cclab.widgets.watch.part import Part


class _Meter:
    """One gauge: bars where it has several values, and their course."""

    def __init__(self, reading: Gauge) -> None:
        self.name, self.labels = reading.name, reading.labels
        self.note = text()
        self.bars = BarChart() if len(reading.labels) > 1 else None
        self.course = Course(styles=("solid",))
        if self.bars is None:
            self.widgets = [gauge(reading.name, self.course.widget, note=self.note)]
        else:
            self.widgets = [
                gauge(reading.name, self.bars.widget, note=self.note),
                gauge(f"{reading.name} over iterations", self.course.widget),
            ]

    def fits(self, reading: Gauge) -> bool:
        return (self.name, self.labels) == (reading.name, reading.labels)

    def show(self, reading: Gauge, look: Look, places: np.ndarray, snapshots: list[Snapshot], position: int) -> None:
        values = np.array(reading.values, dtype=float)
        leader = int(np.argmax(values))
        names, colors = reading.labels, ["--cc-all"]
        if reading.by_cluster:
            names, colors = tuple(look.names), [hue(look.hues[k]) for k in look.order]
        if self.bars is None:
            self.note.value = f"{values[0]:.4g}"
        else:
            order = look.order if reading.by_cluster else range(len(values))
            self.bars.show({names[k]: values[k] for k in order}, colors)
            equal = np.ptp(values) < 0.005
            leading = "all" if equal else f"{names[leader]} leads,"
            self.note.value = join(f"{leading} {values[leader]:.2f}")
        past = np.array([self._values_at(snapshot) for snapshot in snapshots]).T
        # The leader is drawn first: it gets the ink.
        order = [leader, *(k for k in range(len(values)) if k != leader)]
        self.course.show(places, list(past[order]), position)

    def _values_at(self, snapshot: Snapshot) -> np.ndarray:
        for reading in snapshot.summary.gauges:
            if self.fits(reading):
                return np.array(reading.values, dtype=float)
        return np.full(len(self.labels), np.nan)


class Gauges(Part):
    """Every gauge of the state, as bars that move and as lines over the timeline.

    Parameters
    ----------
    desk : Desk
    """

    tab, order = "Belief", 1

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.meters: list[_Meter] = []
        self.widget: widgets.VBox = column(css="cc-gauge")
        self.start()

    def applies(self, snapshot: Snapshot) -> bool:
        return bool(snapshot.summary.gauges)

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        readings = [reading for reading in new.summary.gauges if reading.labels]
        if len(readings) != len(self.meters) or not all(m.fits(r) for m, r in zip(self.meters, readings)):
            gone = self.widget.children
            self.meters = [_Meter(reading) for reading in readings]
            self.widget.children = [part for meter in self.meters for part in meter.widgets]
            for part in gone:
                close_all(part)
        session, look = self.desk.session, Look.of(new)
        places, snapshots = seen_places(session)
        for meter, reading in zip(self.meters, readings):
            meter.show(reading, look, places, snapshots, session.position)
