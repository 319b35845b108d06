"""The status line: where things stand, in one row."""

from __future__ import annotations

import asyncio
import math
import time

from cclab.session import Session, Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import row, text
from cclab.widgets.running import Restraint
from cclab.widgets.tasks import Tasks, is_looping

#: With more samples scores are worked out aside, once the session rests.
QUICK = 2_000
_CLOCK_SECONDS = 5.0


class Status(View):
    """State, sizes, iteration, objective, links, conflicts, scores, and when the session was saved.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._tasks = Tasks()
        self._restraint = Restraint()
        self._scoring = False
        self._stopped_at: Snapshot | None = None
        self._conflicts: tuple[object, int] = (None, 0)
        self._line = text()
        self._saved = text(css="cc-push cc-item")
        self.widget = row(self._line, self._saved, css="cc-status")
        self.listen(desk.stopped, self._stopped)
        self.update(None, desk.session.current)
        if is_looping():
            self._tasks.start(self._keep_time())

    def _stopped(self, snapshot: Snapshot) -> None:
        self._stopped_at = snapshot
        self._show()

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if new is not self._stopped_at:
            self._stopped_at = None
        if not self._restraint.holds(self.desk.session):
            self._show()

    @property
    def state(self) -> str:
        """Ready, Running, Converged or Stopped."""
        session = self.desk.session
        if session.running:
            return "Running"
        if self._stopped_at is not None:
            return "Stopped"
        return "Converged" if session.converged else "Ready"

    # ------------------------------------------------------------------ showing

    def _show(self) -> None:
        session = self.desk.session
        known = session.constraints
        held = known.satisfaction(session.labels).n_satisfied if len(known) else 0
        summary = session.current.summary
        state = self.state
        css = {"Running": "cc-state cc-running", "Stopped": "cc-state cc-stopped"}.get(state, "cc-state")
        items = [
            tag("span", state, class_=css),
            join("n ", tag("b", f"{session.data.n_samples:,}"), " · k ", tag("b", session.partition.n_clusters)),
            join("iteration ", tag("b", summary.iteration)),
            join("objective ", tag("b", f"{summary.objective:.4g}")),
            join("links ", tag("b", f"{held:,} / {len(known):,}")) if len(known) else None,
            join("conflicts ", tag("b", self._n_conflicts(session))) if len(known) else None,
            self._scores(session),
        ]
        shown = [tag("span", item, class_="cc-item") for item in items if item is not None]
        self._line.value = tag("div", shown, class_="cc-status-items", role="status", aria_live="polite")
        self._show_saved()

    def _n_conflicts(self, session: Session) -> int:
        known = session.constraints
        if self._conflicts[0] is not known:
            self._conflicts = known, len(known.conflicts(session.partition.n_clusters))
        return self._conflicts[1]

    def _scores(self, session: Session) -> Html | None:
        if session.data.target is None:
            return None
        if session.data.n_samples <= QUICK:
            session.scores()
        elif session.current.known_scores is None:
            self._score_later()
        known = session.current.known_scores
        if known is None:
            return join("ARI ", tag("b", "…"))
        free = known["ari_free"]
        rest = join(" · ", tag("b", f"{free:.2f}"), " unconstrained") if not math.isnan(free) else None
        return join("ARI ", tag("b", f"{known['ari']:.2f}"), " all", rest)

    def _score_later(self) -> None:
        if not self._scoring:
            self._scoring = True
            self._tasks.start(self._score())

    async def _score(self) -> None:
        """Score the current snapshot once nothing has happened for a moment."""
        try:
            while True:
                snapshot, session = self.desk.session.current, self.desk.session
                await asyncio.sleep(0.25)
                if session.running or session.current is not snapshot:
                    continue
                await asyncio.to_thread(snapshot.scores, session.data.target)
                if self.desk.session.current is snapshot:
                    break
        finally:
            self._scoring = False
        self._show()

    def _show_saved(self) -> None:
        saved = self.desk.session.saved_at
        self._saved.value = "" if saved is None else f"saved {ago(time.time() - saved)}"

    async def _keep_time(self) -> None:
        """Keep "saved ... ago" true until the view is closed."""
        while True:
            await asyncio.sleep(_CLOCK_SECONDS)
            self._show_saved()

    def close(self) -> None:
        self._tasks.cancel()
        super().close()


def ago(seconds: float) -> str:
    """How long ago, short.

    >>> ago(2.4), ago(75), ago(7300)
    ('2 s ago', '1 min ago', '2 h ago')
    """
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name} ago"
    return f"{max(int(seconds), 0)} s ago"
