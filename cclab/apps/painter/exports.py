"""What can be taken out of the painter: files in memory, ready for the browser to save."""

from __future__ import annotations

import io
import pprint

import numpy as np

from cclab.apps.exports import File
from cclab.images import Picture, image_names, load_image
from cclab.images.tables import to_dataset
from cclab.session.packing import pack_dataset
from cclab.widgets.easel import Easel
from cclab.widgets.theme import hex_color, hue


def labels_png(desk: Easel) -> File:
    """The regions as a grey picture: the value of a pixel is the number of its region, 0 is none."""
    return File(f"{_stem(desk)}-labels.png", _png(_regions(desk).labels), "image/png")


def mask_png(desk: Easel) -> File:
    """One region, the one that is painted now, in white on black."""
    region = max(desk.region, 1)
    mask = _regions(desk).mask(region)
    return File(f"{_stem(desk)}-{_plain(desk.regions[region - 1])}.png", _png(255 * mask.astype(np.uint8)), "image/png")


def overlay_png(desk: Easel, *, opacity: float = 0.5, dark: bool = False) -> File:
    """The picture with its regions laid over it, undecided pixels hatched, twice as large where it is small."""
    regions, picture = _regions(desk), desk.picture
    base = picture.pixels if picture.is_colour else np.repeat(picture.pixels[..., None], 3, axis=2)
    hues = [_rgb(hex_color(hue(k), dark=dark)) for k in range(len(desk.regions))]
    colors = np.array([(0, 0, 0), *hues]) / 255
    laid = np.where((regions.labels > 0)[..., None], (1 - opacity) * base + opacity * colors[regions.labels], base)
    scale = max(1, 800 // max(picture.shape))
    laid, undecided = (np.repeat(np.repeat(a, scale, 0), scale, 1) for a in (laid, regions.undecided))
    stripes = np.add.outer(np.arange(laid.shape[0]), np.arange(laid.shape[1])) % 6 < 2
    laid[undecided & stripes] = 1
    return File(f"{_stem(desk)}-overlay.png", _png(np.rint(255 * np.clip(laid, 0, 1)).astype(np.uint8)), "image/png")


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
        *_picture_lines(desk.picture),
        f"recipe = {recipe}",
        "posed = Painting(picture).pose(Recipe.from_json(recipe))",
        "state = posed.solver.start(posed.problem)",
        f"for _ in range({steps}):",
        "    state = posed.solver.step(posed.problem, state)",
        "print(Regions.of(posed, state.partition).labels.tolist())",
    ]
    return File(f"{_stem(desk)}.py", ("\n".join(lines) + "\n").encode(), "text/x-python")


def _picture_lines(picture: Picture) -> list[str]:
    """Lines that make the picture: by name where that gives the same one, else as it is."""
    if picture.name in image_names() and np.array_equal(load_image(picture.name).pixels, picture.pixels):
        return ["", f"picture = load_image({picture.name!r})"]
    packed = pprint.pformat(pack_dataset(to_dataset(picture)), width=1000, compact=True)
    return [
        "from cclab.images.tables import from_dataset",
        "from cclab.session.packing import unpack_dataset",
        "",
        f"picture = from_dataset(unpack_dataset({packed}, 'this script'))",
    ]


def _regions(desk: Easel):
    found = desk.regions_at(desk.session.current)
    if found is None:
        raise ValueError("nothing is painted yet, so there are no regions to export; paint a stroke first")
    return found


def _png(values: np.ndarray) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(values).save(buffer, "PNG")
    return buffer.getvalue()


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[k : k + 2], 16) for k in (1, 3, 5))


def _stem(desk: Easel) -> str:
    return _plain(desk.picture.name) or "picture"


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
