"""How questions of each kind look: their titles, their samples, and the words of answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cclab.core.words import counted
from cclab.queries.base import Query
from cclab.widgets.kit.html import Html, tag
from cclab.widgets.model.desk import Desk
from cclab.widgets.queries.sample import clipped, sample_content, sample_name, sample_sign
from cclab.widgets.scatter.glyphs import glyph

#: So many values are shown of each sample of a group.
FEW_VALUES = 4
#: And so many letters of a text, of which more shows under the pointer.
FEW_LETTERS = 140
_TITLES = {
    "triplet": "Is a closer to b or to c?",
    "group": "Which of these do not belong?",
    "name": "What is this?",
}


def title_of(kind: str, about: Any) -> str:
    """The title over a question."""
    return about.which if kind == "label" else _TITLES.get(kind, about.question)


def answers_to(n_outside: int) -> str:
    """What the button says that answers a question about a group."""
    if not n_outside:
        return "All belong  ↵"
    return f"{counted(n_outside, 'sample')} {'does' if n_outside == 1 else 'do'} not belong  ↵"


class Marked:
    """Samples of a group that were marked as not belonging; the next question begins with none."""

    def __init__(self) -> None:
        self._query: Query | None = None
        self._samples: frozenset[int] = frozenset()

    def of(self, query: Query | None) -> frozenset[int]:
        """Those of a question."""
        return self._samples if query is not None and query == self._query else frozenset()

    def toggle(self, query: Query | None, sample: int) -> bool:
        """Mark a sample, or take the mark away; False where no group with it is asked about."""
        if query is None or query.kind != "group" or sample not in query.samples:
            return False
        self._query, self._samples = query, self.of(query) ^ {sample}
        return True


def pair_row(query: Query, about: Any) -> list[tuple[str, Html]]:
    """Samples beside each other, each with its letter."""
    return [("pair", tag("div", about.cards(query), class_="cc-pair"))]


def group_rows(query: Query, desk: Desk, outside: frozenset[int]) -> list[tuple[object, Html]]:
    """A card, a line of values or some words for each; a click, Space or its number marks it as not belonging."""
    data, here = desk.session.data, desk.session.current
    pictures, texts = data.images is not None, data.text_column is not None
    features = () if pictures or texts else telling_features(data.X, query.samples)
    rows: list[tuple[object, Html]] = []
    if features:
        names = [tag("span", data.feature_names[j], title=data.feature_names[j]) for j in features]
        rows.append(("head", tag("div", tag("span"), tag("span"), tag("span"), names, class_="cc-line-head")))
    for place, sample in enumerate(query.samples, start=1):
        sign = sample_sign(here, sample, desk.threshold)
        name = sample_name(data, sample)
        box = tag(
            "input",
            type="checkbox",
            checked=sample in outside or None,
            data_action="mark",
            data_id=sample,
            aria_label=f"{name} does not belong",
        )
        head = (
            box,
            glyph(sign.shape, sign.color),
            # A card has no room for the row in the table: the title tells it.
            tag("span", sample if data.sample_names is None else name, class_="cc-who", title=f"{name}: {sign.name}"),
        )
        number = tag("span", place, class_="cc-nth")
        css = "cc-choice" + (" cc-outside" if sample in outside else "")
        if pictures:
            content: tuple[Any, ...] = (
                tag("div", *head, number, class_="cc-choice-head"),
                sample_content(data, sample),
            )
            css += " cc-picture-choice"
        elif texts:
            words = data.text(sample)
            shown = tag("span", clipped(words, FEW_LETTERS), class_="cc-words", dir="auto", title=clipped(words))
            content = (*head, shown, number)
            css += " cc-text-choice"
        else:
            row = data.X[[sample]].toarray()[0] if hasattr(data.X, "tocsr") else data.X[sample]
            content = (*head, [tag("span", f"{row[j]:.3g}", class_="cc-value") for j in features], number)
            css += " cc-line-choice"
        rows.append((sample, tag("label", *content, class_=css, data_hover=sample)))
    return rows


def telling_features(X: Any, samples: Sequence[int]) -> tuple[int, ...]:
    """The features in which these samples differ most, for how much all do; in their order."""
    some = X[list(samples)]
    some = some.toarray() if hasattr(some, "toarray") else np.asarray(some)
    if X.shape[1] <= FEW_VALUES:
        return tuple(range(X.shape[1]))
    if hasattr(X, "tocsr"):
        spread = np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel(), 1e-300))
    else:
        spread = np.maximum(np.std(X, axis=0), 1e-300)
    return tuple(sorted(np.argsort(-some.std(axis=0) / spread, kind="stable")[:FEW_VALUES].tolist()))
