"""How many clusters: start with too many centres, and watch links and evidence let some fade."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import cclab.algorithms  # noqa: F401  (enters all solvers into the registry)
from cclab.apps.page.fixes import fix_for
from cclab.apps.page.key_sheet import KeySheet
from cclab.apps.page.page import Page
from cclab.apps.page.top_bar import open_button, title_bar
from cclab.apps.page.visitor_store import cell_id, slot_of
from cclab.core.registry import solvers
from cclab.datasets import Dataset, MadeFrom, load_dataset
from cclab.session import Moment, Session, Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, dropdown, gauge, panel, row, slider, text, with_classes
from cclab.widgets.kit.rows import Rows
from cclab.widgets.knowledge.selection_bar import SelectionBar
from cclab.widgets.model.desk import Desk
from cclab.widgets.notices.banner import Banner
from cclab.widgets.scatter.panel import Scatter
from cclab.widgets.timeline.bar import Stepper
from cclab.widgets.timeline.status import Status
from cclab.widgets.watch.charts import Course, seen_places
from cclab.widgets.watch.part import Part

#: Solvers that find the number of clusters, with words for a person.
FINDERS = {"CompetitiveMixture": "Competitive mixture", "PCCA": "PCCA", "CA": "Competitive agglomeration"}
N_SAMPLES = 240
MOST_NOTES = 60

KEYS = {
    "→ ←": "step, back",
    "Home End": "first, last",
    "Space": "run or pause",
    "M": "link together",
    "C": "keep apart; C or Enter confirms",
    "Del": "forget what is stated",
    "Esc": "clear, close",
    "Ctrl+Z": "undo",
    "Ctrl+Shift+Z": "redo",
    "N": "draw other samples",
    "?": "this list",
}


def how_many(
    n_clusters: int = 4,
    separation: float = 4.0,
    n_features: int = 2,
    *,
    solver: str = "CompetitiveMixture",
    seed: int = 0,
    journal: str | Path | None = None,
    height: int | None = None,
) -> HowMany:
    """The page on the number of clusters, to be shown in a notebook or served as a page.

    Parameters
    ----------
    n_clusters, separation, n_features : int, float, int
        Of the Gaussians that are drawn first (`cclab.datasets.generators.gaussians`).
    solver : {"CompetitiveMixture", "PCCA", "CA"}
    seed : int
    journal : path, optional
        A folder to keep the session in; by default it is kept for the visitor's browser.
    height : int, optional
        In pixels. By default 760 in a notebook, and the whole window as a page of its own.

    Examples
    --------
    >>> page = how_many(3, 6.0, solver="PCCA")
    >>> _ = page.desk.session.run()
    >>> page.desk.session.partition.n_clusters
    3
    >>> page.close()
    """
    if solver not in FINDERS:
        raise ValueError(f"{solver!r} does not find the number of clusters; these do: {', '.join(FINDERS)}")
    data = _drawn(n_clusters, separation, n_features, seed)
    call = (n_clusters, separation, n_features, solver, seed)
    slot = slot_of(*call) if cell_id() else "page"
    return HowMany(Session(data, solvers.get(solver)(), seed=seed), slot=slot, journal=journal, height=height)


def _drawn(n_clusters: int, separation: float, n_features: int, seed: int) -> Dataset:
    return load_dataset(
        "gaussians",
        n_clusters=n_clusters,
        separation=separation,
        n_features=n_features,
        n_samples=N_SAMPLES,
        seed=seed,
    )


class Number(Part):
    """The number of clusters now and over the steps, and how many there are in truth."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._now, self._note = text(), text()
        self.chart = Course(low=0)
        self.widget = column(
            self._now, gauge("Over the steps", self.chart.widget, note=self._note), css="cc-number-part"
        )
        self.start()

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        session = self.desk.session
        places, snapshots = seen_places(session)
        counts = [_count(snapshot) for snapshot in snapshots]
        n, truth = new.partition.n_clusters, session.data.n_classes
        self.chart.show(places, [counts, [truth or float("nan")] * len(counts)], session.position)
        settled = (
            "The solver rests." if session.converged else "Still at work." if new.position else "Before the first step."
        )
        drawn = session.data.made_from.name == "gaussians"
        known = None if truth is None else tag("span", f"drawn from {truth}" if drawn else f"{truth} classes are known")
        self._now.value = tag(
            "div", tag("b", n), tag("span", "cluster" if n == 1 else "clusters"), known, class_="cc-count-now"
        )
        self._note.value = settled


def _count(snapshot: Snapshot) -> float:
    """The number of clusters, from the gauge of that name where there is one: the state need not be at hand."""
    told = [gauge.values[0] for gauge in snapshot.summary.gauges if gauge.name == "Number of clusters"]
    return told[0] if told else snapshot.partition.n_clusters


class Happenings(Part):
    """What the solver has noted: which clusters vanished and why, and how sure it is; the newest first."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.rows = with_classes(Rows(label="What happened"), "cc-grow")
        self.rows.on_action(lambda action: desk.attempt(desk.session.rewind, int(action.id)))
        self.widget = panel("What happened", self.rows, css="cc-grow")
        self.start()

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        session = self.desk.session
        notes = [
            (f"{place}-{k}", _happening(place, snapshot, note))
            for place, snapshot in enumerate(session.snapshots[: session.position + 1])
            for k, note in enumerate(snapshot.summary.notes)
            if snapshot.how == "step"
        ]
        nothing = tag("div", "Nothing yet. Step, or run: clusters that are not needed will go.", class_="cc-empty")
        self.rows.show(notes[: -MOST_NOTES - 1 : -1] or [("nothing", nothing)])


def _happening(place: int, snapshot: Snapshot, note: str) -> Html:
    hint = f"Go to iteration {snapshot.summary.iteration}"
    number = tag("span", snapshot.summary.iteration, class_="cc-faint")
    return tag(
        "div", number, tag("span", note), class_="cc-happening", data_action="go", data_id=place, tabindex=0, title=hint
    )


class HowMany(Page):
    """The page that `how_many` makes."""

    def __init__(
        self, session: Session, *, slot: str = "page", journal: str | Path | None = None, height: int | None = None
    ) -> None:
        super().__init__("how_many", "cclab how many clusters", session, slot=slot, journal=journal)
        desk = self.desk
        self._filling = False
        self._seed = session.problem.seed
        self.key_sheet = KeySheet(KEYS)
        self.solver = dropdown(
            "Solver", [(title, name) for name, title in FINDERS.items()], type(session.solver).__name__
        )
        self.number = slider("clusters", 4, 1, 10, 1, "d")
        self.separation = slider("separation", 4.0, 1.0, 8.0, 0.25, ".2f")
        self.features = slider("features", 2, 1, 50, 1, "d")
        for knob in (self.number, self.separation, self.features):
            knob.continuous_update = False
            knob.observe(lambda _: self._draw_others(), "value")
        self.solver.observe(self._solver_chosen, "value")
        self.selecting = self.add(SelectionBar(desk))
        desk.fix_for = partial(fix_for, desk)
        self.banner = self.add(Banner(desk))
        self.scatter = self.add(Scatter(desk, over=(self.selecting.widget, self.banner.widget)))
        self.stepper = self.add(Stepper(desk, self.shell.ready))
        self.stepper.speed.value = "max"
        self.count = self.add(Number(desk))
        self.happenings = self.add(Happenings(desk))
        self.status = self.add(Status(desk))
        self.undo_button = button(icon="undo", hint="Undo (Ctrl+Z)", on_click=self.undo)
        self.redo_button = button(icon="redo", hint="Redo (Ctrl+Shift+Z)", on_click=self.redo)
        tools = (
            self.undo_button,
            self.redo_button,
            self.recent_button(),
            open_button(),
            button("Draw again", self.draw_again, look="outlined", hint="Draw other samples (N)"),
            button(icon="help", hint="Keys (?)", on_click=self.key_sheet.toggle),
        )
        data = panel("Gaussians", self.number, self.separation, self.features, css="cc-knobs")
        left = column(self.scatter.widget, self.stepper.widget, css="cc-column cc-left")
        count = panel("How many", self.count.widget, css="cc-fixed")
        right = column(data, count, self.happenings.widget, css="cc-column cc-right")
        bar = title_bar(self.shell, "How many clusters", (self.solver,), tools)
        self.show(bar, row(left, right, css="cc-body"), self.status.widget, self.key_sheet.widget, height=height)
        desk.changed.connect(self._changed)
        self._changed(None, desk.moment)
        self.bind_keys(
            *(self.scatter, self.selecting, self.stepper),
            own={
                "ctrl+z": self.undo,
                "ctrl+shift+z": self.redo,
                "ctrl+y": self.redo,
                "n": self.draw_again,
                "?": self.key_sheet.toggle,
            },
            floating=(self.key_sheet, self.banner),
            otherwise=self.selecting.clear,
        )

    # ------------------------------------------------------------------ gestures

    def draw_again(self) -> None:
        """Draw other samples from the same Gaussians."""
        self._seed += 1
        self._draw_others()

    def _draw_others(self) -> None:
        if self._filling:
            return
        wanted = (self.number.value, self.separation.value, self.features.value, self._seed)
        self._tasks.start(self._open_with(partial(_drawn, *wanted)))

    def offers(self, data: Dataset) -> bool:
        return data.name == "gaussians"

    def _started_on(self, data: Dataset) -> Session:
        return Session(data, solvers.get(self.solver.value)(), seed=self._seed)

    def _solver_chosen(self, change: dict) -> None:
        if not self._filling:
            self.desk.session.pause()
            self.desk.attempt(self.desk.session.switch, change["new"])

    def _changed(self, old: Moment | None, new: Moment) -> None:
        session = self.desk.session
        self.undo_button.disabled, self.redo_button.disabled = not session.can_undo, not session.can_redo
        self._filling = True
        try:
            name = type(new.snapshot.solver).__name__
            self.solver.value = name if name in FINDERS else next(iter(FINDERS))
            if old is None:
                self._fill_knobs(session.data.made_from)
        finally:
            self._filling = False

    def _fill_knobs(self, drawn: MadeFrom) -> None:
        """Let the knobs say what was drawn; files of earlier versions don't tell."""
        knobs = {"n_clusters": self.number, "separation": self.separation, "n_features": self.features}
        for name, knob in knobs.items():
            value = drawn.parameters.get(name) if drawn.name == "gaussians" else None
            if isinstance(value, int | float):
                knob.value = value

    def show_choices(self) -> None:
        """Let the bar and the knobs say what is open."""
        self._changed(None, self.desk.moment)

    def close(self) -> None:
        self.desk.changed.disconnect(self._changed, missing_ok=True)
        super().close()
