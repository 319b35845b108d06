"""What an algorithm wants watched: kernel weights, priorities, the number of clusters. Knows no algorithm."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np

from cclab.core import Gauge
from cclab.session import Snapshot
from cclab.widgets.desk import Desk
from cclab.widgets.freeing import close_all
from cclab.widgets.layout import column, gauge, text
from cclab.widgets.watch.charts import BarChart, Course, seen_places
from cclab.widgets.watch.part import Part


class _Meter:
    """One gauge: bars where it has several values, and their course."""

    def __init__(self, reading: Gauge) -> None:
        self.name, self.labels = reading.name, reading.labels
        self._note = text()
        self._bars = BarChart() if len(reading.labels) > 1 else None
        self._course = Course(styles=("solid",))
        if self._bars is None:
            self.widgets = [gauge(reading.name, self._course.widget, note=self._note)]
        else:
            self.widgets = [
                gauge(reading.name, self._bars.widget, note=self._note),
                gauge(f"{reading.name} over iterations", self._course.widget),
            ]

    def fits(self, reading: Gauge) -> bool:
        return (self.name, self.labels) == (reading.name, reading.labels)

    def show(self, reading: Gauge, places: np.ndarray, snapshots: list[Snapshot], position: int, last: int) -> None:
        values = np.array(reading.values, dtype=float)
        leader = int(np.argmax(values))
        if self._bars is None:
            self._note.value = f"{values[0]:.4g}"
        else:
            self._bars.show(dict(zip(reading.labels, values)))
            equal = np.ptp(values) < 0.005
            leading = "all" if equal else f"{reading.labels[leader]} leads,"
            self._note.value = f"{leading} {values[leader]:.2f}"
        past = np.array([self._values_at(snapshot) for snapshot in snapshots]).T
        # The leader is drawn first: it gets the ink.
        order = [leader, *(k for k in range(len(values)) if k != leader)]
        self._course.show(places, past[order], position, last)

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

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._meters: list[_Meter] = []
        self.widget: widgets.VBox = column(css="cc-gauge")
        self.start()

    def applies(self, snapshot: Snapshot) -> bool:
        return bool(snapshot.summary.gauges)

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is new:
            return
        readings = [reading for reading in new.summary.gauges if reading.labels]
        if len(readings) != len(self._meters) or not all(m.fits(r) for m, r in zip(self._meters, readings)):
            gone = self.widget.children
            self._meters = [_Meter(reading) for reading in readings]
            self.widget.children = [part for meter in self._meters for part in meter.widgets]
            for part in gone:
                close_all(part)
        session = self.desk.session
        places, snapshots = seen_places(session)
        for meter, reading in zip(self._meters, readings):
            meter.show(reading, places, snapshots, session.position, len(session.snapshots) - 1)
