"""Where samples lie in the plane: two features, or a projection of all of them. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.manifold import TSNE
from sklearn.metrics import pairwise_distances_argmin

from cclab.datasets import Dataset

#: t-SNE takes minutes for more samples than this.
MOST_FOR_TSNE = 5000
#: Pairs of features are offered one by one up to so many features; of more only neighbours.
_MOST_CROSSED = 6
_MOST_PAIRS = 30


@dataclass(frozen=True, eq=False)
class Projection:
    """Places of n samples, and of anything else that lies among them.

    Attributes
    ----------
    xy : (n, 2) array
    x_label, y_label : str
    place : callable
        ``place(points)`` gives the places, (k, 2), of points of the feature space, (k, p).
    """

    xy: NDArray
    x_label: str
    y_label: str
    place: Callable[[NDArray], NDArray]


def axes(data: Dataset) -> dict[str, str]:
    """The axes to choose from: what a person reads, and the name that `project` takes.

    >>> axes(Dataset("pair", [[0.0, 1.0], [2.0, 1.0]], ("width", "height")))
    {'width, height': '0 1', 'PCA': 'pca', 't-SNE': 'tsne'}
    """
    p, names = data.n_features, data.feature_names
    if p == 1:
        return {names[0]: "0 0"}
    if p <= _MOST_CROSSED:
        pairs = [(i, j) for i in range(p) for j in range(i + 1, p)]
    else:
        pairs = [(i, i + 1) for i in range(min(p - 1, _MOST_PAIRS))]
    features = {f"{_short(names[i])}, {_short(names[j])}": f"{i} {j}" for i, j in pairs}
    projections = {"PCA": "pca", "t-SNE": "tsne"}
    return features | projections if p == 2 else projections | features


def _short(name: str) -> str:
    return name if len(name) <= 16 else name[:15] + "…"


def project(data: Dataset, name: str) -> Projection:
    """The projection of this name, of those in `axes`."""
    if name == "pca":
        return _linear(data)
    if name == "tsne":
        return _neighbours_kept(data)
    i, j = map(int, name.split())
    columns = data.X[:, [i, j]]
    xy = columns.toarray() if sparse.issparse(columns) else np.array(columns)
    if i == j:
        xy[:, 1] = 0
    labels = data.feature_names[i], data.feature_names[j] if i != j else ""
    return Projection(xy, *labels, lambda points: points[:, [i, j]] * [1, i != j])


def why_not(data: Dataset, name: str) -> str | None:
    """Why this projection can't be had, in words, or None."""
    if name == "tsne" and data.n_samples > MOST_FOR_TSNE:
        return (
            f"t-SNE would take minutes for {data.n_samples:,} samples; "
            f"it is offered up to {MOST_FOR_TSNE:,}. PCA takes a moment."
        )
    if name == "tsne" and data.n_samples < 5:
        return f"t-SNE needs at least 5 samples, and there are {data.n_samples}."
    return None


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

    return Projection(place(data.X), *[*shares, "", ""][:2], place)


def _neighbours_kept(data: Dataset) -> Projection:
    """t-SNE; other points are placed where their nearest sample is."""
    X = TruncatedSVD(50, random_state=0).fit_transform(data.X) if sparse.issparse(data.X) else data.X
    perplexity = min(30.0, (data.n_samples - 1) / 3)
    xy = TSNE(perplexity=perplexity, init="random", random_state=0).fit_transform(X)
    return Projection(xy, "t-SNE 1", "t-SNE 2", lambda points: xy[pairwise_distances_argmin(points, data.X)])
