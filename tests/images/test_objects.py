"""Objects partition the pixels; values go up and strokes come down."""

import numpy as np
import pytest

from cclab.images import distinct_values, features, load_image, single_pixels, superpixels

KINDS = {"values": distinct_values, "superpixels": superpixels, "pixels": single_pixels}


@pytest.fixture(scope="module")
def grey():
    return load_image("phantom")


@pytest.fixture(scope="module")
def colour():
    return load_image(np.random.default_rng(1).integers(0, 256, size=(20, 30, 3), dtype=np.uint8))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", ["grey", "colour"])
def test_objects_partition_the_pixels(kind, which, request):
    picture = request.getfixturevalue(which)
    values = features(picture)
    objects = KINDS[kind](picture, values)
    labels = objects.labels_of_pixels
    assert objects.kind == kind
    assert labels.shape == picture.shape
    np.testing.assert_array_equal(np.bincount(labels.ravel(), minlength=len(objects)), objects.multiplicity)
    assert objects.multiplicity.min() >= 1
    assert objects.features.shape == (len(objects), values.shape[1])
    for each in (0, len(objects) // 2, len(objects) - 1):
        mine = values[labels.ravel() == each]
        np.testing.assert_allclose(objects.features[each], mine.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_values_lift_to_pixels_and_strokes_come_down_as_shares(kind, grey):
    objects = KINDS[kind](grey)
    lifted = objects.lift(np.arange(len(objects)))
    np.testing.assert_array_equal(lifted, objects.labels_of_pixels)
    assert objects.lift(np.ones((len(objects), 2))).shape == (*grey.shape, 2)
    stroke = np.arange(9000, 9400)
    members, shares = objects.overlap(stroke)
    assert shares.sum() == 400
    for member, share in list(zip(members, shares))[:5]:
        assert share == (objects.labels_of_pixels.ravel()[stroke] == member).sum()
    assert (shares <= objects.multiplicity[members]).all()
    with pytest.raises(ValueError, match="3 values for"):
        objects.lift(np.zeros(3))


def test_distinct_values_are_the_grey_levels_that_occur(grey):
    objects = distinct_values(grey)
    levels, counts = np.unique(np.rint(grey.pixels * 255), return_counts=True)
    np.testing.assert_allclose(objects.features[:, 0] * 255, levels, atol=1e-4)
    np.testing.assert_array_equal(objects.multiplicity, counts)
    assert objects.affinity is None


def test_all_values_of_a_sixteen_bit_picture_are_told_apart():
    values = np.arange(2**16, dtype=np.uint16).reshape(256, 256)
    assert len(distinct_values(load_image(values))) == 2**16
    assert len(distinct_values(load_image(values[:2]))) == 512


def test_values_of_several_features_are_those_of_their_steps(colour):
    values = features(colour, ["intensity"])
    objects = distinct_values(colour, values, n_levels=8)
    steps = np.rint((values - values.min(0)) / np.ptp(values, 0) * 7)
    assert len(objects) == len(np.unique(steps, axis=0))
    many = distinct_values(colour, values, n_levels=2**13)  # too many codes to count
    assert len(many) == len(np.unique(values, axis=0))


def test_neighbouring_pixels_are_tied_and_no_others(colour):
    ties = single_pixels(colour).affinity
    height, width = colour.shape
    assert ties.nnz == 2 * (height * (width - 1) + width * (height - 1))
    np.testing.assert_allclose((ties - ties.T).data, 0)
    assert ties[5, 6] > 0
    assert ties[5, 5 + width] > 0
    assert ties[width - 1, width] == 0


def test_ties_follow_their_formula():
    from scipy.ndimage import gaussian_filter

    picture = load_image("camera")
    guide = gaussian_filter(picture.pixels, 1, mode="nearest").astype(float)
    across, down = np.diff(guide, axis=1) ** 2, np.diff(guide, axis=0) ** 2
    mean = np.concatenate([across.ravel(), down.ravel()]).mean()
    ties = single_pixels(picture).affinity
    for row, column in [(100, 100), (250, 133), (300, 400)]:
        pixel = row * picture.shape[1] + column
        expected = 4 * max(0.1, np.exp(-across[row, column] / (2 * mean)))
        assert ties[pixel, pixel + 1] == ties[pixel + 1, pixel] == pytest.approx(expected, rel=1e-3)
        below, expected = pixel + picture.shape[1], 4 * max(0.1, np.exp(-down[row, column] / (2 * mean)))
        assert ties[pixel, below] == ties[below, pixel] == pytest.approx(expected, rel=1e-3)


def test_superpixels_are_connected_tied_to_what_they_touch_and_follow_edges():
    from scipy.ndimage import label

    half = np.zeros((40, 60), dtype=np.uint8)
    half[:, 30:] = 200
    objects = superpixels(load_image(half), n_objects=24)
    assert 12 <= len(objects) <= 48
    for each in range(len(objects)):
        assert label(objects.labels_of_pixels == each)[1] == 1
    labels = objects.labels_of_pixels
    assert not set(labels[:, :30].ravel()) & set(labels[:, 30:].ravel())
    touching = {tuple(sorted(pair)) for pair in zip(labels[:, :-1].ravel(), labels[:, 1:].ravel())}
    touching |= {tuple(sorted(pair)) for pair in zip(labels[:-1].ravel(), labels[1:].ravel())}
    assert {tuple(sorted(p)) for p in zip(*objects.affinity.nonzero())} == {p for p in touching if p[0] != p[1]}
    within = objects.affinity[[labels[20, 2]], labels[20, 2:28]]
    across = objects.affinity[labels[20, 29], labels[20, 30]]
    assert within.max() == pytest.approx(4, abs=0.05)
    assert across == pytest.approx(0.4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (6, 5)])
def test_one_colour_and_tiny_pictures_have_objects_too(kind, shape):
    objects = KINDS[kind](load_image(np.full(shape, 7, dtype=np.uint8)))
    assert objects.multiplicity.sum() == shape[0] * shape[1]
    if objects.affinity is not None:
        assert np.isfinite(objects.affinity.data).all()


@pytest.mark.parametrize("kind", KINDS)
def test_features_of_another_picture_are_refused(kind, grey):
    with pytest.raises(ValueError, match=r"39277 pixels; got the shape \(5, 2\)"):
        KINDS[kind](grey, np.zeros((5, 2)))


def test_the_callers_features_stay_writeable(colour):
    values = features(colour).copy()
    single_pixels(colour, values)
    values[0] = 0
