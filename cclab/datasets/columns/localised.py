"""Numbers and dates as people write them, read by what a column says as a whole.

1.234,50 is a number where commas are decimal signs, 1,234.50 where points are; 03/04/2021 is the third of April or the
fourth of March. One cell can't tell, all cells of a column mostly can; where they can't, the other columns tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cclab.core.words import counted

#: What people write where they have no value; pandas knows some of these by itself.
MISSING_MARKS = {"", "-", "--", "–", "—", "?", ".", "na", "n/a", "n.a.", "#n/a", "#div/0!", "#wert!", "#value!", "nan"}
MISSING_MARKS |= {"null", "none", "nil", "k.a.", "k. a.", "ka", "keine angabe", "unbekannt", "unknown", "missing"}
MISSING_MARKS |= {"n.d.", "n. d.", "fehlt", "inconnu", "s.o.", "n.v.", "tbd"}
# So many different words among numbers are marks of missing values that we do not know, if they are rare.
_MOST_WORDS, _RARE = 3, 0.05
_HEAD = 30
_CURRENCIES = "€|\\$|£|¥|₹|₽|zł|kr\\.?|fr\\.|eur|usd|gbp|chf|jpy|cny|inr|sek|nok|dkk|pln|czk|huf|cad|aud"
_BEFORE = re.compile(rf"(?i)^([-+]?)\s*(?:{_CURRENCIES})\s*(?=[-+\d.,])")
_AFTER = re.compile(rf"(?i)(?<=[-\d.,%])\s*(?:{_CURRENCIES})\s*$")
# A minus behind an amount, as accounts have it; "2-" may be a mark at school.
_MINUS_BEHIND = re.compile(r"^(\d[\d.,'’ ]*[.,]\d{2})-$")
# Blanks of all kinds and apostrophes between groups of three digits.
_GROUPING = re.compile("(?<=\\d)[ \u00a0\u202f\u2009'’](?=\\d{3}(?!\\d))")
_POINT = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[-+]?\d+)?", re.IGNORECASE)
_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:e[-+]?\d+)?", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
# A number and what it counts: letters, with signs as in m², °C or km/h; what stands before may have any notation.
_UNIT = re.compile(r"([-+−]?\d(?:[\d.,'’\s]*\d)?)\s*([°µμ]?[^\W\d_][^\d,;:]{0,10}[²³]?)")
_LEADING_ZERO = re.compile(r"0\d+")
_TIME = r"(?:[ T]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"
_ISO = re.compile(rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}{_TIME}(?:Z|[+-]\d{{2}}:?\d{{2}})?")
_YEAR_FIRST = re.compile(rf"\d{{4}}([/.])\d{{1,2}}\1\d{{1,2}}{_TIME}")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(?:\d{{4}}|\d{{2}}){_TIME}")

# Values, notes, and the decimal sign where the column shows which it is.
Parsed = tuple[pd.Series, tuple[str, ...], str | None]


@dataclass(frozen=True)
class Read:
    """A column of texts that are something else.

    Attributes
    ----------
    values : Series
        Numbers or dates.
    notes : tuple of str
        What was taken for granted, each to stand after the name of the column.
    decimal : {".", ",", None}
        The decimal sign, where the column shows which it is.
    """

    values: pd.Series
    notes: tuple[str, ...] = ()
    decimal: str | None = None


def read_column(values: pd.Series, decimal: str | None = None) -> Read | None:
    """A column of texts as numbers or dates, or None where it is neither.

    Parameters
    ----------
    values : Series of texts
    decimal : {".", ",", None}
        The decimal sign of the columns beside it, for what could be read in two ways.

    Examples
    --------
    >>> read_column(pd.Series(["1.234,50 €", "7,25 €", "k.A."])).values.tolist()
    [1234.5, 7.25, nan]
    >>> read_column(pd.Series(["1,234.50", "12"])).values.tolist()
    [1234.5, 12.0]
    >>> read_column(pd.Series(["31.12.2020", "03.04.2021"])).values.dt.month.tolist()
    [12, 4]
    >>> read_column(pd.Series(["72 m²", "85,5 m²"])).values.tolist()
    [72.0, 85.5]
    >>> read_column(pd.Series(["01067", "80331"])) is None   # a code, not a number
    True
    """
    codes, different = pd.factorize(values)
    if not len(different):
        return None
    stripped = [str(cell).strip() for cell in different]
    if not any(_DIGIT.search(cell) for cell in stripped[:100]):
        return None
    cells = pd.Series(stripped, dtype=object)
    counts = np.bincount(codes[codes >= 0], minlength=len(cells))
    known = ~cells.str.lower().isin(MISSING_MARKS).to_numpy()
    cells, unit = _without_unit(cells, known)
    for read in (_numbers, _dates):
        found = read(cells, known, counts, decimal)
        if found is not None:
            parsed, notes, sign = found
            notes = (*notes, f"is in {unit}: the unit is taken off") if unit else notes
            parsed = pd.concat([parsed, pd.Series([parsed.dtype.type("NaT") if parsed.dtype.kind == "M" else np.nan])])
            spread = parsed.to_numpy()[np.where(codes < 0, len(cells), codes)]
            return Read(pd.Series(spread, index=values.index, name=values.name), notes, sign)
    return None


def _without_unit(cells: pd.Series, known: np.ndarray) -> tuple[pd.Series, str]:
    """Cells without the unit that all of them have, such as 72 m² and 85 m², and that unit, or ""."""
    if not known.any() or _UNIT.fullmatch(cells[known].iloc[0]) is None:
        return cells, ""
    found = [each for cell in cells[known] if (each := _UNIT.fullmatch(cell)) is not None]
    units = {str(each[2]) for each in found}
    if len(units) != 1 or len(found) < known.sum():
        return cells, ""
    cells = cells.copy()
    cells[known] = [each[1] for each in found]
    return cells, units.pop()


def _numbers(cells: pd.Series, known: np.ndarray, counts: np.ndarray, decimal: str | None) -> Parsed | None:
    if len(cells) > 2 * _HEAD:  # most columns of words show what they are soon
        _, _, point, comma = _as_numbers(cells[:_HEAD])
        if (known[:_HEAD] & ~point & ~comma).sum() > _MOST_WORDS:
            return None
    bare, percent, point, comma = _as_numbers(cells)
    percent &= known
    if (bare.str.fullmatch(_LEADING_ZERO).to_numpy(dtype=bool) & known).any():
        return None  # codes: their zeros would be lost
    sign, certain = _decimal_sign(point & known, comma & known, counts, decimal)
    numeric = known & (comma if sign == "," else point)
    words = known & ~numeric
    if not numeric.any() or words.sum() > _MOST_WORDS or counts[words].sum() > _RARE * counts[known].sum():
        return None
    thousands = "." if sign == "," else ","
    plain = bare[numeric].str.replace(thousands, "", regex=False).str.replace(",", ".", regex=False)
    parsed = pd.to_numeric(plain, errors="coerce").astype(float).reindex(range(len(cells)))
    notes = _notes_on_missing(cells, words | ~known, words, counts)
    if percent.any():
        notes += ("is in percent: the signs are taken off",)
    grouped = bare[numeric].str.contains(thousands, regex=False).any()
    if grouped and not certain and decimal is None:
        notes += (f"could be read in two ways: {thousands!r} is taken for a separator of thousands",)
    return parsed, notes, sign if certain else None


def _as_numbers(cells: pd.Series) -> tuple[pd.Series, pd.Series, np.ndarray, np.ndarray]:
    """Cells without signs of currency, grouping and percent; which had the latter; which are numbers in either way."""
    bare = cells.str.replace("−", "-", regex=False).str.replace(r"^\((.*)\)$", r"-\1", regex=True)
    bare = bare.str.replace(_BEFORE, r"\1", regex=True).str.replace(_AFTER, "", regex=True).str.strip()
    bare = bare.str.replace(_MINUS_BEHIND, r"-\1", regex=True)
    percent = bare.str.endswith("%")
    bare = bare.str.removesuffix("%").str.strip()
    bare = bare.str.replace(r"^([-+])\s+", r"\1", regex=True).str.replace(_GROUPING, "", regex=True)
    digits = bare.str.contains(r"\d", regex=True).to_numpy()
    point, comma = (digits & bare.str.fullmatch(form).to_numpy(dtype=bool) for form in (_POINT, _COMMA))
    return bare, percent, point, comma


def _decimal_sign(point: np.ndarray, comma: np.ndarray, counts: np.ndarray, decimal: str | None) -> tuple[str, bool]:
    """The decimal sign, and whether the column itself shows that it is."""
    only_point, only_comma = counts[point & ~comma].sum(), counts[comma & ~point].sum()
    if only_point != only_comma:
        return ("." if only_point > only_comma else ","), True
    return decimal or ".", False  # every cell can be read both ways


def _notes_on_missing(cells: pd.Series, missing: np.ndarray, words: np.ndarray, counts: np.ndarray) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    if words.any():
        shown = ", ".join(repr(cell)[:30] for cell in cells[words])
        n = counted(int(counts[words].sum()), "cell")
        notes += (f"has {n} among its numbers that are none ({shown}): missing values",)
    marks = missing & ~words & (cells != "").to_numpy()
    if marks.any():
        shown = ", ".join(repr(cell) for cell in cells[marks].head(3))
        notes += (f"has {counted(int(counts[marks].sum()), 'missing value')} ({shown})",)
    return notes


def _dates(cells: pd.Series, known: np.ndarray, counts: np.ndarray, decimal: str | None) -> Parsed | None:
    texts = cells[known]
    if not len(texts) or not any(form.fullmatch(texts.iloc[0]) for form in (_ISO, _YEAR_FIRST, _YEAR_LAST)):
        return None
    notes: tuple[str, ...] = ()
    parsed: pd.Series | None
    if texts.str.fullmatch(_ISO).all():
        offset = texts.str.contains(r"(?:Z|[+-]\d{2}:?\d{2})$", regex=True) & texts.str.contains(":", regex=False)
        read = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=bool(offset.any()))
        parsed = read.dt.tz_localize(None) if offset.any() else read
    elif texts.str.fullmatch(_YEAR_FIRST).all():
        iso = texts.str.replace(r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})", r"\1-\2-\3", regex=True)
        parsed = pd.to_datetime(iso, format="ISO8601", errors="coerce")
    elif texts.str.fullmatch(_YEAR_LAST).all():
        parts = texts.str.extract(_YEAR_LAST)
        first, second = parts[0].astype(int), parts[2].astype(int)
        day_first = bool((first > 12).any() or (parts[1] == ".").all())
        if day_first and (second > 12).any():
            return None
        if not day_first and not (second > 12).any():
            day_first = decimal == ","
            notes = (f"has dates that could be read in two ways: the {'day' if day_first else 'month'} is taken first",)
        parsed = _year_last(texts, parts[1].iloc[0], day_first)
    else:
        return None
    if parsed is None or parsed.isna().any():
        return None
    missing = ~known
    notes += _notes_on_missing(cells, missing, np.zeros_like(missing), counts)
    return parsed.reindex(range(len(cells))), notes, None


def _year_last(texts: pd.Series, sign: str, day_first: bool) -> pd.Series | None:
    short = texts.str.match(rf"\d{{1,2}}[{sign}]\d{{1,2}}[{sign}]\d{{2}}(?!\d)")
    date = f"%d{sign}%m{sign}" if day_first else f"%m{sign}%d{sign}"
    year = "%y" if short.all() else "%Y"
    if short.any() and not short.all():
        return None
    clock = texts.str.extract(r"[ T]+(\d{1,2}:\d{2}(?::\d{2})?)")[0].fillna("00:00")
    clock = clock.where(clock.str.count(":") == 2, clock + ":00")
    days = texts.str.extract(r"^(\S+?)(?:[ T]|$)")[0]
    return pd.to_datetime(days + " " + clock, format=f"{date}{year} %H:%M:%S", errors="coerce")
