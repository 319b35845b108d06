"""The selection bar: what can be stated about the selected samples, and what that would mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from cclab.core.words import counted
from cclab.datasets.searching import more_like
from cclab.looks.describe import label_meanings
from cclab.looks.encoding import Look
from cclab.looks.palette import hue
from cclab.session import Moment
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.kit.layout import column, show, text
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.knowledge.intents import (
    SOURCE,
    Intention,
    forget,
    is_stated,
    keep_apart,
    label_as,
    link_together,
    new_conflict,
)
from cclab.widgets.model.desk import Desk
from cclab.widgets.model.notices import Notice
from cclab.widgets.model.view import View

FIRST = "Select some samples first"
#: So many clusters have a button; the keys 1 to 9 reach as many.
MOST_NAMED_CLUSTERS = 9


class SelectionBar(View):
    """Floats over the scatter while something is selected. A verb under the pointer says what it would add.

    Parameters
    ----------
    desk : Desk
    more : mapping from str to callable
        What else can be done with a selection: words, and what is called.
    """

    def __init__(self, desk: Desk, more: Mapping[str, Callable[[], object]] = MappingProxyType({})) -> None:
        super().__init__(desk)
        self._more = {"More like these": self.more_like_these, **more}
        self._extended = False
        self._labelling = False
        self._verb = "link"
        self.verbs = Rows(label="Selection")
        self.verbs.on_action(self._act)
        self.verbs.on_hover(self._look_at)
        self.outcome = text(css="cc-outcome")
        self.widget = column(self.verbs, self.outcome, css="cc-selection cc-hidden")
        self.listen(desk.selected, lambda _: self._selected())
        self.listen(desk.first_selected, lambda _: self._show())

    # ------------------------------------------------------------------ verbs

    def link(self) -> None:
        """Link the selected samples together."""
        self._state("link")

    def apart(self) -> None:
        """Keep the selection as the first of two; the second time, keep the new selection apart from it."""
        desk = self.desk
        if len(desk.first_selection):
            self.confirm()
        elif self._some_selected():
            desk.select_first(desk.selection)
            desk.select([])

    def confirm(self) -> None:
        """Keep the two selections apart."""
        if len(self.desk.first_selection):
            self._state("apart")

    def label(self, cluster: int) -> None:
        """Label the selected samples with a cluster, given by its number on the page, less 1."""
        n = len(self.desk.session.current.page_numbers)
        if cluster < n:
            self._state(f"label {cluster}")
        else:
            self.desk.tell(Notice("info", f"There {'is' if n == 1 else 'are'} {counted(n, 'cluster')}"))

    def forget(self) -> None:
        """Forget all that is stated about any of the selected samples."""
        self._state("forget")

    def clear(self) -> None:
        """Select nothing, neither first nor second."""
        self.desk.select_first([])
        self.desk.select([])

    def more_like_these(self) -> None:
        """Select the nearest neighbours of the selection too."""
        if self._some_selected():
            desk = self.desk
            found = desk.attempt(more_like, desk.session.data.X, desk.selection)
            if found is not None:
                desk.select(np.concatenate([desk.selection, found]))

    def _state(self, verb: str) -> None:
        if not self._some_selected():
            return
        intention = self._intention(verb)
        if not intention:
            self.desk.tell(Notice("info", str(intention.words)))
        elif self.desk.attempt(self.desk.session.constrain, source=SOURCE, **intention.said) is not None:
            self.clear()

    def _some_selected(self) -> bool:
        if not len(self.desk.selection):
            self.desk.tell(Notice("info", FIRST))
        return bool(len(self.desk.selection))

    def _intention(self, verb: str) -> Intention:
        intention = self._wish(verb)
        stated = is_stated(self.desk.session.constraints, intention)
        return Intention({}, join("This is stated already.")) if stated else intention

    def _wish(self, verb: str) -> Intention:
        samples = self.desk.selection
        if verb == "apart":
            return keep_apart(self.desk.first_selection, samples)
        if verb == "forget":
            return forget(self.desk.session.constraints, samples)
        if verb.startswith("label"):
            cluster = int(verb.split()[1]) if " " in verb else 0
            return label_as(samples, self._label_for(cluster + 1), self._name_of(cluster + 1))
        return link_together(samples)

    def _name_of(self, number: int) -> str:
        look = Look.of(self.desk.session.current)
        return look.names[look.numbers.index(number)]

    def _label_for(self, number: int) -> int:
        """What a label must say to name the cluster that has this number on the page."""
        meanings = label_meanings(self.desk.session.current)
        return next(label for label, shown in meanings.items() if shown == number)

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        acts: dict[str, Callable[[], object]] = {
            "m": self.link,
            "c": self.apart,
            "Enter": self.confirm,
            "Delete": self.forget,
            "Backspace": self.forget,
        }
        return acts | {str(place + 1): partial(self.label, place) for place in range(9)}

    def _act(self, action: Action) -> None:
        match action.name:
            case "link":
                self.link()
            case "apart":
                self.apart()
            case "labels":
                self._labelling, self._extended = not self._labelling, False
                self._show()
            case "more":
                self._extended, self._labelling = not self._extended, False
                self._show()
            case "do":
                self._more[str(action.id)]()
            case "label":
                self.label(int(action.id))
            case "forget":
                self.forget()
            case "clear":
                self.clear()

    def _look_at(self, verb: str | None) -> None:
        self._verb = verb or "link"
        self._show_outcome()

    def _selected(self) -> None:
        self._labelling = self._extended = False
        self._verb = "link"
        self._show()
        if len(self.desk.selection):
            self.verbs.reveal("verbs")  # a small window may have scrolled it out of sight

    # ------------------------------------------------------------------ showing

    def update(self, old: Moment | None, new: Moment) -> None:
        if old is None or old.constraints is not new.constraints or old.names is not new.names:
            self._show()

    def _show(self) -> None:
        desk = self.desk
        any_samples = bool(len(desk.selection) or len(desk.first_selection))
        if any_samples:
            further = [("labels", self._label_row())] * self._labelling + [("more", self._more_row())] * self._extended
            self.verbs.show([("count", self._count()), ("verbs", self._verb_row()), *further])
            self._show_outcome()
        show(self.widget, any_samples)

    def _count(self) -> Html:
        """How many are selected, in a row of its own: the buttons beside it stay the same."""
        n, n_first = len(self.desk.selection), len(self.desk.first_selection)
        many = tag("b", f"{n:,}")
        words = (
            join(tag("b", f"{n_first:,}"), " and ", many) if n_first else join(many, " selected", self._rows_meant())
        )
        return tag("span", words, class_="cc-selected-count")

    def _verb_row(self) -> Html:
        if len(self.desk.first_selection):
            verbs = [_verb("apart", "Keep apart", "apart", "c", not len(self.desk.selection))]
        else:
            verbs = [
                _verb("link", "Link together", "together", "m"),
                _verb("apart", "Keep apart…", "apart", "c"),
                _verb("labels", "Label as", "label", "1", hover="label"),
            ]
            verbs.append(_verb("more", "", "more", title="More that can be done with these samples"))
            if len(self.desk.session.constraints):
                verbs.append(_verb("forget", "", "forget", title="Forget what is stated about these samples (Del)"))
        close = _verb("clear", "", "close", title="Clear the selection (Esc)")
        return tag("div", verbs, close, class_="cc-verbs")

    def _rows_meant(self) -> str | None:
        """For how many rows of a large file the selected samples stand, where they do."""
        weights = getattr(self.desk.session.data, "sample_weight", None)
        return None if weights is None else f", for about {round(weights[self.desk.selection].sum()):,} rows"

    def _more_row(self) -> Html:
        acts = [
            tag("button", words, class_="cc-button cc-outlined", data_action="do", data_id=words)
            for words in self._more
        ]
        return tag("div", acts, class_="cc-verbs cc-label-row")

    def _label_row(self) -> Html:
        look = Look.of(self.desk.session.current)
        chips = [
            tag(
                "button",
                tag("i", style=f"background:var({hue(look.hues[cluster])})", class_="cc-dot"),
                look.names[cluster],
                class_="cc-button cc-outlined",
                data_action="label",
                data_id=number - 1,
                data_hover=f"label {number - 1}",
                title=f"Label as {look.names[cluster]} ({number})",
            )
            for number, cluster in enumerate(look.order[:MOST_NAMED_CLUSTERS], 1)
        ]
        return tag("div", chips, class_="cc-verbs cc-label-row")

    def _show_outcome(self) -> None:
        desk = self.desk
        if not len(desk.selection) and not len(desk.first_selection):
            return
        verb = "apart" if len(desk.first_selection) else self._verb
        if verb == "apart" and not len(desk.first_selection):
            self._say(join(f"Keep apart: first {counted(len(desk.selection), 'sample')}, then select the others."))
            return
        if verb not in ("apart", "forget", "link") and not verb.startswith("label"):
            return
        intention = self._intention(verb)
        session = desk.session
        n_clusters = getattr(session.solver, "n_clusters", None)
        clash = new_conflict(session.constraints, intention, n_clusters, label_meanings(session.current))
        if clash is not None:
            self._say(join(tag("b", "Conflict."), " ", clash), bad=True)
        elif verb == "link" and intention and len(desk.selection) == session.data.n_samples:
            self._say(join(intention.words, " That is every sample."))
        elif intention and verb != "forget":
            key = tag("span", " C or Enter confirms.", class_="cc-wide") if verb == "apart" else None
            self._say(join(intention.words, " No conflict.", key))
        else:
            self._say(intention.words)

    def _say(self, words: Html, bad: bool = False) -> None:
        self.outcome.value = tag("span", words, role="alert" if bad else None)
        (self.widget.add_class if bad else self.widget.remove_class)("cc-conflict")


def _verb(
    action: str, label: str, icon: str, key: str = "", disabled: bool = False, *, hover: str = "", title: str = ""
) -> Html:
    css = f"cc-button cc-ghost cc-i-{icon}" + (f" cc-key cc-key-{key}" if key else "") + ("" if label else " cc-icon")
    return tag(
        "button",
        label,
        class_=css,
        data_action=action,
        data_hover=hover or action,
        disabled=disabled,
        title=title or f"{label} ({key.upper()})",
    )
