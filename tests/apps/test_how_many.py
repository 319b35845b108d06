"""How many clusters, without a browser."""

import re

import numpy as np
import pytest

from cclab.apps import how_many
from tests.apps.visitor import VISITOR, lasso, press
from tests.front_end import living, send

pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def page():
    page = how_many(4, 5.0, solver="PCCA")
    yield page
    page.close()


def plain(html):
    return re.sub(r"<[^>]*>", " ", html)


def notes(page):
    return [plain(html) for _, html in page.happenings.rows.rows]


def test_centres_fade_and_the_page_says_why(page):
    assert "Nothing yet" in notes(page)[0]
    before = page.desk.session.partition.n_clusters
    page.desk.session.run()
    assert page.desk.session.partition.n_clusters == 4 < before
    assert re.search(r"4 +clusters +drawn from 4", plain(page.count._now.value))
    assert any("merged into" in note or "vanished" in note for note in notes(page))
    assert len(page.scatter.points._ghosts) == before - 4
    assert page.count.chart.lines[0].y[0] == before
    assert page.count.chart.lines[0].y[-1] == 4


def test_a_note_leads_back_to_its_step(page):
    page.desk.session.run()
    key, _ = page.happenings.rows.rows[-1]
    place = key.split("-")[0]
    send(page.happenings.rows, {"type": "act", "action": "go", "id": place})
    assert page.desk.session.position == int(place)


def test_sliders_draw_other_gaussians_and_never_tell_the_solver_their_number(page):
    page.number.value = 3
    page.features.value = 8
    page.separation.value = 6.0
    data = page.desk.session.data
    assert (data.n_classes, data.n_features) == (3, 8)
    assert (data.made_from.name, data.made_from.parameters["separation"]) == ("gaussians", 6.0)
    assert page.desk.session.solver.n_clusters is None
    first = data.X
    press(page, "n")
    assert not np.array_equal(page.desk.session.data.X, first)


def test_another_solver_starts_anew(page):
    page.desk.session.step()
    page.solver.value = "CompetitiveMixture"
    session = page.desk.session
    assert (type(session.solver).__name__, session.current.summary.iteration) == ("CompetitiveMixture", 0)
    page.desk.session.step(3)
    assert session.partition.n_clusters > 4
    press(page, "ctrl+z")
    assert session.current.summary.iteration == 2


def test_links_by_lasso(page):
    lasso(page.scatter, range(12))
    press(page, "m")
    assert len(page.desk.session.constraints.groups) == 1
    press(page, "ctrl+z")
    assert len(page.desk.session.constraints) == 0


def test_the_session_and_its_sliders_are_found_again():
    first = how_many()
    first.shell.set_state({"visitor": VISITOR})
    first.number.value = 6
    first.separation.value = 2.5
    first.desk.session.step(2)
    first.close()
    second = how_many()
    second.shell.set_state({"visitor": VISITOR})
    assert (second.number.value, second.separation.value, second.features.value) == (6, 2.5, 2)
    assert second.desk.session.current.summary.iteration == 2
    second.close()


def test_a_solver_that_needs_the_number_is_refused():
    with pytest.raises(ValueError, match="'FCM' does not find the number of clusters"):
        how_many(solver="FCM")


def test_closing_frees_every_widget():
    before = living().keys()
    page = how_many(solver="PCCA")
    page.desk.session.step()
    page.close()
    assert living().keys() <= before
