"""What can be taken out of the painter: files in memory, ready for the browser to save."""

from __future__ import annotations

import pprint

import numpy as np

from cclab.export import masks
from cclab.export.files import File
from cclab.export.masks import png
from cclab.images import Painting, Regions, Stack, image_names, load_image, over_slices, strokes_as_labels
from cclab.images.batch import is_large
from cclab.images.pixel_doubt import doubt
from cclab.images.regions import plausibility, typicality
from cclab.session.storage.subjects import pack_data
from cclab.widgets.painter import Easel


def labels_png(desk: Easel) -> File:
    """The regions as a grey picture at the size of the file: the value of a pixel is the number of its region."""
    return File(f"{_stem(desk)}-labels.png", png(_whole(desk)), "image/png")


def mask_png(desk: Easel) -> File:
    """One region, the one that is painted now, in white on black, at the size of the file."""
    region = max(desk.region, 1)
    mask = 255 * (_whole(desk) == region).astype(np.uint8)
    return File(f"{_stem(desk)}-{_plain(desk.regions[region - 1])}.png", png(mask), "image/png")


def layers(desk: Easel) -> File:
    """A mask for each region as a named layer, as napari and Fiji open them."""
    return masks.layers_tiff(_stem(desk), _whole(desk), desk.picture, desk.regions)


def belief(desk: Easel) -> File:
    """Plausibility of each region, typicality, doubt, and what is undecided, as named layers."""
    regions, snapshot = _regions(desk), desk.session.current
    posed = desk.posed_at(snapshot)
    assert posed is not None  # there are regions
    maps = {
        f"plausibility of {desk.regions[k - 1]}": plausibility(posed, snapshot.partition, k)
        for k in posed.palette.painted
    }
    maps["typicality"] = typicality(posed, snapshot.state)
    maps["doubt"] = doubt(posed, snapshot.partition)
    maps["undecided"] = regions.undecided
    return masks.belief_tiff(_stem(desk), maps, desk.picture)


def paint_labels(desk: Easel) -> File:
    """What is painted, on all slices, as labels that ilastik imports."""
    if desk.painting.is_blank(desk.recipe):
        raise ValueError("nothing is painted yet; paint a stroke first")
    return masks.paint_tiff(_stem(desk), strokes_as_labels(desk.painting, desk.recipe))


def overlay_png(desk: Easel, *, opacity: float = 0.5, dark: bool = False) -> File:
    """The picture with its regions laid over it, undecided pixels hatched, twice as large where it is small."""
    regions, picture = _regions(desk), desk.picture
    laid = masks.overlay(picture.shown(desk.window), regions.labels, len(desk.regions), opacity=opacity, dark=dark)
    scale = max(1, 800 // max(picture.shape))
    laid, undecided = (np.repeat(np.repeat(a, scale, 0), scale, 1) for a in (laid, regions.undecided))
    stripes = np.add.outer(np.arange(laid.shape[0]), np.arange(laid.shape[1])) % 6 < 2
    laid[undecided & stripes] = 1
    return File(f"{_stem(desk)}-overlay.png", png(np.rint(255 * np.clip(laid, 0, 1)).astype(np.uint8)), "image/png")


def table_csv(desk: Easel) -> File:
    """One row a region: strokes, pixels, share of the picture, mean, and Dice where the truth is known."""
    return File(
        f"{_stem(desk)}-regions.csv", desk.table_at(desk.session.current).to_csv(index=False).encode(), "text/csv"
    )


def code(desk: Easel) -> File:
    """A script that, run alone, gives the same regions."""
    _regions(desk)
    steps = desk.session.current.summary.iteration
    recipe = pprint.pformat(desk.recipe.to_json(), width=110, compact=True)
    lines = [
        "import cclab  # enters all solvers by name",
        "from cclab.images import Painting, Recipe, Regions, load_image",
        *_picture_lines(desk.painting.stack),
        f"recipe = {recipe}",
        "posed = Painting(picture).pose(Recipe.from_json(recipe))",
        "state = posed.solver.start(posed.problem)",
        f"for _ in range({steps}):",
        "    state = posed.solver.step(posed.problem, state)",
        "print(Regions.of(posed, state.partition).labels.tolist())",
    ]
    return File(f"{_stem(desk)}.py", ("\n".join(lines) + "\n").encode(), "text/x-python")


def _picture_lines(stack: Stack) -> list[str]:
    """Lines that make the picture: by name where that gives the same one, else as it is."""
    picture = stack[0]
    if (
        len(stack) == 1
        and picture.name in image_names()
        and load_image(picture.name).fingerprint == picture.fingerprint
    ):
        return ["", f"picture = load_image({picture.name!r})"]
    packed = pprint.pformat(pack_data(Painting(stack)), width=1000, compact=True)
    return [
        "from cclab.session.storage.subjects import unpack_data",
        "",
        f"picture = unpack_data({packed}, 'this script', [])[0].stack",
    ]


def _regions(desk: Easel) -> Regions:
    found = desk.regions_at(desk.session.current)
    if found is None:
        raise ValueError("there are no regions to export yet; paint a stroke in each of two regions")
    return found


def _whole(desk: Easel) -> np.ndarray:
    """The labels at the size of the file: those that are shown, or made anew from every pixel of a large picture."""
    shown = _regions(desk).labels
    if not is_large(desk.painting):
        return shown[desk.painting.stack.own(desk.slice)]
    return next(over_slices(desk.painting, desk.recipe, [desk.slice])).whole


def _stem(desk: Easel) -> str:
    return _plain(desk.picture.name) or "picture"


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
