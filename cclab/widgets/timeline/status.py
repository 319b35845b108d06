"""The status line: where things stand, in one row."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from datetime import datetime

from cclab.core.words import decimal
from cclab.looks.describe import Made, ends_of
from cclab.session import Moment, Session, Snapshot
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import row, text
from cclab.widgets.kit.throttle import Throttle
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View

#: With more samples scores are worked out in a thread, once the session rests.
QUICK = 2_000


class Status(View):
    """State, sizes, iteration, objective, links, conflicts, scores, and when the session was saved.

    Parameters
    ----------
    desk : Desk
    items : callable, optional
        ``items(state)`` gives what else is to be said: what takes the place of the state's name, then the items.
    """

    def __init__(self, desk: Desk, items: Callable[[str], Sequence[Html | str | None]] | None = None) -> None:
        super().__init__(desk)
        self._items = items or self._usual_items
        self._tasks = Tasks()
        self._throttle = Throttle()
        self._scoring = False
        self._stopped_at: Snapshot | None = None
        self._made: tuple[object, Made] | None = None
        self.line = text()
        self.saved = text(css="cc-push cc-item")
        self.widget = row(self.line, self.saved, css="cc-status")
        self.listen(desk.stopped, self._stopped)
        self.listen(desk.kept, self._show_saved)
        self.listen(desk.busied, lambda _: self._show())
        self.update(None, desk.moment)

    def _stopped(self, snapshot: Snapshot) -> None:
        self._stopped_at = snapshot
        self._show()

    def update(self, old: Moment | None, new: Moment) -> None:
        if new.snapshot is not self._stopped_at:
            self._stopped_at = None
        if not self._throttle.holds(new):
            self._show()

    @property
    def state(self) -> str:
        """Ready, Running, Converged or Stopped; or what is under way besides a run."""
        if self.desk.busy:
            return self.desk.busy
        if self.desk.moment.running:
            return "Running"
        if self._stopped_at is not None:
            return "Stopped"
        return "Converged" if self.desk.moment.snapshot.converged else "Ready"

    # ------------------------------------------------------------------ showing

    def _show(self) -> None:
        state = self.state
        active = "cc-state cc-running" if self.desk.busy else "cc-state"
        css = {"Running": "cc-state cc-running", "Stopped": "cc-state cc-stopped"}.get(state, active)
        first, *items = self._items(state)
        self.line.value = status_line([tag("span", first, class_=css), *items])
        self._show_saved()

    def _show_saved(self) -> None:
        saved = self.desk.session.saved_at
        self.saved.value = "" if saved is None else join("saved ", moment(saved))

    def _usual_items(self, state: str) -> list[Html | str | None]:
        session = self.desk.session
        known = session.constraints
        summary = session.current.summary
        return [
            state,
            join(
                "n ", tag("b", f"{session.data.n_samples:,}"), " · k ", tag("b", session.current.partition.n_clusters)
            ),
            join("iteration ", tag("b", summary.iteration)),
            join("objective ", tag("b", f"{summary.objective:.4g}")),
            join("statements ", tag("b", self._held(session))) if len(known) else None,
            join("conflicts ", tag("b", len(session.current.conflicts))) if len(known) else None,
            self._scores(session),
        ]

    def _held(self, session: Session) -> str:
        """How many statements hold, of how many."""
        known = session.constraints
        if self._made is None or self._made[0] is not known:
            self._made = known, Made(known, ends_of(session))
        made = self._made[1]
        violated = made.count(session.current.satisfaction.violated_ids)
        return f"{int((violated == 0).sum()):,} / {len(made):,}"

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
        beside = (" · ", tag("b", decimal(free)), " unconstrained")
        rest = None if math.isnan(free) else tag("span", *beside, class_="cc-roomy")
        return join("ARI ", tag("b", decimal(known["ari"])), " all", rest)

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
                await in_thread(snapshot.scores, session.data.target)
                if self.desk.session.current is snapshot:
                    break
        finally:
            self._scoring = False
        self._show()

    def close(self) -> None:
        self._tasks.cancel()
        super().close()


def status_line(items: Sequence[Html | str | None]) -> Html:
    """Items in a row, which screen readers read out as they change."""
    shown = [tag("span", item, class_="cc-item") for item in items if item is not None]
    return tag("div", shown, class_="cc-status-items", role="status", aria_live="polite")


def moment(seconds: float) -> Html:
    """A moment that the browser shows as "3 min ago", and keeps true without asking; where it can't, the time of day.

    >>> str(moment(0.0))
    '<time class="cc-ago" datetime="1970-01-01T...">...</time>'
    """
    when = datetime.fromtimestamp(seconds).astimezone()
    return tag("time", f"at {when:%H:%M}", class_="cc-ago", datetime=when.isoformat(timespec="milliseconds"))
