"""What each column is probably meant for. Whatever is guessed is said, and can be changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from cclab.datasets.columns.kinds import is_textual

_CLASS_NAMES = {"label", "labels", "class", "target"}
# Columns that are called so are labels if they hold few words or few whole numbers.
_LIKE_A_LABEL = re.compile(
    r"(?i)(?:.*[ _.-])?(?:y|klasse|species|kind|type|typ|group|gruppe|category|kategorie|cluster|segment|outcome|"
    r"diagnosis|diagnose|result|survived|churn|cell[ _.-]?type|art|sorte|classe|topic|thema|"
    r"labels?|class|target|truth)"
)
_IDENTIFIER = re.compile(r"(?i:id|index|idx|row|key|no|nr|number|unnamed: \d+|.*[ _.-]id|id[ _.-].*)|.*[a-z](Id|ID)")
_YEAR = re.compile(
    r"(?i)(?:.*[ _.-])?(?:year|yr|\w*jahr|jahrgang|année|annee|año|anno|built|born|founded|"
    r"established|constructed|vintage|since|seit|erbaut|gegründet)(?:[ _.-].*)?"
)
_CODE = re.compile(
    r"(?i)(?:.*[ _.-])?(?:zip|zipcode|plz|postal|postcode|postleitzahl|code|phone|tel|telefon|iban|isbn|ean|sku|fips)"
)
_NUMBER_OF = re.compile(r"(?i).*(?:nummer|nr\.?|[ _.-]no\.?|number)")
AN_IDENTIFIER = "an identifier (whole numbers, all different)"
_MOST_CLASSES, _FEW = 50, 20
# A truth that only its place tells has no holes, or hardly any.
_MOST_UNTOLD = 0.05
# So many rows in a row can't be numbered by chance.
_LEAST_NUMBERED = 10
# So few whole numbers in so many rows may name kinds of things.
_FEW_KINDS, _MANY_ROWS = 6, 20
# So many numbers beside pictures are no reason to cluster by them alone.
_FEW_BESIDE = 2
# A column that lacks more than this would cost most rows.
_MOSTLY_MISSING = 0.5


@dataclass(frozen=True)
class Guess:
    """The role of a column, and a note that says why, where that is not plain.

    Attributes
    ----------
    role : str
    note : str
        For a person; empty where there is nothing to say.
    asks : bool
        Whether a person had better look.
    """

    role: str
    note: str = ""
    asks: bool = False


def guess_roles(frame: pd.DataFrame, kinds: Mapping[str, str], target: str | None = None) -> dict[str, Guess]:
    """For each column of a typed table what it is probably meant for.

    Parameters
    ----------
    frame : DataFrame
        As `typed` gives it.
    kinds : mapping from column to kind
    target : str, optional
        The column of the truth, where it is known.
    """
    guesses = {name: _guess(name, frame[name], kind) for name, kind in kinds.items()}
    chosen = target if target is not None else _class_column(frame, kinds, guesses)
    if target is not None:
        guesses[target] = Guess("class")
    else:
        for name, guess in guesses.items():
            if guess.role == "class" and name != chosen:
                guesses[name] = Guess("group", f"column {name!r} is named like a label: kept as a group")
    if not any(guess.role in ("feature", "text", "picture") for guess in guesses.values()):
        for name, guess in guesses.items():
            if guess.role == "id" and not _IDENTIFIER.fullmatch(name.strip()):
                guesses[name] = Guess("feature")  # there is nothing else
    _vectors_alone(kinds, guesses)
    _pictures_alone(kinds, guesses)
    _few_numbers(frame, kinds, guesses)
    _one_name(frame, guesses)
    _one_picture(guesses)
    _mostly_missing(frame, kinds, guesses)
    return guesses


def _guess(name: str, values: pd.Series, kind: str) -> Guess:
    match kind:
        case "number":
            return _guess_number(name, values)
        case "vector":
            return Guess("feature")
        case "picture":
            return Guess("picture", f"column {name!r} holds pictures")
        case "text":
            return Guess("text", f"column {name!r} holds texts")
        case "category":
            n = values.nunique()
            note = f"column {name!r} is no feature: {n} different words; it is kept as a group"
            return Guess("group", note)
        case "date":
            return Guess("ignored", f"column {name!r} is no feature: dates")
        case "empty":
            return Guess("ignored", f"column {name!r} is no feature: empty")
    return Guess("ignored", f"column {name!r} is no feature: {_why(values)}")


def _why(values: pd.Series) -> str:
    if types.is_timedelta64_dtype(values):
        return "durations"
    if types.is_complex_dtype(values):
        return "complex numbers"
    if not is_textual(values):
        return f"no numbers (e.g. {type(values.dropna().iloc[0]).__name__})"
    row, cell = next(((row, cell) for row, cell in enumerate(values) if not _is_number(cell)), (0, values.iloc[0]))
    return f"text (e.g. {str(cell)[:30]!r} at row {row})"


def _is_number(cell: Any) -> bool:
    """Whether a cell can be read as a number, or is missing."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return bool(pd.isna(cell))
    return True


def _guess_number(name: str, values: pd.Series) -> Guess:
    plain = name.strip()
    if plain.lower() in _CLASS_NAMES:
        n = values.nunique()
        if n <= _MOST_CLASSES:
            return Guess("class", f"column {name!r} taken as the truth, by its name")
        note = f"column {name!r} has {n} distinct values: not taken as the truth; target={name!r} makes it so"
        return Guess("feature", note)
    if types.is_bool_dtype(values) or not _whole(values):
        return Guess("feature")
    some = values.dropna()
    if _IDENTIFIER.fullmatch(plain) and types.is_integer_dtype(values) and values.is_unique:
        return Guess("id", f"column {name!r} is no feature: {AN_IDENTIFIER}")
    if types.is_integer_dtype(values) and len(some) == len(values) >= _LEAST_NUMBERED and _counts_up(some):
        return Guess("id", f"column {name!r} is no feature: it numbers the rows")
    if _YEAR.fullmatch(plain) and some.min() >= 1500 and some.max() <= 2200:
        return Guess("ignored", f"column {name!r} is no feature: years; make it one if time is to count", True)
    if _NUMBER_OF.fullmatch(plain) and types.is_integer_dtype(values) and values.is_unique:
        return Guess("id", f"column {name!r} is no feature: {AN_IDENTIFIER}")
    if _CODE.fullmatch(plain) or _NUMBER_OF.fullmatch(plain):
        return Guess("ignored", f"column {name!r} is no feature: numbers that name something", True)
    n = some.nunique()
    if _LIKE_A_LABEL.fullmatch(plain) and 2 <= n <= min(_FEW, max(len(some) / 3, 2)):
        note = (
            f"column {name!r} is named like a label and holds {n} different whole numbers: is it the class, a group, "
        )
        return Guess("group", note + "or a feature? Kept as a group until you say so", True)
    return Guess("feature")


def _counts_up(values: pd.Series) -> bool:
    return values.iloc[0] in (0, 1) and bool((np.diff(values.to_numpy(float)) == 1).all())


def _whole(values: pd.Series) -> bool:
    if types.is_integer_dtype(values):
        return True
    first = values.head(10).dropna().to_numpy(float)
    if (first != np.round(first)).any():
        return False  # most columns show it soon
    some = values.dropna().to_numpy(float)
    return bool(len(some)) and bool(np.isfinite(some).all()) and bool((some == np.round(some)).all())


def _class_column(frame: pd.DataFrame, kinds: Mapping[str, str], guesses: dict[str, Guess]) -> str | None:
    """The column of the truth by its name, else the last one if it holds a few words over and over, in every row."""
    for name, guess in guesses.items():
        if guess.role == "class":
            return name
    words = [name for name in kinds if kinds[name] in ("category", "name")]
    for name in words:
        if name.strip().lower() in _CLASS_NAMES and 2 <= _n_words(frame[name]) <= _MOST_CLASSES:
            guesses[name] = Guess("class", f"column {name!r} taken as the truth, by its name")
            return name
    categories = [name for name in words if kinds[name] == "category"]
    last = next(reversed(list(kinds)), None)
    n = _n_words(frame[last]) if last in categories else 0
    if last is not None and n >= 2 and frame[last].isna().mean() <= _MOST_UNTOLD:
        note = f"column {last!r} taken as the truth: the last one, and it holds {n} words over and over"
        guesses[last] = Guess("class", note)
        return last
    for name in categories:
        if _LIKE_A_LABEL.fullmatch(name.strip()) and _n_words(frame[name]) >= 2:
            note = (
                f"column {name!r} taken as the truth: it is named like a label, and holds {_n_words(frame[name])} words"
            )
            guesses[name] = Guess("class", note)
            return name
    return None


def _n_words(values: pd.Series) -> int:
    return values.dropna().astype(str).nunique()


def _one_name(frame: pd.DataFrame, guesses: dict[str, Guess]) -> None:
    """One column names the samples: an identifier, else the first of words whose entries all differ."""
    ids = [name for name, guess in guesses.items() if guess.role == "id"]
    if not ids and frame.index.inferred_type != "string":
        others = (name for name, guess in guesses.items() if guess.role == "ignored" and guess.note)
        ids = [*islice((name for name in others if is_textual(frame[name]) and _all_differ(frame[name])), 1)]
    for name in ids[:1]:
        reason = guesses[name].note
        guesses[name] = Guess("id", f"{reason}; it names the samples")
    for name in ids[1:]:
        guesses[name] = Guess("ignored", guesses[name].note)


def _vectors_alone(kinds: Mapping[str, str], guesses: dict[str, Guess]) -> None:
    """Vectors were made to be clustered by: numbers beside them are kept to look at."""
    features = [name for name, guess in guesses.items() if guess.role == "feature"]
    if any(kinds[name] == "vector" for name in features):
        for name in features:
            if kinds[name] == "number":
                guesses[name] = Guess("group", f"column {name!r} is no feature: there are vectors; kept as a group")


def _pictures_alone(kinds: Mapping[str, str], guesses: dict[str, Guess]) -> None:
    """A table of pictures is about these: a number or two beside them are kept to look at."""
    features = [name for name, guess in guesses.items() if guess.role == "feature"]
    pictured = any(guess.role == "picture" for guess in guesses.values())
    if pictured and len(features) <= _FEW_BESIDE and all(kinds[name] == "number" for name in features):
        for name in features:
            guesses[name] = Guess("group", f"column {name!r} is no feature: there are pictures; kept as a group")


def _few_numbers(frame: pd.DataFrame, kinds: Mapping[str, str], guesses: dict[str, Guess]) -> None:
    """Features of a few whole numbers may name kinds; that is noted, unless most features are like that."""
    numeric = [name for name, guess in guesses.items() if guess.role == "feature" and kinds[name] == "number"]
    few = [name for name in numeric if not guesses[name].note and _names_kinds(frame[name])]
    if len(frame) >= _MANY_ROWS and 2 * len(few) <= len(numeric):
        for name in few:
            n = frame[name].nunique()
            said = (
                f"column {name!r} holds {n} different whole numbers: a feature, unless they name kinds (role 'group')"
            )
            guesses[name] = Guess("feature", said, True)


def _names_kinds(values: pd.Series) -> bool:
    return not types.is_bool_dtype(values) and _whole(values) and 2 <= values.nunique() <= _FEW_KINDS


def _all_differ(values: pd.Series) -> bool:
    try:
        return bool(values.notna().all()) and values.astype(str).nunique() == len(values)
    except (TypeError, ValueError):
        return False


def _one_picture(guesses: dict[str, Guess]) -> None:
    pictures = [name for name, guess in guesses.items() if guess.role == "picture"]
    for name in pictures[1:]:
        guesses[name] = Guess("ignored", f"column {name!r} holds pictures too: not used")


def _mostly_missing(frame: pd.DataFrame, kinds: Mapping[str, str], guesses: dict[str, Guess]) -> None:
    """A column that lacks most of its values would cost most of the rows, so it is left out where others are there."""
    numeric = [name for name, guess in guesses.items() if guess.role == "feature" and kinds[name] == "number"]
    lacking = dict(zip(numeric, frame[numeric].isna().mean()))
    scarce = [name for name, share in lacking.items() if share > _MOSTLY_MISSING]
    if len(scarce) < len(lacking):
        for name in scarce:
            said = f"it lacks {lacking[name]:.0%} of its values; as a feature, fill them or lose those rows"
            guesses[name] = Guess("ignored", f"column {name!r} is left out: {said}", True)
