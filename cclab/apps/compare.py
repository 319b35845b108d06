"""Compare: two solvers on the same data and the same statements, and where they part."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.heading import dropdown, heading
from cclab.apps.keys import KeySheet
from cclab.apps.opening import named_sets, session_on, solver_for
from cclab.apps.page import Page
from cclab.apps.remedies import remedy_for
from cclab.core import Solver
from cclab.core.registry import solvers
from cclab.session import Session, Snapshot
from cclab.widgets.banner import Banner
from cclab.widgets.constraints import Constraints
from cclab.widgets.desk import Desk
from cclab.widgets.encoding import rows_of, set_sign, sets_of
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import button, column, panel, row, text, with_classes
from cclab.widgets.rows import Rows
from cclab.widgets.running import run
from cclab.widgets.samples import sample_content, sample_name
from cclab.widgets.scatter import Scatter
from cclab.widgets.selecting import Selecting

KEYS = {
    "→": "one step, both",
    "Space": "run or pause, both",
    "M": "link together",
    "C": "keep apart; C or Enter confirms",
    "Del": "forget what is stated",
    "Esc": "clear, close",
    "?": "this list",
}
_MEASURES = {"ari": "ARI", "ari_free": "ARI, unconstrained", "nmi": "NMI", "accuracy": "Accuracy"}


def compare(
    data: Any = None,
    first: Solver | str = "CECM",
    second: Solver | str = "COPKMeans",
    *,
    seed: int | None = None,
    journal: str | Path | None = None,
    height: int | None = None,
) -> Compare:
    """Two solvers side by side, to be shown in a notebook or served as a page.

    Parameters
    ----------
    data : Dataset, name, DataFrame, path or array, optional
        Default: iris.
    first, second : Solver or str
        Estimators, or names of some, which then look for as many clusters as there are classes.
    seed : int, optional
    journal : path, optional
        A folder to keep the first solver's session in, statements included.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = compare("iris", "FCM", "COPKMeans")
    >>> _ = page.desk.session.constrain(must_link=[[0, 1]])   # FCM has no use for links, and warns
    >>> len(page.other.session.constraints)
    1
    >>> page.close()
    """
    left = session_on("iris" if data is None else data, first, seed)
    return Compare(left, session_on(left.data, second, seed), journal=journal, height=height)


# ---------------------------------------------------------------------- how two partitions compare


def matched(first: NDArray, second: NDArray, n_first: int, n_second: int) -> NDArray[np.int64]:
    """For each cluster of the second labelling, the cluster of the first that it has most samples in common with.

    One to one; a cluster that is left over gets a number of its own, from `n_first` on.

    >>> matched(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2]), 2, 3)
    array([1, 0, 2])
    """
    common = np.zeros((n_first, n_second))
    np.add.at(common, (first, second), 1)
    rows, columns = linear_sum_assignment(common, maximize=True)
    match = np.full(n_second, -1)
    match[columns] = rows
    match[match < 0] = n_first + np.arange((match < 0).sum())
    return match


class Twin(Scatter):
    """A scatter that rings the samples on which two solvers differ.

    Parameters
    ----------
    desk : Desk
    compare : Compare
    over : sequence of widgets
    """

    def __init__(self, desk: Desk, compare: Compare, over: tuple = ()) -> None:
        self._compare = compare
        super().__init__(desk, over)

    def cluster_ids(self, snapshot: Snapshot) -> NDArray:
        return self._compare.cluster_ids(self.desk)

    def ringed(self, snapshot: Snapshot) -> NDArray:
        return self._compare.parted

    def refresh(self) -> None:
        """Draw what depends on the other side too."""
        self._show_marks(self.desk.session.current)
        self._show_rings(self.desk.session.current)

    def _describe(self, sample: int) -> Html:
        which, sets = sets_of(rows_of(self.desk.session.partition, sample), self.desk.threshold)
        sign = set_sign(sets[which[0]], self._compare.cluster_ids(self.desk))
        data = self.desk.session.data
        head = tag("header", glyph(sign.shape, sign.color), sample_name(data, sample), tag("span", sign.name))
        return tag("div", head, sample_content(data, sample), class_="cc-sample")


# ---------------------------------------------------------------------- the page


class Compare(Page):
    """The page that `compare` makes.

    Attributes
    ----------
    desk, other : Desk
        The first solver's, and the second's.
    parted : int array
        The samples on which the two differ, once their clusters are matched.
    """

    def __init__(
        self, first: Session, second: Session, *, journal: str | Path | None = None, height: int | None = None
    ) -> None:
        super().__init__("compare", "cclab compare", first, journal=journal)
        self.other = Desk(second)
        self._running = self._mirroring = self._filling = False
        self._heard = {desk: desk.session.constraints for desk in self.desks}
        self._compare()
        self.key_sheet = KeySheet(KEYS)
        self.data = dropdown("Data set", [(name, name) for name in named_sets()], None)
        names = [(name, name) for name in solvers.names()]
        self.choices = tuple(dropdown(f"Solver {side}", names, None) for side in ("left", "right"))
        self.data.observe(lambda change: None if self._filling else self.open_data(change["new"]), "value")
        for desk, choice in zip(self.desks, self.choices):
            choice.observe(partial(self._solver_chosen, desk), "value")
        self.selecting = self.add(Selecting(self.desk))
        self.banners = tuple(self.add(Banner(desk, partial(remedy_for, desk))) for desk in self.desks)
        left_over = (self.selecting.widget, self.banners[0].widget)
        self.scatter = self.add(Twin(self.desk, self, left_over))
        self.twin = self.add(Twin(self.other, self, (self.banners[1].widget,)))
        self.constraints = self.add(Constraints(self.desk))
        self._scores = with_classes(Rows(kind="table", label="Scores side by side"), "cc-dense")
        self._verdict = text()
        self.step_button = button("Step", self.step, icon="step", hint="Step both (→)", look="primary")
        self.run_button = button("Run", self.toggle_run, icon="run", hint="Run or pause both (Space)", look="outlined")
        again = button("Start again", self.start_again, hint="Start both anew, with what is stated")
        versus = row(self.step_button, self.run_button, again, with_classes(self._verdict, "cc-push"))
        with_classes(versus, "cc-panel cc-versus")
        below = row(self.constraints.widget, panel("Side by side", self._scores), css="cc-below")
        twins = row(self.scatter.widget, self.twin.widget, css="cc-twins")
        help_button = button(icon="help", hint="Keys (?)", on_click=self.key_sheet.toggle)
        against = text(tag("span", "against", class_="cc-note"))
        bar = heading(self.shell, "Compare", (self.data, self.choices[0], against, self.choices[1]), (help_button,))
        self.show(bar, column(twins, versus, below, css="cc-compare"), self.key_sheet.widget, height=height)
        self._connect()
        self._show()

    def _connect(self) -> None:
        self.other.told.connect(self._told)
        for one, two in (self.desks, self.desks[::-1]):
            one.changed.connect(partial(self._changed, one, two), check_nargs=False)
            one.selected.connect(partial(self._mirror, two, "selection", two.select), check_nargs=False)
            one.put_aside.connect(partial(self._mirror, two, "aside", two.keep_aside), check_nargs=False)
            one.pointed.connect(partial(self._mirror, two, "sample", two.point_at), check_nargs=False)
        selecting = self.selecting
        keys = {
            "ArrowRight": self.step,
            "Space": self.toggle_run,
            "m": selecting.link,
            "c": selecting.apart,
            "Enter": selecting.confirm,
            "Delete": selecting.forget,
            "Backspace": selecting.forget,
            "Escape": self._escape,
            "?": self.key_sheet.toggle,
        }
        for name, act in keys.items():
            self.shell.bind(name, act)

    @property
    def desks(self) -> tuple[Desk, Desk]:
        return self.desk, self.other

    # ------------------------------------------------------------------ gestures

    def step(self) -> None:
        """One step of each solver that has not converged; while they run: pause."""
        if self._running:
            self._running = False
        else:
            self._tasks.start(self._go(1))

    def toggle_run(self) -> None:
        """Run both until they have converged, or pause."""
        if self._running:
            self._running = False
        else:
            self._tasks.start(self._go(None))

    async def _go(self, n_steps: int | None) -> None:
        self._running, done = True, 0
        try:
            while self._running and done != n_steps:
                waiting = [desk for desk in self.desks if not desk.session.converged]
                if not waiting or not all([await run(desk, 1) for desk in waiting]):
                    break
                done += 1
                self._show()
                if n_steps is None:
                    await self.shell.painted(0.2)
        finally:
            self._running = False
            self._show()

    def start_again(self) -> None:
        """Start both anew, with what is stated."""
        self._running = False
        for desk in self.desks:
            desk.attempt(desk.session.switch, clone(desk.session.solver))

    def _solver_chosen(self, desk: Desk, change: dict) -> None:
        if not self._filling:
            self._running = False
            n_clusters = getattr(desk.session.solver, "n_clusters", None)
            desk.attempt(lambda: desk.session.switch(solver_for(desk.session.data, change["new"], n_clusters)))

    def _escape(self) -> None:
        if self.key_sheet.is_open:
            self.key_sheet.hide()
        else:
            self.selecting.clear()

    # ------------------------------------------------------------------ what the two share

    def _mirror(self, desk: Desk, name: str, tell: Any, value: Any) -> None:
        """What is pointed at or selected on one side is so on the other."""
        if not np.array_equal(getattr(desk, name), value):
            tell(value)

    def _changed(self, one: Desk, two: Desk, old: Snapshot | None, new: Snapshot) -> None:
        """What is stated on one side is stated on the other, and both show where they differ."""
        if self._mirroring:
            return
        self._mirroring = True
        try:
            if old is None:
                solver = solver_for(one.session.data, type(two.session.solver).__name__)
                two.open(Session(one.session.data, solver, seed=one.session.problem.seed))
                self._heard[two] = two.session.constraints
            if one.session.constraints is not self._heard[one] or (old is None and len(one.session.constraints)):
                two.attempt(two.session.constrain, constraints=one.session.constraints)
            self._heard = {desk: desk.session.constraints for desk in self.desks}
        finally:
            self._mirroring = False
        self._show()

    # ------------------------------------------------------------------ showing

    def _compare(self) -> None:
        """Match the clusters of the two, and find the samples on which they differ."""
        first, second = (desk.session.current for desk in self.desks)
        one, two = first.labels(), second.labels()
        self._match = matched(one, two, first.partition.n_clusters, second.partition.n_clusters)
        self.parted = np.flatnonzero(one != self._match[two])
        self.agreement = float(adjusted_rand_score(one, two))

    def cluster_ids(self, desk: Desk) -> NDArray:
        """By which number each cluster is shown: on the right that of its partner on the left."""
        ids = self.desk.session.state.cluster_ids
        if desk is self.desk:
            return ids
        own = int(ids.max()) + 1 + np.arange(len(self._match))
        return np.array([ids[k] if k < len(ids) else own[k - len(ids)] for k in self._match])

    def _show(self) -> None:
        self._compare()
        for scatter in (self.scatter, self.twin):
            scatter.refresh()
        sessions = [desk.session for desk in self.desks]
        self._filling = True
        try:
            name = sessions[0].data.name
            if name not in dict(self.data.options):
                self.data.options = [(name, name), *self.data.options]
            self.data.value = name
            for choice, session in zip(self.choices, sessions):
                choice.value = type(session.solver).__name__
        finally:
            self._filling = False
        n, total = len(self.parted), sessions[0].data.n_samples
        differ = (
            "They agree on every sample."
            if not n
            else join("They differ on ", tag("b", f"{n:,}"), f" of {total:,} samples (ringed).")
        )
        self._verdict.value = join(differ, " Agreement ", tag("b", f"{self.agreement:.2f}"), " (ARI between the two)")
        self.step_button.disabled = all(session.converged for session in sessions) and not self._running
        self.run_button.disabled = self.step_button.disabled
        self.run_button.description = "Pause" if self._running else "Run"
        gone, shown = ("cc-i-run", "cc-i-pause") if self._running else ("cc-i-pause", "cc-i-run")
        self.run_button.remove_class(gone)
        self.run_button.add_class(shown)
        self._show_scores(sessions)

    def _show_scores(self, sessions: list[Session]) -> None:
        names = [type(session.solver).__name__ for session in sessions]
        heads = [tag("th", name, class_="cc-number") for name in names]
        self._scores.head = tag("tr", tag("th", "", style="width:42%"), heads)
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
        self._scores.show(
            (title, tag("tr", tag("td", title), [tag("td", value, class_="cc-number") for value in values]))
            for title, values in lines.items()
        )

    def close(self) -> None:
        self._running = False
        self._mirroring = True
        super().close()
        self.other.session.close()


def _with_state(session: Session) -> str:
    return f"{session.current.summary.iteration}{', at rest' if session.converged else ''}"
