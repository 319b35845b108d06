"""The painter's solver against the times that a person at the easel is promised, and what it keeps in memory."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
from skimage import data
from sklearn.ensemble import RandomForestClassifier

from benchmarks import Row, best_time
from cclab.images import Options, Painting, Picture, Recipe, Regions, Stroke, load_image, over_slices
from cclab.images.bank import Bank

FIRST, FINAL, OPENS = 0.3, 1.0, 2.0


def strokes(shift: float) -> tuple[Stroke, ...]:
    """Two strokes on any picture of 512 x 512 and more; another shift, another problem."""
    return (
        Stroke("brush", 1, 9, [[210 + shift, 250], [220, 330], [200, 380]]),
        Stroke("brush", 2, 9, [[300, 60 + shift], [440, 90]]),
    )


def overlay(painting: Painting, objects: str, learn: bool | str = False) -> Callable[[], Regions]:
    """All that is done from the end of a stroke until the regions are known; each call paints anew."""
    shifts = itertools.count()

    def develop() -> Regions:
        posed = painting.pose(Recipe(strokes(next(shifts) / 8), Options(objects=objects, learn=learn)))
        return Regions.of(posed, posed.solver.solve(posed.problem).partition)

    return develop


def within(what: str, seconds: float, limit: float) -> Row:
    return Row(f"{what} / {limit:g} s", seconds / limit, 1, detail=f"({1e3 * seconds:.0f} ms)")


def retina() -> Picture:
    """1024 x 1024 pixels in colour."""
    return load_image(data.retina()[190:1214, 190:1214], name="retina")


def opened(picture: Picture, objects: str, learn: bool | str = False) -> Painting:
    painting = Painting(picture)
    painting.prepare(Options(objects=objects, learn=learn))
    return painting


def bench_strokes() -> Iterator[Row]:
    for name in ("camera", "astronaut"):
        picture = load_image(name)
        painting = opened(picture, "pixels")
        about = f"512 x 512, {'colour' if picture.is_colour else 'grey'}"
        first = best_time(overlay(painting, "superpixels"))
        yield within(f"stroke to first overlay (superpixels), {about}", first, FIRST)
        # Pixels start where superpixels end, so this is both.
        yield within(f"stroke to final overlay (pixels), {about}", best_time(overlay(painting, "pixels")), FINAL)


def bench_learning() -> Iterator[Row]:
    """With a forest that learns from the paint, as the page does; beside the same without, and a forest alone."""
    for name in ("camera", "astronaut"):
        picture = load_image(name)
        painting = opened(picture, "pixels", learn=True)
        about = f"512 x 512, {'colour' if picture.is_colour else 'grey'}"
        plain, first, chosen = (best_time(overlay(painting, "superpixels", learn)) for learn in (False, True, "auto"))
        yield within(f"stroke to first overlay, learned, {about}", first, FIRST)
        yield within(f"stroke to first overlay, chosen by paint left out, {about}", chosen, FIRST)
        yield Row(f"first overlay learned / by values, {about}", first / plain, 6, detail=f"({1e3 * plain:.0f} ms)")
        yield Row(f"first overlay chosen / by values, {about}", chosen / plain, 2, detail=f"({1e3 * chosen:.0f} ms)")
        final = best_time(overlay(painting, "pixels", "auto"))
        yield within(f"stroke to final overlay, chosen by paint left out, {about}", final, FINAL)
        seconds = best_time(lambda picture=picture: Bank.of(picture), 2)
        yield within(f"the bank of filters, {about}", seconds, OPENS)


def large() -> Picture:
    """2000 x 2000 pixels in grey."""
    return load_image(np.tile(data.camera(), (4, 4))[:2000, :2000], name="large")


def bench_large() -> Iterator[Row]:
    """Superpixels to look at, and the mask of every pixel, against a forest's fit and predict by the same filters."""
    painting = opened(large(), "superpixels", learn=True)
    ours = best_time(overlay(painting, "superpixels", True), 2)
    bank = painting.sheet(0).bank(Options(learn=True)).values
    marks = np.concatenate([stroke.covers((2000, 2000)) for stroke in strokes(0)])
    regions = np.concatenate([[stroke.region] * len(stroke.covers((2000, 2000))) for stroke in strokes(0)])

    def forest() -> np.ndarray:
        trees = RandomForestClassifier(100, random_state=0).fit(bank[marks], regions)
        return np.concatenate([trees.predict(part) for part in np.array_split(bank, 16)])

    theirs = best_time(forest, 1)
    yield Row("overlay, 2000 x 2000 / a forest's fit and predict", ours / theirs, 1, detail=f"({ours:.2f} s)")
    recipe = Recipe(strokes(0), Options(learn=True))
    mask = best_time(lambda: next(over_slices(painting, recipe)), 1)
    yield Row("mask of every pixel, 2000 x 2000 / the same", mask / theirs, 1, detail=f"({mask:.1f} s, {theirs:.1f} s)")


def bench_large_memory() -> Iterator[Row]:
    """All memory of a process of its own that opens 2000 x 2000 pixels, paints, and makes the mask."""
    code = (
        "import resource; from benchmarks.bench_painting import *; painting = opened(large(), 'superpixels', True);"
        "overlay(painting, 'superpixels', True)(); recipe = Recipe(strokes(0), Options(learn=True));"
        "next(over_slices(painting, recipe)); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    kilobytes = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    peak = kilobytes / 2**10
    yield Row("memory, 2000 x 2000, learning and mask / 1 GB", peak / 1024, 1, detail=f"({peak:.0f} MB)")


def bench_opening() -> Iterator[Row]:
    eye = retina()
    yield within("opening by superpixels, 1024 x 1024, colour", best_time(lambda: opened(eye, "superpixels"), 3), OPENS)
    painting = opened(eye, "superpixels")
    first = best_time(overlay(painting, "superpixels"))
    yield within("stroke to overlay (superpixels), 1024 x 1024, colour", first, FIRST)


def bench_memory() -> Iterator[Row]:
    """In terms of the picture itself: a float32 for each channel of each pixel."""
    for name, picture, objects in (
        ("1024 x 1024, colour, superpixels", retina(), "superpixels"),
        ("512 x 512, grey, pixels", load_image("camera"), "pixels"),
    ):
        tracemalloc.start()
        painting = opened(picture, objects)
        develop = overlay(painting, objects)
        develop()
        _, peak = tracemalloc.get_traced_memory()
        kept = []
        for _ in range(2):  # more problems than are kept in mind
            for _ in range(10):
                develop()
            gc.collect()
            kept.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        unit = picture.pixels.nbytes
        megabytes = f"({peak / 2**20:.0f} MB, {unit / 2**20:.1f} MB)"
        yield Row(
            f"peak memory, {name} / the picture", peak / unit, 60 if objects == "superpixels" else 400, detail=megabytes
        )
        grown = f"({(kept[1] - kept[0]) / 2**20:.2f} MB)"
        yield Row(f"growth over ten strokes, {name} / the picture", np.abs(kept[1] - kept[0]) / unit, 0.1, detail=grown)
