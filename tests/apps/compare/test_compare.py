"""Compare, without a browser."""

import numpy as np
import pytest

from cclab import COPKMeans
from cclab.apps import compare
from tests.apps.visitor import lasso, plain, press
from tests.front_end import living, send

pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def page():
    page = compare("iris", "CECM", "COPKMeans", seed=1)
    yield page
    page.close()


def numbers_of(linked, place):
    """The number that each sample's cluster has at a desk."""
    snapshot = linked.desks[place].session.current
    return np.array(linked.look_of(linked.desks[place], snapshot).numbers)[snapshot.partition.labels()]


def places(page):
    """Iteration and number of statements, at each desk."""
    return [(d.session.current.summary.iteration, len(d.session.constraints)) for d in page.linked.desks]


def test_one_gesture_states_to_both(page):
    lasso(page.other_scatter, [1, 2, 3, 60])
    assert page.desk.selection.tolist() == page.other.selection.tolist() == [1, 2, 3, 60]
    press(page, "m")
    for desk in page.linked.desks:
        (block,) = desk.session.constraints.groups.block
        assert desk.session.constraints.blocks.row(block)[0].tolist() == [1, 2, 3, 60]
    lasso(page.scatter, [5])
    press(page, "c")
    assert page.other.first_selection.tolist() == [5]
    lasso(page.other_scatter, [100])
    press(page, "Enter")
    assert [len(desk.session.constraints) for desk in page.linked.desks] == [2, 2]


def test_forgetting_is_shared_too(page):
    page.other.session.constrain(must_link=[[0, 1]])
    assert len(page.desk.session.constraints) == 1
    page.desk.session.constrain(forget=page.desk.session.constraints.ids.tolist())
    assert len(page.other.session.constraints) == 0


def test_step_and_run_move_both(page):
    press(page, "ArrowRight")
    assert [desk.session.current.summary.iteration for desk in page.linked.desks] == [1, 1]
    for desk in page.linked.desks:
        desk.session.run()
    assert "at rest" in dict(page.scores.rows.rows)["Iterations"]
    assert page.step_button.disabled
    page.linked.start_again()
    assert [desk.session.current.summary.iteration for desk in page.linked.desks] == [0, 0]


def test_they_are_told_apart_where_they_differ(page):
    for desk in page.linked.desks:
        desk.session.run()
    one, two = page.desk.session.labels, page.other.session.labels
    agree = np.ones(len(one), bool)
    agree[page.linked.disagreement.differing] = False
    # On what is not ringed the two labellings are the same up to names.
    pairs = set(zip(one[agree], two[agree]))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert 0 < len(page.linked.disagreement.differing) < 75
    assert f"differ on {len(page.linked.disagreement.differing)} of 150" in plain(page.verdict.value)
    for scatter in (page.scatter, page.other_scatter):
        rings = np.frombuffer(scatter.points.widget.rings, np.uint32)
        assert rings.tolist() == page.linked.disagreement.differing.tolist()


def test_the_same_solver_agrees_with_itself():
    page = compare("iris", "COPKMeans", "COPKMeans", seed=1)
    assert len(page.linked.disagreement.differing) == 0
    assert page.linked.disagreement.agreement == 1
    assert plain(page.verdict.value).startswith("They agree on every sample.")
    page.close()


def test_matched_clusters_have_the_same_hue(page):
    for desk in page.linked.desks:
        desk.session.run()
    agree = np.setdiff1d(np.arange(150), page.linked.disagreement.differing)
    assert np.array_equal(numbers_of(page.linked, 0)[agree], numbers_of(page.linked, 1)[agree])
    one, two = (dict(zip(look.numbers, look.hues)) for look in page.linked.disagreement.looks)
    assert {number: one[number] for number in two if number in one} == {n: h for n, h in two.items() if n in one}


def test_different_numbers_of_clusters():
    page = compare("iris", COPKMeans(2), COPKMeans(5), seed=1)
    assert set(numbers_of(page.linked, 0)) == {1, 2}
    assert set(numbers_of(page.linked, 1)) == {1, 2, 3, 4, 5}
    assert len(set(page.linked.disagreement.looks[1].hues)) == 5
    page.close()


def test_scores_stand_side_by_side(page):
    rows = dict(page.scores.rows.rows)
    for desk in page.linked.desks:
        assert f"{desk.session.scores()['ari']:.3f}" in rows["ARI"]
    assert "Statements held" not in rows


def test_another_solver_and_other_data(page):
    page.desk.session.constrain(must_link=[[0, 1]])
    page.choices[1].choose("FCM")
    assert type(page.other.session.solver).__name__ == "FCM"
    page.choices[1].choose("CECM")
    page.open_data("wine")
    assert page.other.session.data is page.desk.session.data
    assert page.data.value == "wine"
    assert type(page.other.session.solver).__name__ == "CECM"
    assert len(page.other.session.constraints) == 0


def test_knowledge_that_one_solver_ignores_is_said_on_its_side():
    page = compare("iris", "COPKMeans", "FCM")
    lasso(page.scatter, [1, 2, 3])
    press(page, "m")
    assert [banner.is_open for banner in page.banners] == [False, True]
    assert "FCM has no use for" in plain(page.banners[1].words.value)
    page.close()


def test_a_gesture_is_undone_wherever_it_was_made(page):
    press(page, "ArrowRight")
    lasso(page.scatter, [1, 2, 3])
    press(page, "m")
    press(page, "Space")  # without a loop of its own the run is over at once
    ended = places(page)
    page.choices[1].choose("FCM")
    assert type(page.other.session.solver).__name__ == "FCM"
    press(page, "ctrl+z")
    assert type(page.other.session.solver).__name__ == "COPKMeans"
    assert places(page) == ended
    press(page, "ctrl+z")
    assert places(page) == [(1, 1), (1, 1)]
    press(page, "ctrl+z")
    assert places(page) == [(1, 0), (1, 0)]
    press(page, "ctrl+z", "ctrl+z")
    assert places(page) == [(0, 0), (0, 0)]
    assert page.undo_button.disabled
    press(page, *["ctrl+shift+z"] * 3)
    assert places(page) == ended
    page.linked.start_again()
    assert page.redo_button.disabled
    press(page, "ctrl+z")
    assert places(page) == ended


def test_undo_by_a_banner_reaches_both(page):
    page.desk.session.constrain(must_link=[[0, 1]])
    page.other.session.undo()
    assert places(page) == [(0, 0), (0, 0)]
    press(page, "ctrl+shift+z")
    assert places(page) == [(0, 1), (0, 1)]


def test_where_they_part_is_listed_and_can_be_selected(page):
    for desk in page.linked.desks:
        desk.session.run()
    crossings = page.linked.disagreement.crossings()
    assert (
        sorted(np.concatenate([crossing.samples for crossing in crossings]))
        == page.linked.disagreement.differing.tolist()
    )
    assert [len(crossing.samples) for crossing in crossings] == sorted(
        (len(crossing.samples) for crossing in crossings), reverse=True
    )
    send(page.crossings.rows, {"type": "act", "action": "select", "id": "0"})
    assert page.other.selection.tolist() == crossings[0].samples.tolist()
    for crossing in crossings:
        assert set(numbers_of(page.linked, 0)[crossing.samples]) == {crossing.first}
        assert set(numbers_of(page.linked, 1)[crossing.samples]) == {crossing.second}
        assert crossing.first != crossing.second


def test_both_sessions_are_found_again():
    visitor = "0123456789abcdef" * 2
    page = compare()
    page.shell.visitor = visitor
    page.choices[1].choose("FCM")
    lasso(page.scatter, [1, 2, 3])
    press(page, "m", "ArrowRight", "ArrowRight")
    left = places(page)
    page.close()
    page = compare()
    page.shell.visitor = visitor
    assert places(page) == left
    assert [choice.widget.description for choice in page.choices] == ["CECM", "FCM"]
    press(page, "ArrowRight")
    page.close()
    page = compare()
    page.shell.visitor = visitor
    assert [iteration for iteration, _ in places(page)] == [3, 3]
    page.close()


def test_both_sessions_are_kept_in_a_journal(tmp_path):
    page = compare("iris", "FCM", "COPKMeans", journal=tmp_path / "kept")
    press(page, "ArrowRight")
    page.close()
    page = compare("iris", "FCM", "COPKMeans", journal=tmp_path / "kept")
    assert places(page) == [(1, 0), (1, 0)]
    page.close()


def test_a_second_session_that_cannot_be_opened_is_told_of_and_not_lost(tmp_path):
    page = compare("iris", "FCM", "COPKMeans", journal=tmp_path)
    press(page, "ArrowRight")
    page.close()
    journal = tmp_path / "second" / "journal.jsonl"
    of_the_future = journal.read_text().replace('"schema": 3', '"schema": 99', 1)
    journal.write_text(of_the_future)
    page = compare("iris", "FCM", "COPKMeans", journal=tmp_path)
    assert "The second session can't be opened" in plain(page.banners[1].words.value)
    assert "written by a newer cclab" in plain(page.banners[1].words.value)
    assert places(page) == [(1, 0), (0, 0)]
    page.close()
    assert of_the_future in [path.read_text() for path in tmp_path.glob("second-*/journal.jsonl")]


def test_a_second_session_about_other_data_is_left(page):
    wine = compare("wine", "FCM", "COPKMeans")
    assert not page.linked.take_second(wine.other.session)
    page.desk.session.constrain(must_link=[[0, 1]])
    assert not page.linked.take_second(compare("iris", "FCM", "FCM").other.session)
    wine.close()


def test_closing_frees_every_widget():
    before = living().keys()
    page = compare("iris", "FCM", "COPKMeans")
    page.close()
    assert living().keys() <= before


def test_many_samples_that_part_stand_out_by_colour_and_few_by_rings(page):
    few = page.linked.disagreement.differing
    assert 0 < len(few) <= 150
    assert page.scatter._drawn["rings"] == few.tobytes()
    assert "they differ" in page.scatter.legend.value
    many = compare("digits", "FCM", "COPKMeans", seed=1)
    try:
        for desk in many.linked.desks:
            desk.session.step(2)
        differing = many.linked.disagreement.differing
        assert len(differing) > 150
        for view in (many.scatter, many.other_scatter):
            assert view._drawn["rings"] == b""
            certainty = view._drawn["encoding"].certainty
            assert np.flatnonzero(certainty == 1).tolist() == differing.tolist()
            assert certainty.min() == 0
            assert "faint = both agree" in view.legend.value
        assert "in full colour" in many.verdict.value
    finally:
        many.close()
