"""Credal explained, without a browser."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from cclab.apps import credal
from tests.front_end import living, send


@pytest.fixture
def page():
    page = credal()
    yield page
    page.close()


def shown(widget):
    return re.sub(r"<[^>]*>", " ", widget.value)


def map_of(page):
    return np.asarray(Image.open(io.BytesIO(page.plane._map.image.value)))


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("Near", "surely 1"),
        ("Between two", "1 or 2: can’t tell"),
        ("Between all", "any: can’t tell"),
        ("Far", "none: too far from every centre"),
    ],
)
def test_each_place_has_its_words(page, preset, words):
    button = next(b for b in living().values() if getattr(b, "description", "") == preset)
    button.click()
    assert page.verdict == words
    assert words[1:] in shown(page._verdict)


def test_masses_add_up_and_belief_is_below_plausibility(page):
    belief = page.belief
    assert belief.masses.sum() == pytest.approx(1)
    assert len(belief.focal_sets) == 8
    for k in range(3):
        assert belief.belief(k)[0] <= belief.pignistic[0, k] * (1 - belief.empty_mass[0]) <= belief.plausibility(k)[0]
    assert shown(page._masses).count("surely") == 3


def test_alpha_takes_mass_from_large_sets(page):
    page.plane.move_sample(6.0, 2.8)
    before = page.belief.nonspecificity()[0]
    page.alpha.value = 3.5
    assert page.belief.nonspecificity()[0] < before
    page.alpha.value = 0.0
    assert page.belief.nonspecificity()[0] > before


def test_rho_decides_what_is_too_far(page):
    page.plane.move_sample(11.5, 8.2)
    page.rho.value = 8.0
    mass = page.belief.empty_mass[0]
    page.rho.value = 1.0
    assert page.belief.empty_mass[0] > mass
    white = (map_of(page)[..., 3] == 0).mean()
    page.rho.value = 8.0
    assert (map_of(page)[..., 3] == 0).mean() < white


def test_sliders_clicks_and_drags_move_the_sample(page):
    page.across.value = 7.4
    assert page.plane.sample.tolist() == [7.4, page.up.value]
    send(page.plane._map, {"event": "element_click", "data": {"click_x": 2.6, "click_y": 1.6}})
    assert page.plane.sample.tolist() == [2.6, 1.6]
    assert (page.across.value, page.up.value) == (2.6, 1.6)
    page.plane._sample.set_state({"x": [99.0]})
    assert page.plane.sample.tolist() == [12.0, 1.6]


def test_dragging_a_centre_redraws_the_map(page):
    before = map_of(page)
    page.plane.move_centers([[1.0, 1.0], [9.0, 1.0], [5.0, 5.0]])
    assert not np.array_equal(map_of(page), before)
    assert page.plane._names.x.tolist() == [1.0, 9.0, 5.0]


def test_two_clusters(page):
    page.number.value = 2
    assert len(page.belief.focal_sets) == 4
    assert len(page.plane.centers) == 2
    page.number.value = 3
    assert len(page.plane.centers) == 3


def test_centres_on_one_place_are_no_error(page):
    page.plane.move_centers([[5.0, 3.0]] * 3)
    page.plane.move_sample(5.0, 3.0)
    assert np.isfinite(page.belief.masses).all()


def test_the_map_follows_the_theme(page):
    before = map_of(page)
    page.shell.theme = "dark"
    assert not np.array_equal(map_of(page)[..., :3], before[..., :3])


def test_closing_frees_every_widget():
    before = living().keys()
    page = credal()
    page.plane.move_centers([[1.0, 1.0], [9.0, 1.0], [5.0, 5.0]])
    page.close()
    assert living().keys() <= before
