"""Samples as questions are about them: in words and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from psygnal import SignalInstance

from cclab.core.registry import strategies
from cclab.core.words import short_number
from cclab.datasets import Dataset
from cclab.looks.describe import label_meanings
from cclab.looks.encoding import Look, Sign, set_sign, sets_of
from cclab.looks.sample_columns import SampleColumns, feature_words, in_words, known_as
from cclab.queries.base import Query
from cclab.session import Session, Snapshot
from cclab.widgets.kit.html import Html, join, tag
from cclab.widgets.model.desk import Desk, hears_labels_alone
from cclab.widgets.scatter.glyphs import glyph

MOST_VALUES = 6
#: So much of a text is on a card.
MOST_LETTERS = 240


class Samples:
    """What the query card asks about: samples, shown by their content; an answer is stated.

    Another subject gives the same attributes and methods.

    Parameters
    ----------
    desk : Desk
    """

    #: The title over a pair.
    question = "Same cluster?"
    #: The title over one sample whose cluster is asked for.
    which = "Which cluster?"
    #: The kind of question whose answers are offered while none is asked.
    kind = "pair"
    #: Whether an oracle may be given many questions at once.
    takes_many = True

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    @property
    def renamed(self) -> Sequence[SignalInstance]:
        """Signals after which questions and answers are called otherwise."""
        return ()

    @property
    def ready(self) -> bool:
        """Whether there is anything to ask about."""
        return True

    @property
    def settled(self) -> bool:
        """Whether what a question would be about stays as it is, as far as is known."""
        return True

    def strategies(self, snapshot: Snapshot) -> list[str]:
        """Names of the strategies that suit the belief and the solver."""
        classes = {name: strategies.get(name) for name in strategies.names()}
        labels_alone = hears_labels_alone(snapshot.solver)
        return [
            name
            for name, cls in classes.items()
            if cls.suits(snapshot.partition) and (cls.kind == "label" or not labels_alone)
        ]

    async def find(self, session: Session, strategy: str) -> tuple[Query, ...]:
        """Look for a question, aside."""
        return await session.apropose(strategy)

    def meanings(self, snapshot: Snapshot) -> dict[int, int] | dict[int, str]:
        """What each label that can be given is called on its button."""
        return label_meanings(snapshot)

    def cards(self, query: Query) -> list[Html]:
        """The samples in question, side by side."""
        return [self.card(query, letter, sample) for letter, sample in zip("abc", query.samples)]

    def stands(self, where: Snapshot | None) -> bool:
        """Whether a question that was found there still makes sense; None is an earlier page."""
        return True

    def answer(self, query: Query, answer: Any) -> bool:
        """Take an answer; whether the solver should hear of it by a step."""
        return self.desk.attempt(self.desk.session.answer, query, answer) is not None

    def asked(self, query: Query | None) -> None:
        """The question that is shown now."""

    def card(self, query: Query, letter: str, sample: int) -> Html:
        """One of the samples in question."""
        session = self.desk.session
        return sample_card(letter, session.data, session.current, sample, self.desk.threshold, self.desk.pinned)

    def reason(self, query: Query) -> Html:
        """Why it is asked."""
        return join(query.reason)

    def why_nothing(self, suited: bool) -> str:
        """Why there is no question, and what to do; `suited` is whether there is a strategy."""
        if not suited:
            name = type(self.desk.session.solver).__name__
            return f"{name} takes labels alone, and has no doubts to ask about. Select samples and label them."
        return "Every pair is either stated or settled. Choose another strategy, or step on."

    def counts(self, session: Session) -> Html:
        """How many questions were answered."""
        unknown = len(session.rejected)
        rest = join(" · ", tag("b", unknown), " unknown") if unknown else None
        return join(tag("b", len(session.asked) - unknown), " answered", rest)


def sample_name(data: Dataset, sample: int) -> str:
    """The sample's number, and its name where it has one, else its row in the table where that is another number.

    A picture goes by its file, without the folders that this is in: they are the same for many.
    """
    if data.sample_names is not None:
        name = data.sample_names[sample]
        return f"{sample} {name if data.images is None else name.rpartition('/')[2]}"
    row = data.rows.positions[sample]
    return str(sample) if row == sample else f"{sample} (row {row})"


def sample_sign(snapshot: Snapshot, sample: int, threshold: float | None = None, look: Look | None = None) -> Sign:
    """How the sample is drawn, and what that is called; `look` is how clusters are shown, where not as usual."""
    which, sets = sets_of(snapshot.partition.restrict(sample), threshold)
    return set_sign(sets[which[0]], look or Look.of(snapshot))


def sample_content(data: Dataset, sample: int, most: int = MOST_VALUES, columns: Sequence[str] = ()) -> Html:
    """What a sample is: its picture, its text, and some of its values.

    Parameters
    ----------
    data : Dataset
    sample : int
    most : int
        So many values at most, the largest of sparse data.
    columns : sequence of str
        The columns that a person has chosen; without any the features, unless there is a picture or a text to see. Of
        features that a reduction has made, which say nothing, those beside them.
    """
    parts = [_picture(data, sample)] if data.images is not None else []
    if data.text_column is not None:
        parts.append(tag("p", clipped(data.text(sample)), class_="cc-text", dir="auto"))
    if not columns and not parts:
        columns = _beside(data)[:most]
    if columns:
        parts.append(_chosen(data, sample, columns))
    elif not parts:
        parts.append(_values(data, sample, most))
    return join(*parts)


def clipped(words: str, most: int = MOST_LETTERS) -> str:
    r"""The beginning of a text, in one paragraph.

    >>> clipped("one   two\nthree", 9)
    'one two …'
    """
    words = " ".join(words[: 4 * most].split())
    return words if len(words) <= most else words[: most - 1].rstrip() + " …"


def _picture(data: Dataset, sample: int) -> Html:
    name = f"Picture of sample {sample}"
    return tag("img", src=picture_source(data, sample), alt=name, style="max-width:112px;margin:0 auto")


def picture_source(data: Dataset, sample: int) -> str:
    """The picture of a sample as the address of an image."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(data.picture(sample)).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _chosen(data: Dataset, sample: int, columns: Sequence[str]) -> Html:
    known = SampleColumns(data)
    entries = [(name, clipped(known.words(name, sample), 40)) for name in columns if name in known]
    return tag("dl", [join(tag("dt", name, title=name), tag("dd", value)) for name, value in entries])


def _values(data: Dataset, sample: int, most: int) -> Html:
    X: Any = data.X
    if hasattr(X, "tocsr"):
        row = X[[sample]].tocsr()
        chosen = np.argsort(-np.abs(row.data), kind="stable")[:most]
        values = [(int(row.indices[e]), float(row.data[e])) for e in chosen]
        entries, n_values = [(data.feature_names[j], short_number(value)) for j, value in values], row.nnz
    else:
        features = {name: j for j, name in enumerate(known_as(data))}  # a category is told once, by its word
        entries = [(name, _words(data, name, j, sample)) for name, j in islice(features.items(), most)]
        n_values = len(features)
    rest = n_values - len(entries)
    entries += [(f"and {rest} more", "")] if rest > 0 else []
    return tag("dl", [join(tag("dt", name, title=name), tag("dd", value)) for name, value in entries])


def _beside(data: Dataset) -> list[str]:
    """The columns beside features that are parts of a reduction, the truth left out."""
    if data.plan is None or data.feature_names[0] not in ("PC 1", "SV 1"):
        return []
    return [name for name in data.plan.columns("group") if name in data.meta.columns]


def _words(data: Dataset, name: str, feature: int, sample: int) -> str:
    is_category = name != data.feature_names[feature]
    return in_words(data.meta[name].iloc[sample]) if is_category else feature_words(data, feature, sample)


def sample_card(
    letter: str,
    data: Dataset,
    snapshot: Snapshot,
    sample: int,
    threshold: float | None = None,
    columns: Sequence[str] = (),
) -> Html:
    """A card: letter and number, what is believed about the sample now, its values or its picture."""
    sign = sample_sign(snapshot, sample, threshold)
    name = sample_name(data, sample)
    title = tag("span", f"{letter} · {name}", class_="cc-name", title=name)
    head = tag("header", glyph(sign.shape, sign.color), title, tag("span", sign.name))
    return tag("div", head, sample_content(data, sample, columns=columns), class_="cc-sample", data_hover=sample)
