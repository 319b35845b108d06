"""What a page tells the person: notices of a kind and, where there is one, a way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Fix:
    """What would help: the words of a button, and what it does."""

    words: str
    act: Callable[[], object]


@dataclass(frozen=True)
class Notice:
    """Something to tell the person.

    Parameters
    ----------
    kind : {"info", "warning", "bad"}
        An "info" passes by; the others stay until the next verb, or until they are closed.
    words : str
    fix : Fix, optional
    """

    kind: Literal["info", "warning", "bad"]
    words: str
    fix: Fix | None = None


def in_words(trouble: Exception) -> str:
    """What went wrong, for a person: warnings and our own errors as they are, others with their kind."""
    text = str(trouble).strip() or type(trouble).__name__
    return text if isinstance(trouble, ValueError | OSError | Warning) else f"{type(trouble).__name__}: {text}"


def ended(words: str) -> str:
    """`words` with a full stop, where nothing else ends them."""
    return words if words.endswith((".", "!", "?")) else words + "."


def sentence(words: str) -> str:
    """`words` with a capital, unless they begin with a file's name, and a full stop."""
    start = words[:1] if "." in words.split(" ")[0] else words[:1].upper()
    return ended(start + words[1:])
