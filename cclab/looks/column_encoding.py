"""Samples in the colours of any column: categories by hues with a legend, numbers along a ramp with a colour bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cclab.core.words import short_number
from cclab.looks.encoding import Bar, Encoding, Sign
from cclab.looks.palette import N_HUES, RAMP, hue
from cclab.looks.sample_columns import SampleColumns, date_of, in_words
from cclab.looks.signs import SHAPES

#: Before the name of a column that samples are coloured by.
COLUMN = "column "
#: So many categories have a hue of their own.
MOST_HUES = N_HUES - 1
# Of values far from all others the colours are those of the last that are not: the rest could not be told apart.
_TAILS = (0.5, 99.5)
_FAR = 4.0


def encode_column(columns: SampleColumns, name: str) -> Encoding:
    """How samples look in the colours of a column.

    Raises
    ------
    ValueError
        There is no such column, or each sample has another text.
    """
    if name not in columns:
        raise ValueError(f"there is no column {name!r:.60} to colour by")
    kind = columns.kind(name)
    if kind == "number":
        return encode_numbers(columns.numbers(name), name)
    if kind == "date":
        return encode_dates(columns.numbers(name), name)
    if kind == "text":
        raise ValueError(f"{name} has another text for nearly every sample: it can be searched, not coloured by")
    return encode_categories(columns[name])


def encode_categories(values: object) -> Encoding:
    """A category = a hue, the most frequent first; beyond 19 the rest is grey. What is missing is hollow."""
    codes, categories = pd.factorize(pd.Series(values))
    counts = np.bincount(codes[codes >= 0], minlength=len(categories))
    ranked = np.argsort(-counts, kind="stable")
    n_own = min(len(categories), MOST_HUES)
    rank = np.empty(len(categories) + 1, dtype=int)
    rank[ranked] = np.minimum(np.arange(len(categories)), MOST_HUES)
    rank[-1] = -1  # code -1 (missing) picks the last entry
    place = rank[codes]
    palette = [*(hue(k) for k in range(n_own)), "--cc-all", "--cc-outlier"]
    color = np.where(place < 0, n_own + 1, np.where(place >= n_own, n_own, place)).astype(np.uint8)
    shape = np.where(place < 0, SHAPES.index("outlier"), np.where(place >= n_own, SHAPES.index("square"), 0))
    signs = [
        Sign(in_words(categories[k]) or "empty", hue(r), count=int(counts[k])) for r, k in enumerate(ranked[:n_own])
    ]
    if len(categories) > n_own:
        n_rest = int(counts[ranked[n_own:]].sum())
        signs.append(Sign(f"{len(categories) - n_own} others", "--cc-all", "square", n_rest))
    if (codes < 0).any():
        signs.append(Sign("missing", "--cc-outlier", "outlier", int((codes < 0).sum())))
    return Encoding(tuple(palette), color, shape.astype(np.uint8), np.ones(len(codes)), tuple(signs))


def encode_dates(years: NDArray, name: str = "") -> Encoding:
    """As numbers; the colour bar tells days, or minutes where all lie within three days."""
    known = years[np.isfinite(years)]
    if not len(known):
        return encode_numbers(years, name)
    return encode_numbers(years, name, partial(date_of, timed=float(np.ptp(known)) < 3 / 365))


def encode_numbers(values: NDArray, name: str = "", words: Callable[[float], str] = short_number) -> Encoding:
    """A number = a place on the ramp, told by a colour bar. What is missing is hollow."""
    known = np.isfinite(values)
    low, high = _range(values[known])
    share = np.zeros(len(values))
    np.divide(values - low, high - low, out=share, where=known & (high > low))
    place = np.clip(np.floor(share * len(RAMP)), 0, len(RAMP) - 1)
    color = np.where(known, place, len(RAMP)).astype(np.uint8)
    shape = np.where(known, 0, SHAPES.index("outlier")).astype(np.uint8)
    signs = () if known.all() else (Sign("missing", "--cc-outlier", "outlier", int((~known).sum())),)
    cut = (
        "≤ " if known.any() and values[known].min() < low else "",
        "≥ " if known.any() and values[known].max() > high else "",
    )
    bar = Bar(name, cut[0] + words(low), cut[1] + words(high))
    return Encoding((*RAMP, "--cc-outlier"), color, shape, np.ones(len(values)), signs, bar)


def _range(values: NDArray) -> tuple[float, float]:
    """From where to where the ramp goes: all values, unless a few lie far from all others."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    inner_low, inner_high = np.percentile(values, _TAILS)
    room = _FAR * (inner_high - inner_low)
    if room > 0:
        low = low if low >= inner_low - room else float(inner_low)
        high = high if high <= inner_high + room else float(inner_high)
    return low, high
