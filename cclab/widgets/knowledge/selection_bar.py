"""The selection bar: what can be stated about the selected samples, and what that would mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cclab.session import Snapshot
from cclab.widgets.desk import Desk, View
from cclab.widgets.html import Html, join, tag
from cclab.widgets.layout import column, show, text
from cclab.widgets.rows import Action, Rows
from cclab.widgets.stating import SOURCE, Intention, forget, keep_apart, label_as, link_together, new_conflict
from cclab.widgets.theme import hue, told_apart

FIRST = "Select some samples first"
#: So many clusters have a button; the keys 1 to 9 reach as many.
MOST_NAMED_CLUSTERS = 9


class Selecting(View):
    """Floats over the scatter while something is selected. A verb under the pointer says what it would add.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._labelling = False
        self._verb = "link"
        self._verbs = Rows(label="Selection")
        self._verbs.on_action(self._act)
        self._verbs.on_hover(self._look_at)
        self._outcome = text(css="cc-outcome")
        self.widget = column(self._verbs, self._outcome, css="cc-selection cc-hidden")
        self.listen(desk.selected, lambda _: self._selected())
        self.listen(desk.put_aside, lambda _: self._show())

    # ------------------------------------------------------------------ verbs

    def link(self) -> None:
        """Link the selected samples together."""
        self._state("link")

    def apart(self) -> None:
        """Keep the selection aside; the second time, keep the new selection apart from it."""
        desk = self.desk
        if len(desk.aside):
            self.confirm()
        elif self._some_selected():
            desk.keep_aside(desk.selection)
            desk.select([])

    def confirm(self) -> None:
        """Keep the two selections apart."""
        if len(self.desk.aside):
            self._state("apart")

    def label(self, cluster: int) -> None:
        """Label the selected samples with a cluster, given by its place."""
        if cluster < len(self._cluster_names()):
            self._state(f"label {cluster}")
        else:
            self.desk.tell("info", f"There are {len(self._cluster_names())} clusters")

    def forget(self) -> None:
        """Forget all that is stated about any of the selected samples."""
        self._state("forget")

    def clear(self) -> None:
        """Select nothing, and keep nothing aside."""
        self.desk.keep_aside([])
        self.desk.select([])

    def _state(self, verb: str) -> None:
        if not self._some_selected():
            return
        intention = self._intention(verb)
        if not intention:
            self.desk.tell("info", str(intention.words))
        elif self.desk.attempt(self.desk.session.constrain, source=SOURCE, **intention.said) is not None:
            self.clear()

    def _some_selected(self) -> bool:
        if not len(self.desk.selection):
            self.desk.tell("info", FIRST)
        return bool(len(self.desk.selection))

    def _intention(self, verb: str) -> Intention:
        samples = self.desk.selection
        if verb == "apart":
            return keep_apart(self.desk.aside, samples)
        if verb == "forget":
            return forget(self.desk.session.constraints, samples)
        if verb.startswith("label"):
            cluster = int(verb.split()[1]) if " " in verb else 0
            return label_as(samples, cluster, self._cluster_names()[cluster])
        return link_together(samples)

    def _cluster_names(self) -> list[str]:
        return [str(int(id_) + 1) for id_ in self.desk.session.state.cluster_ids]

    # ------------------------------------------------------------------ gestures

    @property
    def keys(self) -> dict[str, Callable[[], object]]:
        acts = {
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
                self._labelling = not self._labelling
                self._show()
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
        self._labelling = False
        self._verb = "link"
        self._show()

    # ------------------------------------------------------------------ showing

    def update(self, old: Snapshot | None, new: Snapshot) -> None:
        if old is None or old.problem.constraints is not new.problem.constraints:
            self._show()

    def _show(self) -> None:
        desk = self.desk
        show(self.widget, bool(len(desk.selection) or len(desk.aside)))
        if len(desk.selection) or len(desk.aside):
            self._verbs.show([("verbs", self._verb_row())] + ([("labels", self._label_row())] * self._labelling))
            self._show_outcome()

    def _verb_row(self) -> Html:
        n, n_aside = len(self.desk.selection), len(self.desk.aside)
        count = tag("span", tag("b", f"{n:,}"), " selected", class_="cc-selected-count")
        if n_aside:
            count = tag("span", tag("b", f"{n_aside:,}"), " and ", tag("b", f"{n:,}"), class_="cc-selected-count")
            verbs = [_verb("apart", "Keep apart", "apart", "c", not n)]
        else:
            verbs = [
                _verb("link", "Link together", "together", "m"),
                _verb("apart", "Keep apart…", "apart", "c"),
                _verb("labels", "Label as", "label", "1", hover="label"),
            ]
            if len(self.desk.session.constraints):
                verbs.append(_verb("forget", "", "forget", title="Forget what is stated about these samples (Del)"))
        close = _verb("clear", "", "close", title="Clear the selection (Esc)")
        return tag("div", count, verbs, close, class_="cc-verbs")

    def _label_row(self) -> Html:
        ids = self.desk.session.state.cluster_ids
        hues = told_apart(ids)
        chips = [
            tag(
                "button",
                tag("i", style=f"background:var({hue(hues[place])})", class_="cc-dot"),
                str(int(id_) + 1),
                class_="cc-button cc-outlined",
                data_action="label",
                data_id=place,
                data_hover=f"label {place}",
                title=f"Label as {int(id_) + 1} ({place + 1})",
            )
            for place, id_ in enumerate(ids[:MOST_NAMED_CLUSTERS])
        ]
        return tag("div", chips, class_="cc-verbs cc-label-row")

    def _show_outcome(self) -> None:
        desk = self.desk
        if not len(desk.selection) and not len(desk.aside):
            return
        verb = "apart" if len(desk.aside) else self._verb
        if verb == "apart" and not len(desk.aside):
            self._say(join(f"Keep apart: first these {len(desk.selection):,}, then select the others."))
            return
        if verb not in ("apart", "forget", "link") and not verb.startswith("label"):
            return
        intention = self._intention(verb)
        session = desk.session
        n_clusters = getattr(session.solver, "n_clusters", None)
        clash = new_conflict(session.constraints, intention, n_clusters, session.state.cluster_ids)
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
        self._outcome.value = tag("span", words, role="alert" if bad else None)
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
