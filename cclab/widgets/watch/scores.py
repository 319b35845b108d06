"""Scores against the truth over the timeline."""

from __future__ import annotations

import numpy as np

from cclab.core.words import decimal
from cclab.datasets import Dataset
from cclab.session import Moment, Session, Snapshot
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import tag
from cclab.widgets.kit.layout import column, gauge, text
from cclab.widgets.model.desk import Desk
from cclab.widgets.watch.charts import Course, seen_places
from cclab.widgets.watch.objective import key_to_lines
from cclab.widgets.watch.part import Part

MEASURES = {"ari": "Adjusted Rand index", "nmi": "Mutual information", "accuracy": "Accuracy"}
#: Each point needs the labels of its snapshot, which may have to be derived anew.
MOST_SCORED = 60


class Scores(Part):
    """A small chart for each measure: all samples, and those that no statement is about.

    Scores are worked out only while they are seen, in a thread, and kept with their snapshots.

    Parameters
    ----------
    desk : Desk
    """

    tab, order = "Scores", 5

    @classmethod
    def suits(cls, data: Dataset) -> bool:
        return data.target is not None

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self._scoring = False
        self.notes = {name: text() for name in MEASURES}
        self.charts = {name: Course(high=1.0) for name in MEASURES}
        parts = [gauge(MEASURES[name], self.charts[name].widget, note=self.notes[name]) for name in MEASURES]
        self._key = text(key_to_lines(["all samples", "unconstrained"]))
        self._progress = text(css="cc-help cc-padded")
        self.widget = column(*parts, self._key, self._progress, css="cc-gauge")
        self.start()

    def applies(self, snapshot: Snapshot) -> bool:
        return self.desk.session.data.target is not None

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        self._show()

    def update(self, old: Moment | None, new: Moment) -> None:
        super().update(old, new)
        if self.seen and self.applies(new.snapshot) and not (new.running or self._scoring):
            self._scoring = True
            self._tasks.start(self._score())

    async def _score(self) -> None:
        """Score what is to be seen, the current snapshot first, until nothing is left or it is no longer seen."""
        try:
            while self.seen:
                session = self.desk.session
                waiting = self._unscored(session)
                if not waiting or session.running:
                    break
                snapshot = min(waiting, key=lambda s: s is not session.current)
                await in_thread(score, session, snapshot)
                self._show()
        finally:
            self._scoring = False

    def _unscored(self, session: Session) -> list[Snapshot]:
        _, snapshots = seen_places(session, MOST_SCORED)
        return [s for s in {*snapshots, session.current} if s.kept and s.known_scores is None]

    def _show(self) -> None:
        session = self.desk.session
        places, snapshots = seen_places(session, MOST_SCORED)
        known = [(place, s.known_scores) for place, s in zip(places, snapshots) if s.known_scores is not None]
        now = session.current.known_scores
        for name, chart in self.charts.items():
            lines = [[scores[key] for _, scores in known] for key in (name, f"{name}_free")]
            chart.show(np.array([place for place, _ in known]), lines, session.position)
            self.notes[name].value = "" if now is None else score_in_words(now[name], now[f"{name}_free"])
        left = len(self._unscored(session))
        self._progress.value = tag("span", f"{left} more to score") if left else ""

    def close(self) -> None:
        self._tasks.cancel()
        super().close()


def score(session: Session, snapshot: Snapshot) -> None:
    """Score a snapshot, and let go of the labels again unless it is the current one."""
    snapshot.scores(session.data.target)
    if snapshot is not session.current:
        snapshot.state.forget()


def score_in_words(all_samples: float, free: float) -> str:
    """Both scores, the second only where enough samples are free.

    >>> score_in_words(0.92, 0.9), score_in_words(0.92, float("nan"))
    ('0.92 · 0.90 unconstrained', '0.92')
    """
    return decimal(all_samples) + ("" if np.isnan(free) else f" · {decimal(free)} unconstrained")
