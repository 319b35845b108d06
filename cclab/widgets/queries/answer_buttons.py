"""The answers that a question offers, as buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import ipywidgets as widgets

from cclab.widgets.kit.close import close_all
from cclab.widgets.kit.layout import button, row
from cclab.widgets.queries.question_views import answers_to


class AnswerButtons:
    """Two answers about a pair or a triplet, the clusters about a label, one button about a group, a field for a name.

    Parameters
    ----------
    on_answer : callable
        Called with the answer.
    on_group : callable
        Called when a question about a group is answered.
    on_unknown : callable
        Called when the person does not know.
    """

    def __init__(
        self, on_answer: Callable[[str | int], object], on_group: Callable[[], object], on_unknown: Callable[[], object]
    ) -> None:
        self._on_answer = on_answer
        self.same = self._button("Same", "same", "together", "S")
        self.different = self._button("Different", "different", "apart", "D")
        self.closer = (self._button("Closer to b", "b", "", "S"), self._button("Closer to c", "c", "", "D"))
        self.group = button("All belong", on_group, hint="Answer (Enter)", look="outlined")
        self.name = widgets.Text(placeholder="What is it? A word, then Enter", continuous_update=False)
        self.name.observe(lambda change: self._named(change["new"]), "value")
        self.unknown = button("Don’t know", on_unknown, key="X", hint="Don’t know (X)", look="outlined")
        self._clusters: tuple[widgets.Button, ...] = ()
        self._labels: list[int] = []
        self._meanings: Mapping[int, int | str] = {}  # the label that each of them gives, and what it shows
        self.widget = row(css="cc-answers")

    def _button(self, label: str, answer: str, icon: str, key: str) -> widgets.Button:
        hint = f"{label} ({key})"
        return button(label, lambda: self._on_answer(answer), icon=icon, key=key, hint=hint, look="outlined")

    def _named(self, name: str) -> None:
        if name.strip():
            self.name.value = ""
            self._on_answer(name)

    def offer(self, kind: str, enabled: bool, *, meanings: Mapping[int, int | str], n_outside: int = 0) -> None:
        """Show the answers to a question of a kind.

        Parameters
        ----------
        kind : str
        enabled : bool
            Whether there is a question.
        meanings : dict
            The number, or the name, that each label shows.
        n_outside : int
            How many samples of a group are marked.
        """
        if kind == "label":
            self._have_clusters(meanings)
        self.group.description = answers_to(n_outside)
        offered = {
            "label": self._clusters,
            "triplet": self.closer,
            "group": (self.group,),
            "name": (self.name,),
        }.get(kind, (self.same, self.different))
        (self.widget.add_class if kind == "label" else self.widget.remove_class)("cc-many")
        (self.widget.add_class if kind in ("group", "name") else self.widget.remove_class)("cc-one")
        self.widget.children = (*offered, self.unknown)
        for each in self.widget.children:
            each.disabled = not enabled

    def label_at(self, place: int) -> int | None:
        """The label that the button at a place gives, from 0."""
        return self._labels[place] if place < len(self._labels) else None

    def _have_clusters(self, meanings: Mapping[int, int | str]) -> None:
        if self._meanings == meanings:
            return
        self._meanings = meanings
        for made in self._clusters:
            close_all(made)
        named = any(isinstance(name, str) for name in meanings.values())
        self._labels = sorted(meanings, key=lambda label: label if named else int(meanings[label]))
        self._clusters = tuple(
            self._cluster(meanings[label], label, "SD"[place] if named and place < 2 else "")
            for place, label in enumerate(self._labels)
        )

    def _cluster(self, name: int | str, label: int, key: str) -> widgets.Button:
        if isinstance(name, int):
            return button(str(name), partial(self._say, label), hint=f"Cluster {name}", look="outlined")
        hint = f"{name} ({key})" if key else name
        return button(name[:24], partial(self._say, label), key=key, hint=hint, look="outlined")

    def _say(self, label: int) -> None:
        self._on_answer(label)

    def close(self) -> None:
        """Free all of them: only those of one kind are on the page."""
        for made in (self.same, self.different, *self.closer, self.group, self.name, *self._clusters):
            close_all(made)
