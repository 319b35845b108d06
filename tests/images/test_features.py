"""Feature maps: shapes, and that each measures what its name says."""

import numpy as np
import pytest

from cclab.images import FEATURES, features, flattened, load_image


@pytest.fixture(scope="module")
def grey():
    return load_image(np.random.default_rng(0).integers(0, 256, size=(20, 30), dtype=np.uint8))


@pytest.fixture(scope="module")
def colour():
    return load_image(np.random.default_rng(1).integers(0, 256, size=(20, 30, 3), dtype=np.uint8))


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("kind", ["grey", "colour"])
def test_every_map_is_float32_with_one_value_or_more_a_pixel(name, kind, request):
    picture = request.getfixturevalue(kind)
    values = FEATURES[name](picture)
    assert values.dtype == np.float32
    assert values.shape[:2] == picture.shape
    assert values.shape[2] == {"position": 2}.get(name, 3 if kind == "colour" else 1)
    assert np.isfinite(values).all()


@pytest.mark.parametrize("name", FEATURES)
def test_every_map_takes_a_single_pixel(name):
    assert FEATURES[name](load_image(np.array([[7]], dtype=np.uint8))).shape[:2] == (1, 1)


def test_smoothing_takes_noise_off_and_keeps_the_mean(grey):
    rough, smooth = features(grey, ["intensity"]), features(grey, {"smoothed": {"sigma": 2}})
    assert smooth.std() < rough.std() / 3
    assert smooth.mean() == pytest.approx(rough.mean(), abs=0.02)


def test_lab_is_the_same_for_a_grey_and_for_its_three_equal_channels(grey):
    from skimage.color import rgb2lab

    expected = rgb2lab(np.dstack([grey.pixels] * 3))[..., 0] / 100
    np.testing.assert_allclose(FEATURES["lab"](grey)[..., 0], expected, atol=1e-4)


def test_position_runs_to_its_weight_along_the_longer_side(grey):
    row, column = np.moveaxis(FEATURES["position"](grey, weight=0.5), 2, 0)
    assert column.max() == pytest.approx(0.5)
    assert row.max() == pytest.approx(0.5 * 19 / 29)


def test_texture_is_the_local_standard_deviation(grey):
    window = grey.pixels[7:12, 10:15]
    assert FEATURES["texture"](grey, size=5)[9, 12, 0] == pytest.approx(window.std(), abs=1e-6)
    assert FEATURES["texture"](load_image(np.full((9, 9), 77, dtype=np.uint8))).max() < 1e-6


def test_sharpening_parts_a_blurred_border_halfway():
    step = load_image(np.where(np.arange(40) < 17, 0.2, 0.8) * np.ones((12, 1)))
    smooth, sharp = FEATURES["smoothed"](step)[6, :, 0], FEATURES["sharpened"](step)[6, :, 0]
    assert ((smooth > 0.25) & (smooth < 0.75)).sum() >= 4
    np.testing.assert_allclose(sharp, step.pixels[6], atol=0.03)


def test_sharpening_a_colour_is_sharpening_its_channels(colour):
    from scipy import ndimage

    values = FEATURES["smoothed_lab"](colour)
    low, high = (f(values, size=(3, 3, 1)) for f in (ndimage.minimum_filter, ndimage.maximum_filter))
    expected = np.where(high - values < values - low, high, low)
    np.testing.assert_array_equal(FEATURES["sharpened_lab"](colour, rounds=1), expected)


def test_flattening_takes_a_ramp_of_light_away():
    rng = np.random.default_rng(0)
    spots = rng.random((120, 120)) < 0.5
    picture = load_image(0.1 * spots + np.linspace(0, 0.8, 120))
    values = flattened(picture, sigma=10).pixels
    inner = np.s_[30:-30, 30:-30]
    assert abs(np.corrcoef(values[inner].ravel(), spots[inner].ravel())[0, 1]) > 0.98
    assert "light" in flattened(picture).notes[0]


def test_features_are_rows_of_pixels_in_the_order_named(colour):
    table = features(colour, ["position", "intensity"])
    assert table.shape == (600, 5)
    np.testing.assert_array_equal(table[31, 2:], colour.pixels[1, 1])
    assert features(colour).shape == (600, 6)


@pytest.mark.parametrize(("names", "words"), [(["hue"], "'hue'; known are intensity"), ([], "at least one")])
def test_unknown_features_are_refused_in_words(grey, names, words):
    with pytest.raises(ValueError, match=words):
        features(grey, names)
