"""A question as a program is asked it: in words, with the content of the samples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cclab.queries.base import Query

#: How each kind of question is put in words.
WORDS = {
    "pair": "Do a and b belong together? Answer 'same', 'different' or 'unsure'.",
    "triplet": "Is a closer to b or to c? Answer 'b', 'c' or 'unsure'.",
    "group": "Which of these do not belong with the others? Answer a list of numbers.",
    "label": "To which cluster does this belong? Answer its number, from 0, or 'unsure'.",
    "name": "What is this? Answer a word, or 'unsure'.",
}
Contents = Sequence[Any] | Callable[[int], Any]


@dataclass(frozen=True)
class Question:
    """What a callable is given.

    Attributes
    ----------
    kind : str
        As of `Query`.
    samples : tuple of int
    contents : tuple
        What each sample is: a text, a mapping from features to values, or whatever was given as `contents`.
    reason : str
        Why it is asked.

    Examples
    --------
    >>> print(Question("pair", (3, 8), ("a red ball", "a blue ball")).text)
    a: a red ball
    b: a blue ball
    Do a and b belong together? Answer 'same', 'different' or 'unsure'.
    """

    kind: str
    samples: tuple[int, ...]
    contents: tuple[Any, ...]
    reason: str = ""

    @property
    def text(self) -> str:
        """All of it in words, as a person or a model would read it."""
        letters = map(str, self.samples) if self.kind == "group" else "abc"
        lines = [f"{letter}: {_in_words(content)}" for letter, content in zip(letters, self.contents)]
        return "\n".join([*lines, WORDS.get(self.kind, self.kind)])

    def __getitem__(self, place: int) -> Any:
        """The content of the first, the second ... sample."""
        return self.contents[place]


def question_of(query: Query, data: Any, contents: Contents | None) -> Question:
    """A question with the content of its samples."""
    found = tuple(content_of(i, data, contents) for i in query.samples)
    return Question(query.kind, query.samples, found, query.reason)


def content_of(sample: int, data: Any, contents: Contents | None) -> Any:
    """What a sample is: what `contents` says of it, else its features by name."""
    if callable(contents):
        return contents(sample)
    if contents is not None:
        if sample >= len(contents):
            raise ValueError(f"contents has {len(contents)} entries, and there is a question about sample {sample}")
        return contents[sample]
    if not hasattr(data, "X"):
        raise ValueError("an oracle that is asked about content needs it: give data, or Function(..., contents=texts)")
    names = getattr(data, "feature_names", None) or [f"x{j + 1}" for j in range(data.X.shape[1])]
    if hasattr(data.X, "tocsr"):
        row = data.X[[sample]].tocsr()
        order = np.argsort(-np.abs(row.data), kind="stable")
        return {names[row.indices[e]]: float(row.data[e]) for e in order}
    return {name: float(value) for name, value in zip(names, data.X[sample])}


def digest(content: Any) -> str:
    """A short text that is another for other content."""
    if isinstance(content, np.ndarray):
        plain: Any = [content.dtype.str, content.shape, content.tobytes().hex()]
    else:
        plain = content
    written = json.dumps(plain, sort_keys=True, ensure_ascii=False, default=repr)
    return hashlib.blake2b(written.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def fingerprint_of(data: Any) -> str:
    """By which data are told from others."""
    known = getattr(data, "fingerprint", None)
    if isinstance(known, str):
        return known[:24]
    X = getattr(data, "X", None)
    return "" if X is None else digest([X.shape, float(abs(X).sum())])


def _in_words(content: Any) -> str:
    if isinstance(content, dict):
        return ", ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in content.items())  # fmt: skip # noqa: E501
    return str(content)
