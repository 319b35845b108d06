"""A session as a figure looks as on a page."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from cclab import ECM, Session, load_dataset
from cclab.export.figure import draw
from cclab.looks.palette import hex_color
from cclab.looks.signs import FAINTEST, FORMS


@pytest.fixture
def session():
    session = Session(load_dataset("iris"), ECM(3))
    with pytest.warns(match="ECM has no use for"):  # and so violates some of it
        session.constrain(group=range(8), cannot_link=[[1, 50], [2, 40]], must_link=[[0, 59]])
    session.run(5)
    return session


@pytest.fixture
def axes():
    return Figure().add_subplot()


def test_the_legend_names_clusters_then_links_then_groups(session, axes):
    draw(session, axes)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names[:3] == ["1", "2", "3"]
    assert names[-3:] == ["cannot-link", "violated", "group"]


def test_forms_and_faintness_are_those_of_the_page(session, axes):
    draw(session, axes)
    samples = [drawn for drawn in axes.collections if isinstance(drawn, PathCollection) and len(drawn.get_offsets())]
    opacity = np.concatenate([drawn.get_facecolor()[:, 3] for drawn in samples if len(drawn.get_facecolor())])
    assert opacity.min() >= FAINTEST
    assert opacity.max() <= 1
    diamond = np.array(FORMS["diamond"].corners) / FORMS["diamond"].extent / 2  # as matplotlib scales its markers
    shapes = [drawn.get_paths()[0].vertices for drawn in samples]
    assert any(shape.shape == diamond.shape and np.allclose(shape, diamond) for shape in shapes)


@pytest.mark.parametrize("dark", [False, True])
def test_a_violated_link_is_red_and_wider(session, axes, dark):
    draw(session, axes, dark=dark)
    lines = next(drawn for drawn in axes.collections if isinstance(drawn, LineCollection))
    red = [to_hex(color).upper() == hex_color("--cc-bad", dark=dark) for color in lines.get_colors()]
    assert 0 < sum(red) < len(red)
    assert min(lines.get_linewidths()[red]) > max(lines.get_linewidths()[~np.array(red)])
