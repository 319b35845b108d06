"""Who is an outlier: a threshold, and the samples it flags."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np

from cclab.core import Partition
from cclab.looks.encoding import can_flag, outliers_of
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, gauge, row, show, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.watch.part import Part

MOST_LISTED = 40


class Outliers(Part):
    """A slider for the threshold and the flagged samples, each a button that selects it.

    Parameters
    ----------
    desk : Desk
    """

    title = "Outliers"
    tab, order = "Belief", 4

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.note = text()
        self._flagged = np.empty(0, dtype=np.int64)
        self._showing = False
        self.slider = with_classes(
            widgets.FloatSlider(
                description="Threshold", min=0, max=1, step=0.01, readout=False, layout={"width": "auto", "flex": "1"}
            ),
            "cc-quiet-label",
        )
        self.slider.observe(self._moved, "value")
        self._readout = text(css="cc-readout")
        self.reset_button = button(icon="undo", hint="The belief’s own threshold", on_click=self.reset)
        self.chips = with_classes(Rows(label="Flagged samples"), "cc-chips")
        self.chips.on_action(self._act)
        self.chips.on_hover(lambda sample: desk.point_at(None if sample is None else int(sample)))
        controls = row(self.slider, self._readout, self.reset_button, css="cc-threshold")
        self.widget = gauge(self.title, controls, self.chips, note=self.note)
        self.listen(desk.thresholded, lambda _: self.redraw())
        self.listen(desk.selected, lambda _: self._show_list())
        self.start()

    def applies(self, snapshot: Snapshot) -> bool:
        return can_flag(snapshot.partition)

    def reset(self) -> None:
        """Back to the belief's own threshold."""
        self.desk.set_threshold(None)

    def _moved(self, change: dict) -> None:
        if not self._showing:
            self.desk.set_threshold(float(change["new"]))

    def _act(self, action: Action) -> None:
        if action.name == "all":
            self.desk.select(self._flagged)
            return
        sample = int(action.id)
        self.desk.select(np.union1d(self.desk.selection, [sample]) if action.shift else [sample])

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        threshold = self.desk.threshold
        self._flagged = np.flatnonzero(outliers_of(new.partition, threshold))
        self._showing = True
        self.slider.value = new.partition.outlier_threshold if threshold is None else threshold
        self._showing = False
        self._readout.value = own_rule(new.partition) if threshold is None else f"{threshold:.2f}"
        show(self.reset_button, threshold is not None)
        self.note.value = flagged_in_words(self._flagged)
        self._show_list()

    def _show_list(self) -> None:
        chips = [(sample, self._chip(int(sample))) for sample in self._flagged[:MOST_LISTED]]
        if len(self._flagged) > 1:
            chips.append(("all", tag("button", "select all", class_="cc-chip", data_action="all")))
        self.chips.show(chips)

    def _chip(self, sample: int) -> Html:
        return tag(
            "button",
            sample,
            class_="cc-chip",
            data_action="select",
            data_id=sample,
            data_hover=sample,
            aria_pressed=sample in self.desk.selection,
            title=f"Select sample {sample}",
        )


def own_rule(partition: Partition) -> str:
    """The belief's own rule, short: a credal one goes by the set of highest mass."""
    return "auto" if partition.kind == "credal" else f"{partition.outlier_threshold:.2f}"


def flagged_in_words(flagged: np.ndarray) -> str:
    """How many are flagged, and the first few.

    >>> flagged_in_words(np.array([150])), flagged_in_words(np.array([])), flagged_in_words(np.arange(9))
    ('1 flagged: 150', 'none flagged', '9 flagged')
    """
    if not len(flagged):
        return "none flagged"
    named = ": " + ", ".join(map(str, flagged)) if len(flagged) <= 3 else ""
    return f"{len(flagged):,} flagged{named}"
