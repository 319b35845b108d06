"""Try all: every solver that suits, ranked by the links that each keeps without having seen them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cclab.apps.page.popover import Popover
from cclab.core import Solver
from cclab.reach import Progress, Tried, try_all
from cclab.session.threads import in_thread
from cclab.widgets.kit.background import Tasks
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, row, text
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.wrapping import inside

_HOW = "Each third of what you stated is held back in turn; ranked by how much of it is kept."


class TryAll(Popover):
    """A list that fills while solvers are tried; a click takes one.

    Parameters
    ----------
    desk : Desk
    on_choose : callable
        Called with the solver that was taken.
    """

    def __init__(self, desk: Desk, on_choose: Callable[[Solver], object]) -> None:
        self._desk, self._on_choose = desk, on_choose
        self._tasks = Tasks()
        self._cancelled = False
        self._tried: dict[str, Tried] = {}
        self._bar = text(css="cc-padded")
        self.table = Rows(kind="table", label="Solvers by the links that they keep", head=_HEAD)
        self.table.on_action(self._act)
        self.stop_button = button("Stop", self.stop, hint="Keep what is there, try no more")
        head = row(
            text(tag("span", "Try all", class_="cc-title")),
            text(_HOW, css="cc-note"),
            button(icon="close", hint="Close (Esc)", on_click=self.hide, css="cc-push"),
            css="cc-head",
        )
        foot = row(self._bar, self.stop_button, css="cc-foot")
        super().__init__(column(head, self.table, foot, css="cc-recent cc-over"), "cc-sheet-layer")

    def open(self) -> None:
        """Show the list, and try all anew."""
        if not self.is_open:
            self.toggle()
        self._cancelled = False
        session = self._desk.session
        session.pause()
        n_clusters = getattr(session.solver, "n_clusters", None) or session.partition.n_clusters
        self._tasks.start(self._try(try_all(session.problem, n_clusters, cancelled=lambda: self._cancelled)))

    def stop(self) -> None:
        """Try no more; what is there stays."""
        self._cancelled = True

    def hide(self) -> None:
        """Put it away, and try no more."""
        self._cancelled = True
        super().hide()

    async def _try(self, answers: Iterator[Progress]) -> None:
        while (progress := await in_thread(next, answers, None)) is not None:
            self._show(progress)
        self.stop_button.disabled = True

    def _show(self, progress: Progress) -> None:
        self.stop_button.disabled = not progress.now
        now = f"{progress.now}, {progress.done} of {progress.total}" if progress.now else "All are tried"
        meter = tag("progress", value=progress.done, max=max(progress.total, 1), aria_label="Solvers tried")
        self._bar.value = tag("span", meter, " ", now, class_="cc-help", role="status")
        self._tried = {tried.name: tried for tried in progress.ranking}
        here = type(inside(self._desk.session.solver)).__name__
        self.table.show([(tried.name, _row(tried, here)) for tried in progress.ranking])

    def _act(self, action: Action) -> None:
        tried = self._tried.get(str(action.id))
        if tried is not None:
            self.hide()
            self._on_choose(tried.solver)

    def close(self) -> None:
        """Stop what is under way."""
        self._cancelled = True
        self._tasks.cancel()


_HEAD = tag(
    "tr",
    tag("th", "Solver"),
    *(tag("th", name, class_="cc-number") for name in ("Links not seen, kept", "Must-links", "Cannot-links")),
)


def _row(tried: Tried, here: str) -> Html:
    """One solver; one that was not tried says why, and can't be taken."""
    name = tag("b", tried.name), tag("span", " · at work", class_="cc-faint") if tried.name == here else None
    held = tried.held_out
    if held is None:
        return tag("tr", tag("td", *name), tag("td", tried.why_not, class_="cc-faint", colspan=3, title=tried.why_not))
    shares = (held.share, held.must_share, held.cannot_share)
    return tag(
        "tr",
        tag("td", *name),
        *(tag("td", f"{100 * share:.0f} %", class_="cc-number") for share in shares),
        data_action="take",
        data_id=tried.name,
        tabindex=0,
        aria_label=f"Use {tried.name}",
    )
