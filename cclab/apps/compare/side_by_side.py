"""Views of two solvers side by side: a scatter each, where they part, their scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cclab.apps.parting import Crossing
from cclab.apps.twins import Twins
from cclab.session import Session, Snapshot
from cclab.widgets.desk import Desk
from cclab.widgets.encoding import rows_of, set_sign, sets_of
from cclab.widgets.freeing import close_all
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import panel, text, with_classes
from cclab.widgets.rows import Rows
from cclab.widgets.samples import sample_content, sample_name
from cclab.widgets.scatter import Scatter
from cclab.widgets.theme import hue, told_apart

_MEASURES = {"ari": "ARI", "ari_free": "ARI, unconstrained", "nmi": "NMI", "accuracy": "Accuracy"}


class Twin(Scatter):
    """A scatter under its solver's name that rings the samples on which the two differ.

    Parameters
    ----------
    desk : Desk
    twins : Twins
    over : sequence of widgets
    """

    def __init__(self, desk: Desk, twins: Twins, over: tuple = ()) -> None:
        self._twins = twins
        self._name = text()
        super().__init__(desk, over)
        head = self.widget.children[0]
        title, *tools = head.children
        close_all(title)
        head.children = (self._name, *tools)

    def cluster_ids(self, snapshot: Snapshot) -> NDArray:
        return self._twins.ids_of(self.desk, snapshot)

    def ringed(self, snapshot: Snapshot) -> NDArray:
        return self._twins.parted(self.desk, snapshot)

    def refresh(self) -> None:
        """Draw what depends on the other side too."""
        snapshot = self.desk.session.current
        self._name.value = tag("span", type(snapshot.solver).__name__, class_="cc-title")
        self._show_marks(snapshot)
        self._show_rings(snapshot)

    def _describe(self, sample: int) -> Html:
        session = self.desk.session
        which, sets = sets_of(rows_of(session.partition, sample), self.desk.threshold)
        sign = set_sign(sets[which[0]], self.cluster_ids(session.current))
        head = tag("header", glyph(sign.shape, sign.color), sample_name(session.data, sample), tag("span", sign.name))
        return tag("div", head, sample_content(session.data, sample), class_="cc-sample")


class Crossings:
    """Which cluster the samples that part belong to here and there; a click selects them on both sides.

    Parameters
    ----------
    twins : Twins
    """

    def __init__(self, twins: Twins) -> None:
        self._twins = twins
        self.rows = with_classes(Rows(kind="table", label="Where they part"), "cc-dense")
        self.rows.on_action(lambda action: self._select(int(action.id)))
        self.widget = panel("Where they part", self.rows)

    def _select(self, place: int) -> None:
        crossings = self._twins.parting.crossings()
        if place < len(crossings):
            self._twins.desks[0].select(crossings[place].samples)

    def show(self) -> None:
        """Show where the two part now."""
        left, right = (type(desk.session.solver).__name__ for desk in self._twins.desks)
        names = [tag("th", name, style="width:38%") for name in (left, right)]
        self.rows.head = tag("tr", names, tag("th", "n", class_="cc-number"))
        crossings = self._twins.parting.crossings()
        nowhere = tag("tr", tag("td", "Nowhere: they agree on every sample.", colspan=3, class_="cc-faint"))
        hues = [dict(zip(ids.tolist(), told_apart(ids))) for ids in self._twins.parting.ids]
        rows = [(place, _crossing_row(place, crossing, hues)) for place, crossing in enumerate(crossings)]
        self.rows.show(rows or [("nowhere", nowhere)])


def _crossing_row(place: int, crossing: Crossing, hues: list[dict[int, int]]) -> Html:
    n = len(crossing.samples)
    ids = (crossing.first, crossing.second)
    signs = [tag("td", glyph("circle", hue(hue_of[id_])), f" {id_ + 1}") for id_, hue_of in zip(ids, hues)]
    title = f"Select {'this sample' if n == 1 else f'these {n:,} samples'}"
    number = tag("td", f"{n:,}", class_="cc-number")
    return tag("tr", *signs, number, data_action="select", data_id=place, tabindex=0, title=title)


class Scores:
    """Iterations, scores and statements held, a column for each solver.

    Parameters
    ----------
    twins : Twins
    """

    def __init__(self, twins: Twins) -> None:
        self._twins = twins
        self.rows = with_classes(Rows(kind="table", label="Scores side by side"), "cc-dense")
        self.widget = panel("Side by side", self.rows)

    def show(self) -> None:
        """Show the scores as they are now."""
        sessions = [desk.session for desk in self._twins.desks]
        heads = [tag("th", type(session.solver).__name__, class_="cc-number") for session in sessions]
        self.rows.head = tag("tr", tag("th", "", style="width:38%"), heads)
        self.rows.show(
            (title, tag("tr", tag("td", title), [tag("td", value, class_="cc-number") for value in values]))
            for title, values in _lines(sessions).items()
        )


def _lines(sessions: list[Session]) -> dict[str, list[str]]:
    scores = [session.scores() for session in sessions]
    lines = {"Iterations": [_with_state(session) for session in sessions]}
    lines |= {
        title: [f"{score[key]:.3f}" for score in scores]
        for key, title in _MEASURES.items()
        if all(np.isfinite(score.get(key, np.nan)) for score in scores)
    }
    if len(sessions[0].constraints):
        lines["Statements held"] = [f"{score['satisfied']:.0%}" for score in scores]
    lines["Clusters"] = [str(session.partition.n_clusters) for session in sessions]
    return lines


def _with_state(session: Session) -> str:
    return f"{session.current.summary.iteration}{', at rest' if session.converged else ''}"


def verdict(twins: Twins) -> Html:
    """On how many samples the two differ, and how far they agree as a whole."""
    n, total = len(twins.parting.parted), twins.desks[0].session.data.n_samples
    differ = (
        "They agree on every sample."
        if not n
        else join("They differ on ", tag("b", f"{n:,}"), f" of {total:,} samples (ringed).")
    )
    return join(differ, " Agreement ", tag("b", f"{twins.parting.agreement:.2f}"), " (ARI between the two)")
