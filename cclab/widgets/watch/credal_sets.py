"""How many samples are in each cluster, or in each hard credal set; a click selects them."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from cclab.core.words import counted
from cclab.looks.encoding import Look, Sign, set_sign, sets_of
from cclab.looks.signs import SHAPES
from cclab.session import Snapshot
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.kit.layout import column, heading, row, text, with_classes
from cclab.widgets.kit.rows import Action, Rows
from cclab.widgets.model.desk import Desk
from cclab.widgets.scatter.glyphs import glyph
from cclab.widgets.watch.part import Part

#: A full credal belief about many clusters has thousands of sets; those with most samples are shown.
MOST_SETS = 24
#: Two columns have room for names that are no longer than this.
MOST_LETTERS = 8


class CredalSets(Part):
    """The sets that samples are shown in, with counts, each a button; the clusters, where the belief isn't credal.

    Parameters
    ----------
    desk : Desk
    """

    tab, order = "Belief", 2

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.heading = text()
        self.rows = with_classes(Rows(label="Sets of clusters"), "cc-sets")
        self.rows.on_action(self._act)
        self._which: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._signs: list[Sign] = []
        self._order: list[int] = []
        note = text("click to select its samples", css="cc-push cc-note")
        self.widget = column(row(self.heading, note, css="cc-head cc-minor"), self.rows, css="cc-gauge")
        self.listen(desk.selected, lambda _: self._show())
        self.listen(desk.thresholded, lambda _: self.redraw())
        self.start()

    def samples_of(self, place: int) -> NDArray[np.intp]:
        """The samples in a set."""
        return np.flatnonzero(self._which == place)

    def _act(self, action: Action) -> None:
        chosen = self.samples_of(int(action.id))
        if action.shift:
            chosen = np.union1d(self.desk.selection, chosen)
        elif np.array_equal(chosen, self.desk.selection):
            chosen = chosen[:0]
        self.desk.select(chosen)

    def draw(self, old: Snapshot | None, new: Snapshot) -> None:
        which, sets = sets_of(new.partition, self.desk.threshold)
        counts = np.bincount(which, minlength=len(sets))
        look = Look.of(new)
        self._which = which
        self._signs = [set_sign(members, look, int(count)) for members, count in zip(sets, counts)]
        numbers = [sorted(look.numbers[k] for k in members) for members in sets]
        rank = [(SHAPES.index(sign.shape), len(of), of) for sign, of in zip(self._signs, numbers)]
        self._order = sorted(range(len(sets)), key=rank.__getitem__)
        title = "Credal sets" if new.partition.kind == "credal" else "Clusters"
        self.heading.value = heading(title)
        self._show()

    def _show(self) -> None:
        signs = self._signs
        # Clusters first, then larger sets, outliers last; of many sets those with most samples.
        order = self._order
        if len(order) > MOST_SETS:
            largest = set(sorted(order, key=lambda s: -signs[s].count)[:MOST_SETS])
            order = [s for s in order if s in largest]
        long = any(len(signs[s].name) > MOST_LETTERS for s in order)
        (self.rows.add_class if long else self.rows.remove_class)("cc-long")
        if not long:
            order = in_columns(order, [s for s in order if signs[s].shape in ("diamond", "square")])
        most = max((sign.count for sign in signs), default=0)
        self.rows.show([(place, self._button(place, signs[place], most)) for place in order])

    def _button(self, place: int, sign: Sign, most: int) -> Html:
        selection = self.desk.selection
        pressed = 0 < sign.count == len(selection) and bool(np.all(self._which[selection] == place))
        share = 100 * sign.count / max(most, 1)
        bar = tag("i", style=f"width:{share:.4g}%;background:var({sign.color})") if sign.count else None
        return tag(
            "button",
            glyph(sign.shape, sign.color),
            tag("span", sign.name),
            tag("span", bar, class_="cc-meter"),
            tag("span", f"{sign.count:,}", class_="cc-count"),
            class_="cc-set",
            data_action="select",
            data_id=place,
            aria_pressed=pressed,
            title=f"Select {counted(sign.count, 'sample')} in {sign.name}",
        )


def in_columns(order: list[int], doubtful: list[int]) -> list[int]:
    """The order in which two columns are filled row by row, single clusters at the left and doubt at the right.

    >>> in_columns([0, 1, 2, 3, 4], [1, 3]), in_columns([0, 1, 2], [])
    ([0, 1, 2, 3, 4], [0, 1, 2])
    """
    single = [s for s in order if s not in doubtful]
    pairs = zip_longest(single, doubtful) if abs(len(single) - len(doubtful)) <= 1 else [order]
    return [s for pair in pairs for s in pair if s is not None]
