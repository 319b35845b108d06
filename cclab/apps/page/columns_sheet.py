"""Columns: what each column of the table holds and is used for, to be changed at any time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from cclab.apps.page.popover import Popover
from cclab.datasets.columns.kinds import KINDS
from cclab.datasets.columns.overview import Column, overview
from cclab.datasets.columns.plan import MISSING, ROLES, SCALES, Plan
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import button, column, dropdown, row, text
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import in_words, sentence

log = logging.getLogger(__name__)
# Of a table with more columns the first are listed; in Python all can be changed.
_MOST_SHOWN = 300
_MOST_NOTES = 100
_MISSING_WORDS = {"drop": "leave rows out", "median": "fill: median", "neighbours": "fill: neighbours"}
_SCALE_WORDS = {"none": "as it is", "standardise": "standardise", "robust": "robust", "log": "log(1 + x)"}
_REDUCE = {"auto": "PCA to 50 from 200 features on", "0": "All features"}
_REDUCE |= {str(n): f"PCA to {n}" for n in (2, 10, 50)}
_METRICS = {"euclidean": "Euclidean distances", "cosine": "Cosine (rows of length 1)"}


class ColumnsSheet(Popover):
    """A table of the columns that floats over the page when it is asked for.

    Parameters
    ----------
    desk : Desk
    start : callable
        Starts work that must not hold up the page.
    on_apply : callable
        ``await on_apply(changes)`` uses the columns otherwise; it raises where that can't be done.
    """

    def __init__(
        self,
        desk: Desk,
        start: Callable[[Coroutine[Any, Any, Any]], object],
        on_apply: Callable[[dict[str, Any]], Coroutine[Any, Any, Any]],
    ) -> None:
        self._desk, self._start, self._on_apply = desk, start, on_apply
        self._columns: list[Column] = []
        self._plan = self._wanted = Plan({})
        self._note = text(css="cc-note")
        self.wrong = text()
        self.table = Rows(kind="table", label="Columns of the table", head=_HEAD)
        self.table.on_action(self._act)
        self.metric = dropdown("Distances", [(words, name) for name, words in _METRICS.items()], "euclidean")
        self.reduce = dropdown("Reduction", [(words, name) for name, words in _REDUCE.items()], "auto")
        self.scale_all = button("Standardise all", self._standardise_all, hint="Every feature at mean 0 and variance 1")
        self.reset_button = button("Reset", self.reset, hint="Back to what is in use")
        self.apply_button = button("Apply", self.apply, look="primary", hint="Start anew; what you stated is kept")
        for choice in (self.metric, self.reduce):
            choice.observe(self._choose, "value")
        head = row(
            text(tag("span", "Columns", class_="cc-title")),
            self._note,
            button(icon="close", hint="Close (Esc)", on_click=self.hide, css="cc-push"),
            css="cc-head",
        )
        choices = row(self.scale_all, self.metric, self.reduce, css="cc-columns-choices")
        foot = row(choices, self.reset_button, self.apply_button, css="cc-foot")
        self._read = text(css="cc-columns-notes")
        sheet = column(head, self.table, self._read, self.wrong, foot, css="cc-recent cc-columns cc-over")
        super().__init__(sheet, "cc-sheet-layer")

    # ------------------------------------------------------------------ showing

    def toggle(self) -> None:
        """Show the columns as they are used now, or put them away."""
        super().toggle()
        if self.is_open:
            # Those of before are gone at once: what one chose of them meanwhile would be lost.
            self._columns, self._plan = [], Plan({})
            self._note.value = "reading the columns…"
            self.reset()
            self._start(self.refresh())

    async def refresh(self) -> None:
        """Read the columns anew."""
        data = self._desk.session.data
        try:
            self._columns, self._plan = await asyncio.to_thread(overview, data)
        except ValueError as error:
            self._say(in_words(error))
        self._wanted = self._plan
        dropped = len(data.rows.dropped)
        rows = f"{data.rows.n_rows:,} rows" + (f", {dropped:,} of them left out" if dropped else "")
        self._note.value = f"{len(self._columns):,} columns · {rows} · {data.n_features:,} features"
        notes = [tag("li", sentence(note)) for note in data.notes[:_MOST_NOTES]]
        summary = tag("summary", "How the table was read, and what was guessed")
        self._read.value = tag("details", summary, tag("ul", notes)) if notes else ""
        self._show()

    def _show(self) -> None:
        self.table.show([(each.name, _row(each, self._wanted)) for each in self._columns[:_MOST_SHOWN]])
        for choice, value in ((self.metric, self._wanted.metric), (self.reduce, str(self._wanted.n_components))):
            if value in [option for _, option in choice.options]:
                choice.value = value
        changed = self._wanted != self._plan
        self.apply_button.disabled = self.reset_button.disabled = not changed
        self.scale_all.disabled = not self._columns

    def _say(self, words: str) -> None:
        css = "cc-help cc-bad cc-padded"
        self.wrong.value = tag("div", sentence(words), class_=css, role="alert") if words else ""

    # ------------------------------------------------------------------ gestures

    def _act(self, action: Action) -> None:
        """A role, a scale or a way with missing values was chosen for a column."""
        if action.id is not None and action.name in ("roles", "scale", "missing"):
            self._change(**{action.name: {str(action.id): str(action.value)}})

    def _choose(self, _: object) -> None:
        n = self.reduce.value
        self._change(metric=self.metric.value, n_components=n if n == "auto" else int(n))

    def _standardise_all(self) -> None:
        self._change(scale="standardise")

    def _change(self, **changes: Any) -> None:
        try:
            wanted = self._wanted.changed(**changes)
        except (ValueError, TypeError) as error:
            self._say(in_words(error))
            return
        if wanted != self._wanted:
            self._wanted = wanted
            self._say("")
            self._show()

    def reset(self) -> None:
        """Back to what is in use."""
        self._wanted = self._plan
        self._say("")
        self._show()

    def apply(self) -> None:
        """Use the columns as they are chosen here."""
        changes = self._plan.changes_to(self._wanted)
        if changes and not self.apply_button.disabled:
            self.apply_button.disabled = True
            self._start(self._carry_out(changes))

    async def _carry_out(self, changes: dict[str, Any]) -> None:
        try:
            await self._on_apply(changes)
        except Exception as error:  # whatever it is, the session is where it was
            log.info("columns can't be used so", exc_info=True)
            self._say(in_words(error))
            self._show()
            return
        self.hide()


_HEAD = tag(
    "tr",
    *(tag("th", name) for name in ("Column", "Holds", "Spread")),
    tag("th", "Missing", class_="cc-number"),
    *(tag("th", name) for name in ("Used as", "Scaled", "Where missing")),
)


def _row(each: Column, plan: Plan) -> Html:
    name, role = each.name, plan.roles[each.name]
    numeric = role == "feature" and each.kind in ("number", "date", "vector")
    share = "" if not each.missing else f"{each.missing:.0%}" if each.missing >= 0.01 else "<1%"
    scale = missing = None
    if numeric:
        scale = _select("scale", name, "Scale", _SCALE_WORDS, plan.scale.get(name, "none"), SCALES)
    if numeric and each.missing:
        missing = _select("missing", name, "Missing", _MISSING_WORDS, plan.missing.get(name, "drop"), MISSING)
    return tag(
        "tr",
        tag("td", tag("b", name), title=name),
        tag("td", KINDS[each.kind], tag("span", f" · {each.about}", class_="cc-faint"), title=each.about),
        tag("td", _bars(each)),
        tag("td", share, class_="cc-number"),
        tag("td", _select("roles", name, "Role", {known: known for known in ROLES}, role, ROLES)),
        tag("td", scale),
        tag("td", missing),
        class_="cc-unused" if role == "ignored" else None,
    )


def _select(action: str, name: str, what: str, words: dict[str, str], chosen: str, hints: dict[str, str]) -> Html:
    options = [tag("option", said, value=value, selected=value == chosen) for value, said in words.items()]
    return tag(
        "select", options, data_action=action, data_id=name, aria_label=f"{what} of {name}", title=hints.get(chosen)
    )


def _bars(each: Column) -> Html | None:
    """A small histogram."""
    if not each.counts:
        return None
    most, width = max(each.counts), 96 / max(len(each.counts), 8)
    bars = [
        Html(f'<rect x="{k * width:.1f}" y="{20 - h:.1f}" width="{width - 1:.1f}" height="{h:.1f}"></rect>')
        for k, h in enumerate(max(19 * count / most, 1 if count else 0) for count in each.counts)
    ]
    return tag("svg", bars, class_="cc-bars", width=96, height=20, role="img", aria_label=f"Histogram of {each.name}")
