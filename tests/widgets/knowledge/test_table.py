"""The constraint table shows what was stated, finds it and forgets it."""

import time

import numpy as np

from cclab import FCM
from cclab.datasets import Dataset
from cclab.widgets.constraints import MOST_ROWS, Constraints

from .sessions import act, blobs, desk_on, hover, shown


def desk_with_statements():
    desk = desk_on("ConstrainedKMeans")
    desk.session.constrain(labels={0: 0, 1: 1, 2: 2})
    desk.session.constrain(labels={3: 0}, weight=0.5, source="lasso")
    return desk


def keys(view: Constraints) -> list[str]:
    return [key for key, _ in view._table.rows]


def test_newest_first_with_counts():
    desk = desk_with_statements()
    view = Constraints(desk)
    assert keys(view) == ["3", "2", "1", "0"]
    assert "4 statements" in view._counts.value
    first = view._table.rows[0][1]
    assert all(word in first for word in ("label", ">3<", "cluster 1", "lasso", "0.50"))


def test_nothing_stated():
    view = Constraints(desk_on())
    assert "Nothing stated yet." in shown(view._table)
    assert view._counts.value == ""


def test_violated_ones_are_marked_and_come_first_when_asked():
    desk = desk_on("SeededKMeans")
    view = Constraints(desk)
    session = desk.session
    apart = next(i for i in range(60) if session.labels[i] != session.labels[0])
    labels = {i: int(session.labels[i]) for i in (0, 5)}
    session.constrain(labels=labels | {apart: int(session.labels[0])})
    session.constrain(labels={7: int(session.labels[7])})
    violated = [key for key, html in view._table.rows if "cc-violated" in html]
    assert len(violated) == 1
    assert "1 violated" in view._counts.value
    act(view._table, "sort")
    assert keys(view)[0] == violated[0]
    act(view._table, "sort")
    assert keys(view)[0] == "3"


def test_a_click_selects_the_samples_and_hovering_points_at_one():
    desk = desk_on("COPKMeans")
    view = Constraints(desk)
    desk.session.constrain(group=[3, 9, 6, 12])
    desk.session.constrain(must_link=[[0, 15]])
    act(view._table, "find", 0)
    assert desk.selection.tolist() == [3, 6, 9, 12]
    assert "cc-current" in dict(view._table.rows)["0"]
    act(view._table, "find", 1, shift=True)
    assert desk.selection.tolist() == [0, 3, 6, 9, 12, 15]
    hover(view._table, 1)
    assert desk.sample == 0
    hover(view._table, None)
    assert desk.sample is None


def test_the_cross_forgets_and_late_clicks_do_nothing():
    desk = desk_with_statements()
    view = Constraints(desk)
    act(view._table, "forget", 1)
    assert sorted(desk.session.constraints.ids) == [0, 2, 3]
    assert "1" not in keys(view)
    act(view._table, "forget", 1)  # a second click, under way when the row went
    act(view._table, "find", 1)
    assert len(desk.session.constraints) == 3
    desk.session.undo()
    assert "1" in keys(view)


def test_a_step_sends_nothing_when_nothing_changed():
    desk = desk_with_statements()
    desk.session.run()
    view = Constraints(desk)
    sent = []
    view._table.observe(lambda change: sent.append(change), ["rows", "head"])
    desk.session.step()
    assert sent == []


def test_names_are_escaped():
    desk = desk_on("ConstrainedKMeans")
    view = Constraints(desk)
    desk.session.constrain(labels={0: 1}, source="<script>")
    assert "<script>" not in shown(view._table)
    assert "&lt;script&gt;" in shown(view._table)


def test_a_hundred_thousand_pairs():
    n = 20_000
    rng = np.random.default_rng(0)
    desk = desk_on(FCM(3), Dataset("many", rng.normal(size=(n, 2))))
    view = Constraints(desk)
    pairs = rng.integers(0, n, size=(100_000, 2))
    desk.attempt(desk.session.constrain, must_link=pairs[pairs[:, 0] != pairs[:, 1]])
    assert len(view._table.rows) == MOST_ROWS + 1
    assert f"The first {MOST_ROWS} of {len(desk.session.constraints):,} are shown" in view._table.rows[-1][1]
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
    assert len(Constraints(desk_on()).widget.children[0].children) == 2


def test_another_session_is_shown_whole():
    desk = desk_with_statements()
    view = Constraints(desk)
    desk.open(desk_on("COPKMeans", blobs(30)).session)
    assert "Nothing stated yet." in shown(view._table)
