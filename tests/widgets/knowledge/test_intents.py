"""From a selection to a statement."""

import numpy as np
import pytest

from cclab import COPKMeans, SeededKMeans
from cclab.looks.encoding import Look
from cclab.queries.base import Query
from cclab.widgets.knowledge.intents import is_stated, keep_apart, label_as, link_together
from cclab.widgets.knowledge.selection_bar import SelectionBar
from cclab.widgets.knowledge.table import Constraints
from cclab.widgets.queries.card import Queries
from tests.widgets.sessions import Told, act, desk_on, shown

SOME, OTHERS = np.array([0, 3, 6, 9]), np.array([1, 4, 7])


@pytest.mark.parametrize(
    "intention",
    [
        link_together(SOME),
        link_together(SOME[:2]),
        keep_apart(SOME, OTHERS),
        keep_apart(SOME[:1], OTHERS[:1]),
        label_as(SOME, 1, "2"),
    ],
)
def test_what_is_stated_already_is_known(intention):
    session = desk_on("CECM").session
    assert not is_stated(session.constraints, intention)
    session.constrain(**intention.said, weight=0.5)
    assert not is_stated(session.constraints, intention)
    session.constrain(**intention.said)
    assert is_stated(session.constraints, intention)


def test_the_two_sides_of_a_separation_may_change_places_and_a_label_must_be_the_same():
    session = desk_on("CECM").session
    session.constrain(separation=(SOME, OTHERS))
    assert is_stated(session.constraints, keep_apart(OTHERS, SOME))
    assert not is_stated(session.constraints, keep_apart(OTHERS, SOME[:3]))
    session.constrain(labels={0: 1, 3: 1})
    assert not is_stated(session.constraints, label_as(SOME, 1, "2"))
    assert not is_stated(session.constraints, label_as(SOME[:2], 0, "1"))


def test_the_same_statement_is_made_once():
    desk = desk_on("CECM")
    view, told = SelectionBar(desk), Told(desk)
    for _ in range(2):
        desk.select(SOME)
        view.link()
    assert len(desk.session.constraints) == 1
    assert told == [("info", "This is stated already.")]
    assert desk.selection.tolist() == SOME.tolist()


def test_another_selection_leaves_the_buttons_alone_and_brings_them_into_sight():
    desk = desk_on("CECM")
    view, sent = SelectionBar(desk), []
    view.verbs.send = sent.append
    desk.select(SOME)
    before = dict(view.verbs.rows)
    desk.select(OTHERS)
    after = dict(view.verbs.rows)
    assert "4</b> selected" in before["count"]
    assert "3</b> selected" in after["count"]
    assert after["verbs"] == before["verbs"]
    assert sent == [{"type": "reveal", "key": "verbs"}] * 2


def test_numbers_agree_with_their_nouns():
    assert "1 sample is in both" in keep_apart(SOME, SOME[:1]).words
    assert "of 4 and 1 sample." in keep_apart(SOME, OTHERS[:1]).words
    assert "from this one." in keep_apart(SOME[:1], OTHERS[:0]).words


def _one_is_empty():
    """Three clusters, of which the second has no samples: the third is shown as 2."""
    desk = desk_on(SeededKMeans(3, init=[[0, 0], [900, 900], [3, 3]]))
    desk.session.step()
    assert Look.of(desk.session.current).numbers == [1, 3, 2]
    return desk


def test_what_is_labelled_2_is_the_cluster_that_is_shown_as_2():
    desk = _one_is_empty()
    view, table = SelectionBar(desk), Constraints(desk)
    cluster = desk.session.current.partition.labels()
    sample = int(np.flatnonzero(cluster == 2)[0])
    desk.select([sample])
    assert "Label as 2 adds" in view._intention("label 1").words
    act(view.verbs, "labels")
    assert 'title="Label as 3 (3)"' in shown(view.verbs)
    act(view.verbs, "label", 1)
    assert desk.session.constraints.labels.degrees.items.tolist() == [2]
    assert "cluster 2" in shown(table.table)
    assert "satisfied" in shown(table.table)


@pytest.mark.parametrize("solver", [COPKMeans(3), SeededKMeans(3)])
def test_a_label_stays_with_the_cluster_that_was_meant(solver):
    """Whether labels are taken as they are or turned into links."""
    desk = desk_on(solver)
    desk.session.run()
    view, table = SelectionBar(desk), Constraints(desk)
    for number in (3, 1):
        numbers = desk.session.current.page_numbers[desk.session.current.partition.labels()]
        desk.select(np.flatnonzero(numbers == number)[:2])
        view.label(number - 1)
    assert "cluster 3" in table.table.rows[1][1]
    assert "cluster 1" in table.table.rows[0][1]
    assert "violated" not in shown(table.table)
    desk.session.run()
    assert "violated" not in shown(table.table)


def test_answers_are_offered_by_the_numbers_of_the_page():
    desk = _one_is_empty()
    view = Queries(desk)
    desk.session.put(Query.label(0, "", 0))
    assert [made.description for made in view.answers.children[:3]] == ["1", "2", "3"]
    answers = []
    view._buttons._on_answer = answers.append
    for made in view.answers.children[:3]:
        made.click()
    assert answers == [0, 2, 1]
