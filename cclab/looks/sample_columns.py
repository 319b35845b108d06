"""All that is known of samples, column by column: features, the other columns of their table, classes, clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from cclab.core.words import short_number
from cclab.datasets import Dataset
from cclab.session import Snapshot

_SECONDS_OF_A_YEAR = 365.2425 * 86_400
Kind = Literal["number", "date", "category", "text"]

#: Texts with at most so many different values, each some times, are categories; so are more, if each is there often.
MOST_CATEGORIES = 50
_OFTEN = 10
_LATITUDES = ("latitude", "lat")
_LONGITUDES = ("longitude", "lon", "lng", "long")


class SampleColumns(Mapping[str, Any]):
    """The columns of data by their names, each with one value per sample; made when they are asked for.

    Parameters
    ----------
    data : Dataset
    snapshot : Snapshot, optional
        Then there are ``cluster``, by its number on the page or by its name, and ``ambiguity`` too.

    Examples
    --------
    >>> from cclab import load_dataset
    >>> columns = SampleColumns(load_dataset("iris"))
    >>> list(columns)[-2:], columns.kind("class"), columns.kind("petal width (cm)")
    (['petal width (cm)', 'class'], 'category', 'number')
    """

    def __init__(self, data: Dataset, snapshot: Snapshot | None = None) -> None:
        self.data = data
        self._features = {name: j for j, name in enumerate(data.feature_names)}
        self._others: dict[str, Any] = {str(name): data.meta[name] for name in data.meta.columns}
        # Dates, and numbers that were scaled or filled in, are shown, compared and coloured as the table has them.
        self._as_read = {name for name in self._features if name in self._others or name in data.own_units}
        self._kinds: dict[str, Kind] = {}
        if data.target is not None and not any(_says_the_same(data, name) for name in data.meta.columns):
            self._add("class", lambda: _classes(data))
        if data.sample_names is not None:
            self._add("id", lambda: np.array(data.sample_names, dtype=object))
        if snapshot is not None and snapshot.partition.n_samples == data.n_samples:
            self._add("cluster", lambda: _clusters(snapshot))
            self._add("ambiguity", lambda: snapshot.partition.ambiguity())

    def _add(self, name: str, make: Any) -> None:
        if name not in self._features and name not in self._others:
            self._others[name] = make

    def __getitem__(self, name: str) -> Any:
        if name in self._as_read and name not in self._others:
            return own_units(self.data, name)
        if self.is_clustered_as_shown(name):
            column = self.data.X[:, [self._features[name]]]
            return (column.toarray() if hasattr(column, "toarray") else np.asarray(column)).ravel()
        values = self._others[name]
        if callable(values):
            values = self._others[name] = values()
        return values

    def __iter__(self) -> Iterator[str]:
        return iter([*self._features, *(name for name in self._others if name not in self._features)])

    def __len__(self) -> int:
        return len([*iter(self)])

    def is_feature(self, name: str) -> bool:
        """Whether it is one of the features that are clustered."""
        return name in self._features

    def is_clustered_as_shown(self, name: str) -> bool:
        """Whether it is a feature with the very values that are clustered: neither scaled nor filled in."""
        return name in self._features and name not in self._as_read

    def kind(self, name: str) -> Kind:
        """What kind of values a column has."""
        if name not in self._kinds:
            self._kinds[name] = "number" if self.is_clustered_as_shown(name) else _kind(pd.Series(self[name]))
        return self._kinds[name]

    def of_kind(self, *kinds: Kind) -> list[str]:
        """The names of the columns of these kinds, features first."""
        return [name for name in self if self.kind(name) in kinds]

    def searched(self) -> list[str]:
        """The columns that a text is looked for in: all that are no numbers."""
        return [name for name in self if name not in self._features and self.kind(name) in ("text", "category", "date")]

    def words(self, name: str, sample: int) -> str:
        """The value of a sample for a person; "" where it is missing."""
        if name in self._features:
            return feature_words(self.data, self._features[name], sample)
        values = self[name]
        value = values.iloc[sample] if isinstance(values, pd.Series) else values[sample]
        return in_words(value)

    def numbers(self, name: str) -> np.ndarray:
        """A column of numbers as floats, or one of dates as years; NaN where a value is missing."""
        values = self[name]
        if self.kind(name) == "date":
            return years(pd.Series(values))
        return pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float, na_value=np.nan)

    def map_columns(self) -> tuple[str, str] | None:
        """The columns of longitude and latitude, where there are two that are called so and hold degrees."""
        found = []
        for names, most in ((_LONGITUDES, 180.0), (_LATITUDES, 90.0)):
            fits = [c for c in self if c.casefold() in names and self.kind(c) == "number"]
            fits = [c for c in fits if np.nanmax(np.abs(self.numbers(c)), initial=0) <= most]
            found += fits[:1]
        return (found[0], found[1]) if len(found) == 2 else None


def own_units(data: Dataset, name: str) -> np.ndarray:
    """A feature that was scaled or filled in, as its table has it; NaN where a value was filled in."""
    return data.own_units[name].to_numpy(float, na_value=np.nan)[data.rows.positions]


def to_own_units(data: Dataset, feature: int, values: np.ndarray) -> np.ndarray:
    """Values among those of a feature that was scaled, a centre's say, in the units of its table."""
    name = data.feature_names[feature]
    scale = "none" if data.plan is None or data.plan.metric == "cosine" else data.plan.scale.get(name, "none")
    if scale == "none" or name not in data.own_units:
        return values
    if scale == "log":
        return np.expm1(values)
    scaled, own = np.asarray(data.X[:, feature]), own_units(data, name)
    low, high = np.nanargmin(own), np.nanargmax(own)
    slope = (own[high] - own[low]) / ((scaled[high] - scaled[low]) or 1)
    return own[low] + slope * (values - scaled[low])


def feature_words(data: Dataset, feature: int, sample: int) -> str:
    """What a feature of a sample is, for a person: as the table has it, where it was changed or is a date."""
    name = data.feature_names[feature]
    if name in data.meta.columns:
        return in_words(data.meta[name].iloc[sample])
    if name in data.own_units:
        return in_words(data.own_units[name].iloc[data.rows.positions[sample]])
    return short_number(float(data.X[sample, feature]))


def known_as(data: Dataset) -> list[str]:
    """What a person knows each feature by: its name, or the column of categories that it is one word of."""
    categories = () if data.plan is None else [c for c in data.plan.columns("feature") if c in data.meta.columns]
    return [next((c for c in categories if name.startswith(f"{c}=")), name) for name in data.feature_names]


def in_words(value: Any) -> str:
    """One value for a person.

    >>> [in_words(value) for value in (3.14159265, 12.0, None, "a", pd.Timestamp("2024-05-01"), True)]
    ['3.142', '12', '', 'a', '2024-05-01', 'True']
    """
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, float | np.floating):
        return short_number(float(value))
    if isinstance(value, pd.Timestamp | np.datetime64):
        said = pd.Timestamp(value).isoformat(sep=" ")
        return said.removesuffix(" 00:00:00")
    return str(value)


def years(dates: pd.Series) -> np.ndarray:
    """Dates as numbers of years.

    >>> years(pd.Series(pd.to_datetime(["2024-01-01", None, "2024-07-02"]))).round(2).tolist()
    [2024.0, nan, 2024.5]
    """
    seconds = pd.to_datetime(dates, utc=True).dt.tz_convert(None).to_numpy(dtype="datetime64[s]")
    passed = seconds.astype("int64") / _SECONDS_OF_A_YEAR
    return np.where(np.isnat(seconds), np.nan, 1970 + passed)


def date_of(years: float, *, timed: bool = False) -> str:
    """The day, or the minute, that a number of years stands for.

    >>> date_of(2024.0), date_of(2024.5, timed=True)[:10]
    ('2024-01-01', '2024-07-01')
    """
    moment = pd.Timestamp(round((years - 1970) * _SECONDS_OF_A_YEAR), unit="s")
    return moment.strftime("%Y-%m-%d %H:%M" if timed else "%Y-%m-%d")


def _says_the_same(data: Dataset, name: str) -> bool:
    """Whether a column of the table is where the classes came from."""
    assert data.target is not None
    for n in (100, data.n_samples):
        said, classes = data.meta[name].iloc[:n], _classes(data).iloc[:n]
        if not (said.astype(str).to_numpy(dtype=object) == classes.astype(str).to_numpy(dtype=object)).all():
            return False
    return True


def _classes(data: Dataset) -> pd.Series:
    assert data.target is not None
    names = np.array([*data.target_names, None], dtype=object)  # -1, of no class, picks the last
    return pd.Series(pd.Categorical(names[data.target], categories=list(dict.fromkeys(data.target_names))))


def _clusters(snapshot: Snapshot) -> np.ndarray:
    """The number of each sample's cluster on the page, or, once a cluster has a name, what each is called."""
    given = snapshot.cluster_names
    numbers, places = snapshot.page_numbers, snapshot.partition.labels()
    if not any(name.name for name in given.values()):
        return numbers[places]
    names = [given[k].name if k in given and given[k].name else str(n) for k, n in enumerate(numbers)]
    return np.array(names, dtype=object)[places]


def _kind(values: pd.Series) -> Kind:
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return "date"
    if pd.api.types.is_bool_dtype(values.dtype) or isinstance(values.dtype, pd.CategoricalDtype):
        return "category"
    if pd.api.types.is_numeric_dtype(values.dtype):
        return "number"
    known = values.dropna()
    # Of a long column a part tells it, and what has hundreds of values in a part has more in the whole.
    some = known.iloc[:: max(1, len(known) // 5_000)]
    n_values = some.nunique()
    few = max(min(MOST_CATEGORIES, len(some) // 2), len(some) // _OFTEN, 2)
    return "category" if 0 < n_values <= few else "text"
