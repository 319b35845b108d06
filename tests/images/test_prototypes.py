"""Which dabs found prototypes, which join one, and which are corrections of their own pixels."""

import numpy as np
import pytest

from cclab.images import Stroke, surviving_pixels
from cclab.images.prototypes import Palette

SHAPE = (60, 100)
NOISE = 0.02


def palette(*places):
    """Dabs in columns of a picture whose grey is given for each: (region, grey, height)."""
    grey = np.random.default_rng(0).normal(0, NOISE, SHAPE)
    strokes = []
    for k, (region, value, height) in enumerate(places):
        left = 10 * k + 2
        grey[:, left : left + 6] += value
        strokes.append(Stroke("polygon", region, 1, [[left, 0], [left + 6, 0], [left + 6, height], [left, height]]))
    # Something else on the picture, so that its spread does not follow from the paint.
    grey[:, 90:] += np.linspace(0, 1, 10)
    return Palette.of(strokes, surviving_pixels(strokes, SHAPE), grey.reshape(-1, 1))


def roles(*places):
    dabs = palette(*places).dabs
    return ["founds" if dab.founds else "corrects" if dab.prototype is None else "joins" for dab in dabs]


LESION, TISSUE = (1, 0.8, 40), (2, 0.4, 40)


def test_the_first_dab_of_a_region_founds_a_prototype():
    found = palette(LESION, TISSUE)
    assert [dab.prototype for dab in found.dabs] == [0, 1]
    assert found.regions.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("dab", "role"),
    [
        ((2, 0.41, 40), "joins"),  # like its region
        ((2, 0.1, 40), "founds"),  # beyond it, away from the other
        ((2, 0.1, 12), "founds"),  # the same, if smaller
        ((2, 0.1, 3), "corrects"),  # a mere touch: it founds nothing, and does not draw its region along
        ((2, 0.7, 12), "founds"),  # clearly astray: the other region's would take it
        ((2, 0.605, 12), "corrects"),  # halfway, small: what a border looks like
        ((2, 0.605, 40), "founds"),  # halfway, large: a thing of its own
        ((2, 0.79, 40), "corrects"),  # where the other region is
    ],
)
def test_a_further_dab_founds_where_no_mix_of_regions_would_be(dab, role):
    assert roles(LESION, TISSUE, dab)[2] == role


def test_how_mixed_a_dab_may_be_grows_with_its_distance():
    """Flat first dabs make small units: a dab far away that is less flat is a thing of its own all the same."""
    rng = np.random.default_rng(1)
    grey = rng.normal(0.4, 0.005, SHAPE)
    grey[:, :10] = rng.normal(0.8, 0.005, (60, 10))
    grey[:, 50:] = rng.normal(0.05, 0.012, (60, 50))

    def dab(region, left):
        return Stroke("polygon", region, 1, [[left, 5], [left + 6, 5], [left + 6, 45], [left, 45]])

    strokes = [dab(1, 2), dab(2, 30), dab(2, 60)]
    assert Palette.of(strokes, surviving_pixels(strokes, SHAPE), grey.reshape(-1, 1)).dabs[2].founds
    both = grey.copy()
    both[:, 60:63] = 0.4  # half of it is the tissue that is painted already
    assert not Palette.of(strokes, surviving_pixels(strokes, SHAPE), both.reshape(-1, 1)).dabs[2].founds
