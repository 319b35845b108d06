"""What tells the regions apart: kinds of filters, how much each of them matters, and a choice among them."""

from __future__ import annotations

import ipywidgets as widgets

from cclab.images.bank import KINDS
from cclab.images.choice import Choice
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import column, gauge, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.notices import Notice, sentence
from cclab.widgets.painter.model import Easel
from cclab.widgets.watch import Part

ABOUT = {
    "brightness": "Grey or lightness of a pixel and its surroundings",
    "colour": "Colour of a pixel and its surroundings",
    "light": "Brighter or darker than its surroundings",
    "edges": "How steep brightness is",
    "lines": "Ridges and valleys",
    "texture": "How rough it is around a pixel",
    "direction": "Which way lines run around a pixel",
}
# How the page calls the ways of telling regions apart, by `Options.learn`.
WAYS: dict[str, bool | str] = {"By itself": "auto", "Learn from paint": True, "Values alone": False}
VALUES_TELL, NEAR = "values tell them apart", "values near those of the paint go to its region"


def why(choice: Choice | None) -> str:
    """A sentence more, where it was chosen."""
    return "" if choice is None else " " + sentence(choice.words)


class Reasons(Part):
    """Says what tells the regions apart, and lets the person choose otherwise.

    Parameters
    ----------
    desk : Easel
    """

    desk: Easel
    title = "What tells them apart"

    def __init__(self, desk: Easel) -> None:
        super().__init__(desk)
        self.note = text()
        self.way = with_classes(
            widgets.ToggleButtons(options=tuple(WAYS), description="By", layout={"width": "auto"}),
            "cc-tabs cc-quiet-label",
        )
        self.way.observe(self._chosen, "value")
        self._words = text(css="cc-why")
        self._rows = with_classes(Rows(label="Kinds of filters"), "cc-reasons")
        self._rows.on_action(self._act)
        self.widget = gauge(self.title, column(self.way, self._words, self._rows, css="cc-telling"), note=self.note)
        self.start()

    def _chosen(self, change: dict) -> None:
        learn = WAYS[change["new"]]
        if learn != self.desk.learn:
            self.desk.set_learning(learn)

    def _act(self, action: Action) -> None:
        """Look at a kind of filters, or leave it out."""
        used = set(self.desk.recipe.options.maps) or set(KINDS)
        kept = used ^ {str(action.id)}
        if not kept:
            self.desk.tell(Notice("info", "One kind of filters at least must be looked at"))
            return
        self.desk.set_learning(True, () if kept == set(KINDS) else tuple(kind for kind in KINDS if kind in kept))

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        recipe, posed = self.desk.recipe_at(new), self.desk.posed_at(new)
        self.way.value = next(name for name, learn in WAYS.items() if learn == self.desk.learn)
        forest = None if posed is None or posed.by_values else posed.forest
        if posed is None or len(posed.palette.painted) < 2:
            learns = "Paint a stroke in each of two regions; what tells them apart is then learned."
            self._words.value = learns if self.desk.learn else NEAR
        else:
            told = VALUES_TELL if posed.choice is not None else NEAR
            self._words.value = sentence(told if forest is None else forest.words) + why(posed.choice)
        if forest is None:
            self._rows.show([])
            return
        used = set(recipe.options.maps) or set(KINDS)
        shares = {kind: 0.0 for kind in KINDS if kind != "colour" or self.desk.picture.is_colour}
        for kind, share in zip(forest.kinds, forest.importance):
            shares[kind] = shares.get(kind, 0.0) + float(share)
        self._rows.show((kind, self._row(kind, share, kind in used)) for kind, share in shares.items())

    def _row(self, kind: str, share: float, used: bool) -> Html:
        box = tag("input", type="checkbox", checked=used or None, data_action="use", data_id=kind, aria_label=kind)
        bar = tag("span", tag("i", style=f"width:{100 * share:.0f}%"), class_="cc-share-bar")
        words = tag("span", f"{100 * share:.0f} %" if used else "left out", class_="cc-faint")
        return tag("label", box, tag("span", kind), bar, words, class_="cc-reason", title=ABOUT[kind])
