"""The constraint table: all that was stated, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.glyphs import glyph
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import button, column, row, text
from cclab.widgets.rows import Action, Rows
from cclab.widgets.running import Restraint
from cclab.widgets.statements import KINDS, Statement, StatementReader, violation

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
    """

    def __init__(
        self,
        desk: Desk,
        *,
        on_import: Callable[[], object] | None = None,
        on_export: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(desk)
        self.violated_first = False
        self._reader = StatementReader(desk.session.constraints)
        self._read: dict[int, Statement] = {}
        self._shown: Snapshot | None = None
        self._restraint = Restraint()
        self._counts = text()
        self._table = Rows(kind="table", label="Constraints")
        self._table.on_action(self._act)
        self._table.on_hover(self._hover)
        tools = []
        if on_import is not None:
            tools.append(button(icon="open", hint="Import constraints (CSV)", on_click=on_import))
        if on_export is not None:
            tools.append(button(icon="export", hint="Export constraints (CSV)", on_click=on_export))
        title = text(tag("span", "Constraints", class_="cc-title"))
        head = row(title, self._counts, *(_pushed(tools)), css="cc-head")
        self.widget = column(head, self._table, css="cc-panel cc-constraints")
        self.listen(desk.selected, self._mark_selected)
        self.update(None, desk.session.current)

    # ------------------------------------------------------------------ gestures

    def _act(self, action: Action) -> None:
        if action.name == "sort":
            self.violated_first = not self.violated_first
            self._show(self.desk.session.current)
            return
        statement = self._statement(action.id)
        if statement is None:
            return
        if action.name == "forget":
            self.desk.attempt(self.desk.session.constrain, forget=statement.id)
        else:
            chosen = statement.samples
            self.desk.select(np.union1d(self.desk.selection, chosen) if action.shift else chosen)

    def _statement(self, id_: str | None) -> Statement | None:
        """The statement of a row; None where it was forgotten before the click arrived."""
        known = self.desk.session.constraints
        return self._reader.read(int(id_)) if id_ is not None and int(id_) in known.ids else None

    def _hover(self, id_: str | None) -> None:
        statement = self._statement(id_)
        self.desk.point_at(int(statement.samples[0]) if statement is not None else None)

    def _mark_selected(self, _selection: NDArray) -> None:
        self._show(self.desk.session.current)

    # ------------------------------------------------------------------ showing

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is None or self._reader.known is not new.problem.constraints:
            self._reader = StatementReader(new.problem.constraints, new.state.cluster_ids)
            self._read = {}
        elif new is self._shown or self._restraint.holds(self.desk.session):
            return
        self._show(new)

    def _show(self, snapshot: Snapshot) -> None:
        self._shown = snapshot
        known = snapshot.problem.constraints
        if not len(known):
            self._counts.value = ""
            self._table.head = self._head()
            self._table.show([("none", tag("tr", tag("td", _NOTHING, colspan=7, class_="cc-faint")))])
            return
        labels = snapshot.labels()
        satisfaction = known.satisfaction(labels)
        violated = ~satisfaction.satisfied
        self._counts.value = counts_in_words(len(known), int(violated.sum()))
        order = np.lexsort((-satisfaction.ids, ~violated)) if self.violated_first else np.argsort(-satisfaction.ids)
        rows = [self._row(int(satisfaction.ids[at]), bool(violated[at]), snapshot, labels) for at in order[:MOST_ROWS]]
        if len(known) > MOST_ROWS:
            note = f"The first {MOST_ROWS} of {len(known):,} are shown. Export them to see all."
            rows.append(("more", tag("tr", tag("td", note, colspan=7, class_="cc-faint"))))
        self._table.head = self._head()
        self._table.show(rows)

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
            tag("th", sort, style="width:92px", aria_sort="ascending" if self.violated_first else "none"),
            tag("th", class_="cc-tool", style="width:36px"),
        )

    def _row(self, id_: int, violated: bool, snapshot: Snapshot, labels: NDArray) -> tuple[int, Html]:
        if id_ not in self._read:
            self._read[id_] = self._reader.read(id_)
        statement = self._read[id_]
        broken = violation(statement, labels, snapshot.state.cluster_ids) if violated else ""
        chosen = len(statement.samples) == len(self.desk.selection) and np.array_equal(
            np.unique(statement.samples), self.desk.selection
        )
        css = " ".join(["cc-violated"] * violated + ["cc-current"] * chosen) or None
        forget = tag(
            "button",
            class_="cc-button cc-icon cc-ghost cc-remove cc-i-close",
            data_action="forget",
            data_id=id_,
            title=f"Forget {KINDS[statement.kind]} {statement.name}",
        )
        detail = "; ".join(part for part in (statement.detail, broken) if part)
        return id_, tag(
            "tr",
            tag("td", tag("span", _sign(statement, violated), KINDS[statement.kind], class_="cc-kind")),
            tag("td", statement.name, title=statement.name),
            tag("td", detail, class_="cc-faint cc-wide", title=detail),
            tag("td", statement.source, class_="cc-faint"),
            tag("td", f"{statement.weight:.2f}", class_="cc-number"),
            tag("td", "violated" if violated else "satisfied", class_="cc-bad" if violated else "cc-faint"),
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


def _sign(statement: Statement, violated: bool) -> Html:
    if statement.kind == "label":
        return tag("span", class_="cc-glyph cc-line cc-i-label")
    sign = _GLYPHS[statement.kind]
    return glyph("violated" if violated and sign == "cannot" else sign)


def counts_in_words(n: int, n_violated: int) -> Html:
    """How many statements there are, hold and don't hold.

    >>> counts_in_words(12, 1)
    '<span class="cc-note">12 statements · 11 satisfied · <span class="cc-bad">1 violated</span></span>'
    """
    said = f"{n:,} statement{'s' if n > 1 else ''} · {n - n_violated:,} satisfied"
    broken = join(" · ", tag("span", f"{n_violated:,} violated", class_="cc-bad")) if n_violated else None
    return tag("span", said, broken, class_="cc-note")
