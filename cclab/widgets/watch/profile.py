"""One cluster: its name and colour, what tells it apart, who speaks for it; merged with another, or split."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np

from cclab.core.words import counted, short_number, shortened
from cclab.looks.encoding import Look
from cclab.looks.palette import N_HUES, hue
from cclab.looks.profiles import Feature, profile, suggested_name
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, gauge, row, show, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice
from cclab.widgets.queries.sample import sample_name
from cclab.widgets.watch.part import Part

MOST_FEATURES = 8


class ClusterProfile(Part):
    """The profile of the cluster that is chosen.

    Parameters
    ----------
    desk : Desk
    """

    title = "Cluster profile"
    tab, order = "Clusters", 7

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._filling = False
        self._id: int | None = None
        self.note = text()
        self.cluster = with_classes(widgets.Dropdown(description="cluster", layout={"width": "auto"}), "cc-plain")
        self.name = with_classes(
            widgets.Text(description="Name", continuous_update=False, placeholder="a name", layout={"width": "auto"}),
            "cc-quiet-label cc-grow",
        )
        self.suggest_button = button("Suggest", self.suggest, hint="A name from what tells this cluster apart")
        self._colors = with_classes(Rows(label="Colours"), "cc-hues")
        self._colors.on_action(self._recolour)
        self._features = with_classes(Rows(kind="table", label="Features of the cluster"), "cc-dense")
        self._samples = with_classes(Rows(label="Samples of the cluster"), "cc-chips")
        self._samples.on_action(lambda action: desk.select([int(action.id)]))
        self._samples.on_hover(lambda sample: desk.point_at(None if sample is None else int(sample)))
        self.other = with_classes(widgets.Dropdown(description="Merge with", layout={"width": "auto"}), "cc-plain")
        merge_hint, split_hint = "State that the two clusters are one", "State that it is two clusters"
        self.merge_button = button("Merge", self.merge, hint=merge_hint, look="outlined", css="cc-once")
        self.split_button = button("Split in two", self.split, hint=split_hint, look="outlined", css="cc-once")
        self.cluster.observe(self._chosen, "value")
        self.name.observe(self._renamed, "value")
        verbs = row(self.other, self.merge_button, self.split_button, css="cc-profile-row")
        self._verbs = verbs
        self.widget = gauge(
            self.title,
            column(row(self.cluster, self.name, self.suggest_button, css="cc-profile-row"), self._colors),
            self._features,
            self._samples,
            verbs,
            note=self.note,
        )
        self.start()

    # ------------------------------------------------------------------ gestures

    @property
    def place(self) -> int:
        """Where the chosen cluster is in the state."""
        ids = [int(id_) for id_ in self.desk.session.state.cluster_ids]
        return ids.index(self._id) if self._id in ids else 0

    def _number(self, place: int) -> int:
        """The number of a cluster in `labels`."""
        return int(np.flatnonzero(self.desk.session.current.order == place)[0])

    def _chosen(self, change: dict) -> None:
        if not self._filling and change["new"] is not None:
            self._id = int(self.desk.session.state.cluster_ids[change["new"]])
            self.redraw()

    def _renamed(self, change: dict) -> None:
        if not self._filling:
            self.desk.attempt(self.desk.session.name, self._number(self.place), change["new"])

    def suggest(self) -> None:
        """Call the cluster by what tells it apart."""
        snapshot = self.desk.session.current
        name = suggested_name(self.desk.session.data, snapshot.partition, self.place)
        if name:
            self.desk.attempt(self.desk.session.name, self._number(self.place), name)
        else:
            self.desk.tell(Notice("info", "Nothing tells this cluster apart enough to be named by"))

    def _recolour(self, action: Action) -> None:
        self.desk.attempt(self.desk.session.name, self._number(self.place), color=int(action.id or 0))

    def merge(self) -> None:
        """State that this cluster and the other one are one."""
        other = self.other.value
        if other is not None:
            session = self.desk.session
            session.pause()
            self.desk.attempt(session.merge, self._number(self.place), self._number(other))

    def split(self) -> None:
        """State that this cluster is two."""
        session = self.desk.session
        session.pause()
        self.desk.attempt(session.split, self._number(self.place))

    # ------------------------------------------------------------------ showing

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        data, look = self.desk.session.data, Look.of(new)
        if new.partition.n_samples != data.n_samples:
            return
        place = self.place
        self._id = int(new.state.cluster_ids[place])
        about = profile(data, new.partition, place)
        self._fill(new, look, place)
        self.note.value = f"{counted(about.size, 'sample')}, {about.share:.0%}".replace("%", " %")
        self._features.head = tag(
            "tr",
            tag("th", "Feature"),
            tag("th", "Mean ± sd", class_="cc-number"),
            tag("th", "Others", class_="cc-number"),
            tag("th", "", style="width:76px"),
        )
        most = max((abs(f.effect) for f in about.features), default=1) or 1
        shown = about.features[:MOST_FEATURES]
        self._features.show((f.name, _feature_row(f, most, hue(look.hues[place]))) for f in shown)
        chips = [("typical", tag("span", "typical", class_="cc-help"))] if len(about.typical) else []
        chips += [(f"t{i}", _chip(sample_name(data, i), i)) for i in about.typical.tolist()]
        chips += [("doubtful", tag("span", "doubtful", class_="cc-help"))] if len(about.doubtful) else []
        chips += [(f"d{i}", _chip(sample_name(data, i), i)) for i in about.doubtful.tolist()]
        self._samples.show(chips)

    def _fill(self, snapshot: Snapshot, look: Look, place: int) -> None:
        self._filling = True
        try:
            self.cluster.options = [(look.names[k], k) for k in look.order]
            self.cluster.value = place
            others = [(look.names[k], k) for k in look.order if k != place]
            kept = self.other.value if self.other.value in dict(others).values() else None
            self.other.options = others
            self.other.value = kept if kept is not None else (others[0][1] if others else None)
            self.name.value = look.given.get(place, "")
        finally:
            self._filling = False
        show(self.other, bool(others))
        show(self.merge_button, bool(others))
        self._colors.show([(k, _swatch(k, look.hues[place])) for k in range(N_HUES)])


def _feature_row(feature: Feature, most: float, color: str) -> Html:
    share = 50 * abs(feature.effect) / most
    side = "left:50%" if feature.effect > 0 else f"left:{50 - share:.0f}%"
    bar = tag("span", tag("i", style=f"{side};width:{share:.0f}%;background:var({color})"), class_="cc-effect")
    words = f"{feature.effect:+.1f} standard deviations from all others"
    return tag(
        "tr",
        tag("td", feature.name, title=feature.name),
        tag("td", f"{short_number(feature.mean, 3)} ± {short_number(feature.spread, 2)}", class_="cc-number"),
        tag("td", short_number(feature.others, 3), class_="cc-number"),
        tag("td", bar, title=words),
    )


def _chip(name: str, sample: int) -> Html:
    return tag(
        "button",
        shortened(name, 18),
        class_="cc-chip",
        title=name,
        data_action="select",
        data_id=sample,
        data_hover=sample,
    )


def _swatch(place: int, chosen: int) -> Html:
    return tag(
        "button",
        class_="cc-swatch",
        style=f"background:var({hue(place)})",
        title=f"Colour {place + 1}",
        data_action="recolour",
        data_id=place + 1,
        aria_pressed=place == chosen % N_HUES,
    )
