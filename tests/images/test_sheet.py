"""Large pictures: what is seen, learned and found in blocks is what it would be in one."""

import numpy as np
import pytest

from cclab.images import Options, Painting, Recipe, Stroke, batch, learned, load_image, over_slices, pose, sheet
from cclab.images.regions import dice

ROUGH, SMOOTH = Stroke("brush", 1, 8, [[30, 20], [40, 150]]), Stroke("brush", 2, 8, [[250, 20], [240, 160]])


def rough_beside_smooth(shape=(180, 280)):
    truth = np.broadcast_to(np.arange(shape[1]) < shape[1] // 2, shape)
    noise = np.random.default_rng(0).standard_normal(shape)
    return load_image(np.clip(0.5 + np.where(truth, 0.16, 0.05) * noise, 0, 1), name="rough"), truth


@pytest.fixture
def in_blocks(monkeypatch):
    """As if the picture were large."""
    for room, name, value in ((sheet, "BLOCK", 80), (sheet, "AT_PAINT", 40), (sheet, "MOST_KEPT", 160**2 * 1.5)):
        monkeypatch.setattr(room, name, value)
    monkeypatch.setattr(pose, "MOST_KEPT", sheet.MOST_KEPT)
    for room in (learned, batch):
        monkeypatch.setattr(room, "MOST_PIXELS", 1000)


def test_blocks_cover_a_picture_once_and_look_around():
    seen = np.zeros((500, 700), dtype=int)
    for row in sheet.blocks_of(seen.shape, halo=30, size=200):
        for block in row:
            seen[block.core] += 1
            assert np.indices(seen.shape)[:, *block.around][:, *block.inner].shape[1:] == seen[block.core].shape
    assert (seen == 1).all()
    assert len(sheet.blocks_of((100, 100), halo=30, size=60)) == 1


@pytest.mark.parametrize("filters", [True, False])
def test_what_is_seen_at_paint_is_what_is_seen_everywhere(in_blocks, monkeypatch, filters):
    one = sheet.Sheet(rough_beside_smooth()[0])
    pixels, options = ROUGH.covers(one.picture.shape), Options(learn=True)
    parts = one.at(pixels, options, filters=filters)
    whole = (one.bank(options).values if filters else one.features(options))[pixels]
    np.testing.assert_allclose(parts, whole, atol=2e-4)


@pytest.mark.parametrize("learn", [True, False])
def test_masks_in_blocks_are_those_of_the_whole(in_blocks, monkeypatch, learn):
    picture, truth = rough_beside_smooth()
    if not learn:
        picture = load_image(np.where(truth, 0.3, 0.6) + 0.1 * (picture.pixels - 0.5), name="dark")
    recipe = Recipe((ROUGH, SMOOTH), Options(objects="pixels", learn=learn))
    found = next(over_slices(Painting(picture), recipe))
    monkeypatch.undo()
    whole = next(over_slices(Painting(picture), recipe))
    assert (found.whole == whole.whole).mean() > 0.995
    assert dice(found.whole == 1, truth) > 0.95


def test_where_filters_are_known_blocks_look_less_far_and_masks_stay_the_same(monkeypatch):
    picture, _ = rough_beside_smooth()
    monkeypatch.setattr(sheet, "BLOCK", 80)
    model = Painting(picture).model(Recipe((ROUGH, SMOOTH), Options(objects="pixels", learn=True)))
    before, known = sheet.Sheet(picture), sheet.Sheet(picture)
    known.bank(model.options)
    first, second = (next(iter(one.blocks(model.options)))[0].around[0].stop for one in (before, known))
    assert second < first
    assert (model.over(before, picture).whole == model.over(known, picture).whole).mean() > 0.999


def test_a_reduced_picture_is_learned_from_and_masked_at_full_size(in_blocks):
    """The texture that tells the halves apart is gone in the reduced picture; the mask finds it all the same."""
    picture, truth = rough_beside_smooth()
    small = picture.reduced(4)
    strokes = [Stroke(s.kind, s.region, s.size / 4, s.points / 4) for s in (ROUGH, SMOOTH)]
    recipe = Recipe(tuple(strokes), Options(learn=True), ("Rough", "Smooth"))
    found = next(over_slices(Painting(small), recipe))
    assert found.whole.shape == picture.shape
    assert found.labels.shape == found.doubt.shape == small.shape
    assert dice(found.whole == 1, truth) > 0.97
    assert found.measured()["pixels"].sum() == truth.size


def test_what_is_painted_and_what_touches_it_holds_in_blocks(in_blocks):
    picture, _ = rough_beside_smooth()
    pixels = np.where(np.indices(picture.shape)[1] % 140 < 60, 0.2, 0.8)
    apart = load_image(pixels + 0.02 * picture.pixels, name="two dark stripes")
    odd = Stroke("brush", 2, 9, [[20, 100]])
    recipe = Recipe((ROUGH, SMOOTH, odd), Options(objects="pixels", connected=(1,)))
    labels = next(over_slices(Painting(apart), recipe)).whole
    assert (labels.ravel()[odd.covers(labels.shape)] == 2).all()
    assert (labels[:, 145:195] == 2).all()  # as dark, but touched by no paint of region 1
    assert (labels[10:90, 5:55] == 1).mean() > 0.9
