"""What a cluster is like: its size, its features against those of all others, its typical and its doubtful samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cclab.core import Partition
from cclab.datasets import Dataset
from cclab.looks.sample_columns import known_as, own_units

#: So many typical samples, and so many doubtful ones, are named.
MOST_NAMED = 5
#: Words are looked for in so many texts of a cluster, and in so many of the others.
MOST_READ = 3_000
_WORD = re.compile(r"[^\W\d_]{3,}")
# A feature tells a cluster apart if its mean differs by this many of the standard deviations within.
_TELLS = 0.5
# That is at least this share of its standard deviation in all samples.
_LEAST_WITHIN = 0.05


@dataclass(frozen=True)
class Feature:
    """One feature of a cluster beside all other samples.

    Attributes
    ----------
    name : str
    mean, spread : float
        In the cluster; the spread is the standard deviation.
    others : float
        The mean of all others.
    effect : float
        How far the two means are apart, in standard deviations within; 0 where the feature is constant.
    """

    name: str
    mean: float
    spread: float
    others: float
    effect: float


@dataclass(frozen=True, eq=False)
class Profile:
    """What a cluster is like.

    Attributes
    ----------
    size : int
    share : float
    features : tuple of Feature
        Those that tell it apart most first.
    typical, doubtful : int arrays
        Samples that belong to it most surely, and those of its own that may belong elsewhere.
    """

    size: int
    share: float
    features: tuple[Feature, ...]
    typical: NDArray[np.int64]
    doubtful: NDArray[np.int64]


def profile(data: Dataset, belief: Partition, place: int) -> Profile:
    """The profile of the cluster at a place of a belief."""
    inside = belief.labels() == place
    size = int(inside.sum())
    members = np.flatnonzero(inside)
    degrees = belief.degrees[members]
    own = degrees[:, place] if len(members) else np.empty(0)
    rival = np.delete(degrees, place, axis=1).max(axis=1, initial=0) if len(members) else own
    if belief.kind == "hard" and size:  # all belong to it alike: those in its middle are the typical ones
        own = -_distances(data.X, members)
        rival = np.zeros(size)
    ahead = np.argsort(-(own - rival), kind="stable")
    n = min(MOST_NAMED, size)
    features = _features(data, inside) if size > 0 else ()
    return Profile(size, size / data.n_samples, features, members[ahead[:n]], members[ahead[::-1][: min(n, size - n)]])


def _distances(X: Any, members: NDArray) -> NDArray:
    """How far each of some samples is from their mean, squared."""
    some = X[members]
    if sparse.issparse(some):
        mean = np.asarray(some.mean(axis=0)).ravel()
        return np.asarray(some.multiply(some).sum(axis=1)).ravel() - 2 * (some @ mean)
    return ((some - some.mean(axis=0)) ** 2).sum(axis=1)


def _features(data: Dataset, inside: NDArray) -> tuple[Feature, ...]:
    mean, spread = _moments(data.X[inside])
    others, beyond = _moments(data.X[~inside]) if not inside.all() else (mean, spread)
    n, m = int(inside.sum()), int((~inside).sum())
    within = np.sqrt((n * spread**2 + m * beyond**2) / (n + m))
    # A feature that is the same in all of them, and another in all others, tells them apart best of all.
    least = _LEAST_WITHIN * np.hypot(within, np.sqrt(n * m) / (n + m) * (mean - others))
    effect = np.divide(mean - others, np.maximum(within, least), out=np.zeros_like(mean), where=least > 0)
    for j, name in enumerate(data.feature_names):
        if name in data.own_units:
            values = own_units(data, name)
            mean[j], spread[j] = np.nanmean(values[inside]), np.nanstd(values[inside])
            others[j] = np.nanmean(values[~inside]) if m else mean[j]
    columns = (mean, spread, others, effect)
    ordered = np.argsort(-np.abs(effect), kind="stable")
    return tuple(Feature(data.feature_names[j], *(float(column[j]) for column in columns)) for j in ordered)


def _moments(X: Any) -> tuple[NDArray, NDArray]:
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return mean, np.sqrt(np.maximum(squares - mean**2, 0))
    return X.mean(axis=0), X.std(axis=0)


def suggested_name(data: Dataset, belief: Partition, place: int, known: Profile | None = None) -> str:
    """A name for a cluster: words that mark its texts, else the two features that tell it apart; "" where none do.

    Examples
    --------
    >>> from cclab import load_dataset
    >>> from cclab.core import Hard
    >>> iris = load_dataset("iris")
    >>> suggested_name(iris, Hard(iris.target), 0)
    'low petal length, low petal width'
    """
    inside = np.flatnonzero(belief.labels() == place)
    if data.text_column is not None and len(inside):
        outside = np.flatnonzero(belief.labels() != place)
        words = telling_words((data.text(i) for i in _some(inside)), (data.text(i) for i in _some(outside)))
        if words:
            return ", ".join(words[:2])
    column_of = dict(zip(data.feature_names, known_as(data)))
    telling: dict[str, Feature] = {}  # of a column of categories one word is enough
    for feature in (known or profile(data, belief, place)).features:
        if abs(feature.effect) >= _TELLS:
            telling.setdefault(column_of[feature.name], feature)
    return ", ".join(_in_words(feature, column) for column, feature in islice(telling.items(), 2))[:60]


def _in_words(feature: Feature, column: str) -> str:
    """What a feature says of a cluster: much or little of it, or a word of its column."""
    if feature.name == column:
        return f"{'high' if feature.effect > 0 else 'low'} {_without_unit(column)}"
    word = feature.name.removeprefix(f"{column}=")
    return word if feature.effect > 0 else f"not {word}"


def telling_words(texts: Iterable[str], others: Iterable[str]) -> list[str]:
    """Words that are in many of some texts and in few of others, the most telling first.

    >>> telling_words(["the cat sat", "the cat ran"], ["the dog sat", "the dog ran"])
    ['cat']
    """
    n, counts = _counted(texts)
    m, elsewhere = _counted(others)
    if not n:
        return []
    score = {word: count / n - elsewhere[word] / max(m, 1) for word, count in counts.items() if count > 1 or n < 3}
    return [word for word in sorted(score, key=lambda word: (-score[word], word)) if score[word] > 0.1][:5]


def _counted(texts: Iterable[str]) -> tuple[int, Counter[str]]:
    """How many texts there are, and in how many each word is."""
    counts: Counter[str] = Counter()
    n = 0
    for words in texts:
        n += 1
        counts.update(set(_WORD.findall(words[:5_000].casefold())))
    return n, counts


def _some(samples: NDArray) -> list[int]:
    step = max(1, len(samples) // MOST_READ)
    return samples[::step].tolist()


def _without_unit(name: str) -> str:
    return re.sub(r"\s*[(\[].*", "", name) or name
