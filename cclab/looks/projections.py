"""Where samples lie in the plane: two features, or a projection of all of them. No widgets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics import pairwise_distances_argmin

from cclab.core.words import shortened
from cclab.datasets import Dataset
from cclab.looks import tsne_umap
from cclab.looks.sample_columns import SampleColumns
from cclab.looks.tsne_umap import METHODS, embed

#: Before the names of two columns, as JSON.
COLUMNS = "columns "
#: Pairs of features are offered one by one up to so many features; of more only neighbours.
_MOST_CROSSED = 6
_MOST_PAIRS = 30
_SCALED = {"standardise": "standardised", "log": "log(1 + x)"}


@dataclass(frozen=True, eq=False)
class Projection:
    """Places of n samples, and of anything else that lies among them.

    Attributes
    ----------
    xy : (n, 2) array
    x_label, y_label : str
    place : callable
        ``place(points)`` gives the places, (k, 2), of points of the feature space, (k, p).
    exact : bool
        Whether these are places of their own, and not those of the nearest sample.
    """

    xy: NDArray
    x_label: str
    y_label: str
    place: Callable[[NDArray], NDArray]
    exact: bool = True


def axes(data: Dataset) -> dict[str, str]:
    """The axes to choose from: what a person reads, and the name that `project` takes.

    >>> axes(Dataset("pair", [[0.0, 1.0], [2.0, 1.0]], ("width", "height")))
    {'width, height': '0 1', 'PCA': 'pca', 't-SNE': 'tsne', 'UMAP': 'umap'}
    """
    p, names = data.n_features, data.feature_names
    if p == 1:
        return {names[0]: "0 0"}
    if p <= _MOST_CROSSED:
        pairs = [(i, j) for i in range(p) for j in range(i + 1, p)]
    else:
        pairs = [(i, i + 1) for i in range(min(p - 1, _MOST_PAIRS))]
    features = {f"{shortened(names[i], 16)}, {shortened(names[j], 16)}": f"{i} {j}" for i, j in pairs}
    projections = {"PCA": "pca", **{title: method for method, title in METHODS.items()}}
    return features | projections if p == 2 else projections | features


def two_columns(x: str, y: str) -> str:
    """The name that `project` takes for any two columns.

    >>> two_columns("age", "height")
    'columns ["age", "height"]'
    """
    return COLUMNS + json.dumps([x, y])


def project(data: Dataset, name: str) -> Projection:
    """The projection of this name, of those in `axes`."""
    if name == "pca":
        return _linear(data)
    if name in METHODS:
        return placed(data, name, embed(data.X, name))
    if name.startswith(COLUMNS):
        return _of_columns(data, *json.loads(name.removeprefix(COLUMNS)))
    i, j = map(int, name.split())
    columns: Any = data.X[:, [i, j]]
    xy = columns.toarray() if sparse.issparse(columns) else np.array(columns)
    if i == j:
        xy[:, 1] = 0
    labels = _scaled_name(data, i), _scaled_name(data, j) if i != j else ""
    return Projection(xy, *labels, lambda points: points[:, [i, j]] * [1, i != j])


def _scaled_name(data: Dataset, feature: int) -> str:
    name = data.feature_names[feature]
    scale = "none" if data.plan is None else data.plan.scale.get(name, "none")
    return name if scale == "none" else f"{name} ({_SCALED.get(scale, scale)})"


def why_not(data: Dataset, name: str) -> str | None:
    """Why this projection can't be had, in words, or None."""
    return tsne_umap.why_not(name, data.n_samples) if name in METHODS else None


def _linear(data: Dataset) -> Projection:
    """The two directions of largest variance; of sparse data, whose mean can't be subtracted, of largest norm."""
    if sparse.issparse(data.X):
        fitted, axis = TruncatedSVD(2, random_state=0).fit(data.X), "SVD"
    else:
        n_components = min(2, data.n_samples, data.n_features)
        many = data.n_features > 200
        fitted = PCA(n_components, svd_solver="randomized" if many else "auto", random_state=0).fit(data.X)
        axis = "PC"
    shares = [f"{axis} {place + 1} ({share:.0%})" for place, share in enumerate(fitted.explained_variance_ratio_)]

    def place(points: NDArray) -> NDArray:
        placed = fitted.transform(points)
        return placed if placed.shape[1] == 2 else np.column_stack([placed, np.zeros(len(placed))])

    x_label, y_label = [*shares, "", ""][:2]
    return Projection(place(data.X), x_label, y_label, place)


def placed(data: Dataset, method: str, xy: NDArray) -> Projection:
    """A projection that keeps neighbours, once it is made; other points are placed where their nearest sample is."""
    xy = np.asarray(xy, dtype=float)
    title = METHODS[method]
    return Projection(xy, f"{title} 1", f"{title} 2", _by_nearest(data, xy), exact=False)


def _by_nearest(data: Dataset, xy: NDArray) -> Callable[[NDArray], NDArray]:
    return lambda points: xy[pairwise_distances_argmin(points, data.X)]


def _of_columns(data: Dataset, x: str, y: str) -> Projection:
    """Any two columns of numbers or dates; a sample without a value lies beyond the left or lower end."""
    columns = SampleColumns(data)
    both: list[NDArray] = []
    labels: list[str] = []
    for name in (x, y):
        if name not in columns or columns.kind(name) not in ("number", "date"):
            raise ValueError(f"{name!r:.60} is no column of numbers or dates")
        values = columns.numbers(name)
        known = np.isfinite(values)
        low, high = (values[known].min(), values[known].max()) if known.any() else (0.0, 1.0)
        both.append(np.where(known, values, low - 0.06 * (high - low or 1.0)))
        labels.append(name if known.all() else f"{name} ({np.sum(~known):,} missing, at the end)")
    xy = np.column_stack(both)
    if columns.is_clustered_as_shown(x) and columns.is_clustered_as_shown(y):
        chosen = [data.feature_names.index(x), data.feature_names.index(y)]
        return Projection(xy, labels[0], labels[1], lambda points: points[:, chosen])
    return Projection(xy, labels[0], labels[1], _by_nearest(data, xy), exact=False)
