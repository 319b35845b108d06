"""The constraint table: all that was stated, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from ipywidgets import DOMWidget
from numpy.typing import NDArray

from cclab.core.words import counted
from cclab.looks.describe import KINDS, Described, Made, StatementReader, ends_of, label_meanings, violation
from cclab.session import Moment, Snapshot
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import button, column, heading, row, text
from cclab.widgets.kit.rows import Action, Row, Rows
from cclab.widgets.kit.throttle import Throttle
from cclab.widgets.knowledge.checking import Checking
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.view import View
from cclab.widgets.scatter.glyphs import glyph

#: So many rows are shown; the head counts all.
MOST_ROWS = 200

_GLYPHS = {"must": "must", "cannot": "cannot", "separation": "cannot", "group": "group"}
_NOTHING = "Nothing stated yet. Select samples and link them together, or answer a question."


class Constraints(View):
    """A table of statements. A click selects the samples of one, the cross forgets it.

    Parameters
    ----------
    desk : Desk
    on_import, on_export : callables, optional
        What the buttons in the head do; without it there is no such button.
    tabs : widget, optional
        What stands in the head, to go to other panels.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        on_import: Callable[[], object] | None = None,
        on_export: Callable[[], object] | None = None,
        tabs: DOMWidget | None = None,
    ) -> None:
        super().__init__(desk)
        self.violated_first = False
        self._reader = StatementReader(desk.session.constraints)
        self._made = Made(desk.session.constraints, ends_of(desk.session))
        self._read: dict[int, Described] = {}
        self._shown: Snapshot | None = None
        self._throttle = Throttle()
        self.counts = text()
        self.checking = Checking(desk, on_found=lambda: self._show(desk.session.current))
        self.table = Rows(kind="table", label="Constraints")
        self.table.on_action(self._act)
        self.table.on_hover(self._hover)
        tools = [] if tabs is None else [text(), tabs]
        if on_import is not None:
            tools.append(button(icon="open", hint="Import constraints (CSV)", on_click=on_import))
        if on_export is not None:
            tools.append(button(icon="export", hint="Export constraints (CSV)", on_click=on_export))
        tools.append(self.checking.button)
        title = text(heading("Constraints"))
        head = row(title, self.counts, *(_pushed(tools)), css="cc-head")
        self.widget = column(head, self.table, css="cc-panel cc-constraints")
        self.listen(desk.selected, self._mark_selected)
        self.update(None, desk.moment)

    # ------------------------------------------------------------------ gestures

    def _act(self, action: Action) -> None:
        if action.name == "sort":
            self.violated_first = not self.violated_first
            self._show(self.desk.session.current)
            return
        statement = self._statement(action.id)
        if statement is None:
            return
        if action.name == "again":
            self.checking.ask_again(statement.ids)
            return
        if action.name == "forget":
            self.desk.attempt(self.desk.session.constrain, forget=statement.ids.tolist())
        else:
            chosen = statement.samples
            self.desk.select(np.union1d(self.desk.selection, chosen) if action.shift else chosen)

    def _statement(self, id_: str) -> Described | None:
        """The statement of a row; None where it was forgotten before the click arrived."""
        known = self.desk.session.constraints
        return self._reader.read(int(id_)) if id_ and int(id_) in known.ids else None

    def _hover(self, id_: str | None) -> None:
        statement = self._statement(id_ or "")
        self.desk.point_at(int(statement.samples[0]) if statement is not None else None)

    def _mark_selected(self, _selection: NDArray) -> None:
        self._show(self.desk.session.current)

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        same = old is not None and self._reader.known is new.constraints
        if same and (new.snapshot is self._shown or self._throttle.holds(new)):
            return
        self._show(new.snapshot)

    def _read_anew(self, snapshot: Snapshot) -> None:
        """Take what is known now, where that is something else."""
        known, numbers = snapshot.problem.constraints, label_meanings(snapshot)
        if known is not self._reader.known or numbers != self._reader.numbers:
            self._read = {}
            self._made = Made(known, ends_of(self.desk.session))
            self._reader = StatementReader(known, numbers, self._made)

    def _show(self, snapshot: Snapshot) -> None:
        self._shown = snapshot
        known = snapshot.problem.constraints
        if not len(known):
            self.counts.value = ""
            self.checking.show(known)
            self.table.head = self._head()
            self.table.show([("none", tag("tr", tag("td", _NOTHING, colspan=6, class_="cc-faint")))])
            return
        self._read_anew(snapshot)
        made, labels = self._made, snapshot.partition.labels()
        ids = np.array([ids[0] for ids in made.ids])
        n_violated = made.count(snapshot.satisfaction.violated_ids)
        self.counts.value = counts_in_words(len(made), int((n_violated > 0).sum()))
        order = np.lexsort((-ids, n_violated == 0)) if self.violated_first else np.argsort(-ids)
        self.checking.show(known)
        order = order[np.argsort([not self.checking.doubts(made.ids[at]) for at in order], kind="stable")]
        shown = order[:MOST_ROWS]
        rows: list[Row] = [self._row(int(ids[at]), int(n_violated[at]), snapshot, labels) for at in shown]
        if len(made) > MOST_ROWS:
            note = f"The first {MOST_ROWS} of {len(made):,} are shown. Export them to see all."
            rows.append(("more", tag("tr", tag("td", note, colspan=6, class_="cc-faint"))))
        self.table.head = self._head()
        self.table.show(rows)

    def _head(self) -> Html:
        sort = tag(
            "button",
            "State",
            " ↑" if self.violated_first else None,
            class_="cc-sort",
            data_action="sort",
            title="Newest first" if self.violated_first else "Violated first",
        )
        return tag(
            "tr",
            tag("th", "Kind", style="width:19%"),
            tag("th", "Samples", style="width:15%"),
            tag("th", "Detail", class_="cc-wide"),
            tag("th", "From", style="width:13%"),
            tag("th", "Weight", class_="cc-number", style="width:78px"),
            tag("th", sort, style="width:112px", aria_sort="ascending" if self.violated_first else "none"),
            tag("th", class_="cc-tool", style="width:36px"),
        )

    def _row(self, id_: int, violated: int, snapshot: Snapshot, labels: NDArray) -> Row:
        if id_ not in self._read:
            self._read[id_] = self._reader.read(id_)
        statement = self._read[id_]
        broken = violation(statement, labels, snapshot.page_numbers.tolist()) if violated else ""
        if violated and len(statement.ids) > 1:
            broken = f"{violated:,} elsewhere"
        chosen = len(statement.samples) == len(self.desk.selection) and np.array_equal(
            np.unique(statement.samples), self.desk.selection
        )
        css = " ".join(["cc-violated"] * bool(violated) + ["cc-current"] * chosen) or None
        forget = tag(
            "button",
            class_="cc-button cc-icon cc-ghost cc-remove cc-i-close",
            data_action="forget",
            data_id=id_,
            title=f"Forget {KINDS[statement.kind]} {statement.name}",
        )
        detail = "; ".join(part for part in (statement.detail, broken) if part)
        again = self.checking.cell(statement.ids)
        if again is not None:
            detail = self.checking.reason(statement.ids)
        return id_, tag(
            "tr",
            tag("td", tag("span", _sign(statement, bool(violated)), KINDS[statement.kind], class_="cc-kind")),
            tag("td", statement.name, title=statement.name),
            tag("td", detail, class_="cc-faint cc-wide", title=detail),
            tag("td", statement.source, class_="cc-faint"),
            tag("td", f"{statement.weight:.2f}", class_="cc-number"),
            tag("td", again or ("violated" if violated else "satisfied"), class_="cc-bad" if violated else "cc-faint"),
            tag("td", forget, class_="cc-tool"),
            class_=css,
            data_action="find",
            data_id=id_,
            data_hover=id_,
            tabindex=0,
        )


def _pushed(tools: list) -> list:
    """Tools at the right end of a head."""
    if tools:
        tools[0].add_class("cc-push")
    return tools


def _sign(statement: Described, violated: bool) -> Html:
    if statement.kind == "label":
        return tag("span", class_="cc-glyph cc-line cc-i-label")
    sign = _GLYPHS[statement.kind]
    return glyph("violated" if violated and sign == "cannot" else sign)


def counts_in_words(n: int, n_violated: int) -> Html:
    """How many statements there are, hold and don't hold.

    >>> str(counts_in_words(12, 1))
    '<span class="cc-note">12 statements · 11 satisfied · <span class="cc-bad">1 violated</span></span>'
    """
    said = f"{counted(n, 'statement')} · {n - n_violated:,} satisfied"
    broken = join(" · ", tag("span", f"{n_violated:,} violated", class_="cc-bad")) if n_violated else None
    return tag("span", said, broken, class_="cc-note")
