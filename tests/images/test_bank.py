"""Filters by scale: each answers to what it is about, and to nothing else."""

import numpy as np
import pytest

from cclab.images import load_image
from cclab.images.bank import KINDS, Bank


def of(pixels):
    return Bank.of(load_image(np.asarray(pixels, dtype=np.float32)))


def strongest(bank, one, other):
    """The kind of the map that tells two places apart best."""
    apart = np.abs(bank.values[one].mean(axis=0) - bank.values[other].mean(axis=0))
    spread = bank.values[np.concatenate([one, other])].std(axis=0) + 1e-6
    within = np.maximum(bank.values[one].std(axis=0), bank.values[other].std(axis=0)) + 1e-3 * spread
    return bank.kinds[int(np.argmax(apart / within))]


def halves(left, right):
    """Flat indices well inside the two halves of a picture, and the picture."""
    pixels = np.concatenate([left, right], axis=1)
    at = np.arange(pixels.size).reshape(pixels.shape)
    return pixels, at[20:-20, 20 : left.shape[1] - 20].ravel(), at[20:-20, left.shape[1] + 20 : -20].ravel()


@pytest.mark.parametrize("colour", [False, True])
def test_a_row_for_each_pixel_and_a_name_for_each_map(colour):
    pixels = np.random.default_rng(0).uniform(size=(20, 30, 3) if colour else (20, 30))
    bank = of(pixels)
    assert bank.values.shape == (600, len(bank.kinds)) == (600, len(bank.scales))
    assert bank.values.dtype == np.float32
    assert np.isfinite(bank.values).all()
    assert set(bank.kinds) <= set(KINDS)
    assert ("colour" in bank.kinds) == colour
    assert len(bank.columns(("texture",))) == bank.kinds.count("texture")
    assert len(bank.columns(())) == len(bank.kinds)


def test_rough_and_smooth_differ_in_texture():
    noise = np.random.default_rng(0).standard_normal((80, 80))
    pixels, one, other = halves(0.5 + 0.15 * noise, 0.5 + 0.03 * noise)
    assert strongest(of(np.clip(pixels, 0, 1)), one, other) == "texture"


def test_stripes_of_two_ways_differ_in_direction():
    y, x = np.indices((80, 80))
    pixels, one, other = halves(0.5 + 0.3 * np.sin(x), 0.5 + 0.3 * np.sin(y))
    assert strongest(of(pixels), one, other) == "direction"


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (3, 2), (17, 200)])
def test_pictures_of_any_shape(shape):
    bank = of(np.random.default_rng(0).uniform(size=shape))
    assert bank.values.shape[0] == shape[0] * shape[1]
    assert np.isfinite(bank.values).all()


def test_wide_smoothing_on_fewer_pixels_is_as_good():
    from scipy import ndimage

    from cclab.images.bank import _blur

    values = np.random.default_rng(0).uniform(size=(90, 70)).astype(np.float32)
    exact = ndimage.gaussian_filter(values, 8, mode="nearest")
    inner = np.s_[16:-16, 16:-16]  # at the border one pixel is repeated there, the mean of a few here
    assert np.abs(_blur(values, 8.0) - exact)[inner].max() < 0.15 * exact.std()


@pytest.mark.parametrize("colour", [False, True])
def test_strips_give_what_the_whole_gives(monkeypatch, colour):
    from cclab.images import bank

    pixels = np.random.default_rng(0).uniform(size=(300, 24, 3) if colour else (300, 24))
    whole = of(pixels)
    monkeypatch.setattr(bank, "STRIP", 64)
    np.testing.assert_allclose(of(pixels).values, whole.values, atol=2e-3)
    monkeypatch.setattr(bank, "PRECISE", 100)
    assert of(pixels).values.dtype == np.float16
