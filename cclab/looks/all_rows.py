"""All rows of the file that a coreset was drawn from, in the plane that its samples are shown in. No widgets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cclab.datasets import Dataset
from cclab.datasets.columns.new_rows import Recipe
from cclab.datasets.parquet_rows import parquet_columns, parquet_frames
from cclab.looks.projections import Projection


def is_at_hand(data: Dataset) -> bool:
    """Whether data are a part of a file that can be read here."""
    return data.coreset is not None and bool(data.coreset.path) and Path(data.coreset.path).is_file()


def rows_inside(data: Dataset, projection: Projection, polygon: ArrayLike) -> NDArray[np.int64]:
    """The rows of the file that lie inside a polygon (m, 2) of the plane; it is read some thousands at a time.

    Parameters
    ----------
    data : Dataset
        A coreset whose file is at hand.
    projection : Projection
        An exact one.
    polygon : (m, 2) array
        In the projection's own units.

    Raises
    ------
    ValueError
        Features are not made of single columns, or the file is not what it was.
    """
    from matplotlib.path import Path as Outline

    assert data.coreset is not None
    n_rows = parquet_columns(data.coreset.path)[1]
    if n_rows != data.coreset.n_rows:
        raise ValueError(f"{data.coreset.file} had {data.coreset.n_rows:,} rows and has {n_rows:,} now; open it again")
    corners = np.asarray(polygon, dtype=float)
    outline, low, high = Outline(corners), corners.min(axis=0), corners.max(axis=0)
    recipe = Recipe.of(data)
    found, start = [np.empty(0, dtype=np.int64)], 0
    for frame in parquet_frames(data.coreset.path, recipe.columns):
        X = recipe(frame)
        whole = np.flatnonzero(np.isfinite(X).all(axis=1))
        if len(whole):
            xy = projection.place(X[whole])
            near = np.flatnonzero(((xy >= low) & (xy <= high)).all(axis=1))
            found.append(start + whole[near[outline.contains_points(xy[near])]])
        start += len(X)
    return np.concatenate(found)
