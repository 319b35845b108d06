"""Pictures as tables, so that sessions keep them as they keep any data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from cclab.core import Problem, Solver
from cclab.core.registry import solvers
from cclab.datasets import Dataset

from .painting import Painting
from .picture import Picture
from .recipes import Recipe

TRUTH = "truth: "

_paintings: WeakKeyDictionary[Dataset, Painting] = WeakKeyDictionary()


def painting_of(data: Dataset) -> Painting:
    """The painting of a picture that is kept as a table; always the same one for the same table."""
    if data not in _paintings:
        _paintings[data] = Painting(from_dataset(data))
    return _paintings[data]


def poser_of(data: Dataset) -> Callable[[Mapping[str, Any]], tuple[Problem, Solver]]:
    """What a session on these data poses its problems with. Without any paint there is one cluster of everything."""
    painting = painting_of(data)

    def pose(recipe: Mapping[str, Any]) -> tuple[Problem, Solver]:
        read = Recipe.from_json(recipe)
        if painting.is_blank(read):
            return Problem(np.zeros((1, 1))), blank_solver()
        posed = painting.pose(read)
        return posed.problem, posed.solver

    return pose


def blank_solver() -> Solver:
    """The solver of a picture without paint."""
    return solvers.get("FCM")(n_clusters=1)


def to_dataset(picture: Picture) -> Dataset:
    """A row a pixel: its row and column, its values, and its true class where that is known.

    The truth is a column and no target: what is clustered may be other objects than pixels.

    Examples
    --------
    >>> from cclab.images import load_image
    >>> to_dataset(load_image("phantom")).feature_names
    ('row', 'column', 'grey', 'truth: background, tissue, fluid, lesion')
    """
    n_pixels = picture.shape[0] * picture.shape[1]
    columns = [*np.indices(picture.shape).reshape(2, -1), *picture.pixels.reshape(n_pixels, -1).T]
    names = ["row", "column", *(("red", "green", "blue") if picture.is_colour else ("grey",))]
    if picture.truth is not None:
        columns.append(picture.truth.ravel())
        names.append(TRUTH + ", ".join(picture.truth_names))
    return Dataset(
        picture.name,
        np.column_stack(columns),
        feature_names=tuple(names),
        description=picture.description,
        source=picture.source,
        notes=picture.notes,
    )


def from_dataset(data: Dataset) -> Picture:
    """The inverse of `to_dataset`."""
    names = data.feature_names
    if names[:2] != ("row", "column") or len(names) < 3:
        raise ValueError(f"{data.name} is no picture: a session of the painter is wanted")
    height, width = (int(data.X[-1, k]) + 1 for k in (0, 1))
    values = data.X[:, 2 : 5 if "blue" in names else 3].astype(np.float32).reshape(height, width, -1)
    truth, truth_names = None, ()
    if names[-1].startswith(TRUTH):
        truth = data.X[:, -1].astype(np.uint8).reshape(height, width)
        truth_names = tuple(names[-1].removeprefix(TRUTH).split(", "))
    depth = 8 if np.allclose(255 * values, np.rint(255 * values), atol=1e-3) else 16
    pixels = values if values.shape[2] == 3 else values[..., 0]
    return Picture(data.name, pixels, depth, truth, truth_names, data.description, data.source, data.notes)
