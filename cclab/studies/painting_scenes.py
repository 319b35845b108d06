"""Pictures with a truth that the painter was not tuned to, and others that it was: photographs, textures, made scenes.

`HELD_OUT` was written down before anything was tried on it; what was tried was tried on `TUNING`, whose scenes are
drawn with other seeds and by other makers. Photographs come with scikit-image and scikit-learn; the object of each is
outlined here by hand (to about two pixels) or, in print and stained tissue, read off the colours of the whole picture.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import ndimage

from cclab.images import Picture

#: The longer side of all of them, in pixels.
SIDE = 256
SHAPE = (SIDE, SIDE)

Made = tuple[np.ndarray, np.ndarray]
Maker = Callable[[np.random.Generator], Made]


# ---------------------------------------------------------------------- building blocks


def field(rng: np.random.Generator, sigma: float | tuple[float, float]) -> np.ndarray:
    """A random field of mean 0 and variance 1 that varies over `sigma` pixels."""
    smooth = ndimage.gaussian_filter(rng.standard_normal(SHAPE), sigma, mode="wrap")
    return (smooth - smooth.mean()) / smooth.std()


def blobs(rng: np.random.Generator, share: float = 0.35, sigma: float = 18) -> np.ndarray:
    """Some smooth shapes that cover a share of the picture."""
    smooth = field(rng, sigma)
    return smooth > np.quantile(smooth, 1 - share)


def ovals(rng: np.random.Generator, n: int, radius: tuple[float, float], apart: float = 1.6) -> np.ndarray:
    """(height, width) numbers of ovals from 1, 0 between them; they hardly overlap."""
    y, x = np.indices(SHAPE)
    labels = np.zeros(SHAPE, dtype=int)
    centers: list[tuple[np.ndarray, float]] = []
    for _ in range(40 * n):
        if len(centers) == n:
            break
        center, r = rng.uniform(8, SIDE - 8, 2), rng.uniform(*radius)
        if any(np.hypot(*(center - other)) < apart * (r + s) / 2 for other, s in centers):
            continue
        centers.append((center, r))
        angle, squeeze = rng.uniform(0, np.pi), rng.uniform(0.65, 1)
        u = (y - center[0]) * np.cos(angle) + (x - center[1]) * np.sin(angle)
        v = (x - center[1]) * np.cos(angle) - (y - center[0]) * np.sin(angle)
        labels[(np.hypot(u, v / squeeze) < r) & (labels == 0)] = len(centers)
    return labels


def borders(rng: np.random.Generator, n: int, width: float) -> np.ndarray:
    """The borders of `n` cells, so many pixels wide."""
    seeds = rng.uniform(0, SIDE, (n, 2))
    warp = np.stack([5 * field(rng, 10), 5 * field(rng, 10)])
    y, x = np.indices(SHAPE) + warp
    distances = np.sort(np.hypot(y[..., None] - seeds[:, 0], x[..., None] - seeds[:, 1]), axis=2)
    return distances[..., 1] - distances[..., 0] < width


def branches(rng: np.random.Generator, n: int, width: tuple[float, float]) -> np.ndarray:
    """Winding lines that fork and grow thinner."""
    inside, places = np.zeros(SHAPE, dtype=bool), np.indices(SHAPE)
    lines = [(np.array([rng.uniform(0, SIDE), 0.0]), rng.normal(0, 0.5), width[1], 250) for _ in range(n)]
    while lines:
        point, heading, wide, length = lines.pop()
        for step in range(length):
            heading += rng.normal(0, 0.06)
            point = point + np.array([np.sin(heading), np.cos(heading)])
            row, column = (int(at) for at in point)
            if not (0 <= row < SIDE and 0 <= column < SIDE):
                break
            near = np.s_[max(row - 5, 0) : row + 6, max(column - 5, 0) : column + 6]
            y, x = places[:, *near]
            inside[near] |= np.hypot(y - point[0], x - point[1]) < wide / 2
            if step % 60 == 40 and wide > width[0]:
                fork = heading + rng.choice([-1, 1]) * rng.uniform(0.5, 0.9)
                lines.append((point, fork, 0.7 * wide, int(0.6 * length)))
                wide *= 0.9
    return inside


def textures(one: np.ndarray, other: np.ndarray, mask: np.ndarray) -> Made:
    """Two textures of the same mean and contrast, side by side."""
    one, other = ((t - t.mean()) / t.std() for t in (one, other))
    return np.clip(0.5 + 0.16 * np.where(mask, one, other), 0, 1), mask


def noisy(rng: np.random.Generator, pixels: np.ndarray, sigma: float) -> np.ndarray:
    """The picture under noise."""
    return np.clip(pixels + sigma * rng.standard_normal(pixels.shape), 0, 1)


def reduced(pixels: np.ndarray) -> np.ndarray:
    """The picture with its longer side at `SIDE`."""
    from skimage.transform import resize

    height, width = pixels.shape[:2]
    shape = (round(SIDE * height / max(height, width)), round(SIDE * width / max(height, width)))
    return resize(pixels, shape, anti_aliasing=True)


def outlined(name: str, outline: str) -> Callable[[np.random.Generator], Made]:
    """A photograph and what is inside an outline, given as ``x y, x y, ...``."""
    corners = np.array([pair.split() for pair in outline.split(", ")], dtype=float)

    def make(rng: np.random.Generator) -> Made:
        from skimage.draw import polygon2mask

        pixels = photograph(name)
        return pixels, polygon2mask(pixels.shape[:2], corners[:, ::-1])

    return make


def in_ellipses(name: str, ellipses: list[tuple[float, float, float, float]]) -> Callable[[np.random.Generator], Made]:
    """A photograph and what is inside ellipses of (x, y, half a width, half a height)."""

    def make(rng: np.random.Generator) -> Made:
        pixels = photograph(name)
        y, x = np.indices(pixels.shape[:2])
        return pixels, np.any([np.hypot((x - a) / w, (y - b) / h) < 1 for a, b, w, h in ellipses], axis=0)

    return make


def photograph(name: str) -> np.ndarray:
    """One of scikit-image's or scikit-learn's, reduced."""
    if name in ("flower", "china"):
        from sklearn.datasets import load_sample_image

        return reduced(load_sample_image(f"{name}.jpg"))
    from skimage import data

    return reduced(getattr(data, name)())


def patch(name: str, step: int = 2) -> np.ndarray:
    """A square of one of scikit-image's textures."""
    from skimage import data

    return getattr(data, name)()[: step * SIDE : step, : step * SIDE : step] / 255


# ---------------------------------------------------------------------- scenes


def nuclei(rng: np.random.Generator) -> Made:
    """Bright and dim nuclei under a microscope, some of them touching."""
    cells = ovals(rng, 40, (8, 15), apart=1.3)
    bright = np.append(0, rng.uniform(0.3, 0.9, cells.max()))[cells]
    glow = ndimage.gaussian_filter(bright, 12)
    return noisy(rng, ndimage.gaussian_filter(bright, 1) * 0.7 + 0.3 * glow + 0.08, 0.05), cells > 0


def nuclei_on_tissue(rng: np.random.Generator) -> Made:
    """Nuclei that are no brighter than their ground, but more even."""
    cells = ovals(rng, 25, (9, 14))
    ground = 0.5 + 0.13 * field(rng, 1.6)
    return noisy(rng, np.where(cells > 0, 0.5 + 0.04 * field(rng, 3), ground), 0.03), cells > 0


def membranes(rng: np.random.Generator) -> Made:
    """Dark borders between cells in grey, noisy as an electron microscope shows them."""
    dark = borders(rng, 45, 3.5)
    pixels = ndimage.gaussian_filter(np.where(dark, 0.3, 0.6 + 0.07 * field(rng, 4)), 0.8)
    return noisy(rng, pixels, 0.08), dark


def mitochondria(rng: np.random.Generator) -> Made:
    """Ovals filled with stripes, among membranes as dark as the stripes."""
    cells = ovals(rng, 12, (14, 24))
    y, x = np.indices(SHAPE)
    turns = np.append(0, rng.uniform(0, np.pi, cells.max()))[cells]
    stripes = np.sin((y * np.cos(turns) + x * np.sin(turns)) * 1.3)
    pixels = np.where(cells > 0, 0.48 + 0.16 * stripes, np.where(borders(rng, 25, 3), 0.32, 0.6))
    return noisy(rng, ndimage.gaussian_filter(pixels, 0.7), 0.06), cells > 0


def vessels(rng: np.random.Generator) -> Made:
    """Dark vessels on a ground of uneven light."""
    inside = branches(rng, 5, (2.0, 6.0))
    pixels = 0.55 + 0.12 * field(rng, 30) - 0.2 * ndimage.gaussian_filter(inside.astype(float), 0.9)
    return noisy(rng, pixels, 0.04), inside


def retina(rng: np.random.Generator) -> Made:
    """Dark red vessels at the back of an eye, with dark spots that are none."""
    inside = branches(rng, 6, (2.0, 5.0))
    light = 0.75 + 0.15 * field(rng, 45)
    spots = ovals(rng, 8, (4, 8)) > 0
    dark = ndimage.gaussian_filter(np.where(inside | spots, 1.0, 0.0), 1)[..., None]
    pixels = light[..., None] * np.array([0.85, 0.45, 0.22]) - dark * np.array([0.2, 0.17, 0.05])
    return noisy(rng, pixels, 0.03), inside


def stripes(rng: np.random.Generator) -> Made:
    """Stripes of two directions."""
    y, x = np.indices(SHAPE) + np.stack([3 * field(rng, 12), 3 * field(rng, 12)])
    mask = blobs(rng)
    return noisy(rng, textures(np.sin(0.9 * (x + 0.5 * y)), np.sin(0.9 * (x - 0.5 * y)), mask)[0], 0.06), mask


def rough_and_smooth(rng: np.random.Generator) -> Made:
    """One mean, two variances."""
    mask = blobs(rng)
    return np.clip(0.5 + np.where(mask, 0.14, 0.07) * rng.standard_normal(SHAPE), 0, 1), mask


def coarse_and_fine(rng: np.random.Generator) -> Made:
    """Noise of one variance and two grains."""
    return textures(field(rng, 1.0), field(rng, 2.2), blobs(rng))


def uneven_light(rng: np.random.Generator) -> Made:
    """Things brighter than their ground under light that varies more than they do."""
    things = ovals(rng, 22, (8, 18))
    y, x = np.indices(SHAPE) / SIDE
    pixels = 0.15 + 0.5 * x * (0.4 + 0.6 * y) + 0.12 * (things > 0)
    return noisy(rng, pixels, 0.035), things > 0


def stained(rng: np.random.Generator) -> Made:
    """Purple nuclei in pink tissue with white gaps."""
    cells = ovals(rng, 45, (6, 11))
    tissue = np.array([0.88, 0.62, 0.75]) + 0.05 * field(rng, 5)[..., None]
    purple = np.array([0.45, 0.28, 0.58]) + 0.06 * field(rng, 2)[..., None]
    pixels = np.where((cells > 0)[..., None], purple, tissue)
    gaps = (field(rng, 10) > 1.1) & (cells == 0)
    pixels = np.where(gaps[..., None], 0.93, pixels)
    return noisy(rng, ndimage.gaussian_filter(pixels, (1, 1, 0)), 0.04), cells > 0


def in_shadow(rng: np.random.Generator) -> Made:
    """Green things on brown ground, half of both in shadow."""
    things, shadow = blobs(rng, 0.3, 12), blobs(rng, 0.5, 40)
    pixels = np.where(things[..., None], [0.35, 0.55, 0.25], [0.55, 0.42, 0.28]) + 0.05 * field(rng, 1.5)[..., None]
    return noisy(rng, pixels * np.where(shadow, 0.45, 1.0)[..., None], 0.03), things


def fields_and_woods(rng: np.random.Generator) -> Made:
    """Woods among fields from above: fields are even and of many colours, woods are green and rough."""
    woods = blobs(rng, 0.4, 20)
    seeds = rng.uniform(0, SIDE, (14, 2))
    y, x = np.indices(SHAPE)
    nearest = np.hypot(y[..., None] - seeds[:, 0], x[..., None] - seeds[:, 1]).argmin(axis=2)
    colours = rng.uniform([0.35, 0.4, 0.2], [0.65, 0.6, 0.4], (14, 3))[nearest]
    green = np.array([0.38, 0.48, 0.26]) * (1 + 0.22 * field(rng, 1.3)[..., None])
    return noisy(rng, np.where(woods[..., None], green, colours), 0.03), woods


def print_of(name: str, window: int) -> Callable[[np.random.Generator], Made]:
    """A scan of print; what is darker than its surroundings is ink."""

    def make(rng: np.random.Generator) -> Made:
        from skimage.filters import threshold_local

        pixels = photograph(name)
        smooth = ndimage.gaussian_filter(pixels, 0.5)
        return pixels, smooth < threshold_local(smooth, window, method="gaussian", offset=0.08)

    return make


def immunohistochemistry(rng: np.random.Generator) -> Made:
    """Tissue stained brown; the brown is read off the colours of the whole picture."""
    from skimage.color import rgb2hed
    from skimage.filters import threshold_otsu

    pixels = photograph("immunohistochemistry")
    brown = ndimage.gaussian_filter(rgb2hed(pixels)[..., 2], 1)
    return pixels, brown > threshold_otsu(brown)


# ---------------------------------------------------------------------- scenes to tune on


def fibres(rng: np.random.Generator) -> Made:
    """Bright fibres among bright dots."""
    inside = branches(rng, 7, (2.0, 3.5))
    dots = ovals(rng, 60, (2, 4)) > 0
    pixels = 0.35 + 0.25 * ndimage.gaussian_filter((inside | dots).astype(float), 0.7) + 0.05 * field(rng, 25)
    return noisy(rng, pixels, 0.05), inside


def dots_and_lines(rng: np.random.Generator) -> Made:
    """A texture of dots beside one of lines."""
    return textures(np.abs(field(rng, 2)), np.abs(field(rng, (1, 6))), blobs(rng, 0.4, 22))


def woven(rng: np.random.Generator) -> Made:
    """Bricks beside noise of the same grain."""
    return textures(patch("brick"), field(rng, (2, 4)), blobs(rng, 0.4, 22))


def dim_cells(rng: np.random.Generator) -> Made:
    """Cells hardly brighter than a ground of uneven light, each with a dark middle."""
    cells = ovals(rng, 18, (10, 17))
    depth = ndimage.distance_transform_edt(cells > 0)
    pixels = 0.4 + 0.1 * field(rng, 35) + 0.13 * (depth > 0) - 0.15 * (depth > 6)
    return noisy(rng, pixels, 0.04), cells > 0


def leaves(rng: np.random.Generator) -> Made:
    """Yellow-green leaves on green moss, lit from one side."""
    things = ovals(rng, 20, (12, 20)) > 0
    _, x = np.indices(SHAPE) / SIDE
    moss = np.array([0.3, 0.45, 0.2]) * (1 + 0.25 * field(rng, 1.2)[..., None])
    leaf = np.array([0.42, 0.5, 0.2]) + 0.04 * field(rng, 5)[..., None]
    return noisy(rng, np.where(things[..., None], leaf, moss) * (0.5 + 0.5 * x)[..., None], 0.03), things


# Corners of what is in the photographs, x and y in pixels of the reduced ones.
CAMERA_OUTLINE = (
    "0 128, 22 108, 38 78, 55 62, 78 57, 86 42, 103 33, 122 38, 134 52, 133 66, 139 72, 141 90, 150 98, "
    "162 104, 160 114, 146 118, 141 150, 128 159, 112 153, 98 154, 76 178, 71 205, 75 255, 46 255, 46 196, "
    "30 182, 10 172, 0 160"
)
CAT_OUTLINE = (
    "18 0, 28 28, 22 55, 20 75, 30 105, 22 140, 14 169, 158 169, 172 150, 186 128, 200 95, 207 75, 205 50, "
    "214 30, 224 0"
)
TEMPLE_OUTLINE = (
    "78 28, 78 14, 88 14, 88 28, 110 44, 125 48, 119 64, 130 71, 126 80, 135 94, 130 102, 142 118, 128 128, "
    "145 136, 132 148, 128 154, 90 154, 80 142, 32 135, 36 118, 26 108, 42 98, 34 90, 42 74, 38 68, 52 62, "
    "42 46, 60 38"
)
ASTRONAUT_OUTLINE = (
    "78 46, 80 24, 96 9, 116 6, 138 13, 150 32, 147 54, 137 66, 138 80, 150 96, 154 120, 144 140, 168 152, "
    "182 172, 166 178, 150 196, 141 222, 150 255, 28 255, 10 228, 14 180, 30 142, 56 118, 57 98, 68 80, 92 74, "
    "90 60"
)

HELD_OUT: dict[str, Maker] = {
    "nuclei": nuclei,
    "nuclei on tissue": nuclei_on_tissue,
    "membranes": membranes,
    "mitochondria": mitochondria,
    "vessels": vessels,
    "retina": retina,
    "brick and grass": lambda rng: textures(patch("brick"), patch("grass"), blobs(rng)),
    "grass and gravel": lambda rng: textures(patch("grass"), patch("gravel"), blobs(rng)),
    "gravel and brick": lambda rng: textures(patch("gravel"), patch("brick"), blobs(rng)),
    "stripes": stripes,
    "rough and smooth": rough_and_smooth,
    "coarse and fine": coarse_and_fine,
    "uneven light": uneven_light,
    "stained": stained,
    "in shadow": in_shadow,
    "fields and woods": fields_and_woods,
    "text": print_of("text", 31),
    "page": print_of("page", 31),
    "immunohistochemistry": immunohistochemistry,
    "cell": in_ellipses("cell", [(165, 144, 25.5, 25.5)]),
    "coffee": in_ellipses("coffee", [(118.5, 98, 86, 66), (123, 46, 50, 39)]),
    "flower": in_ellipses("flower", [(122.5, 88.5, 55, 54.5), (152, 173, 34, 23)]),
    "camera": outlined("camera", CAMERA_OUTLINE),
    "cat": outlined("chelsea", CAT_OUTLINE),
    "temple": outlined("china", TEMPLE_OUTLINE),
    "astronaut": outlined("astronaut", ASTRONAUT_OUTLINE),
}

TUNING: dict[str, Maker] = {
    "fibres": fibres,
    "dots and lines": dots_and_lines,
    "woven": woven,
    "dim cells": dim_cells,
    "leaves": leaves,
    "other nuclei": nuclei,
    "other membranes": membranes,
    "other vessels": vessels,
    "other stained": stained,
}


def scene(name: str, draw: int = 0) -> Picture:
    """A picture by name; another draw is another scene of the same kind (a photograph is always the same).

    Parameters
    ----------
    name : str
        Of `HELD_OUT` or `TUNING`.
    draw : int
    """
    make = {**HELD_OUT, **TUNING}[name]
    rng = np.random.default_rng([draw, *name.encode()])
    pixels, truth = make(rng)
    pixels = (np.rint(255 * np.clip(pixels, 0, 1)) / 255).astype(np.float32)
    return Picture(name, pixels, truth=truth.astype(np.uint8), truth_names=("rest", "object"))
