"""Strokes become pixels: checked against distances computed pixel by pixel."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

import cclab.images.strokes as strokes
from cclab.images.strokes import Stroke, rasterize, surviving_pixels

SHAPE = (37, 53)


def centres(shape):
    row, column = np.indices(shape)
    return np.stack([column + 0.5, row + 0.5], axis=-1).reshape(-1, 2)


def distance_to_path(points, shape):
    points = np.asarray(points, dtype=float)
    pairs = list(pairwise(points)) or [(points[0], points[0])]
    best = np.full(shape[0] * shape[1], np.inf)
    for p, q in pairs:
        d = q - p
        t = np.clip((centres(shape) - p) @ d / max(d @ d, 1e-300), 0, 1)
        best = np.minimum(best, np.linalg.norm(centres(shape) - p - t[:, None] * d, axis=1))
    return best


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("size", [1.5, 3, 8.3, 30])
def test_a_brush_covers_what_lies_within_half_its_size(seed, size):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-10, 60, size=(rng.integers(1, 8), 2)).astype(np.float32)
    covered = rasterize(Stroke("brush", 1, size, points), SHAPE)
    distance = distance_to_path(points, SHAPE)
    np.testing.assert_array_equal(covered, np.flatnonzero(distance <= size / 2))


def test_axis_parallel_strokes_are_covered_too():
    for points in ([[5, 5], [30, 5]], [[5, 5], [5, 30]], [[20.5, 3.5], [20.5, 3.5]]):
        covered = rasterize(Stroke("brush", 1, 6, points), SHAPE)
        np.testing.assert_array_equal(covered, np.flatnonzero(distance_to_path(points, SHAPE) <= 3))


@pytest.mark.parametrize("seed", range(20))
def test_the_thinnest_brush_leaves_an_unbroken_line(seed):
    from scipy.ndimage import label

    points = np.random.default_rng(seed).uniform(0, 37, size=(4, 2))
    mask = np.zeros(SHAPE, dtype=bool)
    mask.flat[rasterize(Stroke("brush", 1, 0.3, points), SHAPE)] = True
    assert label(mask)[1] == 1
    crossed = {(int(y), int(x)) for t in np.linspace(0, 1, 999) for x, y in [points[0] * (1 - t) + points[1] * t]}
    assert all(mask[pixel] for pixel in crossed)


def test_a_click_of_a_one_pixel_brush_paints_one_pixel():
    for offset in np.linspace(0.01, 0.99, 9):
        assert rasterize(Stroke("brush", 1, 1, [[4 + offset, 7 + offset]]), SHAPE).tolist() == [7 * 53 + 4]


@pytest.mark.parametrize("seed", range(20))
def test_a_polygon_covers_the_centres_inside_by_the_even_odd_rule(seed):
    from matplotlib.path import Path

    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0, 2 * np.pi, 9))  # star-shaped, so every inside test agrees
    radii = rng.uniform(4, 30, 9)
    points = np.column_stack([26 + radii * np.cos(angles), 18 + radii * np.sin(angles)]).astype(np.float32)
    covered = rasterize(Stroke("polygon", 1, 1, points), SHAPE)
    np.testing.assert_array_equal(covered, np.flatnonzero(Path(points).contains_points(centres(SHAPE))))


def test_a_polygon_that_crosses_itself_leaves_its_doubly_wound_part_empty():
    twice_around = [[5, 5], [25, 5], [25, 25], [5, 25], [10, 10], [20, 10], [20, 20], [10, 20]]
    mask = np.zeros(SHAPE, dtype=bool)
    mask.flat[rasterize(Stroke("polygon", 1, 1, twice_around), SHAPE)] = True
    assert mask[6, 15]
    assert not mask[18, 15]


def test_polygons_that_share_an_edge_neither_overlap_nor_leave_a_gap():
    left = rasterize(Stroke("polygon", 1, 1, [[0, 0], [20.5, 0], [10.5, 37], [0, 37]]), SHAPE)
    right = rasterize(Stroke("polygon", 1, 1, [[20.5, 0], [53, 0], [53, 37], [10.5, 37]]), SHAPE)
    np.testing.assert_array_equal(np.sort(np.concatenate([left, right])), np.arange(37 * 53))


@pytest.mark.parametrize("kind", ["brush", "polygon", "erase"])
def test_a_stroke_outside_the_image_covers_nothing(kind):
    for points in ([[-50, -50], [-20, -20], [-50, -20]], [[80, 5], [90, 9], [99, 5]]):
        assert rasterize(Stroke(kind, 1, 5, points), SHAPE).tolist() == []


def test_later_strokes_lie_on_top():
    wide = Stroke("brush", 1, 9, [[10, 10], [30, 10]])
    thin = Stroke("brush", 2, 3, [[20, 2], [20, 20]])
    erased = Stroke("erase", 0, 5, [[30, 10]])
    of_wide, of_thin, of_eraser = surviving_pixels([wide, thin, erased], SHAPE)
    np.testing.assert_array_equal(of_thin, rasterize(thin, SHAPE))
    gone = np.concatenate([rasterize(thin, SHAPE), rasterize(erased, SHAPE)])
    np.testing.assert_array_equal(of_wide, np.setdiff1d(rasterize(wide, SHAPE), gone))
    assert of_eraser.size == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "spray"}, "brush, polygon, erase"),
        ({"region": -1}, "numbered from 0"),
        ({"size": 0}, "positive"),
        ({"size": np.nan}, "positive"),
        ({"points": [1, 2]}, r"\(n_points, 2\)"),
        ({"points": np.empty((0, 2))}, "at least one"),
        ({"points": [[1, np.nan]]}, "finite"),
    ],
)
def test_bad_strokes_are_refused_in_words(change, words):
    with pytest.raises(ValueError, match=words):
        Stroke(**{"kind": "brush", "region": 1, "size": 5, "points": [[1, 1]]} | change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"region": 10**9}, "32 regions at most; got region 1000000000"),
        ({"region": 1.5}, "numbered from 0"),
        ({"region": "1"}, "numbered from 0"),
        ({"region": None}, "numbered from 0"),
        ({"size": 1e30}, "1,000,000 at most"),
        ({"size": "wide"}, "positive number"),
        ({"points": [[10**400, 1]]}, "pairs of numbers"),
        ({"points": [["a", "b"]]}, "pairs of numbers"),
        ({"points": [[1, 2], [3]]}, "pairs of numbers"),
        ({"points": [[1e30, 1]]}, "within 1,000,000 pixels of the picture; got 1e"),
        ({"points": np.zeros((100_001, 2))}, "100,001 points of a stroke are more than the 100,000"),
    ],
)
def test_extreme_strokes_are_refused_in_words(change, words):
    with pytest.raises(ValueError, match=words):
        Stroke(**{"kind": "brush", "region": 1, "size": 5, "points": [[1, 1]]} | change)


@pytest.mark.parametrize("kind", ["brush", "polygon"])
def test_long_paths_are_met_band_by_band_and_cover_the_same(kind, monkeypatch):
    path = np.random.default_rng(0).uniform(-5, 60, size=(200, 2))
    whole = rasterize(Stroke(kind, 1, 4, path), SHAPE)
    monkeypatch.setattr(strokes, "_MOST_AT_A_TIME", 600)
    np.testing.assert_array_equal(rasterize(Stroke(kind, 1, 4, path), SHAPE), whole)


def test_a_long_thick_stroke_takes_little_memory():
    path = np.random.default_rng(0).uniform(0, 2000, size=(4_000, 2))
    tracemalloc.start()
    assert len(rasterize(Stroke("brush", 1, 2000, path), (1000, 100))) == 100_000
    assert tracemalloc.get_traced_memory()[1] < 500e6
    tracemalloc.stop()


def test_many_strokes_over_the_whole_picture_take_little_memory():
    everything = Stroke("brush", 1, 5000, [[100, 100]])
    tracemalloc.start()
    left = surviving_pixels([everything] * 100, (1000, 1000))
    assert tracemalloc.get_traced_memory()[1] < 200e6
    tracemalloc.stop()
    assert [len(pixels) for pixels in left] == [0] * 99 + [10**6]
