"""Views of two solvers side by side: a scatter each, where they part, their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from cclab.apps.compare.disagreement import Crossing
from cclab.apps.compare.linked_desks import LinkedDesks
from cclab.core.words import decimal
from cclab.looks.encoding import Encoding, Look
from cclab.looks.palette import hue
from cclab.session import Session, Snapshot
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import heading, panel, text, with_classes
from cclab.widgets.kit.rows import Row, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.scatter.glyphs import glyph
from cclab.widgets.scatter.legend import legend_entry
from cclab.widgets.scatter.panel import MOST_RINGS, Scatter

_MEASURES = {"ari": "ARI", "ari_free": "ARI, unconstrained", "nmi": "NMI", "accuracy": "Accuracy"}


class ComparedScatter(Scatter):
    """A scatter under its solver's name that rings the samples on which the two differ.

    Where they are too many for rings, those on which the two agree are faint.

    Parameters
    ----------
    desk : Desk
    linked : LinkedDesks
    over : sequence of widgets
    """

    def __init__(self, desk: Desk, linked: LinkedDesks, over: Sequence[widgets.Widget] = ()) -> None:
        self._linked = linked
        self._name = text()
        super().__init__(desk, over, title=self._name)

    def look(self, snapshot: Snapshot) -> Look:
        return self._linked.look_of(self.desk, snapshot)

    def ringed(self, snapshot: Snapshot) -> NDArray:
        return self._linked.differing(self.desk, snapshot)

    def dressed(self, encoding: Encoding, snapshot: Snapshot) -> Encoding:
        differing = self._linked.differing(self.desk, snapshot)
        if len(differing) <= MOST_RINGS:
            return encoding
        return replace(encoding, certainty=np.isin(np.arange(len(encoding.certainty)), differing).astype(float))

    def legend_of_rings(self, snapshot: Snapshot) -> list[Html]:
        n = len(self._linked.differing(self.desk, snapshot))
        if n > MOST_RINGS:
            return [tag("span", "faint = both agree")]
        return [legend_entry(glyph("ring"), "they differ")] if n else []

    def refresh(self) -> None:
        """Draw what depends on the other side too."""
        snapshot = self.desk.session.current
        self._name.value = heading(type(snapshot.solver).__name__)
        self._show_marks(snapshot)
        self._show_rings(snapshot)


class Crossings:
    """Which cluster the samples that part belong to here and there; a click selects them on both sides.

    Parameters
    ----------
    linked : LinkedDesks
    """

    def __init__(self, linked: LinkedDesks) -> None:
        self._linked = linked
        self.rows = with_classes(Rows(kind="table", label="Where they part"), "cc-dense")
        self.rows.on_action(lambda action: self._select(int(action.id)))
        self.widget = panel("Where they part", self.rows)

    def _select(self, place: int) -> None:
        crossings = self._linked.disagreement.crossings()
        if place < len(crossings):
            self._linked.desks[0].select(crossings[place].samples)

    def show(self) -> None:
        """Show where the two part now."""
        left, right = (type(desk.session.solver).__name__ for desk in self._linked.desks)
        names = [tag("th", name, style="width:38%") for name in (left, right)]
        self.rows.head = tag("tr", names, tag("th", "n", class_="cc-number"))
        crossings = self._linked.disagreement.crossings()
        nowhere = tag("tr", tag("td", "Nowhere: they agree on every sample.", colspan=3, class_="cc-faint"))
        hues = [dict(zip(look.numbers, look.hues)) for look in self._linked.disagreement.looks]
        rows: list[Row] = [(place, _crossing_row(place, crossing, hues)) for place, crossing in enumerate(crossings)]
        self.rows.show(rows or [("nowhere", nowhere)])


def _crossing_row(place: int, crossing: Crossing, hues: list[dict[int, int]]) -> Html:
    n = len(crossing.samples)
    numbers = (crossing.first, crossing.second)
    signs = [tag("td", glyph("circle", hue(hue_of[k])), f" {k}") for k, hue_of in zip(numbers, hues)]
    title = f"Select {'this sample' if n == 1 else f'these {n:,} samples'}"
    number = tag("td", f"{n:,}", class_="cc-number")
    return tag("tr", *signs, number, data_action="select", data_id=place, tabindex=0, title=title)


class Scores:
    """Iterations, scores and statements held, a column for each solver.

    Parameters
    ----------
    linked : LinkedDesks
    """

    def __init__(self, linked: LinkedDesks) -> None:
        self._linked = linked
        self.rows = with_classes(Rows(kind="table", label="Scores side by side"), "cc-dense")
        self.widget = panel("Side by side", self.rows)

    def show(self) -> None:
        """Show the scores as they are now."""
        sessions = [desk.session for desk in self._linked.desks]
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
        title: [decimal(score[key], 3) for score in scores]
        for key, title in _MEASURES.items()
        if all(np.isfinite(score.get(key, np.nan)) for score in scores)
    }
    if len(sessions[0].constraints):
        lines["Statements held"] = [f"{score['satisfied']:.0%}" for score in scores]
    lines["Clusters"] = [str(session.current.partition.n_clusters) for session in sessions]
    return lines


def _with_state(session: Session) -> str:
    return f"{session.current.summary.iteration}{', at rest' if session.converged else ''}"


def verdict(linked: LinkedDesks) -> Html:
    """On how many samples the two differ, and how far they agree as a whole."""
    n, total = len(linked.disagreement.differing), linked.desks[0].session.data.n_samples
    stand_out = "ringed" if n <= MOST_RINGS else "in full colour"
    differ = (
        "They agree on every sample."
        if not n
        else join("They differ on ", tag("b", f"{n:,}"), f" of {total:,} samples ({stand_out}).")
    )
    return join(differ, " Agreement ", tag("b", decimal(linked.disagreement.agreement)), " (ARI between the two)")
