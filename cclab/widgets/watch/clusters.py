"""Sizes and centres of the clusters, and what became of those that vanished."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cclab.core.words import counted, short_number
from cclab.looks.encoding import Look
from cclab.looks.palette import hue
from cclab.looks.sample_columns import to_own_units
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import gauge, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.scatter.glyphs import glyph
from cclab.widgets.watch.part import Part

MOST_FEATURES = 4
MOST_NOTES = 50


class Clusters(Part):
    """A table of the clusters; a click selects the samples of one.

    Parameters
    ----------
    desk : Desk
    """

    title = "Sizes and centres"
    tab, order = "Clusters", 6

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.note = text()
        self.table = with_classes(Rows(kind="table", label="Clusters"), "cc-dense")
        self.table.on_action(self._act)
        self.happenings = Rows(label="What happened to the clusters")
        self.widget = gauge(self.title, self.table, self.happenings, note=self.note)
        self.start()

    def _act(self, action: Action) -> None:
        self.desk.select(np.flatnonzero(self.desk.session.current.partition.labels() == int(action.id)))

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        names, centers = self._centers(new)
        sizes = np.bincount(new.partition.labels(), minlength=new.partition.n_clusters)
        ids, look = new.state.cluster_ids, Look.of(new)
        self.table.head = tag(
            "tr",
            tag("th", "Cluster", style="width:92px" if look.given else "width:62px"),
            tag("th", "Size", class_="cc-number"),
            [tag("th", name, class_="cc-number", title=name) for name in names],
        )
        self.table.show(
            (ids[k], self._row(k, look, int(sizes[k]), () if centers is None else centers[k])) for k in look.order
        )
        self.note.value = counted(len(ids), "cluster")
        self._show_notes()

    def _centers(self, snapshot: Snapshot) -> tuple[tuple[str, ...], np.ndarray | None]:
        """The first features and where the centres lie in them; none where centres are in no feature space."""
        centers, data = snapshot.state.centers, self.desk.session.data
        if centers is None or centers.shape != (snapshot.partition.n_clusters, data.n_features):
            return (), None
        names = data.feature_names[:MOST_FEATURES]
        return names, np.column_stack([to_own_units(data, j, centers[:, j]) for j in range(len(names))])

    def _row(self, place: int, look: Look, size: int, center: Iterable[float]) -> Html:
        return tag(
            "tr",
            tag(
                "td",
                tag(
                    "span",
                    glyph("circle", hue(look.hues[place])),
                    tag("span", look.names[place], class_="cc-clusters-name"),
                    class_="cc-kind",
                ),
            ),
            tag("td", f"{size:,}", class_="cc-number"),
            [tag("td", short_number(value, 3), class_="cc-number", title=f"{value:.6g}") for value in center],
            data_action="select",
            data_id=place,
            tabindex=0,
        )

    def _show_notes(self) -> None:
        """What the solver has noted up to here, the newest first."""
        session = self.desk.session
        notes = [
            (f"{place}-{k}", tag("div", tag("b", s.summary.iteration), " ", note, class_="cc-help cc-padded"))
            for place, s in enumerate(session.snapshots[: session.position + 1])
            for k, note in enumerate(s.summary.notes)
            if s.how == "step"
        ]
        self.happenings.show(notes[: -MOST_NOTES - 1 : -1])
