"""Samples by what one types (a text, a regular expression or a rule), and samples like some that one has."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import regex
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances_argmin_min

from cclab.datasets.rules import Mask, RuleError, is_rule, refuse_calls, select

#: A regular expression has at most so many letters, looks at so many of each text, and has so many seconds in all.
MOST_LETTERS, MOST_OF_A_TEXT, MOST_SECONDS = 300, 20_000, 5.0
#: So many of the samples that others should be like are looked at.
MOST_MODELS = 200
_SIGNS = ("<", ">", "==", "!=", "=")


def find(words: str, columns: Mapping[str, Any], texts: Iterable[str] | None = None) -> Mask:
    """(n,) the samples that words describe.

    Parameters
    ----------
    words : str
        A rule (see `cclab.datasets.rules.select`), ``/a regular expression/``, or a text, which is found in any case.
        A text in double quotes is never taken for a rule; what is no rule, in spite of its signs, is a text if it is
        found. The name of a column of truth values is a rule where no text has it. Code that stands nowhere is
        refused, as in a rule.
    columns : mapping from str to array
        One value for each sample.
    texts : iterable of str, optional
        The columns that a text is looked for in; default: all.

    Raises
    ------
    ValueError
        What can't be understood, or an expression that takes too long.

    Examples
    --------
    >>> notes = {"note": ["Paid late", "late, again", "paid"], "days": [3, 9, 0]}
    >>> [find(words, notes).sum().item() for words in ("LATE", "/^paid/i", "days > 2", '"paid"')]
    [2, 2, 2, 2]
    """
    words = words.strip()
    if not words:
        raise ValueError("write what to look for: a text, /an expression/, or a rule such as x > 5")
    names = list(columns if texts is None else texts)
    if len(words) > 2 and words[0] == words[-1] == '"':
        return _with_text(words[1:-1], columns, names)
    if words[0] == "/" and "/" in words[1:]:
        pattern, _, flags = words[1:].rpartition("/")
        if set(flags) <= set("im"):
            return _with_pattern(pattern, flags, columns, names)
    if is_rule(words):
        return select(words, columns)
    found = _with_text(words, columns, names)
    if found.any():
        return found
    if any(sign in words for sign in _SIGNS):
        return select(words, columns)  # which says what is wrong with it
    refuse_calls(words)
    with suppress(RuleError):
        return select(words, columns)  # a column of truth values needs no sign
    return found


def _with_text(text: str, columns: Mapping[str, Any], names: list[str]) -> Mask:
    wanted = text.casefold()
    return _any(columns, names, lambda value: wanted in value.casefold())


def _with_pattern(pattern: str, flags: str, columns: Mapping[str, Any], names: list[str]) -> Mask:
    if len(pattern) > MOST_LETTERS:
        raise RuleError(f"the expression has {len(pattern)} letters; {MOST_LETTERS} are read at most")
    try:
        compiled = regex.compile(pattern, (regex.I if "i" in flags else 0) | (regex.M if "m" in flags else 0))
    except (regex.error, OverflowError, RecursionError) as error:
        raise RuleError(f"/{pattern}/ is no regular expression: {error}") from None
    end = time.monotonic() + MOST_SECONDS

    def holds(value: str) -> bool:
        # Some patterns take years on some texts: time is given out, and the search says when it is up.
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return compiled.search(value, endpos=MOST_OF_A_TEXT, timeout=left, concurrent=True) is not None

    try:
        return _any(columns, names, holds)
    except TimeoutError:
        raise RuleError(
            f"/{pattern}/ takes more than {MOST_SECONDS:g} s; repetitions inside repetitions often do. Write it "
            "without them, or look for a plain text"
        ) from None


def _any(columns: Mapping[str, Any], names: list[str], holds: Any) -> Mask:
    """Where one of the columns has a value that a condition holds for; each distinct value is looked at once."""
    n = len(next(iter(columns.values()))) if columns else 0
    found = np.zeros(n, dtype=bool)
    for name in names:
        values, codes = _distinct(columns[name])
        matching = np.fromiter((holds(value) for value in values), dtype=bool, count=len(values))
        found |= np.append(matching, False)[codes]
    return found


def _distinct(column: Any) -> tuple[list[str], NDArray]:
    """The values of a column as texts, and for each sample the place of its value; -1 is a missing one."""
    codes, values = pd.factorize(pd.Series(column))
    return [str(value) for value in values], codes


def more_like(X: Any, samples: ArrayLike, n: int | None = None) -> NDArray[np.int64]:
    """The samples that are nearest to any of those given, without these; the nearest first.

    Parameters
    ----------
    X : (n, p) array, sparse or not
    samples : int array
    n : int, optional
        How many; default: as many as are given, at least 10 and at most 500.

    Examples
    --------
    >>> more_like(np.array([[0.0], [0.1], [5.0], [0.3], [5.1]]), [2], 2).tolist()
    [4, 3]
    """
    samples = np.unique(np.asarray(samples, dtype=np.int64))
    if not len(samples):
        raise ValueError("select some samples first: others are looked for that are like these")
    n = int(np.clip(len(samples), 10, 500)) if n is None else n
    n = min(n, X.shape[0] - len(samples))
    if n < 1:
        raise ValueError("all samples are selected; there are no others")
    chosen = samples
    if len(samples) > MOST_MODELS:  # spread evenly, so that all corners of a selection count
        chosen = samples[np.linspace(0, len(samples) - 1, MOST_MODELS).astype(int)]
    models = X[chosen] if sparse.issparse(X) else np.asarray(X)[chosen]
    distance = pairwise_distances_argmin_min(X, models)[1]
    distance[samples] = np.inf
    nearest = np.argpartition(distance, n - 1)[:n]
    return nearest[np.lexsort((nearest, distance[nearest]))]
