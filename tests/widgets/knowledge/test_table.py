"""The constraint table shows what was stated, finds it and forgets it."""

import time

import numpy as np

from cclab import FCM
from cclab.datasets import Dataset
from cclab.widgets.knowledge.table import MOST_ROWS, Constraints
from cclab.widgets.timeline.status import Status
from tests.front_end import is_shown
from tests.widgets.sessions import Told, act, blobs, desk_on, hover, shown


def desk_with_statements():
    desk = desk_on("ConstrainedKMeans")
    desk.session.constrain(labels={0: 0, 1: 1, 2: 2})
    desk.session.constrain(labels={3: 0}, weight=0.5, source="lasso")
    return desk


def keys(view: Constraints) -> list[str]:
    return [key for key, _ in view.table.rows]


def test_newest_first_with_counts():
    desk = desk_with_statements()
    view = Constraints(desk)
    assert keys(view) == ["3", "2", "1", "0"]
    assert "4 statements" in view.counts.value
    first = view.table.rows[0][1]
    assert all(word in first for word in ("label", ">3<", "cluster 1", "lasso", "0.50"))


def test_a_label_given_to_many_samples_at_once_is_one_row():
    desk = desk_on("SeededKMeans")
    view, status = Constraints(desk), Status(desk)
    many = [i for i in range(60) if desk.session.labels[i] == 1][:9]
    other = next(i for i in range(60) if desk.session.labels[i] != 1)
    desk.session.constrain(labels=dict.fromkeys(many, 1), source="lasso")
    desk.session.constrain(labels=dict.fromkeys([other, *many[:1]], 1), source="lasso")
    assert keys(view) == ["9", "1"]  # the first sample has its newer label
    assert "8 samples" in view.table.rows[1][1]
    assert "cluster 2" in view.table.rows[1][1]
    assert "2 statements · 1 satisfied" in view.counts.value
    assert "1 elsewhere" in view.table.rows[0][1]
    assert "statements <b>1 / 2</b>" in status.line.value
    act(view.table, "find", 1)
    assert desk.selection.tolist() == many[1:]
    act(view.table, "forget", 1)
    assert sorted(desk.session.constraints.labels.sample) == sorted([other, many[0]])
    desk.session.undo()
    assert keys(view) == ["9", "1"]


def test_ten_thousand_labels_are_read_at_once():
    n = 20_000
    desk = desk_on(FCM(3), Dataset("many", np.random.default_rng(0).normal(size=(n, 2))))
    view = Constraints(desk)
    desk.attempt(desk.session.constrain, labels=dict.fromkeys(range(10_646), 1), source="lasso")
    assert len(view.table.rows) == 1
    assert "10,646 samples" in shown(view.table)


def test_nothing_stated():
    view = Constraints(desk_on())
    assert "Nothing stated yet." in shown(view.table)
    assert view.counts.value == ""


def test_violated_ones_are_marked_and_come_first_when_asked():
    desk = desk_on("SeededKMeans")
    view = Constraints(desk)
    session = desk.session
    apart = next(i for i in range(60) if session.labels[i] != session.labels[0])
    labels = {i: int(session.labels[i]) for i in (0, 5)}
    session.constrain(labels=labels | {apart: int(session.labels[0])})
    session.constrain(labels={7: int(session.labels[7])})
    violated = [key for key, html in view.table.rows if "cc-violated" in html]
    assert len(violated) == 1
    assert "1 violated" in view.counts.value
    act(view.table, "sort")
    assert keys(view)[0] == violated[0]
    act(view.table, "sort")
    assert keys(view)[0] == "3"


def test_a_click_selects_the_samples_and_hovering_points_at_one():
    desk = desk_on("COPKMeans")
    view = Constraints(desk)
    desk.session.constrain(group=[3, 9, 6, 12])
    desk.session.constrain(must_link=[[0, 15]])
    act(view.table, "find", 0)
    assert desk.selection.tolist() == [3, 6, 9, 12]
    assert "cc-current" in dict(view.table.rows)["0"]
    act(view.table, "find", 1, shift=True)
    assert desk.selection.tolist() == [0, 3, 6, 9, 12, 15]
    hover(view.table, 1)
    assert desk.sample == 0
    hover(view.table, None)
    assert desk.sample is None


def test_the_cross_forgets_and_late_clicks_do_nothing():
    desk = desk_with_statements()
    view = Constraints(desk)
    act(view.table, "forget", 1)
    assert sorted(desk.session.constraints.ids) == [0, 2, 3]
    assert "1" not in keys(view)
    act(view.table, "forget", 1)  # a second click, under way when the row went
    act(view.table, "find", 1)
    assert len(desk.session.constraints) == 3
    desk.session.undo()
    assert "1" in keys(view)


def test_a_step_sends_nothing_when_nothing_changed():
    desk = desk_with_statements()
    desk.session.run()
    view = Constraints(desk)
    sent = []
    view.table.observe(lambda change: sent.append(change), ["rows", "head"])
    desk.session.step()
    assert sent == []


def test_names_are_escaped():
    desk = desk_on("ConstrainedKMeans")
    view = Constraints(desk)
    desk.session.constrain(labels={0: 1}, source="<script>")
    assert "<script>" not in shown(view.table)
    assert "&lt;script&gt;" in shown(view.table)


def test_a_hundred_thousand_pairs():
    n = 20_000
    rng = np.random.default_rng(0)
    desk = desk_on(FCM(3), Dataset("many", rng.normal(size=(n, 2))))
    view = Constraints(desk)
    pairs = rng.integers(0, n, size=(100_000, 2))
    desk.attempt(desk.session.constrain, must_link=pairs[pairs[:, 0] != pairs[:, 1]])
    assert len(view.table.rows) == MOST_ROWS + 1
    assert f"The first {MOST_ROWS} of {len(desk.session.constraints):,} are shown" in view.table.rows[-1][1]
    desk.session.step()
    began = time.process_time()
    view._show(desk.session.current)
    assert time.process_time() - began < 0.5


def test_import_and_export_are_there_when_given():
    called = []
    view = Constraints(desk_on(), on_import=lambda: called.append("import"), on_export=lambda: called.append("export"))
    tools = view.widget.children[0].children[2:]
    for tool in tools:
        tool.click()
    assert called == ["import", "export"]
    assert len(Constraints(desk_on()).widget.children[0].children) == 3  # beside them, what looks for suspects


def test_another_session_is_shown_whole():
    desk = desk_with_statements()
    view = Constraints(desk)
    desk.open(desk_on("COPKMeans", blobs(30)).session)
    assert "Nothing stated yet." in shown(view.table)


def test_what_is_probably_wrong_is_marked_and_one_click_asks_again():
    desk = desk_on("PCKMeans")
    target = desk.session.data.target
    rng = np.random.default_rng(0)
    pairs = np.array([rng.choice(60, 2, replace=False) for _ in range(30)])
    same = target[pairs[:, 0]] == target[pairs[:, 1]]
    same[0] = not same[0]
    desk.session.constrain(must_link=pairs[same], cannot_link=pairs[~same])
    desk.session.run()
    view, said = Constraints(desk), Told(desk)
    view.checking.button.click()
    assert said == [("info", "1 statement to check again")]
    (first, *_) = view.table.rows
    assert "check again?" in first[1]
    assert "the rest puts" in first[1]
    assert shown(view.table).count("check again?") == 1
    act(view.table, "again", first[0])
    (query,) = desk.session.pending
    assert query.samples == tuple(sorted(pairs[0].tolist()))
    assert query.again
    right, wrong = ("same", "different") if len(set(target[list(query.samples)])) == 1 else ("different", "same")
    desk.session.answer(query, right)
    assert "check again?" not in shown(view.table)
    assert desk.session.constraints.satisfaction(target).rate == 1
    desk.session.undo()
    assert "check again?" in shown(view.table), "it stands again, and is as doubtful as before"
    desk.session.answer(query, wrong)
    assert "check again?" not in shown(view.table)
    view.checking.button.click()
    assert said[-1] == ("info", "Nothing looks wrong"), "who has said it twice is believed"


def test_nothing_is_looked_for_among_a_few_statements():
    desk = desk_on()
    view = Constraints(desk)
    assert not is_shown(view.checking.button)
    desk.session.constrain(group=[0, 3, 6])
    assert not is_shown(view.checking.button)
