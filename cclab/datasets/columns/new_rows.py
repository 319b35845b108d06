"""Features of rows that a data set was not made of: each of its features as a function of one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from cclab.datasets.columns.feature_matrix import Columns
from cclab.datasets.columns.kinds import is_textual
from cclab.datasets.columns.localised import MISSING_MARKS
from cclab.datasets.columns.missing import median
from cclab.datasets.columns.plan import Plan

if TYPE_CHECKING:
    from cclab.datasets.dataset import Dataset

# Features that are made again agree with those that there are up to this, over their largest size.
SAME = 1e-6


@dataclass(frozen=True)
class Feature:
    """One feature: 1 or 0 for a word of a column, or a straight line of its numbers (or of their logarithms).

    Attributes
    ----------
    column : str
    word : str or None
        The word that it is 1 for.
    date : bool
        Whether the column holds dates, which count in days.
    log : bool
        Whether the logarithm of 1 + x takes the place of x.
    shift, factor : float
        The feature is ``(x - shift) * factor``.
    usual : float
        Takes the place of a missing value; NaN where that can't be filled in.
    """

    column: str
    word: str | None = None
    date: bool = False
    log: bool = False
    shift: float = 0.0
    factor: float = 1.0
    usual: float = np.nan

    def of(self, values: pd.Series) -> NDArray:
        """(n,) the feature of rows; NaN where there is none.

        Raises
        ------
        ValueError
            The column holds something else; the words name it.
        """
        if self.word is not None:
            if not is_textual(values) and values.notna().any():
                raise ValueError(_something_else(values, values.dropna().iloc[0], "words"))
            return (values.astype(str).where(values.notna(), None) == self.word).to_numpy(dtype=float)
        x = days(values) if self.date else numbers(values)
        x = np.where(np.isnan(x), self.usual, x)
        with np.errstate(invalid="ignore", divide="ignore"):
            x = np.log1p(x) if self.log else x
        return np.where(np.isfinite(x), (x - self.shift) * self.factor, np.nan)


@dataclass(frozen=True)
class Recipe:
    """How the features of a data set are made of the columns of a table.

    Attributes
    ----------
    features : tuple of Feature
    cosine : bool
        Whether rows are scaled to length 1.
    """

    features: tuple[Feature, ...]
    cosine: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed, each once."""
        return tuple(dict.fromkeys(feature.column for feature in self.features))

    def __call__(self, frame: pd.DataFrame) -> NDArray:
        """(n, p) the features of rows; NaN in those that lack a value which nothing fills in."""
        X = np.column_stack([feature.of(frame[feature.column]) for feature in self.features])
        if self.cosine:
            whole = np.isfinite(X).all(axis=1)
            X[whole] = normalize(X[whole])
        return X

    @classmethod
    def of(cls, data: Dataset) -> Recipe:
        """The recipe of a data set, checked: it gives the features that the data set has.

        Raises
        ------
        ValueError
            A feature is made of texts, pictures, vectors or several columns, so that other rows can't have it.
        """
        from cclab.datasets.tables import columns_of

        columns, plan, base = columns_of(data)
        place = np.full(data.rows.n_rows, -1)
        place[base] = np.arange(len(base))
        at = place[data.rows.positions]
        frame, weights = columns.frame.iloc[at], None if columns.weights is None else columns.weights[at]
        X = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X, dtype=float)
        cosine = plan.metric == "cosine"
        features = tuple(
            _feature(name, frame, weights, columns, plan, None if cosine else values)
            for name, values in zip(data.feature_names, X.T)
        )
        recipe = cls(features, cosine)
        made = recipe(frame)
        for name, found, values in zip(data.feature_names, made.T, X.T):
            known = np.isfinite(found)  # a value that neighbours filled in is not made again
            if not np.allclose(found[known], values[known], rtol=0, atol=SAME * max(np.abs(values).max(), 1e-300)):
                raise ValueError(_not_a_column(data.name, name))
        return recipe


def _feature(
    name: str,
    frame: pd.DataFrame,
    weights: NDArray | None,
    columns: Columns,
    plan: Plan,
    values: NDArray | None,
) -> Feature:
    if name not in frame:
        for column in frame.columns:
            word = name.removeprefix(f"{column}=")
            if word != name and columns.kinds.get(column) in ("category", "name") and (frame[column] == word).any():
                return Feature(column, word=word)
        raise ValueError(_not_a_column(columns.file, name))
    date, log = columns.kinds.get(name) == "date", plan.scale.get(name) == "log"
    x = days(frame[name]) if date else numbers(frame[name])
    usual = median(x, weights) if plan.missing.get(name) == "median" else np.nan
    shift, factor = _line(np.log1p(x) if log else x, values)
    return Feature(name, date=date, log=log, usual=usual, shift=shift, factor=factor)


def _line(x: NDArray, values: NDArray | None) -> tuple[float, float]:
    """Shift and factor by which numbers become a feature, from the least and the greatest of them."""
    if values is None or not np.isfinite(x).any():
        return 0.0, 1.0
    low, high = np.nanargmin(x), np.nanargmax(x)
    if x[high] == x[low]:
        return float(x[low] - values[low]), 1.0
    factor = float((values[high] - values[low]) / (x[high] - x[low]))
    return (float(x[low] - values[low] / factor), factor) if factor else (0.0, 0.0)


def numbers(values: pd.Series) -> NDArray:
    """(n,) a column as numbers; NaN where a value is missing. Anything else is refused in words."""
    if values.dtype.kind in "mM":
        raise ValueError(_something_else(values, values.iloc[0], "numbers"))
    x: Any = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    _refuse_others(values, x, "numbers")
    return x


def days(values: pd.Series) -> NDArray:
    """(n,) a column of dates as days; NaN where there is none."""
    dates = values
    if is_textual(values) or not values.notna().any():
        dates = pd.to_datetime(values, format="ISO8601", errors="coerce")
    if dates.dtype.kind != "M":
        raise ValueError(_something_else(values, values.dropna().iloc[0], "dates"))
    since = (dates - pd.Timestamp(0, tz=getattr(dates.dtype, "tz", None))) / pd.Timedelta(days=1)
    x = since.to_numpy(dtype=float)
    _refuse_others(values, x, "dates, and reads 2024-12-31")
    return x


def _refuse_others(values: pd.Series, x: NDArray, expected: str) -> None:
    if not is_textual(values):
        return
    strange = values[np.isnan(x) & values.notna().to_numpy()].astype(str)
    strange = strange[~strange.str.strip().str.lower().isin(MISSING_MARKS)]
    if len(strange):
        raise ValueError(_something_else(values, strange.iloc[0], expected))


def _something_else(values: pd.Series, cell: Any, expected: str) -> str:
    return f"column {values.name!r} holds {str(cell)!r:.60}, where the session has {expected}"


def _not_a_column(where: str, name: str) -> str:
    return (
        f"{where}: the feature {name!r} can't be made of a single column of numbers or words, so other rows can't be "
        "told by it; cluster by plain columns (n_components=0, no texts, vectors or pictures)"
    )
