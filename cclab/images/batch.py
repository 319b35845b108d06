"""One model on many pictures: the slices of a stack, the files of a folder; tables and masks of all of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import ndimage

from cclab.images.learned import MOST_PIXELS, Applied, Failed, Model, Progress
from cclab.images.pixel_doubt import doubt
from cclab.images.pose import Painting
from cclab.images.reading import picture_files, stem_of
from cclab.images.recipe import Recipe
from cclab.images.regions import Regions


def over_slices(
    painting: Painting, recipe: Recipe, places: Iterable[int] | None = None, progress: Progress | None = None
) -> Iterator[Applied]:
    """All slices of a stack in regions, one after the other; what is painted on a slice holds there.

    Parameters
    ----------
    painting : Painting
    recipe : Recipe
    places : iterable of int, optional
        Which slices, from 0. Default: all.
    progress : callable, optional
        Called with how many are done and how many there are.
    """
    places = range(len(painting.stack)) if places is None else list(places)
    model = painting.model(recipe) if is_large(painting) else None
    for done, place in enumerate(places, 1):
        found = on_slice(painting, recipe, place, model)
        if progress is not None:
            progress(done, len(places))
        yield found


def on_slice(painting: Painting, recipe: Recipe, place: int, model: Model | None = None) -> Applied:
    """One slice in regions, at the size of its file; the model of the recipe is asked for where slices are large."""
    if is_large(painting):
        found = _painted_over(model or painting.model(recipe), painting, recipe, place)
    else:
        posed = painting.pose(recipe.with_options({"slice": place}))
        partition = posed.solver.solve(posed.solver.adapt(posed.problem)).partition
        found = Applied(posed.picture, Regions.of(posed, partition).labels, doubt(posed, partition), recipe.regions)
    stack = painting.stack
    if stack.sizes is not None:
        own = stack.own(place)
        found = replace(found, picture=found.picture.part(*own), whole=found.whole[own], doubt=found.doubt[own])
    return replace(found, slice=place + 1, thickness=stack.thickness) if stack.is_numbered else found


def is_large(painting: Painting) -> bool:
    """Whether masks are made pixel by pixel in blocks, at the size of the file, whatever is shown."""
    return painting.full is not painting or painting.sheet(0).n_pixels > MOST_PIXELS


def _painted_over(model: Model, painting: Painting, recipe: Recipe, place: int) -> Applied:
    """A large slice, in blocks, with what is painted on it."""
    picture, full = painting.stack[place], painting.full
    found = model.over(full.sheet(place), picture, place)
    enlarged = recipe.enlarged(picture.reduced_by)
    paint = [
        (stroke.region, pixels)
        for stroke, pixels in zip(enlarged.strokes, full.left_of(enlarged))
        if stroke.slice == place
    ]
    for region in recipe.options.connected:
        mine = [pixels for of, pixels in paint if of == region and len(pixels)]
        if mine:
            keep_touched(found.whole, region, np.concatenate(mine))
    for region, pixels in paint:
        found.whole.ravel()[pixels] = region
    return found


def keep_touched(labels: np.ndarray, region: int, pixels: np.ndarray) -> None:
    """Give what is in no one piece with some pixels of a region to the region that is nearest to it, in place."""
    pieces, n = ndimage.label(labels == region)
    touched = np.zeros(n + 1, dtype=bool)
    touched[pieces.ravel()[pixels]] = True
    stray = (pieces > 0) & ~touched[pieces]
    rows, columns = ndimage.distance_transform_edt(labels == region, return_distances=False, return_indices=True)
    labels[stray] = labels[rows[stray], columns[stray]]


def table_of(results: Iterable[Applied | Failed]) -> pd.DataFrame:
    """One row for each region of each picture, the most doubtful picture first; what failed has its reason."""
    frames = []
    for one in results:
        if isinstance(one, Applied):
            frames.append(one.measured())
        else:
            frames.append(pd.DataFrame([{"picture": one.name, "failed": one.why}]))
    if not frames:
        return pd.DataFrame(columns=["picture", "region"])
    table = pd.concat(frames, ignore_index=True)
    whole = [name for name in ("slice", "pixels", "count") if name in table]
    table[whole] = table[whole].astype("Int64")  # whole numbers also where a picture has none
    doubt = table["doubt"] if "doubt" in table else pd.Series(np.nan, index=table.index)
    return table.iloc[np.argsort(-doubt.fillna(np.inf).to_numpy(), kind="stable")].reset_index(drop=True)


def apply_to_folder(
    model: Model, folder: str | Path, into: str | Path, *, suffix: str = ".tif", progress: Progress | None = None
) -> pd.DataFrame:
    """Apply a model to every picture of a folder: one mask per file, at the file's own size, and one table.

    Parameters
    ----------
    model : Model
    folder : path
    into : path
        Made where it is not there: ``<name>-labels.tif`` for each picture, and ``regions.csv``.
    suffix : {".tif", ".png"}
    progress : callable, optional

    Returns
    -------
    DataFrame
        What is in the table. Files that can't be read are in it with the reason.

    Raises
    ------
    ValueError
        The folder has no pictures.
    """
    if suffix not in (".tif", ".png"):
        raise ValueError(f"masks are written as .tif or .png; got {suffix!r:.40}")
    paths, into = picture_files(folder), Path(into)
    if not paths:
        raise ValueError(f"there is no picture in {folder}")
    into.mkdir(parents=True, exist_ok=True)
    results: list[Applied | Failed] = []
    for path, one in zip(paths, model.apply_to(paths, progress)):
        if isinstance(one, Applied):
            write_labels(into / f"{stem_of(path.name)}-labels{suffix}", one.whole)
        results.append(one)
    table = table_of(results)
    table.to_csv(into / "regions.csv", index=False, quoting=csv.QUOTE_MINIMAL)
    return table


def write_labels(path: Path, labels: np.ndarray) -> None:
    """A label image, or a stack of them: the value of a pixel is the number of its region, 0 is none."""
    if path.suffix == ".png":
        from PIL import Image

        Image.fromarray(labels).save(path)
        return
    import tifffile

    tifffile.imwrite(path, labels, compression="zlib", photometric="minisblack")


def strokes_as_labels(painting: Painting, recipe: Recipe) -> np.ndarray:
    """(n_slices, height, width) the region painted at each pixel, 0 where there is no paint: what ilastik imports."""
    shape = painting.stack.shape
    labels = np.zeros((len(painting.stack), shape[0] * shape[1]), dtype=np.uint8)
    for stroke, pixels in zip(recipe.strokes, painting.left_of(recipe)):
        labels[stroke.slice, pixels] = stroke.region
    return labels.reshape(len(painting.stack), *shape)
