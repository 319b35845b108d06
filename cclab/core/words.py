"""Numbers and names in words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 80


def did_you_mean(name: object, known: Iterable[object], otherwise: str = "") -> str:
    """A question that names what is known and close to `name`; `otherwise` where nothing is close.

    Examples
    --------
    >>> did_you_mean("FCN", ["CECM", "FCM", "wards"])
    'did you mean FCM?'
    >>> did_you_mean("spectral", ["CECM", "FCM"], "known are CECM, FCM")
    'known are CECM, FCM'
    """
    close = difflib.get_close_matches(str(name)[:_LONGEST], [str(each) for each in known], n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def counted(n: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "sample"), counted(10646, "sample"), counted(0, "cluster")
    ('1 sample', '10,646 samples', '0 clusters')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def shortened(words: str, most: int) -> str:
    """Words in at most so many letters, the last of them an ellipsis where some are left out.

    >>> shortened("petal length", 20), shortened("petal length", 8)
    ('petal length', 'petal l…')
    """
    return words if len(words) <= most else words[: most - 1] + "…"


def short_number(value: float, digits: int = 4) -> str:
    """A number in so many digits, or in all digits before its point where it is large.

    >>> short_number(3.14159), short_number(23580.4), short_number(2024), short_number(1e-7), short_number(2e20)
    ('3.142', '23,580', '2024', '1e-07', '2e+20')
    >>> short_number(1208.4, 3)
    '1,208'
    """
    return f"{value:,.0f}" if 10**digits - 0.5 <= abs(value) < 1e12 else f"{value:.{digits}g}"


def decimal(value: float, digits: int = 2) -> str:
    """A number with so many digits after the point; nothing is below zero that is zero in all of them.

    >>> decimal(0.918), decimal(-0.001), decimal(-0.0007, 3)
    ('0.92', '0.00', '-0.001')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}"
