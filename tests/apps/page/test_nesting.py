"""Clustering again what is selected, and the way back: at once, after a reload, through two levels."""

import numpy as np
import pytest

from tests.front_end import is_shown


@pytest.fixture
def inside(open_page):
    """A page on a hundred samples of iris, where nothing else was done before."""
    page = open_page("iris", "COPKMeans")
    page.arrive()
    page.lasso(np.arange(50, 150))
    page.page.nesting.go_in()
    return page


def offers_a_way_back(page):
    return is_shown(page.page.nesting.widget)


def reloaded(page, open_page):
    place = page.page.shell.place
    page.page.close()
    again = open_page("iris", "COPKMeans")
    again.arrive(wanted=place, returning=True)
    return again


def test_back_leads_to_the_session_itself_and_to_no_copy_of_it(inside):
    assert inside.session.data.n_samples == 100
    assert offers_a_way_back(inside)
    inside.page.nesting.back()
    assert inside.session.data.n_samples == 150
    assert not offers_a_way_back(inside)
    assert len(inside.page.visit.store.entries()) == 1  # in the one inside nothing was done


def test_the_way_back_is_there_after_a_reload(inside, open_page):
    inside.session.run()
    again = reloaded(inside, open_page)
    assert again.session.data.n_samples == 100
    assert "100 samples</b> of 150 again" in again.page.nesting.words.value
    again.page.nesting.take_back()
    assert again.session.data.n_samples == 150
    assert {each.source for each in again.session.constraints.statements()} == {"nested"}
    assert again.page.desk.selection.tolist() == list(range(50, 150))
    assert not offers_a_way_back(again)


def test_two_levels_are_left_one_after_the_other(inside, open_page):
    inside.lasso(np.arange(40))
    inside.page.nesting.go_in()
    again = reloaded(inside, open_page)
    sizes = [again.session.data.n_samples]
    while offers_a_way_back(again):
        again.page.nesting.back()
        sizes.append(again.session.data.n_samples)
    assert sizes == [40, 100, 150]


def test_other_data_have_no_way_back_and_a_session_that_is_gone_neither(inside, open_page):
    outer = inside.page.nesting.outer.entry
    inside.press("ArrowRight")
    inside.page.open_data("wine")
    assert not offers_a_way_back(inside)
    inside.accept()  # Back, to the hundred
    assert offers_a_way_back(inside)
    inside.page.visit.store.discard(outer)
    inside.page.nesting.back()
    assert inside.session.data.n_samples == 100
    assert not offers_a_way_back(reloaded(inside, open_page))


def test_a_broken_way_back_is_none(inside, open_page):
    (path,) = inside.page.visit.entry.folder.glob("nested-in-*.npy")
    path.write_bytes(b"\x93NUMPY no array")
    assert not offers_a_way_back(reloaded(inside, open_page))
